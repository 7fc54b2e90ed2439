"""Where a template comes from: files of each kind, a folder, a server."""

from __future__ import annotations as _annotations

import json
import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any

import gguf
import httpx2
import pytest
from generated import generated
from hypothesis import HealthCheck, given, strategies as st
from templates.conversation import USER

from pydantic_ai_compat.errors import ChatTemplateError
from pydantic_ai_compat.templates import ChatTemplate, RenderLimits, gguf as gguf_room
from pydantic_ai_compat.templates.loading import props_url

SOURCE = '{{ bos_token }}{{ messages[0].content }}{{ eos_token }}'
QUESTION = 'Which "fruit" <b>?'


def write(path: Path, content: object) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content if isinstance(content, bytes) else json.dumps(content).encode())
    return path


def write_gguf(path: Path, **more: Callable[[gguf.GGUFWriter], None]) -> Path:
    """A GGUF file as llama.cpp's own package writes it, with a tensor behind the metadata."""
    import numpy

    writer = gguf.GGUFWriter(path, 'llama')
    writer.add_uint32('some.number', 7)
    writer.add_bool('some.flag', True)
    writer.add_array('some.list', [1, 2, 3])
    writer.add_array('some.texts', ['x', 'y'])
    writer.add_token_list(['<s>', '</s>', 'a'])
    writer.add_bos_token_id(0)
    writer.add_eos_token_id(1)
    for add in more.values():
        add(writer)
    writer.add_tensor('t', numpy.zeros((2, 2), dtype=numpy.float32))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return path


def test_a_jinja_file_is_the_template_with_its_own_line_ends(tmp_path: Path) -> None:
    template = ChatTemplate.from_file(write(tmp_path / 'a.jinja', b'a\r\n{{ messages[0].role }}'))
    assert (template.name, template.render([USER])) == ('a.jinja', 'a\nuser')
    # jinja2 makes one kind of line end of all, as in transformers; the source keeps its own.
    assert template.source == 'a\r\n{{ messages[0].role }}'


@pytest.mark.parametrize(
    'config',
    [
        {'chat_template': SOURCE, 'bos_token': '<s>', 'eos_token': {'content': '</s>'}, 'pad_token': None},
        {'chat_template': [{'name': 'default', 'template': SOURCE}], 'bos_token': '<s>', 'eos_token': '</s>'},
        {'chat_template': {'default': SOURCE, 'rag': 'x'}, 'bos_token': '<s>', 'eos_token': '</s>'},
    ],
)
def test_a_tokenizer_config_brings_its_special_tokens(config: dict[str, Any], tmp_path: Path) -> None:
    """The shapes that transformers reads: a text, a list of named ones, a mapping; tokens as texts or objects."""
    template = ChatTemplate.from_file(write(tmp_path / 'tokenizer_config.json', config))
    assert template.render([USER]) == f'<s>{QUESTION}</s>'


def test_a_folder_is_read_as_transformers_reads_it(tmp_path: Path) -> None:
    """`chat_template.jinja` goes before what the JSON files hold, and brings the additional templates."""
    write(tmp_path / 'tokenizer_config.json', {'chat_template': 'old', 'bos_token': '<s>'})
    write(tmp_path / 'special_tokens_map.json', {'eos_token': '</s>'})
    assert ChatTemplate.from_file(tmp_path).render([USER]) == 'old'
    write(tmp_path / 'chat_template.json', {'chat_template': 'processor'})
    assert ChatTemplate.from_file(tmp_path).render([USER]) == 'processor'
    write(tmp_path / 'chat_template.jinja', SOURCE.encode())
    write(tmp_path / 'additional_chat_templates' / 'tool_use.jinja', b'tools')
    template = ChatTemplate.from_file(str(tmp_path))
    assert (template.render([USER]), template.render([USER], [])) == (f'<s>{QUESTION}</s>', 'tools')
    assert template.names == ('tool_use', 'default')


def test_a_gguf_file_is_read_up_to_its_metadata(tmp_path: Path) -> None:
    path = write_gguf(tmp_path / 'm.gguf', template=lambda writer: writer.add_chat_template(SOURCE))
    template = ChatTemplate.from_file(path)
    assert (template.render([USER]), template.special_tokens) == (
        f'<s>{QUESTION}</s>',
        {'bos_token': '<s>', 'eos_token': '</s>'},
    )
    # The same file, found in a folder that holds nothing else.
    assert ChatTemplate.from_file(tmp_path).source == SOURCE


def test_a_gguf_file_may_hold_several_templates(tmp_path: Path) -> None:
    templates = [{'name': 'default', 'template': 'plain'}, {'name': 'tool_use', 'template': 'tools'}]
    path = write_gguf(tmp_path / 'm.gguf', template=lambda writer: writer.add_chat_template(templates))
    assert ChatTemplate.from_file(path).render([USER], []) == 'tools'


def gguf_bytes(*values: bytes, version: int = 3, count: int = 1, order: str = '<') -> bytes:
    return b'GGUF' + struct.pack(f'{order}IQQ', version, 0, count) + b''.join(values)


def text(value: bytes, length: int | None = None, order: str = '<') -> bytes:
    return struct.pack(f'{order}Q', len(value) if length is None else length) + value


TEMPLATE_KEY = text(b'tokenizer.chat_template') + struct.pack('<I', 8)


def test_a_gguf_file_of_the_other_byte_order_is_read(tmp_path: Path) -> None:
    key = text(b'tokenizer.chat_template', order='>') + struct.pack('>I', 8)
    path = write(tmp_path / 'm.gguf', gguf_bytes(key, text(b'x', order='>'), order='>'))
    assert ChatTemplate.from_file(path).source == 'x'


@pytest.mark.parametrize(
    ('data', 'words'),
    [
        (b'', 'broken or cut metadata: 4 bytes were announced and 0 are left'),
        (b'PK\x03\x04xxxx', 'is no GGUF file'),
        (gguf_bytes(version=1), 'has GGUF version 1; 2 and 3 can be read'),
        (gguf_bytes(count=0), 'holds no chat template'),
        (gguf_bytes(), 'broken or cut metadata: 8 bytes were announced and 0 are left'),
        (gguf_bytes(TEMPLATE_KEY, text(b'x', 1 << 40)), 'a length of 1099511627776 in a file of'),
        (gguf_bytes(TEMPLATE_KEY, text(b'x', 9)), 'broken or cut metadata: 9 bytes were announced and 1 are left'),
        (gguf_bytes(TEMPLATE_KEY, text(b'\xff')), "broken or cut metadata: 'utf-8' codec can't decode"),
        (gguf_bytes(text(b'k'), struct.pack('<I', 99)), 'a value of type 99, which does not exist'),
        (gguf_bytes(text(b'k'), struct.pack('<IIQ', 9, 10, 9)), 'a value reaches beyond the end of the file'),
        (gguf_bytes(text(b'k'), struct.pack('<IIQ', 9, 9, 1), struct.pack('<IQ', 77, 1)), 'type 77'),
        (gguf_bytes(text(b'tokenizer.ggml.tokens'), struct.pack('<IIQ', 9, 4, 1)), 'is an array of type 4'),
    ],
)
def test_a_broken_gguf_file_is_refused_with_what_is_wrong(data: bytes, words: str, tmp_path: Path) -> None:
    with pytest.raises(ChatTemplateError) as caught:
        ChatTemplate.from_file(write(tmp_path / 'm.gguf', data))
    assert words in str(caught.value)


@generated(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(depth=st.integers(0, 3000), width=st.integers(1, 3), inner=st.sampled_from([(8, text(b'x')), (4, b'\0' * 4)]))
def test_arrays_in_arrays_are_passed_over_however_deep_they_go(
    depth: int, width: int, inner: tuple[int, bytes], tmp_path: Path
) -> None:
    """24 KB of nested arrays used to end in a `RecursionError`."""
    kind, value = inner
    # The first of each array holds the next, and the others nothing.
    values = [struct.pack('<I', 9)]
    values += [struct.pack('<IQ', 9, width)] * depth
    values += [struct.pack('<IQ', kind, 2), value * 2]
    values += [struct.pack('<IQ', 4, 0) * (width - 1)] * depth
    data = gguf_bytes(text(b'k'), *values, TEMPLATE_KEY, text(b'after it'), count=2)
    assert ChatTemplate.from_file(write(tmp_path / 'm.gguf', data)).source == 'after it'


def test_a_gguf_file_that_is_cut_anywhere_is_refused_or_read(tmp_path: Path) -> None:
    """Each length ends in an error of ours or in the same template, and in nothing else."""
    path = write_gguf(tmp_path / 'm.gguf', template=lambda writer: writer.add_chat_template(SOURCE))
    data = path.read_bytes()
    read = 0
    for length in range(len(data)):
        try:
            read += ChatTemplate.from_file(write(tmp_path / 'cut.gguf', data[:length])).source == SOURCE
        except ChatTemplateError:
            continue
    assert 0 < read < len(data)


@pytest.mark.parametrize(
    ('name', 'content', 'words'),
    [
        ('no.jinja', None, 'cannot be read: No such file or directory'),
        ('a.jinja', b'\xff\xfe', 'is no UTF-8 text: invalid start byte at byte 0'),
        ('a.json', b'{', 'is no JSON'),
        ('a.json', b'[' * 100_000, 'is no JSON'),
        ('a.json', b'[]', 'holds list where an object with `chat_template` belongs'),
        ('a.json', b'{}', 'holds no chat template'),
        ('a.json', b'{"chat_template": 1}', 'is neither a text nor a list of objects'),
        ('a.json', b'{"chat_template": []}', 'is neither a text nor a list of objects'),
        ('a.json', b'{"chat_template": ["x"]}', 'is neither a text nor a list of objects'),
        ('a.json', b'{"chat_template": [{"name": 1, "template": "x"}]}', 'is neither a text nor a list of objects'),
        ('a.json', b'{"chat_template": {"default": null}}', 'is neither a text nor a list of objects'),
        ('folder/readme.md', b'x', 'holds no chat template'),
    ],
)
def test_a_file_without_a_template_is_refused_with_what_is_wrong(
    name: str, content: bytes | None, words: str, tmp_path: Path
) -> None:
    path = tmp_path / name
    if content is not None:
        write(path, content)
    with pytest.raises(ChatTemplateError) as caught:
        ChatTemplate.from_file(path.parent if name.startswith('folder') else path)
    assert words in str(caught.value)


def test_a_huge_json_file_is_not_read(tmp_path: Path) -> None:
    path = tmp_path / 'a.json'
    with path.open('wb') as file:
        file.truncate(64_000_001)
    with pytest.raises(ChatTemplateError, match='more than 64000000 bytes'):
        ChatTemplate.from_file(path)


def test_limits_go_along_with_a_file(tmp_path: Path) -> None:
    limits = RenderLimits(steps=1)
    assert ChatTemplate.from_file(write(tmp_path / 'a.jinja', b'x'), limits=limits).limits is limits


PROPS = {
    'chat_template': SOURCE,
    'chat_template_tool_use': 'tools',
    'bos_token': '<s>',
    'eos_token': '</s>',
    'chat_template_caps': {'supports_typed_content': True, 'other': 'x'},
}


def client(answer: Callable[[httpx2.Request], httpx2.Response]) -> httpx2.Client:
    return httpx2.Client(transport=httpx2.MockTransport(answer))


@pytest.mark.parametrize('base_url', ['http://s:8080/v1', 'http://s:8080/v1/', 'http://s:8080'])
def test_a_llama_cpp_server_tells_its_template(base_url: str) -> None:
    """`GET /props`: https://github.com/ggml-org/llama.cpp/blob/master/tools/server/README.md"""
    asked: list[httpx2.Request] = []

    def answer(request: httpx2.Request) -> httpx2.Response:
        asked.append(request)
        return httpx2.Response(200, json=PROPS)

    template = ChatTemplate.from_server(base_url, api_key='k', http_client=client(answer))
    assert (str(asked[0].url), asked[0].headers['authorization']) == ('http://s:8080/props', 'Bearer k')
    assert (template.name, template.render([USER])) == ('http://s:8080/props', f'<s>{QUESTION}</s>')
    assert (template.names, template.caps) == (('default', 'tool_use'), {'supports_typed_content': True})
    assert props_url(base_url) == 'http://s:8080/props'


@pytest.mark.parametrize(
    ('answer', 'words'),
    [
        (httpx2.Response(404), "http://s/props cannot be read: Client error '404 Not Found'"),
        (httpx2.Response(200, text='<html>'), 'http://s/props cannot be read: Expecting value'),
        (httpx2.Response(200, json=[]), 'http://s/props tells no chat template; of the usual servers only llama.cpp'),
        (httpx2.Response(200, json={'chat_template': None}), 'tells no chat template'),
        (httpx2.Response(200, json={'chat_template': '{% if', 'chat_template_caps': 1}), 'is no chat template'),
    ],
)
def test_a_server_that_tells_no_template_is_refused(answer: httpx2.Response, words: str) -> None:
    with pytest.raises(ChatTemplateError) as caught:
        ChatTemplate.from_server('http://s/v1', http_client=client(lambda request: answer))
    assert words in str(caught.value)


def test_a_server_that_is_not_there_is_an_error_of_ours() -> None:
    with pytest.raises(ChatTemplateError, match='http://127.0.0.1:9/props cannot be read'):
        ChatTemplate.from_server('http://127.0.0.1:9/v1')


def test_the_key_is_in_no_error() -> None:
    with pytest.raises(ChatTemplateError) as caught:
        ChatTemplate.from_server(
            'http://s/v1', api_key='sk-secret', http_client=client(lambda request: httpx2.Response(401))
        )
    assert 'sk-secret' not in str(caught.value)


def test_a_gguf_token_id_beyond_the_list_is_left_out() -> None:
    assert gguf_room._tokens_by_name(['<s>'], {'bos_token': 0, 'eos_token': 5}) == {'bos_token': '<s>'}
