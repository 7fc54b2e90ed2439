"""The fixture `recorded_openai`."""

from __future__ import annotations as _annotations

import json
from pathlib import Path

import httpx2
import pytest
from pydantic_ai import Agent, ModelHTTPError
from pydantic_ai.models.openai import OpenAIChatModel

from pydantic_ai_compat import OpenAICompatibleModel
from pydantic_ai_compat.testing import RecordedOpenAI, Recording

pytest_plugins = ['pytester']

STREAM = '../streaming/recordings/vllm-scripted-scripted-plain-stream.sse'
ANSWER = {
    'id': 'x',
    'object': 'chat.completion',
    'created': 1,
    'model': 'm',
    'choices': [{'index': 0, 'finish_reason': 'stop', 'message': {'role': 'assistant', 'content': 'plain'}}],
}


async def test_a_recording_answers_a_model(recorded_openai: RecordedOpenAI) -> None:
    """One line in a test; what was sent can be read afterwards."""
    model = recorded_openai(STREAM, model_name='qwen', openai_chat_include_usage=False)
    assert isinstance(model, OpenAICompatibleModel)
    async with Agent(model).run_stream('hi') as result:
        assert await result.get_output() == 'Hello, this is a plain answer without tools.'
    assert recorded_openai.requests == [
        {'model': 'qwen', 'stream': True, 'messages': [{'role': 'user', 'content': 'hi'}]}
    ]
    assert recorded_openai.headers[0]['host'] == 'recorded-1.test'


async def test_a_plain_answer_and_a_status_are_replayed(recorded_openai: RecordedOpenAI, tmp_path: Path) -> None:
    """In order, one for each request; a path may be absolute."""
    Recording(json.dumps(ANSWER).encode(), streamed=False).save(tmp_path / 'ok.json')
    Recording(b'{"error": {"message": "busy"}}', streamed=False, status=503).save(tmp_path / 'busy.json')
    model = recorded_openai(tmp_path / 'ok.json', tmp_path / 'busy.json')
    agent = Agent(model)
    assert (await agent.run('hi')).output == 'plain'
    with pytest.raises(ModelHTTPError, match='busy') as caught:
        await agent.run('again')
    assert (caught.value.status_code, len(recorded_openai.requests)) == (503, 2)


async def test_a_request_too_many_says_so(recorded_openai: RecordedOpenAI) -> None:
    """Not an answer that nobody recorded."""
    model = recorded_openai()
    with pytest.raises(AssertionError, match='request 1 has no recording: `recorded_openai` was given 0'):
        await Agent(model).run('hi')


async def test_two_models_have_recordings_of_their_own(recorded_openai: RecordedOpenAI) -> None:
    """One of stock, for comparison."""
    body = Recording(json.dumps(ANSWER).encode(), streamed=False)
    ours, stock = recorded_openai(body), recorded_openai(body, model_class=OpenAIChatModel)
    assert type(stock) is OpenAIChatModel
    assert [(await Agent(model).run('hi')).output for model in (stock, ours)] == ['plain', 'plain']


@pytest.mark.parametrize(('cut', 'pieces'), [('whole', [6]), ('bytes', [1] * 6), ([4, 2, 2, 0, 99], [2, 2, 2])])
async def test_a_body_is_cut_where_it_is_asked_for(
    cut: object, pieces: list[int], recorded_openai: RecordedOpenAI
) -> None:
    """Places that are not inside the body cut nothing."""
    model = recorded_openai(Recording(b'abcdef', streamed=True), cut=cut)  # pyright: ignore[reportArgumentType]
    client: httpx2.AsyncClient = model.client._client
    async with client.stream('POST', f'{model.base_url}chat/completions', json={}) as response:
        assert [len(piece) async for piece in response.aiter_raw()] == pieces


@pytest.mark.untraced
def test_the_plugin_is_there_once_the_package_is_installed_and_needs_no_plugin_for_async_tests(
    pytester: pytest.Pytester,
) -> None:
    """By its entry point, without an import in the test; it leaves the choice of an event loop to the test."""
    pytester.makefile('.json', answer=json.dumps(ANSWER))
    pytester.makepyfile(
        """
        import asyncio
        from pydantic_ai import Agent

        def test_it(recorded_openai):
            assert recorded_openai.requests == []

        def test_sync(recorded_openai):
            assert Agent(recorded_openai('answer.json')).run_sync('hi').output == 'plain'

        def test_own_loop(recorded_openai):
            assert asyncio.run(Agent(recorded_openai('answer.json')).run('hi')).output == 'plain'
        """
    )
    pytester.runpytest_subprocess('-p', 'no:cacheprovider', '-p', 'no:anyio').assert_outcomes(passed=3)


@pytest.mark.untraced
def test_it_stands_beside_the_cassettes_of_vcrpy(pytester: pytest.Pytester) -> None:
    """vcrpy, behind `pytest.mark.vcr`, patches each transport of httpx2, `MockTransport` included.

    A cassette has none of the fixture's requests and records none; what a test asks of others is still the cassette's.
    <https://github.com/kiwicom/pytest-recording>
    """
    pytester.makefile('.json', answer=json.dumps(ANSWER))
    pytester.makepyfile(
        """
        import asyncio, httpx2, pytest, vcr.errors
        from pydantic_ai import Agent

        @pytest.mark.vcr
        @pytest.mark.block_network
        def test_it(recorded_openai, vcr):
            assert asyncio.run(Agent(recorded_openai('answer.json')).run('hi')).output == 'plain'
            assert (len(recorded_openai.requests), len(vcr)) == (1, 0)

        @pytest.mark.vcr
        async def test_it_streams(recorded_openai, vcr):
            async with Agent(recorded_openai('answer.json', cut='bytes')).run_stream('hi') as result:
                assert await result.get_output() == 'plain'
            assert (len(recorded_openai.requests), len(vcr)) == (1, 0)

        @pytest.mark.vcr
        async def test_others_are_answered_by_the_cassette(recorded_openai):
            for transport in (None, httpx2.MockTransport(lambda request: httpx2.Response(200))):
                async with httpx2.AsyncClient(transport=transport) as client:
                    with pytest.raises(vcr.errors.CannotOverwriteExistingCassetteException):
                        await client.get('http://other.test/')
        """
    )
    options = ('-p', 'no:cacheprovider', '-o', 'anyio_mode=auto')
    pytester.runpytest_inprocess(*options, '--record-mode=none').assert_outcomes(passed=3)
    # Where a cassette may record, only the fixture is asked: there is no network for others.
    result = pytester.runpytest_inprocess(*options, '--record-mode=new_episodes', '-k', 'not others')
    result.assert_outcomes(passed=2, deselected=1)
    assert not (pytester.path / 'cassettes').exists()
