"""`openai_chat_tools='text'`: what goes to a server that has no tools."""

from __future__ import annotations as _annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

import pytest
from pydantic import BaseModel
from pydantic_ai import (
    Agent,
    BinaryContent,
    DeferredToolRequests,
    DeferredToolResults,
    ModelRequest,
    ModelRetry,
    NativeOutput,
    PromptedOutput,
    Tool,
    ToolOutput,
    ToolReturn,
)
from pydantic_ai.direct import model_request
from pydantic_ai.exceptions import CallDeferred
from pydantic_ai.messages import ModelResponse, TextPart, ToolCallPart, ToolReturnPart, UserPromptPart
from pydantic_ai.models import ModelRequestParameters
from pydantic_ai.settings import ToolOrOutput
from support import Wire, completion, tool_call
from templates.conversation import SAMPLES

from pydantic_ai_compat.errors import IgnoredOptionWarning, OptionError
from pydantic_ai_compat.text import TextCall, write_calls, write_result

CALL = '<tool_call>\n{"name": "look_up", "arguments": {"city": "Paris"}}\n</tool_call>'
TWO_RESULTS = """\
<tool_response>
Call 1, look_up:
fine
</tool_response>
<tool_response>
Call 2, measure:
4
</tool_response>"""
PNG = b'\x89PNG\r\n\x1a\n'


class Answer(BaseModel):
    city: str


def look_up(city: str) -> str:
    """Look up a city."""
    return f'{city} is fine.'


def measure(city: str) -> int:
    """Measure a city."""
    return len(city)


def contents(body: Mapping[str, Any]) -> list[tuple[str, Any]]:
    return [(message['role'], message['content']) for message in body['messages']]


def section_of(body: Mapping[str, Any]) -> str:
    return str(body['messages'][0]['content'])


async def test_native_is_the_default_and_changes_nothing(wire: Wire) -> None:
    for model in (wire.stock(), wire.model(), wire.model(openai_chat_tools='native')):
        await Agent(model, tools=[look_up]).run('q', model_settings={'parallel_tool_calls': False})
    assert len({request.content for request in wire.requests}) == 1
    assert wire.bodies[0]['tools'][0]['function']['name'] == 'look_up'


async def test_tools_are_in_the_prompt_and_nowhere_else(wire: Wire) -> None:
    """What is left over of them is refused on its own: https://github.com/UKGovernmentBEIS/inspect_ai/pull/1863"""
    wire.answers.append(completion(content='I look. ', tool_calls=[tool_call('look_up', city='Paris')]))
    agent = Agent(wire.model(openai_chat_tools='text'), tools=[measure, look_up], instructions='Be brief.')
    settings: Any = {'parallel_tool_calls': True, 'tool_choice': 'auto', 'temperature': 0.5}
    result = await agent.run('q', model_settings=settings)
    assert result.output == 'done'
    first, second = wire.bodies
    assert set(first) == {'model', 'messages', 'stop', 'temperature', 'stream'}
    assert first['stop'] == ['<tool_response>']
    # The lowest pydantic-ai puts a note of its own before the instructions.
    notes = [told for told in contents(first) if str(told[1]).startswith('Mid-conversation system messages')]
    [system] = [str(text) for role, text in contents(first) if role == 'system' and (role, text) not in notes]
    assert system.startswith('Be brief.\n\n# Tools\n')
    assert [json.loads(line)['name'] for line in system.split('\n') if line.startswith('{"name"')][:2] == [
        'look_up',
        'measure',
    ]
    assert contents(first) == [*notes, ('system', system), ('user', 'q')]
    assert contents(second) == [
        *notes,
        ('system', system),
        ('user', 'q'),
        ('assistant', f'I look. {CALL}'),
        ('user', '<tool_response>\nParis is fine.\n</tool_response>'),
    ]


async def test_a_request_without_tools_is_as_stock_sends_it(wire: Wire) -> None:
    for model in (wire.stock(), wire.model(openai_chat_tools='text')):
        await Agent(model).run('q')
    assert wire.requests[0].content == wire.requests[1].content


@pytest.mark.parametrize(
    ('choice', 'sentence'),
    [
        ('auto', ''),
        ('required', '\n\nAnswer with a call of a tool now.'),
        (['look_up'], '\n\nCall the tool look_up now.'),
        (ToolOrOutput(function_tools=['measure']), '\n\nOf the tools, call none but these now: measure.'),
    ],
)
async def test_a_choice_of_tool_is_a_sentence_and_leaves_the_described_tools_as_they_are(
    wire: Wire, choice: Any, sentence: str
) -> None:
    """Whatever the profile says of forced choices on the wire."""
    profile: Any = {'supports_forced_tool_choice': False, 'supports_tools': False}
    model = wire.model(openai_chat_tools='text', profile=profile)
    tools = [Tool(look_up).tool_def, Tool(measure).tool_def]
    for chosen in ('auto', choice):
        await model_request(
            model,
            [ModelRequest(parts=[UserPromptPart('q')])],
            model_settings={'tool_choice': chosen},
            model_request_parameters=ModelRequestParameters(function_tools=tools),
        )
    free, forced = wire.bodies
    assert section_of(forced) == section_of(free)
    assert contents(forced)[1:] == [('user', f'q{sentence}')]


async def test_a_choice_of_no_tool_leaves_the_description_out(wire: Wire) -> None:
    history = [
        ModelRequest(parts=[UserPromptPart('q')]),
        ModelResponse(parts=[ToolCallPart('look_up', {'city': 'Paris'}, 'c1')]),
        ModelRequest(parts=[ToolReturnPart('look_up', 'fine', 'c1')]),
        ModelResponse(parts=[TextPart('It is fine.')]),
    ]
    agent = Agent(wire.model(openai_chat_tools='text'), tools=[look_up])
    await agent.run('Sure?', message_history=history, model_settings={'tool_choice': 'none'})
    assert contents(wire.bodies[0]) == [
        ('user', 'q'),
        ('assistant', CALL),
        ('user', '<tool_response>\nfine\n</tool_response>'),
        ('assistant', 'It is fine.'),
        ('user', 'Sure?'),
    ]


async def test_one_call_at_most_is_asked_for_where_parallel_calls_are_off(wire: Wire) -> None:
    await Agent(wire.model(openai_chat_tools='text'), tools=[look_up]).run(
        'q', model_settings={'parallel_tool_calls': False}
    )
    assert contents(wire.bodies[0])[1] == ('user', 'q\n\nWrite one call at most.')


async def test_an_output_tool_is_described_and_asked_for(wire: Wire) -> None:
    wire.answers.append(completion(tool_calls=[tool_call('give', city='Rome')]))
    agent = Agent(wire.model(openai_chat_tools='text'), output_type=ToolOutput(Answer, name='give', strict=True))
    assert (await agent.run('q')).output == Answer(city='Rome')
    assert '{"name": "give"' in section_of(wire.bodies[0])
    assert '"strict"' not in section_of(wire.bodies[0])
    assert contents(wire.bodies[0])[1] == ('user', 'q\n\nAnswer with a call of a tool now.')


@pytest.mark.parametrize('marker', [NativeOutput, PromptedOutput])
async def test_a_structured_output_beside_tools_is_asked_for_in_the_prompt(wire: Wire, marker: Any) -> None:
    """A server that holds the model to a format lets it write no call: https://github.com/ollama/ollama/issues/11185"""
    profile: Any = {'supports_json_schema_output': True, 'supports_json_object_output': True}
    wire.answers += [
        completion(tool_calls=[tool_call('look_up', city='Paris')]),
        completion(content='{"city": "Rome"}'),
        completion(content='{"city": "Rome"}'),
    ]
    model = wire.model(openai_chat_tools='text', profile=profile)
    assert (await Agent(model, output_type=marker(Answer), tools=[look_up]).run('q')).output == Answer(city='Rome')
    assert (await Agent(model, output_type=marker(Answer)).run('q')).output == Answer(city='Rome')
    with_tools, _, without = wire.bodies
    assert 'response_format' not in with_tools
    assert '"city"' in section_of(with_tools).partition('# Tools')[0]
    assert without['response_format']['type'] in ('json_schema', 'json_object')


async def test_what_a_tool_returned_beside_its_result_is_part_of_the_user_turn(wire: Wire) -> None:
    def show() -> ToolReturn:
        return ToolReturn('shown', content=['Look:', BinaryContent(PNG, media_type='image/png', identifier='a')])

    wire.answers.append(completion(tool_calls=[tool_call('show')]))
    await Agent(wire.model(openai_chat_tools='text'), tools=[show]).run('q')
    roles = [message['role'] for message in wire.bodies[1]['messages']]
    assert roles == ['system', 'user', 'assistant', 'user']
    parts = wire.bodies[1]['messages'][-1]['content']
    assert parts[0] == {'type': 'text', 'text': '<tool_response>\nshown\n</tool_response>'}
    assert [part['type'] for part in parts[1:]].count('image_url') == 1
    assert {'type': 'text', 'text': 'Look:'} in parts


async def test_an_image_that_a_tool_returned_stands_behind_its_result(wire: Wire) -> None:
    def shoot() -> list[Any]:
        return ['one', BinaryContent(PNG, media_type='image/png', identifier='a')]

    wire.answers.append(completion(tool_calls=[tool_call('shoot')]))
    await Agent(wire.model(openai_chat_tools='text'), tools=[shoot]).run('q')
    roles = [message['role'] for message in wire.bodies[1]['messages']]
    assert roles == ['system', 'user', 'assistant', 'user']
    parts = wire.bodies[1]['messages'][-1]['content']
    assert parts[0] == {'type': 'text', 'text': '<tool_response>\n["one","See file a."]\n</tool_response>'}
    assert 'image_url' in {part['type'] for part in parts[1:]}


async def test_a_retry_reaches_the_model_as_the_result_of_its_call(wire: Wire) -> None:
    def pick(city: str) -> str:
        if city == 'Atlantis':
            raise ModelRetry('No such city.')
        return city

    wire.answers += [
        completion(tool_calls=[tool_call('pick', 'c1', city='Atlantis')]),
        completion(tool_calls=[tool_call('pick', 'c2', city=7)]),
    ]
    agent = Agent(wire.model(openai_chat_tools='text'), tools=[pick], retries=2)
    await agent.run('q')
    first, second = (body['messages'][-1] for body in wire.bodies[1:])
    assert first['role'] == second['role'] == 'user'
    assert first['content'] == '<tool_response>\n{"error":"No such city."}\n</tool_response>'
    assert 'Input should be a valid string' in second['content']
    assert second['content'].count('<tool_response>') == 1


async def test_a_deferred_call_gets_its_result_when_it_is_there(wire: Wire) -> None:
    def ask_people(question: str) -> str:
        raise CallDeferred

    wire.answers.append(completion(tool_calls=[tool_call('ask_people', 'c1', question='who?')]))
    agent = Agent(wire.model(openai_chat_tools='text'), tools=[ask_people], output_type=[str, DeferredToolRequests])
    waiting = await agent.run('q')
    assert isinstance(waiting.output, DeferredToolRequests)
    done = await agent.run(
        message_history=waiting.all_messages(), deferred_tool_results=DeferredToolResults(calls={'c1': 'ann'})
    )
    assert done.output == 'done'
    assert contents(wire.bodies[1])[-1] == ('user', '<tool_response>\nann\n</tool_response>')


@pytest.mark.parametrize(
    ('options', 'frames'),
    [
        ({}, ['["a","b"]']),
        ({'tool_return_as_list': True}, ['a', 'b']),
        ({'tool_return_as_list': True, 'openai_chat_tool_return_list_format': 'messages'}, ['a', 'b']),
        ({'tool_return_as_list': True, 'openai_chat_tool_return_list_format': 'text'}, ['a\nb']),
    ],
)
@pytest.mark.parametrize('policy', ['standard', 'mistral', 'deepseek-thinking', 'no-tool-role', 'tgi', 'groq', 'kimi'])
@pytest.mark.untraced
async def test_items_of_a_list_are_apart_whatever_the_host_wants_of_tool_messages(
    wire: Wire, options: dict[str, Any], frames: Sequence[str], policy: str
) -> None:
    """Rules on tool messages say nothing about a conversation that has none, and there is nothing to warn of."""

    def two() -> list[str]:
        return ['a', 'b']

    wire.answers.append(
        completion(content='I try.', tool_calls=[tool_call('two', 'call_with_an_id_that_is_long_' * 3)])
    )
    model = wire.model(openai_chat_tools='text', openai_chat_history_policy=policy, **options)
    await Agent(model, tools=[two]).run('q')
    framed = '\n'.join(f'<tool_response>\n{frame}\n</tool_response>' for frame in frames)
    assert contents(wire.bodies[1])[1:] == [
        ('user', 'q'),
        ('assistant', 'I try.\n<tool_call>\n{"name": "two", "arguments": {}}\n</tool_call>'),
        ('user', framed),
    ]


async def test_without_a_system_role_the_tools_are_in_the_first_user_turn(wire: Wire) -> None:
    """https://github.com/sgl-project/sglang/issues/892"""
    wire.answers.append(completion(tool_calls=[tool_call('look_up', city='Paris')]))
    model = wire.model(openai_chat_tools='text', openai_system_prompt_role='user')
    await Agent(model, tools=[look_up], instructions='Be brief.').run('q')
    (user, first), (assistant, _), (last, _) = contents(wire.bodies[1])
    assert (user, assistant, last) == ('user', 'assistant', 'user')
    assert first.startswith('# Tools')
    assert first.endswith('\n\nq\n\nBe brief.')  # in the order of stock


@pytest.mark.parametrize(
    ('stops', 'sent'),
    [
        (None, ['<tool_response>']),
        (['END'], ['END', '<tool_response>']),
        (['<tool_response>'], ['<tool_response>']),
        # https://platform.openai.com/docs/api-reference/chat/create
        (['a', 'b', 'c', 'd'], ['a', 'b', 'c', 'd']),
    ],
)
async def test_a_result_that_the_model_makes_up_is_cut_off(
    wire: Wire, stops: list[str] | None, sent: list[str]
) -> None:
    """2 invented results and 5 invented steps in 3 tasks without it: https://github.com/Algorineko/AgenticArXiv-RL/pull/19"""
    model = wire.model(openai_chat_tools='text', settings={'stop_sequences': stops} if stops else None)
    await Agent(model, tools=[look_up]).run('q')
    assert wire.bodies[0]['stop'] == sent


@pytest.mark.parametrize(('dialect', 'sent'), [('deepseek_v4', ['<tool_result>']), ('minimax_m2', None)])
async def test_the_stop_word_is_that_of_the_written_dialect(wire: Wire, dialect: str, sent: list[str] | None) -> None:
    """`<response>` may stand in any answer about XML, so it stops none."""
    model = wire.model(openai_chat_tools='text', openai_chat_text_tool_calls=[dialect, 'hermes'])
    await Agent(model, tools=[look_up]).run('q')
    assert wire.bodies[0].get('stop') == sent


async def test_a_server_that_takes_no_stop_words_gets_none(wire: Wire) -> None:
    """OpenAI's reasoning models refuse them: https://github.com/kd-research/Techies/issues/42"""
    model = wire.model(openai_chat_tools='text', openai_unsupported_model_settings='stop_sequences')
    await Agent(model, tools=[look_up]).run('q')
    assert 'stop' not in wire.bodies[0]


async def test_a_description_in_ones_own_words(wire: Wire) -> None:
    own = 'Werkzeuge: {tools} Beispiel: {example}'
    model = wire.model(openai_chat_tools='text', openai_chat_tools_prompt=own)
    await Agent(model, tools=[look_up]).run('q')
    assert section_of(wire.bodies[0]).startswith('Werkzeuge: {"name": "look_up"')
    assert section_of(wire.bodies[0]).endswith('</tool_call>')

    def short(tools: Sequence[Mapping[str, Any]], example: str) -> str:
        return f'{len(tools)} tools. {example[:11]}'

    model = wire.model(openai_chat_tools='text', openai_chat_tools_prompt=short)
    await Agent(model, tools=[look_up]).run('q')
    assert section_of(wire.bodies[1]) == '1 tools. <tool_call>'


@pytest.mark.parametrize(
    ('options', 'message'),
    [
        (
            {'openai_chat_tools': 'text', 'openai_chat_tools_prompt': 'Only {tools}.'},
            "='Only {tools}.' does not fit: the text needs `{example}` in it, where an example of a call stands.",
        ),
        (
            {'openai_chat_tools': 'text', 'openai_chat_tools_prompt': 'x' * 999},
            f'={"x" * 200!r} does not fit: the text needs `{{tools}}` in it, where the tools are listed.',
        ),
        ({'openai_chat_tools': 'prompt'}, "='prompt' does not fit: allowed is 'native', 'text'."),
    ],
)
def test_an_option_that_does_not_fit_is_refused_at_load(wire: Wire, options: dict[str, Any], message: str) -> None:
    with pytest.raises(OptionError) as caught:
        wire.model(**options)
    assert str(caught.value) == f'`{list(options)[-1]}`{message}'


def test_a_description_without_tools_as_text_is_said_to_have_no_effect(wire: Wire) -> None:
    with pytest.warns(IgnoredOptionWarning, match=r"no effect without `openai_chat_tools`='text'"):
        wire.model(openai_chat_tools_prompt='{tools} {example}')


@pytest.mark.parametrize(
    ('dialects', 'begins'),
    [
        ('qwen3_coder, hermes', '<tool_call>\n<function='),
        (['mistral', 'hermes'], '[TOOL_CALLS] ['),
        ('auto', '<tool_call>\n{'),
    ],
)
async def test_calls_are_written_in_the_first_dialect_that_is_read(wire: Wire, dialects: Any, begins: str) -> None:
    wire.answers.append(completion(tool_calls=[tool_call('look_up', city='Paris')]))
    model = wire.model(openai_chat_tools='text', openai_chat_text_tool_calls=dialects)
    await Agent(model, tools=[look_up]).run('q')
    assert contents(wire.bodies[1])[2][1].startswith(begins)
    assert begins in section_of(wire.bodies[1])


async def test_a_tool_call_from_another_host_keeps_everything_but_its_id(wire: Wire) -> None:
    """A history of native calls goes on as text, with the thoughts where they were."""
    history = [
        ModelRequest(parts=[UserPromptPart('q')]),
        ModelResponse(
            parts=[
                TextPart('Both.'),
                ToolCallPart('look_up', '{"city":"Paris"}', 'x1'),
                ToolCallPart('measure', {'city': 'Rome'}, 'x2'),
            ]
        ),
        ModelRequest(parts=[ToolReturnPart('measure', 4, 'x2'), ToolReturnPart('look_up', 'fine', 'x1')]),
    ]
    agent = Agent(wire.model(openai_chat_tools='text'), tools=[look_up, measure])
    await agent.run(message_history=history)
    assert contents(wire.bodies[0])[1:] == [
        ('user', 'q'),
        (
            'assistant',
            f'Both.\n{CALL}\n<tool_call>\n{{"name": "measure", "arguments": {{"city": "Rome"}}}}\n</tool_call>',
        ),
        (
            'user',
            TWO_RESULTS,
        ),
    ]


@pytest.mark.parametrize(
    ('template', 'options', 'dialect'),
    [
        ('blocks', {}, 'glm45'),
        ('strict', {}, 'mistral_v13'),
        ('thinking', {}, 'seed_oss'),
        # A template without tools says nothing, nor does one whose dialect is switched off.
        ('no_tools', {}, 'hermes'),
        ('blocks', {'openai_chat_text_tool_calls': []}, 'hermes'),
        # What the user set wins.
        ('blocks', {'openai_chat_text_tool_calls': ['deepseek_v3', 'glm45']}, 'deepseek_v3'),
    ],
)
@pytest.mark.untraced
async def test_tools_are_written_in_the_dialect_of_the_chat_template_where_none_is_set(
    wire: Wire, template: str, options: dict[str, Any], dialect: str
) -> None:
    """The example, the call of the history and its result are in the form that the model was trained on."""
    calls = write_calls([TextCall('look_up', '{"city": "Paris"}', 'c1')], dialect)
    wire.answers.append(completion(content=calls))
    model = wire.model(openai_chat_tools='text', chat_template=SAMPLES[template], **options)
    result = await Agent(model, tools=[look_up]).run('q')
    assert result.output == 'done'
    first, second = wire.bodies
    example = write_calls([TextCall('tool_name', '{"argument": "value"}')], dialect)
    assert sum(str(content).count(example) for _, content in contents(first)) == 1
    called, returned = contents(second)[-2:]
    part = next(part for part in result.all_messages()[1].parts if isinstance(part, ToolCallPart))
    written = write_calls([TextCall('look_up', '{"city": "Paris"}', part.tool_call_id)], dialect)
    assert called == ('assistant', written)
    framed = write_result('Paris is fine.', dialect, name='look_up', id=part.tool_call_id)
    assert returned == ('user', framed)
