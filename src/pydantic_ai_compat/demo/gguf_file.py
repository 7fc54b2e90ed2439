"""The scripted model as a GGUF file, the form that llama.cpp reads."""

from __future__ import annotations as _annotations

from pathlib import Path

import gguf
import numpy as np

from .scripted_model import CONTROL_TOKENS, END_TOKEN, NORM_EPSILON, OPEN_THOUGHT, ROPE_BASE, Matrix, ScriptedModel

__all__ = ('default_chat_template', 'write_gguf')

_CONTEXT_LENGTH = 32_768
_FEED_FORWARD_LENGTH = 32
"""The smallest that llama.cpp's kernels take without padding; the weights of this network are all zero."""

_IDLE_MERGE = 'Ā Ā'
"""A merge of two NUL bytes: llama.cpp refuses a vocabulary without merges, and this one never happens in a prompt."""


def default_chat_template() -> str:
    """The chat template that goes with the scripted model: ChatML turns, Hermes tool calls."""
    return Path(__file__).with_name('chat_template.jinja').read_text(encoding='utf-8')


def write_gguf(model: ScriptedModel, path: Path, *, chat_template: str | None = None) -> None:
    """Write `model` to `path`.

    Args:
        model: The scripted model.
        path: The file to make; one that exists is replaced.
        chat_template: Jinja text stored in the file; without it, `default_chat_template()`.
    """
    writer = gguf.GGUFWriter(path, 'qwen2')
    try:
        _add_architecture(writer, model)
        _add_vocabulary(writer, model)
        writer.add_chat_template(default_chat_template() if chat_template is None else chat_template)
        for name, tensor in _tensors(model).items():
            writer.add_tensor(name, tensor)
        writer.write_header_to_file()
        writer.write_kv_data_to_file()
        writer.write_tensors_to_file()
    finally:
        writer.close()


def _add_architecture(writer: gguf.GGUFWriter, model: ScriptedModel) -> None:
    writer.add_name('scripted')
    writer.add_file_type(gguf.LlamaFileType.ALL_F32)
    writer.add_block_count(1)
    writer.add_context_length(_CONTEXT_LENGTH)
    writer.add_embedding_length(model.width)
    writer.add_feed_forward_length(_FEED_FORWARD_LENGTH)
    writer.add_head_count(model.heads)
    writer.add_head_count_kv(model.heads)
    writer.add_layer_norm_rms_eps(NORM_EPSILON)
    writer.add_rope_freq_base(ROPE_BASE)
    writer.add_vocab_size(len(model.tokens))


def _add_vocabulary(writer: gguf.GGUFWriter, model: ScriptedModel) -> None:
    kinds = {
        **dict.fromkeys((OPEN_THOUGHT, *model.triggers), gguf.TokenType.USER_DEFINED),
        **dict.fromkeys(CONTROL_TOKENS, gguf.TokenType.CONTROL),
    }
    writer.add_tokenizer_model('gpt2')
    writer.add_tokenizer_pre('gpt-2')
    writer.add_token_list(model.tokens)
    writer.add_token_types([kinds.get(token, gguf.TokenType.NORMAL) for token in model.tokens])
    writer.add_token_merges([_IDLE_MERGE])
    writer.add_eos_token_id(model.tokens.index(END_TOKEN))
    writer.add_pad_token_id(model.tokens.index(CONTROL_TOKENS[0]))
    writer.add_add_bos_token(False)


def _tensors(model: ScriptedModel) -> dict[str, Matrix]:
    """The weights under llama.cpp's names; what the model has no use for is one (norms) or zero."""
    width = model.width

    def ones() -> Matrix:
        return np.ones(width, np.float32)

    def zeros(*shape: int) -> Matrix:
        return np.zeros(shape, np.float32)

    return {
        'token_embd.weight': model.weights['embedding'],
        'blk.0.attn_norm.weight': ones(),
        'blk.0.attn_q.weight': zeros(width, width),
        'blk.0.attn_q.bias': model.weights['query_bias'],
        'blk.0.attn_k.weight': model.weights['key'],
        'blk.0.attn_k.bias': zeros(width),
        'blk.0.attn_v.weight': model.weights['value'],
        'blk.0.attn_v.bias': zeros(width),
        'blk.0.attn_output.weight': model.weights['attention_output'],
        'blk.0.ffn_norm.weight': ones(),
        'blk.0.ffn_gate.weight': zeros(_FEED_FORWARD_LENGTH, width),
        'blk.0.ffn_up.weight': zeros(_FEED_FORWARD_LENGTH, width),
        'blk.0.ffn_down.weight': zeros(width, _FEED_FORWARD_LENGTH),
        'output_norm.weight': ones(),
        'output.weight': model.weights['output'],
    }
