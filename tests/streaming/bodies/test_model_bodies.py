"""Whatever a server answers, through the model: the answer, or an error in the server's words."""

from __future__ import annotations as _annotations

import json

import httpx2
import pytest
from pydantic_ai import Agent, ModelAPIError, ModelHTTPError
from pydantic_ai.providers.openai_compatible import OpenAICompatibleProvider
from streaming.answers import PARAMETERS, REQUEST
from streaming.bodies.bodies import CALL, CHUNKS, COMPLETION, PAGE, STREAM, WHOLE, ask
from support import Wire
from support_sse import chunk, events, stream

from pydantic_ai_compat import OpenAICompatibleModel
from pydantic_ai_compat.errors import StreamError

ANSWERS: dict[str, tuple[bytes, str | None]] = {
    'F01 events under two labels': (STREAM, 'application/json, text/event-stream; charset=utf-8'),
    'F01 events as JSON': (STREAM, 'application/json'),
    'F01 events as text': (STREAM, 'text/plain'),
    'F01 events as lines of JSON': (STREAM, 'application/x-ndjson'),
    'F01 events as HTML': (STREAM, 'text/html'),
    'F01 events without a label': (STREAM, None),
    'F02 one completion': (COMPLETION, 'application/json'),
    'F02 one completion as events': (COMPLETION, 'text/event-stream'),
    'F02 a completion over lines': (json.dumps(WHOLE, indent=2).encode(), 'application/json'),
    'F02 a completion as an event': (events(WHOLE), 'text/event-stream'),
    'F03 events': (STREAM, 'text/event-stream'),
    'F04 a completion and [DONE]': (COMPLETION + b'\n\ndata: [DONE]\n\n', 'text/event-stream'),
    'F04 a completion and [DONE] glued on': (COMPLETION + b'data: [DONE]', 'application/json'),
    'F04 a completion and escaped line ends': (COMPLETION + rb'\n\ndata: [DONE]\n\n', 'application/json'),
    'F04 a completion over lines and [DONE]': (
        json.dumps(WHOLE, indent=2).encode() + b'\r\n\r\ndata: [DONE]\r\n\r\n',
        'application/json',
    ),
    'F06 an envelope': (json.dumps({'data': WHOLE, 'success': True}).encode(), 'application/json'),
    'F06 an envelope in an envelope': (
        json.dumps({'code': 0, 'msg': 'ok', 'result': {'output': WHOLE}}).encode(),
        'application/json',
    ),
    'F06 an envelope around text': (
        json.dumps({'statusCode': 200, 'body': json.dumps(WHOLE)}).encode(),
        'application/json',
    ),
    'F06 an envelope around each chunk': (
        events(*({'data': one, 'success': True} for one in CHUNKS)),
        'text/event-stream',
    ),
    'F06 a list': (json.dumps([WHOLE]).encode(), 'application/json'),
    'F08 a byte order mark': (b'\xef\xbb\xbf' + STREAM, 'text/event-stream'),
    'F08 a byte order mark before JSON': (b'\xef\xbb\xbf' + COMPLETION, 'application/json'),
    'F09 retry alone': (b'retry: 3000\n\n' + STREAM, 'text/event-stream'),
    'F09 an event without data': (b'event: ping\n\nid: 7\n\ndata:\n\ndata\n\n' + STREAM, 'text/event-stream'),
    'F09 ping events with data': (b'event: ping\ndata: 17\n\n' + STREAM, 'text/event-stream'),
    'F11 a comment as data': (b'data: : OPENROUTER PROCESSING\n\n' + STREAM, 'text/event-stream'),
    'F11 keep-alives as data': (
        b'data: keep-alive\n\ndata: ping\n\ndata: [heartbeat]\n\n' + STREAM,
        'text/event-stream',
    ),
    'carriage returns and line feeds': (STREAM.replace(b'\n', b'\r\n'), 'text/event-stream'),
    'carriage returns': (STREAM.replace(b'\n', b'\r'), 'text/event-stream'),
    'no space after the colon': (STREAM.replace(b'data: ', b'data:'), 'text/event-stream'),
    'comments': (b': hi\n\n:\n' + STREAM.replace(b'\n\n', b'\n\n: hi\n\n'), 'text/event-stream'),
    'blank lines in odd places': (b'\n\r\n \n' + STREAM.replace(b'\n\n', b'\n\n\n \n\t\n'), 'text/event-stream'),
    'no blank line between events': (STREAM.replace(b'\n\n', b'\n'), 'text/event-stream'),
    'no blank line between named events': (
        STREAM.replace(b'\n\n', b'\n').replace(b'data:', b'event: message\ndata:'),
        'text/event-stream',
    ),
    'white space before the fields': (STREAM.replace(b'data:', b'  Data :'), 'text/event-stream'),
    'events of events': (STREAM.replace(b'data: ', b'data: data: '), 'text/event-stream'),
    'a document over data lines': (STREAM.replace(b', "choices"', b',\ndata: "choices"'), 'text/event-stream'),
    'no last line end': (STREAM.removesuffix(b'\n\n'), 'text/event-stream'),
    'a cut [DONE]': (STREAM.removesuffix(b'NE]\n\n'), 'text/event-stream'),
    'lines of JSON': (b''.join(json.dumps(one).encode() + b'\n' for one in CHUNKS), 'application/x-ndjson'),
    'lines of JSON and [DONE]': (
        b''.join(json.dumps(one).encode() + b'\n\n' for one in CHUNKS) + b'[DONE]\n',
        'text/event-stream',
    ),
    'a list of chunks over lines': (json.dumps(CHUNKS, indent=1).encode()[1:-1], 'application/json'),
    'a list of chunks': (json.dumps(CHUNKS).encode(), 'application/json'),
    'a list of chunks as text': (json.dumps(CHUNKS, indent=1).encode(), None),
    'one chunk': (json.dumps(chunk('stop', content='hello')).encode(), 'application/json'),
    'an error of code 0': (json.dumps({**WHOLE, 'error': {'code': 0}}).encode(), 'application/json'),
    'an error of code 0 in each chunk': (
        events(*({**one, 'error': {'code': 0, 'message': 'success'}} for one in CHUNKS)),
        'text/event-stream',
    ),
    'a base_resp of 0': (
        json.dumps({**WHOLE, 'base_resp': {'status_code': 0, 'status_msg': 'success'}}).encode(),
        'application/json',
    ),
}


@pytest.mark.parametrize('streamed', [True, False], ids=['streamed', 'plain'])
@pytest.mark.parametrize('name', ANSWERS)
async def test_an_answer_is_read_in_every_form(name: str, streamed: bool) -> None:
    """Cases F01 to F11, <https://html.spec.whatwg.org/multipage/server-sent-events.html>, and what servers make of it."""
    body, label = ANSWERS[name]
    run = await ask(body, streamed=streamed, label=label)
    assert (run.output, run.error) == ('hello', None)


@pytest.mark.parametrize('choices', [[], None], ids=['an empty list', 'null'])
@pytest.mark.parametrize('envelope', ['data', 'result'])
async def test_usage_in_a_chunk_of_its_own_is_counted_inside_an_envelope(
    wire: Wire, envelope: str, choices: object
) -> None:
    """The last chunk of a stream has the usage and no choice: <https://platform.openai.com/docs/api-reference/chat-streaming>."""
    counts = {'prompt_tokens': 3, 'completion_tokens': 2, 'total_tokens': 5}
    chunks = [chunk(content='hello'), chunk('stop'), {**chunk(), 'choices': choices, 'usage': counts}]
    wire.answers.append(stream(events(*({envelope: one, 'success': True, 'code': 0} for one in chunks))))
    async with wire.model().request_stream(REQUEST, None, PARAMETERS) as response:
        async for _ in response:
            pass
    usage = response.get().usage
    assert (usage.input_tokens, usage.output_tokens) == (3, 2)


ERRORS: dict[str, tuple[bytes, str]] = {
    'F13 an error over data lines': (
        b'event: error\ndata: {"error":\ndata: {"message":"overloaded"}}\n\n',
        'overloaded',
    ),
    'F13 an error event without an error': (b'event: error\ndata: {"message":"overloaded"}\n\n', 'overloaded'),
    'F13 an error event that is cut': (b'event: error\ndata: {"message":"overl', 'overl'),
    'F13 an error event with text': (b'event: error\ndata: overloaded\n\n', 'overloaded'),
    'F13 an error event with a string': (b'event: Error\ndata: "overloaded"\n\n', 'overloaded'),
    'F13 an error event that names itself last': (b'data: {"message":"overloaded"}\nevent: error\n\n', 'overloaded'),
    'F13 an error event with a chunk': (
        b'event: error\n' + events(chunk(content='overloaded'), done=False),
        'overloaded',
    ),
    'F13 an error event without data': (b'event: error\n\n', 'the server reported an error without a word'),
    'F13 an error event with [DONE]': (
        b'event: error\ndata: [DONE]\n\n',
        'the server reported an error without a word',
    ),
    'F13 an error event with a number': (b'event: error\ndata: 529\n\n', '529'),
    'an error in words': (b'data: error: overloaded\n\n', 'overloaded'),
    'an error in brackets': (b'data: [ERROR] overloaded\n\n', 'overloaded'),
    'a field error': (b'error: {"message": "overloaded"}\n\n', 'overloaded'),
    'an error without an event': (b'{"error": {"message": "overloaded"}}', 'overloaded'),
    'an error without an event over lines': (b'{\n "error": {\n  "message": "overloaded"\n }\n}\n\n', 'overloaded'),
    'an error that is cut': (b'{"error": {"message": "overl', 'overl'),
    'an error event that is an object, cut': (b'data: {"error": {"message": "overl', 'overl'),
    'a list': (b'data: [{"error": {"message": "overloaded"}}]\n\n', 'overloaded'),
    'a page': (PAGE, "web page titled 'Console'"),
    'MiniMax': (
        b'data: {"choices": null, "base_resp": {"status_code": 1004, "status_msg": "overloaded"}}\n\n',
        'overloaded',
    ),
    'MiniMax without words': (b'data: {"choices": null, "base_resp": {"status_code": 1004}}\n\n', 'status code 1004'),
    'Z.AI': (b'data: {"code": 500, "msg": "overloaded", "success": false}\n\n', 'overloaded'),
    'DashScope': (b'data: {"code": "Throttling", "message": "overloaded", "request_id": "r"}\n\n', 'overloaded'),
    'FastAPI': (b'data: {"detail": "overloaded"}\n\n', 'overloaded'),
    'FastAPI with places': (
        b'data: {"detail": [{"loc": ["body", "n"], "msg": "overloaded"}]}\n\n',
        'body.n: overloaded',
    ),
    'errors': (b'data: {"errors": [{"message": "over"}, "loaded"]}\n\n', 'over; loaded'),
    'OpenRouter': (
        events({**chunk('error'), 'choices': [{'index': 0, 'delta': {}, 'error': {'message': 'overloaded'}}]}),
        'overloaded',
    ),
    'an envelope': (b'data: {"data": {"error": {"message": "overloaded"}}, "success": false}\n\n', 'overloaded'),
    'an envelope without words': (b'data: {"data": null, "success": false}\n\n', '"success": false'),
}


@pytest.mark.parametrize('before', [b'', CALL], ids=['alone', 'after a call'])
@pytest.mark.parametrize('streamed', [True, False], ids=['streamed', 'plain'])
@pytest.mark.parametrize('name', ERRORS)
async def test_an_error_in_any_form_is_raised_in_the_server_s_words(name: str, streamed: bool, before: bytes) -> None:
    """A call that was whole before it is not run. <https://github.com/SamSaffron/term-llm/pull/454>"""
    body, words = ERRORS[name]
    run = await ask(before + body, streamed=streamed, label='text/event-stream')
    assert isinstance(run.error, ModelAPIError | StreamError)
    assert words in str(run.error)
    assert (run.output, run.calls) == (None, [])


@pytest.mark.parametrize('streamed', [True, False], ids=['streamed', 'plain'])
async def test_an_error_that_names_a_status_has_it(streamed: bool) -> None:
    """So that handlers and fallbacks of rate limits and overloads act on it."""
    run = await ask(events({'error': {'message': 'slow down', 'code': 429}}), streamed=streamed)
    assert isinstance(run.error, ModelHTTPError)
    assert (run.error.status_code, 'slow down' in str(run.error)) == (429, True)


@pytest.mark.parametrize('streamed', [True, False], ids=['streamed', 'plain'])
@pytest.mark.parametrize('label', ['text/html', 'application/json', 'text/event-stream', None])
async def test_a_page_is_named_by_its_title_and_the_address_that_was_called(streamed: bool, label: str | None) -> None:
    """Case F05; not the page, which may hold the address of the client."""
    run = await ask(PAGE, streamed=streamed, label=label)
    assert isinstance(run.error, StreamError)
    assert str(run.error) == (
        "The server answered with HTTP 200 from http://wire/v1/chat/completions with a web page titled 'Console' in "
        'place of an answer. Check the path of `base_url`.'
    )


@pytest.mark.parametrize('streamed', [True, False], ids=['streamed', 'plain'])
async def test_a_page_from_an_address_without_a_version_says_what_may_be_missing(streamed: bool) -> None:
    """A gateway without `/v1`: <https://github.com/NousResearch/hermes-agent/issues/90595>."""
    wire = Wire()
    wire.answers.append(httpx2.Response(200, content=PAGE))
    provider = OpenAICompatibleProvider('wire', base_url='http://u:secret@wire', api_key='k', http_client=wire.client)
    agent = Agent(OpenAICompatibleModel('m', provider=provider))
    with pytest.raises(StreamError, match=r'from http://wire/chat/completions .* must end in `/v1`') as caught:
        if streamed:
            async with agent.run_stream('hi'):
                pass
        else:
            await agent.run('hi')
    assert 'secret' not in str(caught.value)


@pytest.mark.parametrize('streamed', [True, False], ids=['streamed', 'plain'])
@pytest.mark.parametrize('status', [404, 503, 520])
async def test_a_page_with_an_error_status_keeps_the_status_and_loses_the_page(streamed: bool, status: int) -> None:
    """Case F07: <https://github.com/earendil-works/pi/issues/6673>."""
    run = await ask(PAGE, streamed=streamed, label='text/html', status=status)
    assert isinstance(run.error, ModelHTTPError)
    assert run.error.status_code == status
    for shown in (str(run.error), repr(run.error), str(run.error.body)):
        assert '203.0.113.7' not in shown and '<html' not in shown
    assert f"with HTTP {status} from http://wire/v1/chat/completions with a web page titled 'Console'" in str(run.error)


@pytest.mark.parametrize('streamed', [True, False], ids=['streamed', 'plain'])
@pytest.mark.parametrize(
    ('body', 'words'),
    [
        (b'upstream connect error', "HTTP 200 from http://wire/v1/chat/completions with text in place of an answer: 'ups"),
        (b'data: oops\n\n', "is not JSON: Expecting value: line 1 column 1 (char 0). It reads 'oops'"),
        (b'{"a": 1}', 'holds no answer'),
        (b'{"id": "x", "choices": [{"message": {"cont', 'is cut'),
        (b'[' * 100_000, 'nest'),
        (b'{"a": ' + b'9' * 5000 + b'}', 'Exceeds the limit (4300'),
        (b'\xff\xfe\xfd', 'UTF-8'),
        (b'5', "with text in place of an answer: '5'"),
    ],
    ids=['text', 'no JSON', 'no answer', 'cut', 'deep', 'a long number', 'bytes', 'a number'],
)  # fmt: skip
async def test_what_is_no_answer_is_an_error_that_shows_what_came(body: bytes, words: str, streamed: bool) -> None:
    """Never a bare `RecursionError` or `ValueError`, which no fallback model catches."""
    run = await ask(body, streamed=streamed)
    assert isinstance(run.error, StreamError)
    assert words in str(run.error)
