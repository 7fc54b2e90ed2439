from __future__ import annotations as _annotations

import hashlib

import numpy as np
import pytest

from pydantic_ai_compat.demo.scripted_model import (
    CONTROL_TOKENS,
    SCRIPTS,
    Script,
    build_scripted_model,
    cut_into_pieces,
    simulate,
    to_byte_alphabet,
)

MODEL = build_scripted_model()
BY_TRIGGER = {script.trigger: script.text for script in SCRIPTS}


@pytest.mark.parametrize('script', SCRIPTS, ids=lambda script: str(script.trigger))
@pytest.mark.parametrize(
    'prompt',
    [
        '<|im_start|>user\nWeather {} in Paris?<|im_end|>\n<|im_start|>assistant\n',
        '[INST] {} Grüße 你好 😀 [/INST]',
        '{}',
    ],
    ids=['chatml', 'another template', 'nothing else'],
)
def test_the_trigger_in_the_prompt_chooses_the_answer(script: Script, prompt: str):
    """Whatever the prompt is made of, and whatever it ends with."""
    assert simulate(MODEL, prompt.format(script.trigger or 'x')) == script.text


def test_a_thought_that_the_prompt_opens_is_closed_before_the_answer():
    """The generation prompts of reasoning models end in `<think>`, GLM's for one."""
    assert simulate(MODEL, '<|user|>#plain<|assistant|><think>') == f'</think>{BY_TRIGGER["#plain"]}'


def test_a_tool_result_outweighs_the_words_of_the_user():
    assert simulate(MODEL, '#two #plain <tool_response>x</tool_response> #think') == BY_TRIGGER['<tool_response>']


def test_a_trigger_is_found_far_away_in_a_long_prompt():
    assert simulate(MODEL, '#json' + 'word ' * 400) == BY_TRIGGER['#json']


def test_a_trigger_that_begins_like_another_is_a_word_of_its_own():
    """`#thinktext` holds `#think`; llama.cpp too looks for the longest token first."""
    ids = MODEL.encode('#thinktext')
    assert [MODEL.tokens[index] for index in ids] == ['#thinktext']


def test_an_answer_ends_at_the_limit():
    assert simulate(MODEL, '#plain', max_tokens=2) == 'Hello, t'


def test_no_piece_is_in_two_scripts_or_can_come_from_a_prompt():
    """A token has one successor, so a piece that occurred twice would join two scripts."""
    pieces = MODEL.tokens[256 + len(CONTROL_TOKENS) + 2 + len(MODEL.triggers) :]
    assert len(set(MODEL.tokens)) == len(MODEL.tokens)
    assert min(map(len, pieces)) > 1
    prompt = ''.join(script.text for script in SCRIPTS)
    assert not {MODEL.tokens[index] for index in MODEL.encode(prompt)} & set(pieces)


def test_pieces_cut_characters_of_several_bytes_in_their_middle():
    """Real vocabularies do, and a server has to hold such a piece back until the character is whole."""
    script = next(script for script in SCRIPTS if script.trigger == '#unicode')
    ids = [
        index for index, token in enumerate(MODEL.tokens) if token in to_byte_alphabet(script.text) and len(token) > 1
    ]
    with pytest.raises(UnicodeDecodeError):
        for index in ids:
            MODEL.decode([index])


def test_a_piece_that_is_taken_grows_and_a_taken_end_joins_the_piece_before():
    taken = {'abcde', 'x'}
    assert cut_into_pieces('abcdefghx', taken) == ['abcdefgh' + 'x']
    assert cut_into_pieces('12345x', taken) == ['12345x']
    assert taken >= {'abcdefghx', '12345x'}


def test_the_same_scripts_give_the_same_weights():
    def digest() -> str:
        weights = build_scripted_model().weights
        return hashlib.sha256(b''.join(name.encode() + weights[name].tobytes() for name in sorted(weights))).hexdigest()

    assert digest() == digest()


def test_other_scripts_make_another_model():
    model = build_scripted_model((Script(text='yes', priority=1), Script(trigger='#no', text='no, never')))
    assert (simulate(model, 'well?'), simulate(model, 'well #no ?')) == ('yes', 'no, never')
    assert model.weights['embedding'].shape == (len(model.tokens), model.width)
    assert model.weights['embedding'].dtype == np.float32
