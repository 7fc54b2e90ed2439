"""A conversation with tools as one without: calls and results as text, and the tools described in the system prompt."""

from __future__ import annotations as _annotations

from collections.abc import Mapping, Sequence
from typing import Any, cast

from ..dialects.registry import pick
from ..dialects.table import Dialect, TextCall
from ..dialects.write import write_calls, write_result
from ..reading import read_text
from .frame import ResultFrame
from .harmless import Harmless
from .section import ToolsPrompt, describe_tools
from .wishes import ToolChoice, wish

__all__ = ('tools_as_text',)

Message = Mapping[str, Any]

_SYSTEM_ROLES = frozenset({'system', 'developer'})
_WHITE_SPACE = (' ', '\n', '\t')
_OPEN_ENDED = ('`', '~~~', '<think>')
"""What begins code or a thought, in which nothing is read as a call."""


def tools_as_text(
    messages: Sequence[Message],
    tools: Sequence[Mapping[str, Any]] = (),
    *,
    dialects: Sequence[str] | str = ('hermes',),
    tool_choice: ToolChoice = None,
    parallel_tool_calls: bool = True,
    prompt: ToolsPrompt | None = None,
    system_role: str = 'system',
) -> list[dict[str, Any]]:
    r"""The messages of a request with tools, for a model or server that has none.

    The tools are described behind the text of the first system message. Calls become text of their assistant turn, as
    the dialect writes them, and results a user turn, which neighbouring user messages are a part of, for many chat
    templates want users and assistants to take turns. A choice of tool becomes a sentence at the end of the last user
    turn. So what was sent for a conversation stays the beginning of what is sent for it later, but for that sentence.

    Text in which the frame of a result stands, or that would be read as a call of one of the tools, gets a backslash
    behind the first character of each mark, as in `<\tool_call>`.

    Args:
        messages: The messages of a Chat Completions request; none of them is changed.
        tools: The tools, in the form of the API: `{'type': 'function', 'function': {...}}`. The order does not matter.
        dialects: The dialects that answers are read in; the first is the one that is written.
        tool_choice: The `tool_choice` of the request; with `'none'` the tools are not described.
        parallel_tool_calls: Whether an answer may hold several calls.
        prompt: A text of one's own for the description, with `{tools}` and `{example}` in it, or a function that makes
            one of the tools and the example.
        system_role: The role of the system message that is made where there is none. With `'user'`, the model has no
            system role, and the description goes into the first user turn.

    Raises:
        OptionError: There is no such dialect.
    """
    known = pick(dialects)
    conversation = _Conversation(known[0], Harmless(known, tools))
    for message in messages:
        conversation.add(message)
    if tools and tool_choice != 'none':
        section = describe_tools(tools, known[0], prompt)
        conversation.describe(section, system_role)
        if sentence := wish(tool_choice, one_call=not parallel_tool_calls):
            conversation.ask(sentence)
    return conversation.messages


class _Conversation:
    """The messages written so far."""

    def __init__(self, dialect: Dialect, harmless: Harmless) -> None:
        self.messages: list[dict[str, Any]] = []
        self._dialect = dialect
        self._frame = ResultFrame.of(dialect)
        self._harmless = harmless
        self._calls: dict[str, tuple[int, str]] = {}
        """The calls of the last assistant turn, by id with their numbers and names."""
        self._after_result = False

    def add(self, message: Message) -> None:
        """Write one message."""
        role = message['role']
        if role == 'tool':
            self._put({'role': 'user', 'content': self._results(message)}, '\n' if self._after_result else '\n\n')
            self._after_result = True
            return
        if role == 'assistant':
            self._put(self._assistant_turn(message), '\n\n')
        elif role == 'user':
            self._put({**message, 'content': self._safe(message.get('content'))}, '\n\n')
        else:
            self.messages.append(dict(message))
        self._after_result = False

    def _put(self, message: dict[str, Any], separator: str) -> None:
        last = self.messages[-1] if self.messages else None
        if last is None or last['role'] != message['role']:
            self.messages.append(message)
            return
        content = _joined(last.get('content'), message.get('content'), separator)
        thoughts = {
            key: f'{last[key]}\n\n{message[key]}'
            for key in ('reasoning_content', 'reasoning')
            if isinstance(last.get(key), str) and isinstance(message.get(key), str)
        }
        self.messages[-1] = {**message, **last, **thoughts, 'content': content}

    def _safe(self, content: Any) -> Any:
        """The content of a message with nothing in it that looks like a call or like the frame of a result."""
        if isinstance(content, str):
            return self._harmless(content)
        if isinstance(content, list):
            return [self._safe_part(part) for part in cast('list[Any]', content)]
        return content

    def _safe_part(self, part: Any) -> Any:
        return {**part, 'text': self._harmless(part['text'])} if _is_text(part) else part

    def _assistant_turn(self, message: Message) -> dict[str, Any]:
        calls = [_as_text_call(call) for call in message.get('tool_calls') or ()]
        self._calls = {call.id or '': (number, call.name) for number, call in enumerate(calls, 1)}
        turn = {key: value for key, value in message.items() if key != 'tool_calls'}
        if 'content' in turn:
            turn['content'] = self._safe(turn['content'])
        if calls:
            turn['content'] = self._with_calls(turn.get('content'), calls)
        return turn

    def _with_calls(self, content: Any, calls: Sequence[TextCall]) -> Any:
        """The content of a turn with its calls, behind the text unless none would be read there."""
        written = write_calls(calls, self._dialect)
        if not content:
            return written
        if not isinstance(content, str):
            return [*_parts(content), _text_part(written)]
        # White space that the model wrote before its calls is the separator, so that its turn goes back as it came.
        separator = '' if content.endswith('\n' if self._dialect.anchor == 'line' else _WHITE_SPACE) else '\n'
        turn = f'{content}{separator}{written}'
        if self._may_hide(content):
            names = [call.name for call in calls]
            read = read_text(turn, names, [self._dialect.name])
            if [call.name for call in read.calls] != names:
                return f'{written}\n{content}'
        return turn

    def _may_hide(self, text: str) -> bool:
        """Whether calls behind a text may not be read: in code or a thought that does not end, or not at the start."""
        return self._dialect.anchor == 'message' or any(mark in text for mark in _OPEN_ENDED)

    def _results(self, message: Message) -> Any:
        """The result in its frame; each item of a list in a frame of its own, and files behind them."""
        call_id = str(message.get('tool_call_id', ''))
        number, name = self._calls.get(call_id, (0, ''))
        content = message.get('content')
        parts: list[Any] = cast('list[Any]', content) if isinstance(content, list) else [_text_part(content)]
        texts = [part['text'] for part in parts if _is_text(part)]
        head = self._label(number, name)
        framed = [write_result(head + self._harmless(text), self._dialect, name=name, id=call_id) for text in texts]
        files = [part for part in parts if not _is_text(part)]
        text = '\n'.join(framed)
        return [_text_part(text), *files] if files else text

    def _label(self, number: int, name: str) -> str:
        """Which call a result is of, where the turn has several and the frame does not say it."""
        if len(self._calls) < 2 or not number or self._frame.names_call:
            return ''
        return f'Call {number}, {name}:\n'

    def describe(self, section: str, system_role: str) -> None:
        """Put the description of the tools behind the system text, or into the first user turn."""
        roles = [message['role'] for message in self.messages]
        leading = next((place for place, role in enumerate(roles) if role not in _SYSTEM_ROLES), len(roles))
        if leading:
            last = self.messages[leading - 1]
            self.messages[leading - 1] = {**last, 'content': _joined(last.get('content'), section, '\n\n')}
        elif system_role == 'user' and roles[:1] == ['user']:
            first = self.messages[0]
            self.messages[0] = {**first, 'content': _joined(section, first.get('content'), '\n\n')}
        else:
            self.messages.insert(0, {'role': system_role, 'content': section})

    def ask(self, sentence: str) -> None:
        """Put a sentence at the end of the last user turn."""
        self._put({'role': 'user', 'content': sentence}, '\n\n')


def _as_text_call(call: Mapping[str, Any]) -> TextCall:
    function = cast('Mapping[str, Any]', call.get('function') or call.get('custom') or {})
    arguments = function.get('arguments', function.get('input'))
    return TextCall(str(function.get('name', 'custom')), arguments or '{}', call.get('id'))


def _joined(first: Any, second: Any, separator: str) -> Any:
    """The contents of two messages as one."""
    if not first or not second:
        return first or second
    if isinstance(first, str) and isinstance(second, str):
        return f'{first}{separator}{second}'
    return [*_parts(first), *_parts(second)]


def _parts(content: Any) -> list[Any]:
    return cast('list[Any]', content) if isinstance(content, list) else [_text_part(content)]


def _text_part(content: Any) -> dict[str, Any]:
    return {'type': 'text', 'text': '' if content is None else str(content)}


def _is_text(part: Any) -> bool:
    return isinstance(part, dict) and isinstance(cast('dict[str, Any]', part).get('text'), str)
