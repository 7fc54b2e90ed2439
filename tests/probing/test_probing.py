"""The probes, their limits, and answers that no server should give."""

from __future__ import annotations as _annotations

import json
from collections.abc import Callable
from typing import Any

import httpx2
import pytest

from pydantic_ai_compat.errors import OptionError
from pydantic_ai_compat.probing import PROBES, Answer, Finding, Limits, build_report, plan, run_probes
from pydantic_ai_compat.probing.reading import Call, calls_in
from pydantic_ai_compat.text import DIALECTS, TextCall, read_text, write_calls

Respond = Callable[[httpx2.Request], httpx2.Response]


def run(respond: Respond, *only: str, limits: Limits | None = None) -> list[Answer]:
    with httpx2.Client(transport=httpx2.MockTransport(respond)) as client:
        return list(
            run_probes(plan(only), base_url='http://s/v1/', model='m', limits=limits or Limits(), client=client)
        )


def found(answer: httpx2.Response | Respond, name: str) -> Finding:
    def respond(request: httpx2.Request) -> httpx2.Response:
        return answer if isinstance(answer, httpx2.Response) else answer(request)

    (finding,) = build_report(run(respond, name), 'm').findings
    return finding


def choice(finish_reason: str | None = 'stop', **message: Any) -> httpx2.Response:
    body: dict[str, Any] = {
        'choices': [{'message': message, 'finish_reason': finish_reason}],
        'usage': {'total_tokens': 9},
    }
    return httpx2.Response(200, json=body)


def stream(*events: object, done: bool = True) -> httpx2.Response:
    lines = [f'data: {event if isinstance(event, str) else json.dumps(event)}' for event in events]
    return httpx2.Response(200, text='\n\n'.join([*lines, *(['data: [DONE]'] if done else [])]) + '\n\n')


def delta(finish_reason: str | None = None, **fields: Any) -> dict[str, Any]:
    return {'choices': [{'delta': fields, 'finish_reason': finish_reason}]}


def call(index: int | None = 0, call_id: str | None = 'c1', name: str | None = None, arguments: Any = None) -> Any:
    function = {key: value for key, value in (('name', name), ('arguments', arguments)) if value is not None}
    return {'index': index, 'id': call_id, 'function': function}


def test_every_request_is_small_and_goes_to_the_endpoint() -> None:
    asked: list[httpx2.Request] = []

    def respond(request: httpx2.Request) -> httpx2.Response:
        asked.append(request)
        return httpx2.Response(500, text='no')

    run(respond)
    assert [str(request.url) for request in asked[:2]] == ['http://s/v1/models', 'http://s/v1/chat/completions']
    assert len(asked) == len(PROBES)
    bodies = [json.loads(request.content) for request in asked[1:]]
    assert {body['model'] for body in bodies} == {'m'}
    assert max(body['max_tokens'] for body in bodies) == 200
    assert sum(probe.token_limit for probe in PROBES.values()) < Limits().tokens


def test_the_run_ends_before_it_costs_more_tokens_than_allowed() -> None:
    answers = run(
        lambda request: choice(content='hi'), 'chat', 'two systems', 'later system', limits=Limits(tokens=250)
    )
    assert [answer.sent for answer in answers] == [True, True, False]
    assert answers[2].error == 'not sent: it could go beyond 250 tokens'
    # A count that is none counts as nothing.
    odd = httpx2.Response(200, json={'choices': [], 'usage': {'total_tokens': 'x'}})
    answers = run(lambda request: odd, 'chat', 'two systems', limits=Limits(tokens=250))
    assert [answer.sent for answer in answers] == [True, False]
    # A server that counts nothing is taken to have used what the request could cost at most.
    silent = httpx2.Response(200, json={'choices': []})
    answers = run(lambda request: silent, 'chat', 'two systems', limits=Limits(tokens=250))
    assert [answer.sent for answer in answers] == [True, False]


def test_the_run_ends_when_its_time_is_over() -> None:
    (answer,) = run(lambda request: choice(content='hi'), 'chat', limits=Limits(seconds=0))
    assert (answer.sent, answer.error) == (False, 'not sent: the 0 seconds are over')


def test_an_answer_is_cut_where_it_gets_too_long() -> None:
    long = httpx2.Response(200, content=b'x' * 100)
    (answer,) = run(lambda request: long, 'chat', limits=Limits(answer_bytes=10))
    assert answer.error == 'cut: the answer was too long or too slow'


def test_an_endpoint_that_is_not_there_is_an_answer_too() -> None:
    def respond(request: httpx2.Request) -> httpx2.Response:
        raise httpx2.ConnectError('refused')

    (answer,) = run(respond, 'chat')
    assert (answer.status, answer.error) == (0, 'ConnectError: refused')
    assert found(respond, 'chat') == Finding('chat', 'unknown', 'ConnectError: refused')


def test_only_the_probes_that_were_named_are_sent() -> None:
    assert [probe.name for probe in plan(['stream', 'models'])] == ['models', 'stream']
    with pytest.raises(OptionError, match="`only`='x' does not fit: allowed are models, chat"):
        plan(['x'])


@pytest.mark.parametrize(
    ('answer', 'verdict', 'text'),
    [
        (httpx2.Response(200, json={'data': [{'id': 'm'}]}), 'works', 'the model is listed'),
        (
            httpx2.Response(200, json={'data': [{'id': 'a'}, 'x', {'id': 'b'}]}),
            'differs',
            'm is not listed; the endpoint names a, b',
        ),
        (httpx2.Response(200, json={'data': None}), 'differs', 'm is not listed; the endpoint names none'),
        (httpx2.Response(404, text='nothing here'), 'unknown', '404: nothing here'),
        (httpx2.Response(500), 'refused', '500: no words'),
    ],
)
def test_the_list_of_models(answer: httpx2.Response, verdict: str, text: str) -> None:
    finding = found(answer, 'models')
    assert (finding.verdict, finding.text) == (verdict, text)


@pytest.mark.parametrize(
    ('answer', 'verdict', 'text'),
    [
        (choice(content='hi'), 'works', 'an answer, a finish reason (stop) and usage'),
        (
            choice(content='', reasoning_content='Hm.'),
            'works',
            'an answer, a finish reason (stop) and usage, thoughts in `reasoning_content`',
        ),
        (choice(None, content='hi'), 'differs', 'no finish reason'),
        (httpx2.Response(200, json={'choices': 'x'}), 'differs', 'no finish reason; no usage; an empty answer'),
        (
            httpx2.Response(200, json={'choices': [{'message': 1}]}),
            'differs',
            'no finish reason; no usage; an empty answer',
        ),
        (httpx2.Response(200, text='<html>'), 'refused', "200: no JSON object: '<html>'"),
        (httpx2.Response(200, text='[' * 9999), 'refused', "200: no JSON object: '["),
        (httpx2.Response(200, json={'error': {'message': 'full'}}), 'refused', '200: full'),
        (httpx2.Response(400, json={'detail': 'bad'}), 'refused', '400: bad'),
        (httpx2.Response(400, json={'error': 'bad'}), 'refused', '400: bad'),
        (httpx2.Response(400, json={'error': ['bad']}), 'refused', '400: ["bad"]'),
        (httpx2.Response(401, json={'error': {'message': 'key'}}), 'unknown', '401: key'),
    ],
)
def test_a_plain_answer(answer: httpx2.Response, verdict: str, text: str) -> None:
    finding = found(answer, 'chat')
    assert (finding.verdict, finding.text[: len(text)]) == (verdict, text)


USAGE: dict[str, Any] = {'choices': [], 'usage': {'total_tokens': 3}}


@pytest.mark.parametrize(
    ('answer', 'verdict', 'text', 'options'),
    [
        (stream(delta(content='hi'), delta('stop'), USAGE), 'works', 'an answer, a finish reason (stop) and usage', {}),
        (stream(delta(content='hi'), delta('stop'), USAGE, done=False), 'differs', 'no [DONE] at the end', {}),
        (
            stream(delta(content='hi'), 'no JSON'),
            'refused',
            "200: Line 3 of the stream is not JSON: Expecting value: line 1 column 1 (char 0). It reads 'no JSON'.",
            {},
        ),
        (stream({'error': {'message': 'midway'}}), 'refused', '200: midway', {}),
        (httpx2.Response(200, text=''), 'refused', '200: the stream holds no event', {}),
        (
            httpx2.Response(400, json={'error': {'message': 'stream_options: extra inputs are not permitted'}}),
            'refused',
            '400: stream_options: extra inputs are not permitted',
            {'openai_chat_include_usage': False},
        ),
    ],
)
def test_a_stream(answer: httpx2.Response, verdict: str, text: str, options: dict[str, Any]) -> None:
    assert found(answer, 'stream') == Finding('stream', verdict, text, options)  # pyright: ignore[reportArgumentType]


GOOD_CALL = call(name='get_weather', arguments='{"city": "Rome"}')


@pytest.mark.parametrize(
    ('answer', 'verdict', 'text', 'options'),
    [
        (choice('tool_calls', tool_calls=[GOOD_CALL]), 'works', '1 call', {}),
        (choice('tool_calls', tool_calls=[GOOD_CALL, call(1, 'c2', 'f', '{}')]), 'works', '2 calls', {}),
        (
            choice('stop', tool_calls=[call(None, None, 'f', {'a': 1})]),
            'differs',
            '1 call; arguments as an object where a string belongs; no call id; finish reason stop',
            {},
        ),
        (
            choice('tool_calls', tool_calls=[call(name='f', arguments='[1]')]),
            'differs',
            "1 call; arguments that are no JSON object: '[1]'",
            {},
        ),
        (
            choice('tool_calls', tool_calls=[call(name='f', arguments='{')]),
            'differs',
            "1 call; arguments that are no JSON object: '{'",
            {},
        ),
        (choice('length', tool_calls=[call(name='f', arguments='{')]), 'unknown', 'the call was cut at its limit', {}),
        (
            choice(content='no'),
            'differs',
            "`tool_choice` is ignored: no call, but the text 'no'",
            {'supports_forced_tool_choice': False},
        ),
        (choice(), 'differs', '`tool_choice` is ignored: no call', {'supports_forced_tool_choice': False}),
        (
            httpx2.Response(400, json={'error': 'tool_choice'}),
            'refused',
            '400: tool_choice',
            {'supports_forced_tool_choice': False},
        ),
        (httpx2.Response(500, text='x'), 'refused', '500: x', {}),
    ],
)
def test_a_tool_call(answer: httpx2.Response, verdict: str, text: str, options: dict[str, Any]) -> None:
    assert found(answer, 'tool call') == Finding('tool call', verdict, text, options)  # pyright: ignore[reportArgumentType]


def test_a_streamed_call_is_put_together_from_its_deltas() -> None:
    answer = stream(
        delta(tool_calls=[call(0, 'c1', 'get_weather', '{"city"')]),
        delta(tool_calls=[call(0, 'c1', 'get_weather', ': "Rome"}')]),
        delta('tool_calls'),
        done=False,
    )
    finding = found(answer, 'streamed tool call')
    assert finding.text == '1 call; the name in each of 2 deltas; no [DONE] at the end'


def test_another_id_on_one_index_is_another_call() -> None:
    answer = stream(
        delta(tool_calls=[call(0, 'c1', 'f', '{}')]),
        delta(tool_calls=[call(0, 'c2', 'g', '{}')]),
        delta(tool_calls=[call(0, None, None, None), 'x']),
        delta(tool_calls=None),
    )
    (sent,) = run(lambda request: answer, 'streamed tool call')
    assert calls_in(sent) == [Call('f', '{}', 'c1', 1, False), Call('g', '{}', 'c2', 1, False)]


@pytest.mark.parametrize(
    ('count', 'verdict', 'text'),
    [
        (0, 'differs', 'no call'),
        (1, 'differs', 'one call: it may make them one after the other'),
        (2, 'works', '2 calls at once'),
    ],
)
def test_parallel_calls(count: int, verdict: str, text: str) -> None:
    answer = stream(delta(tool_calls=[call(index, f'c{index}', 'f', '{}') for index in range(count)]))
    finding = found(answer, 'parallel calls')
    assert (finding.verdict, finding.text) == (verdict, text)
    assert found(httpx2.Response(400, text='no'), 'parallel calls').verdict == 'refused'


@pytest.mark.parametrize(
    ('name', 'options'),
    [
        ('strict tool', {'openai_supports_strict_tool_definition': False}),
        ('list result', {'openai_chat_tool_return_as_list': False}),
        ('two systems', {'openai_chat_supports_multiple_system_messages': False}),
        ('later system', {'openai_chat_supports_multiple_system_messages': False}),
        ('string result', {}),
        ('repeated result', {}),
        ('empty content', {}),
    ],
)
def test_what_is_refused_needs_an_option(name: str, options: dict[str, Any]) -> None:
    assert found(httpx2.Response(422, text='no'), name) == Finding(name, 'refused', '422: no', options)
    assert found(choice(content='x'), name) == Finding(name, 'works', 'taken')


@pytest.mark.parametrize(
    ('taken', 'options'),
    [
        (('empty content', 'string result'), {'openai_chat_tool_call_content': 'empty'}),
        (('string result',), {'openai_chat_tool_call_content': 'omit'}),
        ((), {}),
    ],
)
def test_where_null_is_refused_the_first_that_is_taken_helps(taken: tuple[str, ...], options: dict[str, Any]) -> None:
    bodies = {json.dumps(PROBES[name].body): name for name in ('null content', 'empty content', 'string result')}

    def respond(request: httpx2.Request) -> httpx2.Response:
        body = json.loads(request.content)
        del body['model']
        return choice(content='x') if bodies[json.dumps(body)] in taken else httpx2.Response(400, text='no')

    report = build_report(run(respond, 'null content', 'empty content', 'string result'), 'm')
    assert report.options == options


@pytest.mark.parametrize(
    ('name', 'answer', 'verdict', 'text', 'options'),
    [
        ('json schema', choice(content='{"city": "Rome"}'), 'works', 'kept to', {}),
        ('json object', choice(content='[]'), 'works', 'kept to', {}),
        (
            'json schema',
            choice(content='[]'),
            'differs',
            "ignored: the answer is '[]'",
            {'supports_json_schema_output': False},
        ),
        (
            'json object',
            choice(content='Rome'),
            'differs',
            "ignored: the answer is 'Rome'",
            {'supports_json_object_output': False},
        ),
        ('json object', choice('length', content='{'), 'unknown', 'the answer was cut at its limit', {}),
        ('json schema', httpx2.Response(400, text='no'), 'refused', '400: no', {'supports_json_schema_output': False}),
    ],
)
def test_formats_of_answers(
    name: str, answer: httpx2.Response, verdict: str, text: str, options: dict[str, Any]
) -> None:
    assert found(answer, name) == Finding(name, verdict, text, options)  # pyright: ignore[reportArgumentType]


def counted(prompt_tokens: object, **message: Any) -> httpx2.Response:
    choices = [{'message': {'content': 'hi', **message}, 'finish_reason': 'stop'}]
    return httpx2.Response(200, json={'choices': choices, 'usage': {'prompt_tokens': prompt_tokens, 'total_tokens': 9}})


@pytest.mark.parametrize(
    ('without', 'answer', 'verdict', 'text', 'options'),
    [
        (counted(20), counted(190), 'works', 'they reach the prompt: 170 tokens for a large tool', {}),
        (
            # https://github.com/ggml-org/llama.cpp/issues/27129: dropped without a word, by a template without tools
            counted(20),
            counted(20),
            'differs',
            'ignored: 20 prompt tokens with a large tool, 20 without',
            {'openai_chat_tools': 'text'},
        ),
        (
            # Some words of a server's own are no tool.
            counted(20),
            counted(59),
            'differs',
            'ignored: 59 prompt tokens with a large tool, 20 without',
            {'openai_chat_tools': 'text'},
        ),
        (counted(20), counted(20, tool_calls=[call(name='f', arguments='{}')]), 'works', 'the model calls them', {}),
        (counted(None), counted(20), 'unknown', 'taken; the server does not count the tokens of the prompt', {}),
        (counted(20), choice(content='hi'), 'unknown', 'taken; the server does not count the tokens of the prompt', {}),
        (
            httpx2.Response(500, text='x'),
            counted(20),
            'unknown',
            'taken; the server does not count the tokens of the prompt',
            {},
        ),
        (
            # https://github.com/ollama/ollama/issues/14795
            counted(20),
            httpx2.Response(400, json={'error': {'message': 'gemma3:4b does not support tools'}}),
            'refused',
            '400: gemma3:4b does not support tools',
            {'openai_chat_tools': 'text'},
        ),
        (
            # https://github.com/evalstate/fast-agent/issues/122
            counted(20),
            httpx2.Response(404, json={'error': {'message': 'No endpoints found that support tool use.'}}),
            'refused',
            '404: No endpoints found that support tool use.',
            {'openai_chat_tools': 'text'},
        ),
        (counted(20), httpx2.Response(429, text='slow down'), 'unknown', '429: slow down', {}),
    ],
)
def test_tools_that_are_refused_or_cost_no_tokens_become_text(
    without: httpx2.Response, answer: httpx2.Response, verdict: str, text: str, options: dict[str, Any]
) -> None:
    """What the model can do plays no part: the tokens of the prompt tell."""

    def respond(request: httpx2.Request) -> httpx2.Response:
        return answer if 'tools' in json.loads(request.content) else without

    report = build_report(run(respond, 'chat', 'tools'), 'm')
    assert report.findings[1] == Finding('tools', verdict, text, options)  # pyright: ignore[reportArgumentType]


def test_an_endpoint_without_tools_needs_no_option_about_them() -> None:
    """Every request with tools is refused, and one option is all that follows."""

    def respond(request: httpx2.Request) -> httpx2.Response:
        if b'"tools"' in request.content:
            return httpx2.Response(400, text='no tools here')
        return counted(20) if request.method == 'POST' else httpx2.Response(200, json={'data': [{'id': 'm'}]})

    report = build_report(run(respond, 'chat', 'tools', 'tool call', 'strict tool', 'null content'), 'm')
    assert report.options == {'openai_chat_tools': 'text'}


def test_a_refusal_of_parallel_calls_alone_leaves_the_setting_out() -> None:
    """https://github.com/evalstate/fast-agent/issues/279"""

    def respond(request: httpx2.Request) -> httpx2.Response:
        if b'parallel_tool_calls' in request.content:
            return httpx2.Response(400, json={'error': {'message': "Unsupported parameter: 'parallel_tool_calls'"}})
        return choice('tool_calls', tool_calls=[GOOD_CALL])

    report = build_report(run(respond, 'tool call', 'parallel calls'), 'm')
    assert report.options == {'openai_unsupported_model_settings': ['parallel_tool_calls']}


def test_what_fails_like_the_plain_request_proves_nothing() -> None:
    """A server that is broken answers 500 to everything, and no option follows from that."""
    report = build_report(run(lambda request: httpx2.Response(500, text='x')), 'm')
    assert report.options == {}
    assert {finding.name for finding in report.findings if finding.verdict == 'refused'} == {'chat'}
    healthy = [Answer(PROBES['chat'], 200), Answer(PROBES['strict tool'], 500, error='x')]
    assert build_report(healthy, 'm').options == {'openai_supports_strict_tool_definition': False}


@pytest.mark.parametrize('error', [httpx2.RemoteProtocolError, httpx2.ReadError])
@pytest.mark.parametrize('drops', [1, 2])
def test_a_dropped_connection_is_tried_once_more(error: type[httpx2.TransportError], drops: int) -> None:
    asked: list[str] = []

    def respond(request: httpx2.Request) -> httpx2.Response:
        asked.append(request.url.path)
        if len(asked) <= drops:
            raise error('gone', request=request)
        return choice(content='hi')

    (answer,) = run(respond, 'chat')
    assert (len(asked), answer.accepted) == (2, drops == 1)
    assert answer.error == ('' if drops == 1 else f'{error.__name__}: gone')


@pytest.mark.parametrize('error', [httpx2.ReadTimeout, httpx2.UnsupportedProtocol, httpx2.TooManyRedirects])
def test_what_goes_wrong_otherwise_is_not_asked_again_and_the_next_probe_is(error: type[httpx2.RequestError]) -> None:
    asked: list[str] = []

    def respond(request: httpx2.Request) -> httpx2.Response:
        asked.append(request.url.path)
        if len(asked) == 1:
            raise error('no', request=request)
        return choice(content='hi')

    first, second = run(respond, 'chat', 'null content')
    assert (len(asked), first.accepted, first.unreachable) == (2, False, False)
    assert (first.error, second.accepted) == (f'{error.__name__}: no', True)


def test_a_refused_connection_ends_the_run() -> None:
    asked: list[str] = []

    def respond(request: httpx2.Request) -> httpx2.Response:
        asked.append(request.url.path)
        raise httpx2.ConnectError('refused', request=request)

    answers = run(respond)
    assert (len(asked), len(answers)) == (1, len(PROBES))
    assert {answer.error for answer in answers[1:]} == {'not sent: nobody answers at the address'}


@pytest.mark.parametrize(
    ('entry', 'kind'),
    [
        ({'owned_by': 'vllm'}, 'vllm'),
        ({'owned_by': 'sglang'}, 'sglang'),
        ({'owned_by': 'llamacpp'}, 'llama.cpp'),
        ({'owned_by': 'library'}, 'ollama'),
        ({'owned_by': 'organization_owner'}, 'lm-studio'),
        ({'id': 'org/m', 'owned_by': 'org/m'}, 'tgi'),
        ({'owned_by': 'somebody'}, ''),
        ({'owned_by': ['vllm']}, ''),
    ],
)
def test_a_server_is_known_by_what_it_says_of_its_models(entry: dict[str, Any], kind: str) -> None:
    (answer,) = run(lambda request: httpx2.Response(200, json={'data': [entry]}), 'models')
    assert build_report([answer], 'm').kind == kind
    assert build_report([], 'm').kind == ''


HERMES = '<tool_call>\n{"name": "get_weather", "arguments": {"city": "Paris"}}\n</tool_call>'
FORCED_THOUGHTS = {'openai_chat_text_tool_calls': ['hermes'], 'openai_chat_text_tool_calls_in_thoughts': True}


@pytest.mark.parametrize(
    ('answer', 'verdict', 'text', 'options'),
    [
        (choice('tool_calls', tool_calls=[GOOD_CALL]), 'works', '1 call', {}),
        (
            choice(content=f'I look it up.\n{HERMES}'),
            'differs',
            'the call is left in the text, in the dialect hermes',
            {'openai_chat_text_tool_calls': ['hermes']},
        ),
        *[
            (
                choice(**message),
                'differs',
                'the call is swallowed into the thoughts, in the dialect hermes',
                FORCED_THOUGHTS,
            )
            for message in (
                {'content': '', 'reasoning_content': f'Hm. {HERMES}'},
                {'content': None, 'reasoning': HERMES},
                {'content': f'<think>Hm. {HERMES}</think>'},
            )
        ],
        (choice('length', content='Let me'), 'unknown', 'the answer was cut at its limit', {}),
        (choice('length', content=HERMES[:50]), 'unknown', 'the answer was cut at its limit', {}),
        (
            choice(content='Sunny.'),
            'unknown',
            "no call, but the text 'Sunny.': a model may answer without the tool",
            {},
        ),
        (
            choice(content=HERMES.replace('get_weather', 'other')),
            'unknown',
            f'no call, but the text {HERMES.replace("get_weather", "other")[:80]!r}: a model may answer without the tool',
            {},
        ),
        (httpx2.Response(400, json={'error': 'tool choice'}), 'refused', '400: tool choice', {}),
    ],
)
def test_a_call_that_the_model_was_free_to_make(
    answer: httpx2.Response, verdict: str, text: str, options: dict[str, Any]
) -> None:
    """vLLM without `--enable-auto-tool-choice` leaves it in the text, and its qwen3 reasoning parser in the thoughts."""
    expected = Finding('free tool call', verdict, text, options)  # pyright: ignore[reportArgumentType]
    assert found(answer, 'free tool call') == expected


@pytest.mark.parametrize('dialect', DIALECTS)
@pytest.mark.untraced
def test_every_dialect_is_known_by_its_call(dialect: str) -> None:
    """Where two dialects write a call alike, the named one reads it as well and leaves no more of it in the text."""
    text = write_calls([TextCall('get_weather', '{"city": "Paris"}')], dialect)
    (named,) = found(choice(content=text), 'free tool call').options['openai_chat_text_tool_calls']
    tools = (PROBES['free tool call'].body or {})['tools']
    own, other = read_text(text, tools, dialect), read_text(text, tools, named)
    assert [(call.name, json.loads(call.arguments)) for call in other.calls] == [('get_weather', {'city': 'Paris'})]
    assert len(other.text) <= len(own.text)


@pytest.mark.parametrize(
    ('counts', 'verdict', 'text', 'options'),
    [
        (
            (90, 104),
            'works',
            'both arrive: 14 tokens more than with one',
            {'openai_chat_tool_return_as_list': True, 'openai_chat_tool_return_list_format': 'messages'},
        ),
        ((90, 90), 'differs', 'taken, but the prompt has no token more (90) than with one', {}),
        ((90, None), 'works', 'taken', {}),
        (('90', 104), 'works', 'taken', {}),
    ],
)
def test_whether_a_second_result_reaches_the_model_shows_in_the_count_of_tokens(
    counts: tuple[Any, Any], verdict: str, text: str, options: dict[str, Any]
) -> None:
    def respond(request: httpx2.Request) -> httpx2.Response:
        results = sum(message['role'] == 'tool' for message in json.loads(request.content)['messages'])
        usage = {'prompt_tokens': counts[results - 1]}
        return httpx2.Response(200, json={'choices': [{'message': {'content': 'hi'}}], 'usage': usage})

    _, finding = build_report(run(respond, 'string result', 'repeated result'), 'm').findings
    assert finding == Finding('repeated result', verdict, text, options)  # pyright: ignore[reportArgumentType]
    assert found(respond, 'repeated result') == Finding('repeated result', 'works', 'taken')
