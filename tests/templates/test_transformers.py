"""Our renderer against transformers' own, where transformers is installed: the extra `corpus`, a job of its own."""

from __future__ import annotations as _annotations

import re
from typing import Any

import pytest
from templates.conversation import SAMPLES, SYSTEM, TOKENS, TOOLS, USER, corpus_folder, turn
from templates.language import LANGUAGE

from pydantic_ai_compat.errors import ChatTemplateError
from pydantic_ai_compat.templates import ChatTemplate

transformers: Any = pytest.importorskip(
    'transformers.utils.chat_template_utils', reason='pip install "pydantic-ai-compat[corpus]"', exc_type=ImportError
)

PARTS = [{'type': 'text', 'text': 'alpha'}, {'type': 'text', 'text': 'beta'}]
ANSWER = {'role': 'assistant', 'content': 'Two.'}

CONVERSATIONS: dict[str, list[dict[str, Any]]] = {
    'a question': [SYSTEM, USER],
    'an answer': [USER, ANSWER, USER],
    'a JSON string': turn('["alpha", "beta"]'),
    'text parts': turn(PARTS),
    'strings': turn(['alpha', 'beta']),
    'outputs': turn([{'output': 'alpha'}, {'output': 'beta'}]),
    'two results': turn('alpha', 'beta'),
    'arguments as a string': turn('alpha', arguments='{"query": "fruit"}'),
    'no content': turn('alpha', content=None),
    'thinking': turn('alpha', reasoning_content='Hm.'),
    'a thought in the text': [
        USER,
        {'role': 'assistant', 'content': '<think>Hm.</think>Two.', 'reasoning': 'Hm.'},
        USER,
    ],
    'two systems': [SYSTEM, SYSTEM, USER],
    'a later system': [USER, ANSWER, SYSTEM, USER],
    'a developer': [{'role': 'developer', 'content': 'Be brief.'}, USER],
    'two questions': [USER, USER],
    'a question after a result': [*turn('alpha'), USER],
    'parts of a question': [{'role': 'user', 'content': PARTS}],
    'no question': [SYSTEM, ANSWER],
}

FOLDER = corpus_folder()
PATHS = {**SAMPLES, **({path.stem: path for path in sorted(FOLDER.glob('*.jinja'))} if FOLDER else {})}


def theirs(source: str, messages: list[dict[str, Any]], tools: Any, keep_null: bool) -> str:
    if not keep_null:
        messages = transformers._normalize_chat_messages(messages)
    rendered, _ = transformers.render_jinja_template(
        conversations=[messages], tools=tools, chat_template=source, add_generation_prompt=True, **TOKENS
    )
    return rendered[0]


def without_clock(text: str) -> str:
    """A prompt that has the time in it differs by a second now and then."""
    return re.sub(r'\d\d:\d\d:\d\d', 'TIME', text)


@pytest.mark.parametrize('name', PATHS)
def test_every_prompt_is_that_of_transformers_to_the_byte(name: str) -> None:
    source = PATHS[name].read_bytes().decode()
    template = ChatTemplate(source, special_tokens=TOKENS)
    for messages in CONVERSATIONS.values():
        for tools in (None, TOOLS):
            for keep_null in (False, True):
                render = template.render_as_given if keep_null else template.render
                try:
                    expected = theirs(source, messages, tools, keep_null)
                except Exception as error:  # noqa: BLE001 - whatever transformers raises, we raise with the same words
                    with pytest.raises(ChatTemplateError) as caught:
                        render(messages, tools)
                    cause = caught.value.__cause__
                    assert (type(cause).__name__, str(cause)) == (type(error).__name__, str(error))
                else:
                    assert without_clock(render(messages, tools)) == without_clock(expected)


@pytest.mark.parametrize(('source', 'expected'), LANGUAGE)
def test_the_language_is_that_of_transformers(source: str, expected: str) -> None:
    assert theirs(source, [USER], None, False) == expected.replace('_TemplateNamespace', 'TemplateNamespace')
