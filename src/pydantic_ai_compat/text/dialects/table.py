"""The table of a dialect: by which marks a model writes tool calls into its text, for reading and for writing."""

from __future__ import annotations as _annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple, Self

__all__ = ('Anchor', 'Dialect', 'Family', 'TextCall')

Family = Literal['json', 'named', 'tagged', 'python']
"""What stands in a call.

* `'json'`: JSON that holds the name and the arguments.
* `'named'`: the name, then one literal with the arguments.
* `'tagged'`: the name, then each argument in tags of its own.
* `'python'`: `name(key=value)`, as in Python.
"""

Anchor = Literal['anywhere', 'line', 'message']
"""Where a call may begin: anywhere, at the start of a line, or only at the start of the message."""


class TextCall(NamedTuple):
    """A tool call as it stands in a text."""

    name: str
    """The name of the tool."""

    arguments: str
    """The arguments as the text of a JSON object; `'{}'` for none. Of a call that was cut or broken, what came."""

    id: str | None = None
    """The id of the call, if the text holds one."""

    complete: bool = True
    """Whether the call came whole, and its arguments are one JSON object."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Dialect:
    """The table of a dialect; each is itself alone, so that it is a cheap key.

    A mark is a tuple of parts, between which white space may stand; it is written with nothing between them. White
    space at the ends of a part is written and is not needed for reading.
    """

    name: str
    """The name, which is that of vLLM's parser where it has one."""

    family: Family
    """What stands in a call."""

    models: str = ''
    """Models that write it, for the documentation."""

    aliases: tuple[str, ...] = ()
    """Further names, of the same parser in vLLM or SGLang."""

    section: tuple[tuple[str, ...], tuple[str, ...]] | None = None
    """The marks around all calls of a message; `None` where each call stands for itself."""

    open: tuple[str, ...] = ()
    """The mark before a call; of `'json'` and `'python'` that before the literal, which may hold several calls."""

    close: tuple[str, ...] = ()
    """The mark after a call."""

    other_close: tuple[str, ...] = ()
    """A mark after a call that is read and not written."""

    between: str = ''
    """What is written between two calls."""

    anchor: Anchor = 'anywhere'
    """Where a call may begin."""

    section_per_call: bool = False
    """Whether each call is written in a section of its own."""

    special: bool = False
    """Whether the marks are special tokens, which a server takes out of the text unless it is told not to."""

    several: Literal['marks', 'array', 'objects', 'lines'] = 'marks'
    """How several calls are written: each in marks of its own, or all between one pair, as an array, objects or lines."""

    whole: bool = False
    """Whether all that stands between the marks has to be calls, as in a fenced block."""

    name_key: str = 'name'
    """The key of the name, in `'json'`."""

    arguments_key: str = 'arguments'
    """The key of the arguments, in `'json'`."""

    id_key: str | None = None
    """The key of the id, in `'json'`."""

    single_key: bool = False
    """Whether the object is `{name: arguments}`, in `'json'`."""

    indent: int | None = None
    """By how many spaces JSON is indented where it is written."""

    item_lines: bool = False
    """Whether each item of an array is written on a line of its own."""

    name_prefix: str = ''
    """What stands before the name and does not belong to it."""

    name_end: tuple[str, ...] = ()
    """The mark between the name and the payload; of `'tagged'` without one, the payload follows the name."""

    other_name_ends: tuple[tuple[str, ...], ...] = ()
    """Further such marks, which are read and not written."""

    id_end: str = ''
    """The mark between an id and the name, where the id comes first."""

    id_open: str = ''
    """The mark between the name and an id, where the id comes second."""

    name_is_id: bool = False
    """Whether the id is the prefix, the name and a number behind a colon, as `functions.f:0`."""

    string_mark: str = ''
    """The mark on both sides of a string, of a literal that is no JSON."""

    typed_strings: bool = False
    """Whether values of every type may stand between the marks of a string, so that the schema decides."""

    parameter_open: tuple[str, ...] = ()
    """The mark before the key of an argument, in `'tagged'`."""

    key_end: tuple[str, ...] = ()
    """The mark between the key and the value."""

    parameter_close: tuple[str, ...] = ()
    """The mark after a value; `{key}` in it stands for the key."""

    parameter_between: str = ''
    """What is written before each argument, and before the end of the call."""

    quote: str = ''
    """The quotation mark around names and keys; without one, with the other, or with none they are read as well."""

    attribute: Literal['', 'string', 'type'] = ''
    """The attribute behind the key that says what the value is: `string="true"`, or `type="number"`."""

    number_attribute: str = ''
    """The attribute behind the name that counts the calls."""

    trims: bool = False
    """Whether a line break at both ends of a value belongs to the marks."""

    nested: str = ''
    """What stands before each tag of the elements that make up an object or a list in a value."""

    brackets: bool = True
    """Whether `'python'` calls stand in a list."""

    channels: bool = False
    """Whether thoughts and answers stand between marks of the same kind as calls, as in OpenAI's Harmony."""

    thinking: tuple[str, str] = ('<think>', '</think>')
    """The tags between which the models write thoughts; nothing in them is a call, whatever else is done with them."""

    result: str = '<tool_response>\n{result}\n</tool_response>'
    """How the result of a call is written in a user turn, with `{result}`, and `{name}` and `{id}` of the call.

    It is what the models' own templates write, where that is closed by a mark. Where a result is a turn of its own and
    nothing else tells its end, it is the frame that most templates share: as a part of a user turn, a result could not
    be told from what the user says behind it.
    """

    result_section: tuple[str, str] = ('', '')
    """What is written before the first result and behind the last of a turn."""

    forms: tuple[Dialect, ...] = ()
    """Further tables that are read and not written: other spellings, or another family between the same marks."""

    def respelled(self, changes: Mapping[str, str]) -> Self:
        """The table with other spellings in its marks."""

        def respell(value: object) -> object:
            if isinstance(value, str):
                for old, new in changes.items():
                    value = value.replace(old, new)
                return value
            return tuple(map(respell, value)) if isinstance(value, tuple) else value  # pyright: ignore[reportUnknownArgumentType]

        marks = {name: respell(getattr(self, name)) for name in _MARKS}
        return replace(self, **marks, forms=())

    @property
    def tables(self) -> tuple[Dialect, ...]:
        """All tables by which the dialect is read."""
        return (self, *self.forms)

    @property
    def all_or_nothing(self) -> bool:
        """Whether all of an envelope has to be calls: nothing but its content says that it is one."""
        return self.whole or not self.open and (self.family == 'python' or self.several == 'array')

    @property
    def openings(self) -> tuple[str, ...]:
        """The first part of each mark that a call or a section can begin with; `''` for none."""
        if self.channels and self.open:
            return ('<|channel|>', '<|start|>')
        section = () if self.section is None else (self.section[0][0].strip(),)
        return (*section, self.open[0].strip() if self.open else '')


_MARKS = frozenset(
    (
        *('section', 'open', 'close', 'other_close', 'name_end', 'other_name_ends', 'id_end', 'id_open'),
        *('string_mark', 'parameter_open', 'key_end', 'parameter_close', 'nested', 'thinking'),
    )
)
"""The fields that hold marks, and so change with their spelling."""
