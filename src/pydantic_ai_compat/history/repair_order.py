"""The last passes of a repair: the turns with calls as the host wants them, and the order of roles."""

from __future__ import annotations as _annotations

from collections.abc import Callable
from typing import Any, cast

from .call_content import with_form
from .draft import Draft, Entry
from .order import SYSTEM_ROLES, may_end, was_given_an_end
from .readable import write_as_text
from .wire import content_form, has_parts

__all__ = ('BRIDGE', 'CONTINUE', 'order_roles')

BRIDGE = 'Noted.'
"""The assistant turn put between a tool turn and a user turn."""

CONTINUE = 'Continue.'
"""The user turn put where a host wants one and the history has none."""


def order_roles(draft: Draft) -> None:
    """Bring turns and roles into the order of the policy, one rule after another."""
    for rules, step in _STEPS:
        if rules & draft.rules:
            step(draft)


def _settle_system(draft: Draft) -> None:
    """System messages at the start into one where the host takes only one, and each later one into a user turn.

    In its place: what was sent before it stays what it was, and the server's cache of it still serves. Its text stands
    in the tag that pydantic-ai uses where a host takes no system message, and in the user turn behind it if there is one.
    """
    start = _first_turn(draft)
    system, rest = draft.entries[:start], draft.entries[start:]
    if 'H21' in draft.rules and len(system) > 1:
        for entry in system[1:]:
            draft.note('H21', entry.origin, 'the system message became part of the first one')
        system = _as_one(system)
    rule = 'H20' if 'H20' in draft.rules else 'H21'
    # Where only their number is limited, a single one may stand anywhere.
    kept = rule == 'H20' or bool(system)
    settled: list[Entry] = []
    run: list[Entry] = []
    for entry in rest:
        if kept and entry.message['role'] in SYSTEM_ROLES:
            draft.note(rule, entry.origin, 'the system message became part of a user turn in its place')
            run.append(_tagged(entry))
            continue
        kept = kept or entry.message['role'] in SYSTEM_ROLES
        if run and entry.message['role'] == 'user':
            run.append(entry)
            entry = None
        settled += _as_one(run)
        run = []
        settled += [entry] if entry is not None else []
    draft.entries = [*system, *settled, *_as_one(run)]


def _tagged(entry: Entry) -> Entry:
    """A system message as a user turn."""
    content = entry.message.get('content')
    if has_parts(content):
        content = [{'type': 'text', 'text': '<system>'}, *content, {'type': 'text', 'text': '</system>'}]
    else:
        content = f'<system>{content or ""}</system>'
    return Entry(entry.origin, {**entry.message, 'role': 'user', 'content': content})


def _first_turn(draft: Draft) -> int:
    """The place of the first message that is no system message."""
    roles = (entry.message['role'] for entry in draft.entries)
    return next((place for place, role in enumerate(roles) if role not in SYSTEM_ROLES), len(draft.entries))


def _joined(first: Entry, second: Entry) -> Entry:
    """Two messages of one role as one, with the calls and the other keys of both."""
    content = _joined_content(first.message.get('content'), second.message.get('content'))
    # Only calls of an assistant are known to be a list; any message can carry keys that nobody knows on it.
    calls = [call for entry in (first, second) for call in _list(entry.message.get('tool_calls'))]
    message = {**second.message, **first.message, 'content': content}
    if calls:
        message['tool_calls'] = calls
    reasoning = [text for entry in (first, second) if (text := entry.message.get('reasoning_content'))]
    if reasoning:
        message['reasoning_content'] = '\n\n'.join(map(str, reasoning))
    return Entry(first.origin, message)


def _list(value: object) -> list[Any]:
    return cast('list[Any]', value) if isinstance(value, list) else []


def _joined_content(first: Any, second: Any) -> Any:
    if not first or not second:
        return first or second
    if isinstance(first, str) and isinstance(second, str):
        return f'{first}\n\n{second}'
    parts: list[Any] = []
    for content in (first, second):
        parts += content if has_parts(content) else [{'type': 'text', 'text': str(content)}]
    return parts


def _form_turns_with_calls(draft: Draft) -> None:
    """Text apart from the calls, and `content` of what is left in the form that the host takes."""
    wanted = draft.policy.call_content[0]
    formed: list[Entry] = []
    for index, message in draft.entries:
        if message['role'] == 'assistant' and message.get('tool_calls'):
            form = content_form(message)
            if 'H16' in draft.rules and form in ('text', 'empty parts'):
                if form == 'text':
                    formed.append(Entry(index, {'role': 'assistant', 'content': message['content']}))
                message = with_form(message, wanted)
                draft.note('H16', index, 'the text went into an assistant message before the one with the calls')
            elif 'H15' in draft.rules and form != 'text' and form not in draft.policy.call_content:
                message = with_form(message, wanted)
                draft.note('H15', index, f'`content` beside the calls became {wanted}')
        formed.append(Entry(index, message))
    draft.entries = formed


def _give_reasoning(draft: Draft) -> None:
    filler = ' ' if 'H31' in draft.rules else ''
    seen = False
    for place, (index, message) in enumerate(draft.entries):
        if message['role'] != 'assistant':
            continue
        reasoning = message.get('reasoning_content')
        if message.get('tool_calls'):
            missing = reasoning is None and ('H30' in draft.rules or (seen and 'H29' in draft.rules))
            if missing or (reasoning is not None and not reasoning and filler):
                rule = 'H31' if not missing else 'H30' if 'H30' in draft.rules else 'H29'
                draft.entries[place] = Entry(index, {**message, 'reasoning_content': filler})
                draft.note(rule, index, f'`reasoning_content` became {filler!r}')
                seen = True
        seen = seen or reasoning is not None


def _begin_with_user(draft: Draft) -> None:
    start = _first_turn(draft)
    ends = start == len(draft.entries)
    if not ends and draft.entries[start].message['role'] == 'user':
        return
    if 'H23' in draft.rules and not ends:
        rule = 'H23'
    elif 'H22' in draft.rules:
        # Where an assistant turn is the first one, the request that it answers had no user turn and was given one.
        rule = 'H22'
    else:
        return
    index = start if ends else draft.entries[start].origin
    draft.entries.insert(start, Entry(index, {'role': 'user', 'content': CONTINUE}))
    draft.note(rule, index, f'a user turn {CONTINUE!r} was put in')


def _keep_request_ends(draft: Draft) -> None:
    """The user turn that a request had at its end for H26 stays where it was, before the answer to that request."""
    kept: list[Entry] = []
    for entry in draft.entries:
        if was_given_an_end(entry.message, kept[-1].message if kept else None, draft.rules):
            kept.append(Entry(entry.origin, {'role': 'user', 'content': CONTINUE}))
            draft.note('H26', entry.origin, f'a user turn {CONTINUE!r} was put before the answer to it')
        kept.append(entry)
    draft.entries = kept


def _bridge_tool_turns(draft: Draft) -> None:
    bridged: list[Entry] = []
    previous = ''
    for entry in draft.entries:
        role = entry.message['role']
        if role == 'user' and previous == 'tool':
            bridged.append(Entry(entry.origin, {'role': 'assistant', 'content': BRIDGE}))
            draft.note('H24', entry.origin, f'an assistant turn {BRIDGE!r} was put between the tool and the user')
        bridged.append(entry)
        previous = role
    draft.entries = bridged


def _join_neighbours(draft: Draft) -> None:
    joined: list[Entry] = []
    run: list[Entry] = []
    for entry in draft.entries:
        role = entry.message['role']
        if run and role == run[-1].message['role'] and role in ('user', 'assistant'):
            draft.note('H25', entry.origin, f'the {role} message became part of the one before it')
            run.append(entry)
            continue
        joined += _as_one(run)
        run = [entry]
    draft.entries = [*joined, *_as_one(run)]


def _as_one(run: list[Entry]) -> list[Entry]:
    while len(run) > 1:
        # In pairs, so that the text of a long run is not copied once for each message of it.
        run = [
            _joined(*run[place : place + 2]) if place + 1 < len(run) else run[place] for place in range(0, len(run), 2)
        ]
    return run


def _end_with_user_or_tool(draft: Draft) -> None:
    last = draft.entries[-1] if draft.entries else None
    if last is None or not may_end(last.message):
        index = 0 if last is None else last.origin
        draft.entries.append(Entry(index, {'role': 'user', 'content': CONTINUE}))
        draft.note('H26', index, f'a user turn {CONTINUE!r} was put at the end')


_STEPS: tuple[tuple[frozenset[str], Callable[[Draft], None]], ...] = (
    (frozenset({'H20', 'H21'}), _settle_system),
    (frozenset({'H27'}), write_as_text),
    (frozenset({'H22', 'H23'}), _begin_with_user),
    (frozenset({'H26'}), _keep_request_ends),
    (frozenset({'H24'}), _bridge_tool_turns),
    (frozenset({'H25'}), _join_neighbours),
    (frozenset({'H15', 'H16'}), _form_turns_with_calls),
    (frozenset({'H29', 'H30', 'H31'}), _give_reasoning),
    (frozenset({'H26'}), _end_with_user_or_tool),
)
"""What is done under which rules, in this order: a later step may rely on what an earlier one has made."""
