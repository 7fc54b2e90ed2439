"""A language model made by hand, whose answer is chosen by a word in the prompt.

A test of an agent wants a server that is real and an answer that is known beforehand. So this is a real transformer
that any server of Qwen2 models runs: one layer, weights written down instead of trained. How it works:

* The vocabulary holds the 256 bytes, the trigger words (`#two`, `<tool_response>`, ...), and for each script the
  pieces it is cut into. No merge leads to a piece, so a prompt never contains one: each piece is private to one place
  in one script, and has exactly one successor.
* The embedding is one-hot: the hidden state of a position is the unit vector of its token. The output matrix is
  therefore a table of bigrams, and `piece -> next piece -> ... -> end` is a chain that, once entered, runs to its end.
* Each trigger word has an attention head. Its query is the same everywhere, its key and its value are non-zero at the
  trigger's token only, so the head writes 1 into a dimension of its own if the word occurs anywhere in the prompt, and
  0 otherwise. The output matrix reads that dimension as a vote for the first piece of the trigger's script.
* A token that is not a piece votes, with the lowest weight, for the first piece of the script without a trigger.

So the answer starts after whatever the prompt ends with, and the present trigger of the highest priority chooses it.
A prompt that ends in `<think>`, as those of reasoning models do, is first answered by closing the thought.
"""

from __future__ import annotations as _annotations

import itertools
import math
import re
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = (
    'CONTROL_TOKENS',
    'END_TOKEN',
    'OPEN_THOUGHT',
    'SCRIPTS',
    'Matrix',
    'Script',
    'ScriptedModel',
    'build_scripted_model',
    'simulate',
)

Matrix = NDArray[np.float32]

END_TOKEN = '<|im_end|>'
CONTROL_TOKENS = ('<|endoftext|>', '<|im_start|>', END_TOKEN)
OPEN_THOUGHT = '<think>'
_CLOSE_THOUGHT = '</think>'
HEAD_WIDTH = 32
"""Dimensions of one attention head."""

NORM_EPSILON = 1e-6
ROPE_BASE = 1_000_000.0
_PIECE_WIDTHS = (5, 3, 7, 2, 6)
"""Lengths of the pieces, in bytes and in turns: uneven, so that a stream is cut at all sorts of places."""

_VOTE_SCALE = 4.0
"""Makes the smallest difference between two votes worth some twenty logits: certain, also when sampled."""

_CHAIN_VOTE = 10.0
_ATTENTION_SHARPNESS = 40.0
_SLOWEST_PAIR = HEAD_WIDTH // 2 - 1
"""The dimension that the rotary position embedding turns least: 0.02 rad over 8192 positions."""


@dataclass(frozen=True, kw_only=True)
class Script:
    """An answer of the model, and the word in the prompt that chooses it."""

    text: str
    trigger: str | None = None
    """The word, or `None` for the answer that is given when no trigger occurs."""

    priority: int = 2
    """Which script wins when the triggers of several occur: the highest; the lowest is for the one without a trigger."""


SCRIPTS = (
    Script(
        text='<tool_call>\n{"name": "get_weather", "arguments": {"city": "Paris", "days": 2}}\n</tool_call>',
        priority=1,
    ),
    Script(trigger='#plain', text='Hello, this is a plain answer without tools.'),
    Script(
        trigger='#two',
        text='<tool_call>\n{"name": "get_weather", "arguments": {"city": "Rome", "days": 3}}\n</tool_call>\n'
        '<tool_call>\n{"name": "get_time", "arguments": {"zone": "CET"}}\n</tool_call>',
    ),
    Script(
        trigger='#think',
        text='<think>\nI should look up the weather.\n</think>\n\n'
        '<tool_call>\n{"name": "get_weather", "arguments": {"city": "Paris", "days": 1}}\n</tool_call>',
    ),
    Script(
        trigger='#texttool',
        text='Let me check that. <tool_call>\n{"name": "get_time", "arguments": {"zone": "UTC"}}\n</tool_call>',
    ),
    Script(
        trigger='#badjson',
        text='<tool_call>\n{"name": "get_weather", "arguments": {"city": "Paris", "days": }}\n</tool_call>',
    ),
    Script(
        trigger='#unknown',
        text='<tool_call>\n{"name": "no_such_tool", "arguments": {"x": 1}}\n</tool_call>',
    ),
    Script(trigger='#cut', text='<tool_call>\n{"name": "get_weather", "arguments": {"city": "Par'),
    Script(trigger='#unicode', text='Grüße 你好 😀 fin'),
    Script(trigger='#thinktext', text='<think>\nSimple question.\n</think>\n\nThe answer is 42.'),
    Script(trigger='#json', text='{"city": "Rome", "days": 1}'),
    Script(trigger='<tool_response>', text='Final answer after the tool result.', priority=4),
)
"""What the model says; a tool result anywhere in the prompt outweighs every word of the user."""


@dataclass(frozen=True, kw_only=True)
class ScriptedModel:
    """The vocabulary and the weights, as a Qwen2 model of one layer.

    Attributes:
        tokens: The vocabulary in the byte-level alphabet of GPT-2; the position is the token's id.
        triggers: The trigger words, which are tokens of their own in any prompt.
        heads: Number of attention heads, each `HEAD_WIDTH` wide.
        weights: `query_bias` of shape `(width,)`; `key`, `value` and `attention_output` of shape `(width, width)`;
            `embedding` and `output` of shape `(len(tokens), width)`.
    """

    tokens: tuple[str, ...]
    triggers: tuple[str, ...]
    heads: int
    weights: dict[str, Matrix]

    @property
    def width(self) -> int:
        """Size of the hidden state."""
        return self.heads * HEAD_WIDTH

    def encode(self, text: str) -> list[int]:
        """The token ids of a prompt: control tokens, `<think>` and trigger words whole, anything else byte by byte."""
        ids = {token: index for index, token in enumerate(self.tokens)}
        whole = sorted((*CONTROL_TOKENS, OPEN_THOUGHT, *self.triggers), key=len, reverse=True)
        parts = re.split(f'({"|".join(map(re.escape, whole))})', text)
        return [ids[token] for part in parts for token in ([part] if part in whole else to_byte_alphabet(part))]

    def decode(self, ids: list[int]) -> str:
        """The text of generated tokens."""
        characters = {character: byte for byte, character in enumerate(_BYTE_ALPHABET)}
        return bytes(characters[character] for index in ids for character in self.tokens[index]).decode()


def _byte_alphabet() -> str:
    """GPT-2's printable stand-ins for the 256 bytes: a printable byte is itself, the others follow from U+0100 on."""
    printable = {*range(ord('!'), ord('~') + 1), *range(ord('¡'), ord('¬') + 1), *range(ord('®'), ord('ÿ') + 1)}
    stand_ins = itertools.count(256)
    return ''.join(chr(byte) if byte in printable else chr(next(stand_ins)) for byte in range(256))


_BYTE_ALPHABET = _byte_alphabet()


def to_byte_alphabet(text: str) -> str:
    """`text` with one character for each byte of its UTF-8 form."""
    return ''.join(_BYTE_ALPHABET[byte] for byte in text.encode())


def cut_into_pieces(text: str, taken: set[str]) -> list[str]:
    """Cut `text` into pieces that are not in `taken`, and add them to it.

    A piece that is taken grows by the next one; a last piece that is taken is joined with the piece before it. As the
    cuts fall between bytes, a character of several bytes is cut in its middle, as real vocabularies do.
    """
    pieces: list[str] = []
    widths = itertools.cycle(_PIECE_WIDTHS)
    start = end = 0
    while end < len(text):
        end = min(end + next(widths), len(text))
        if text[start:end] not in taken:
            pieces.append(text[start:end])
            taken.add(text[start:end])
            start = end
    rest = text[start:]
    while rest in taken:
        rest = pieces.pop() + rest
    if rest:
        pieces.append(rest)
        taken.add(rest)
    return pieces


def build_scripted_model(scripts: tuple[Script, ...] = SCRIPTS) -> ScriptedModel:
    """Write down the vocabulary and the weights; the same scripts always give the same model.

    Args:
        scripts: The answers; exactly one of them without a trigger.
    """
    triggers = tuple(script.trigger for script in scripts if script.trigger is not None)
    # All of which the first piece of a script can follow.
    public = (*_BYTE_ALPHABET, *CONTROL_TOKENS, OPEN_THOUGHT, to_byte_alphabet(_CLOSE_THOUGHT), *triggers)
    taken = set(public)
    chains = [cut_into_pieces(to_byte_alphabet(script.text), taken) for script in scripts]
    tokens = (*public, *itertools.chain.from_iterable(chains))
    heads = math.ceil((len(tokens) + len(triggers)) / HEAD_WIDTH)
    width = heads * HEAD_WIDTH
    weights = {
        'embedding': np.eye(len(tokens), width, dtype=np.float32),
        'output': _output_matrix(scripts, chains, tokens, len(public), width),
        **_attention(tokens, triggers, width),
    }
    return ScriptedModel(tokens=tokens, triggers=triggers, heads=heads, weights=weights)


def _output_matrix(
    scripts: tuple[Script, ...], chains: list[list[str]], tokens: tuple[str, ...], public_count: int, width: int
) -> Matrix:
    """The votes for the next token: row is the next token, column a dimension of the hidden state."""
    ids = {token: index for index, token in enumerate(tokens)}
    votes = np.zeros((len(tokens), width), np.float32)
    votes[ids[to_byte_alphabet(_CLOSE_THOUGHT)], ids[OPEN_THOUGHT]] = _CHAIN_VOTE
    trigger_dimension = itertools.count(len(tokens))
    for script, chain in zip(scripts, chains, strict=True):
        for token, successor in itertools.pairwise([*chain, END_TOKEN]):
            votes[ids[successor], ids[token]] = _CHAIN_VOTE
        first = ids[chain[0]]
        if script.trigger is None:
            votes[first, :public_count] = script.priority
        else:
            votes[first, next(trigger_dimension)] = script.priority
    return votes * np.float32(_VOTE_SCALE)


def _attention(tokens: tuple[str, ...], triggers: tuple[str, ...], width: int) -> dict[str, Matrix]:
    """One head per trigger: it looks for the word and, if it is there, writes 1 into the dimension of the trigger.

    A normalised one-hot state is `sqrt(width)` at its token, hence the division.
    """
    unit = 1 / math.sqrt(width)
    query_bias = np.zeros(width, np.float32)
    key, value, output = (np.zeros((width, width), np.float32) for _ in range(3))
    for head, trigger in enumerate(triggers):
        token = tokens.index(trigger)
        query_bias[head * HEAD_WIDTH + _SLOWEST_PAIR] = _ATTENTION_SHARPNESS
        key[head * HEAD_WIDTH + _SLOWEST_PAIR, token] = _ATTENTION_SHARPNESS * unit
        value[head * HEAD_WIDTH, token] = unit
        output[len(tokens) + head, head * HEAD_WIDTH] = 1
    return {'query_bias': query_bias, 'key': key, 'value': value, 'attention_output': output}


def simulate(model: ScriptedModel, prompt: str, *, max_tokens: int = 200) -> str:
    """The model's greedy answer, computed with numpy: what a server has to say for the same prompt.

    The rotary embedding is left out; it turns the one dimension that a query has by next to nothing. What is before
    the attention depends on the token alone, so keys and values are computed once for the whole vocabulary.
    """
    weights = model.weights
    normalised = _rms_norm(weights['embedding'])
    keys = (normalised @ weights['key'].T).reshape(-1, model.heads, HEAD_WIDTH)
    values = (normalised @ weights['value'].T).reshape(-1, model.heads, HEAD_WIDTH)
    ids = model.encode(prompt)
    start = len(ids)
    end = model.tokens.index(END_TOKEN)
    while len(ids) < start + max_tokens and (token := _next_token(model, ids, keys[ids], values[ids])) != end:
        ids.append(token)
    return model.decode(ids[start:])


def _next_token(model: ScriptedModel, ids: list[int], keys: Matrix, values: Matrix) -> int:
    weights = model.weights
    query = weights['query_bias'].reshape(model.heads, HEAD_WIDTH)
    scores = np.einsum('hd,thd->ht', query, keys) / math.sqrt(HEAD_WIDTH)
    attention = np.exp(scores - scores.max(axis=1, keepdims=True))
    attention /= attention.sum(axis=1, keepdims=True)
    read = np.einsum('ht,thd->hd', attention, values).reshape(-1)
    state = weights['embedding'][ids[-1]] + weights['attention_output'] @ read
    return int((weights['output'] @ _rms_norm(state)).argmax())


def _rms_norm(states: Matrix) -> Matrix:
    return states / np.sqrt(np.square(states).mean(axis=-1, keepdims=True) + np.float32(NORM_EPSILON))
