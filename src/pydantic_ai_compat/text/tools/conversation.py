"""A conversation with tools as one without: calls and results as text, and the tools described in the system prompt."""

from __future__ import annotations as _annotations

from collections.abc import Mapping, Sequence
from typing import Any, cast

from ..dialects.frame import ResultFrame
from ..dialects.registry import pick
from ..dialects.table import Dialect
from ..reading import read_text
from .harmless import Harmless
from .merge import is_text, joined, merged, parts_of, text_part
from .section import ToolsPrompt, describe_tools
from .wishes import ToolChoice, wish
from .written import CallWords, WrittenCalls

__all__ = ('tools_as_text',)

Message = Mapping[str, Any]

_SYSTEM_ROLES = frozenset({'system', 'developer'})
_MERGED_ROLES = frozenset({'user', 'assistant'})
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
    written: WrittenCalls | None = None,
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
        written: The calls that were written in this dialect before, for the history of a conversation is written anew
            with each request.

    Raises:
        OptionError: There is no such dialect.
    """
    known = pick(dialects)
    conversation = _Conversation(known[0], Harmless(known, tools), written or WrittenCalls(known[0]))
    conversation.add(messages)
    if tools and tool_choice != 'none':
        section = describe_tools(tools, known[0], prompt)
        conversation.describe(section, system_role)
        if sentence := wish(tool_choice, one_call=not parallel_tool_calls):
            conversation.ask(sentence)
    return conversation.messages


class _Conversation:
    """The messages written so far."""

    def __init__(self, dialect: Dialect, harmless: Harmless, written: WrittenCalls) -> None:
        self.messages: list[dict[str, Any]] = []
        self._dialect = dialect
        self._frame = ResultFrame.of(dialect)
        self._harmless = harmless
        self._written = written
        self._more: list[tuple[str, dict[str, Any]]] = []
        """What the last message goes on with, each with what separates it from what stands before it."""
        self._calls: tuple[CallWords, ...] = ()
        """The calls of the last assistant turn."""
        self._named: Mapping[str, tuple[int, str]] = {}
        """The same, by id with their numbers and names, where a result says which it is of."""

    def add(self, messages: Sequence[Message]) -> None:
        """Write messages."""
        role, after_result = '', False
        first, last = self._frame.section
        for message in messages:
            before, role = role, message['role']
            if role == 'tool':
                content = self._results(message)
                if first and not after_result:
                    content = joined([first, content], [''])
                role, turn = 'user', {'role': 'user', 'content': content}
                separator, after_result = '\n' if after_result else '\n\n', True
            else:
                if last and after_result:
                    self._go_on(last)
                turn = self._assistant_turn(message) if role == 'assistant' else dict(message)
                if role == 'user':
                    turn['content'] = self._safe(message.get('content'))
                separator, after_result = '\n\n', False
            if role == before and role in _MERGED_ROLES:
                self._more.append((separator, turn))
            else:
                if self._more:
                    self._close()
                self.messages.append(turn)
        if last and after_result:
            self._go_on(last)
        self._close()

    def _go_on(self, text: str) -> None:
        """Write text behind the results, in their turn."""
        self._more.append(('', {'role': 'user', 'content': text}))

    def _close(self) -> None:
        """Make one message of the last and of what it goes on with, at once, for each byte is then copied once."""
        if self._more:
            self.messages[-1] = merged(self.messages[-1], self._more)
            self._more = []

    def _safe(self, content: Any) -> Any:
        """The content of a message with nothing in it that looks like a call or like the frame of a result."""
        if isinstance(content, str):
            return self._harmless(content)
        if isinstance(content, list):
            return [self._safe_part(part) for part in cast('list[Any]', content)]
        return content

    def _safe_part(self, part: Any) -> Any:
        return {**part, 'text': self._harmless(part['text'])} if is_text(part) else part

    def _assistant_turn(self, message: Message) -> dict[str, Any]:
        turn = dict(message)
        self._calls = calls = tuple(map(_words_of, turn.pop('tool_calls', None) or ()))
        if len(calls) > 1 or self._frame.names_call:
            self._named = {id or '': (number, name) for number, (name, _, id) in enumerate(calls, 1)}
        content = turn.get('content')
        if content:
            turn['content'] = content = self._safe(content)
        if calls:
            written = self._written(calls)
            turn['content'] = self._with_calls(content, written, calls) if content else written
        return turn

    def _with_calls(self, content: Any, written: str, calls: Sequence[CallWords]) -> Any:
        """The content of a turn with its calls, behind the text unless none would be read there."""
        if not isinstance(content, str):
            return [*parts_of(content), text_part(written)]
        # White space that the model wrote before its calls is the separator, so that its turn goes back as it came.
        separator = '' if content.endswith('\n' if self._dialect.anchor == 'line' else _WHITE_SPACE) else '\n'
        turn = f'{content}{separator}{written}'
        if self._may_hide(content):
            names = [name for name, _, _ in calls]
            read = read_text(turn, names, [self._dialect.name])
            if [call.name for call in read.calls] != names:
                return f'{written}\n{content}'
        return turn

    def _may_hide(self, text: str) -> bool:
        """Whether calls behind a text may not be read: in code or a thought that does not end, or not at the start."""
        return self._dialect.anchor == 'message' or any(mark in text for mark in _OPEN_ENDED)

    def _results(self, message: Message) -> Any:
        """The result in its frame; each item of a list in a frame of its own, and files behind them."""
        content = message.get('content')
        head, tail = self._around(message)
        if isinstance(content, str):
            return f'{head}{self._harmless(content)}{tail}'
        parts = parts_of(content)
        text = '\n'.join(f'{head}{self._harmless(part["text"])}{tail}' for part in parts if is_text(part))
        files = [part for part in parts if not is_text(part)]
        return [text_part(text), *files] if files else text

    def _around(self, message: Message) -> tuple[str, str]:
        """What stands around a result: the frame, and which call it is of, where the turn has several and it says it not."""
        frame = self._frame
        if not frame.names_call and len(self._calls) < 2:
            return frame.before, frame.after
        call_id = str(message.get('tool_call_id', ''))
        number, name = self._named.get(call_id, (0, ''))
        before, after = frame.around(name, call_id)
        told = len(self._calls) < 2 or frame.tells(name, [name for name, _, _ in self._calls])
        return (f'{before}Call {number}, {name}:\n' if number and not told else before), after

    def describe(self, section: str, system_role: str) -> None:
        """Put the description of the tools behind the system text, or into the first user turn."""
        roles = [message['role'] for message in self.messages]
        leading = next((place for place, role in enumerate(roles) if role not in _SYSTEM_ROLES), len(roles))
        if leading:
            last = self.messages[leading - 1]
            self.messages[leading - 1] = {**last, 'content': joined([last.get('content'), section], ['\n\n'])}
        elif system_role == 'user' and roles[:1] == ['user']:
            first = self.messages[0]
            self.messages[0] = {**first, 'content': joined([section, first.get('content')], ['\n\n'])}
        else:
            self.messages.insert(0, {'role': system_role, 'content': section})

    def ask(self, sentence: str) -> None:
        """Put a sentence at the end of the last user turn."""
        turn = {'role': 'user', 'content': sentence}
        if self.messages and self.messages[-1]['role'] == 'user':
            self.messages[-1] = merged(self.messages[-1], [('\n\n', turn)])
        else:
            self.messages.append(turn)


def _words_of(call: Mapping[str, Any]) -> CallWords:
    function: Mapping[str, Any] = call.get('function') or call.get('custom') or {}
    arguments = function.get('arguments', function.get('input'))
    return function.get('name', 'custom'), arguments or '{}', call.get('id')
