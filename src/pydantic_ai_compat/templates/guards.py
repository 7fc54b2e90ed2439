"""What a filter, a test or a method may cost, asked before it runs.

Most of jinja2's filters and Python's string methods cost as much as their input is long. The rest make much out of
little (`'a'|center(10 ** 9)`, `'%1000000000d' % 1`, `'x'.replace('x', longer)`), or walk a value to its full depth
(`tojson`, `string`, `sort`, `==`). Each of those has an estimate here.
"""

from __future__ import annotations as _annotations

import re
from collections.abc import Callable, Mapping
from types import BuiltinMethodType, MethodType
from typing import Any, cast

from .budget import MAX_INTEGER_BITS, Budget, TemplateLimitError, current_budget, weigh

__all__ = (
    'COSTLY',
    'call_method',
    'guard_arguments',
    'guard_method',
    'guard_percent_format',
    'guard_power',
    'guard_product',
    'guard_result',
)

_MAX_NUMBER = 100_000
"""The largest width, precision or count; the same as jinja2's sandbox allows for `range`."""

_SHALLOW = frozenset(
    ['attr', 'count', 'd', 'default', 'first', 'items', 'last', 'length', 'list', 'map', 'random', 'reject']
    + ['rejectattr', 'reverse', 'safe', 'select', 'selectattr']
)
"""Filters that look at the items of a container and not into them."""

_COMPARING = frozenset(['dictsort', 'groupby', 'max', 'min', 'sort', 'unique'])
"""Filters that compare items with each other, which costs more than one look at each."""

_SLOW: Mapping[str, int] = {
    'title': 8,
    'unique': 4,
    'urlencode': 8,
    'urlize': 32,
    'wordcount': 2,
    'wordwrap': 32,
    'indent': 8,
    'pprint': 32,
}
"""Filters that look at each character with regular expressions or code of Python's: how many times as long as a copy
they take, which is what `Budget.make` counts. Measured with jinja2 3.1 on texts of 4 to 600,000 characters."""

STEPS_PER_ITEM: Mapping[str, int] = {
    **dict.fromkeys(['batch', 'join', 'list', 'slice'], 1),
    **dict.fromkeys(['map', 'reject', 'rejectattr', 'select', 'selectattr', 'sum'], 3),
    **dict.fromkeys(_COMPARING, 16),
}
"""Filters that handle one item after the other, with the steps that each takes; of a text every character is an item."""

_STEPS_PER_LOOKUP = 4
"""Steps for each item in which an attribute is looked for; one that is missing costs the most."""

COSTLY = frozenset([*_SLOW, *STEPS_PER_ITEM, 'striptags'])
"""Filters that cost more than their input is long."""

_SLOW_CALL = 16
"""Steps that such a filter takes beside that, also on a short text."""

_PERCENT_WIDTH = re.compile(r'%(?:\([^)]*\))?[-#0 +]*(\*|\d+)?(?:\.(\*|\d+)?)?')

_SHORT_TEXT = 64

_CHARACTERS_PER_STEP = 64

_METHODS_IN_PRODUCT = frozenset(['strip', 'lstrip', 'rstrip', 'rfind', 'rindex', 'rsplit', 'rpartition'])
"""Methods that take the product of two lengths at worst; the ones that search from the left do not."""

_PLAIN_TEXT_METHODS = frozenset(
    ['endswith', 'lower', 'lstrip', 'removeprefix', 'removesuffix', 'rsplit', 'rstrip', 'split', 'startswith', 'strip']
    + ['find', 'upper', 'capitalize', 'title', 'isdigit', 'count', 'index', 'rfind', 'splitlines']
)
"""Methods whose result is no longer than the text; on a short one they need no budget."""

_TEXT_ENCODINGS = frozenset(['ascii', 'latin-1', 'utf-8', 'utf8', 'utf-16', 'utf-32'])
"""Others, such as `idna` and `punycode`, take quadratic time."""


def guard_arguments(name: str, arguments: tuple[Any, ...], options: Mapping[str, Any], budget: Budget) -> None:
    """Pay for one call of the filter or test `name` whose input is `arguments[0]`.

    Raises:
        TemplateLimitError: The call would make more text or take more steps than are left.
    """
    value, *others = arguments
    others += options.values()
    count = _length(value)
    if name in STEPS_PER_ITEM:
        budget.spend(count * (STEPS_PER_ITEM[name] + (_STEPS_PER_LOOKUP if any(map(_is_name, others)) else 0)))
    if name in _SHALLOW:
        budget.spend(count + 1)
        return
    items, characters = _size(value, budget)
    factor = max((_factor(other, budget) for other in others), default=0)
    if name in _SLOW:
        budget.spend(_SLOW_CALL + _SLOW[name] * (items + characters // _CHARACTERS_PER_STEP * 4))
    if name == 'wordwrap':
        # A word that is longer than the line is copied anew for each line that is cut off.
        width = next((other for other in others if type(other) is int), 79)
        budget.spend(characters * characters // (4096 * max(width, 1)))
    if name in _COMPARING:
        budget.spend(16 * items)
    elif name in ('striptags', 'urlize'):
        budget.spend(characters * characters // 4096)
    elif name == 'pprint' or (name == 'sum' and any(isinstance(other, (list, tuple)) for other in others)):
        budget.spend(items * (16 + items // 4))
    if name == 'replace' and all(isinstance(text, str) for text in arguments[:3]):
        budget.make(characters + _replaced(*arguments[:3]))
    elif name == 'format' and isinstance(value, str):
        guard_percent_format(value, others, budget)
    else:
        budget.make((characters + items) * (1 if name == 'truncate' else factor + 1))


def call_method(method: BuiltinMethodType, arguments: tuple[Any, ...], options: Mapping[str, Any]) -> Any:
    """Call a method of a built-in value, such as `'a,b'.split(',')` or `{}.get(key)`, and pay for it."""
    owner = method.__self__
    if type(owner) is str and len(owner) <= _SHORT_TEXT and method.__name__ in _PLAIN_TEXT_METHODS:
        argument = arguments[0] if arguments else ''
        if len(arguments) < 2 and type(argument) is str and len(argument) <= _SHORT_TEXT:
            return method(*arguments, **options)
    budget = current_budget()
    guard_method(method, (*arguments, *options.values()), budget)
    result = method(*arguments, **options)
    guard_result(result, budget)
    return result


def guard_method(method: BuiltinMethodType | MethodType, arguments: tuple[Any, ...], budget: Budget) -> None:
    """Pay for one call of a method of a value."""
    owner = method.__self__
    if not isinstance(owner, (str, bytes)):
        _guard_other_method(owner, method.__name__, arguments, budget)
        return
    estimate = _GROWING_METHODS.get(method.__name__)
    for argument in arguments:
        _, characters = (0, 0) if isinstance(argument, int) else _size(argument, budget)
        # These look at each of the argument's letters for each of the text's.
        turns = len(owner) if method.__name__ in _METHODS_IN_PRODUCT else 1
        budget.spend(characters * turns // _CHARACTERS_PER_STEP)
    budget.make(len(owner) if estimate is None else estimate(cast(str, owner), arguments))


def _guard_other_method(owner: object, name: str, arguments: tuple[Any, ...], budget: Budget) -> None:
    if isinstance(owner, (list, tuple, dict)) and name in ('index', 'count'):
        weigh(cast('list[Any]', owner), budget)
    else:
        budget.spend(_length(cast(object, owner)))
    for argument in arguments:
        if isinstance(argument, int):
            _check_number(argument, name)
        else:
            _, characters = _size(argument, budget)
            budget.spend(characters // _CHARACTERS_PER_STEP)


def guard_percent_format(text: str, values: object, budget: Budget) -> None:
    """Pay for `text % values`, whose result is as long as the widths in the text say."""
    widths = 0
    # Each `%(` without its `)` is looked through to the end.
    budget.spend(text.count('%(') * len(text) // _CHARACTERS_PER_STEP)
    for match in _PERCENT_WIDTH.finditer(text):
        for number in match.groups():
            if number == '*':
                raise TemplateLimitError("a width taken from the values ('%*d') is not allowed")
            if number:
                widths += _check_number(int(number) if len(number) < 12 else _MAX_NUMBER + 1, 'format')
    items, characters = _size(values, budget)
    # A value may be named more than once: '%(a)s%(a)s'.
    budget.make(len(text) + widths + (characters + items) * (text.count('%') + 1))


def guard_product(left: object, right: object, budget: Budget) -> None:
    """Pay for `left * right`: a number times a number, or a text or a list repeated."""
    if isinstance(left, int) and isinstance(right, int):
        _check_bits(left.bit_length() + right.bit_length())
        return
    for value, times in ((left, right), (right, left)):
        if isinstance(times, int) and isinstance(value, (str, bytes)):
            budget.make(len(value) * max(times, 0))
        elif isinstance(times, int) and isinstance(value, (list, tuple)):
            budget.spend(len(cast('list[Any]', value)) * max(times, 0))


def guard_power(base: object, exponent: object) -> None:
    """Refuse `base ** exponent` when the result would be an integer of more than `MAX_INTEGER_BITS` bits."""
    if isinstance(base, int) and isinstance(exponent, int):
        _check_bits(base.bit_length() * max(exponent, 0))


def guard_result(result: object, budget: Budget) -> None:
    """Pay for what came back, where its size was not known before."""
    if isinstance(result, (str, bytes)):
        budget.make(len(result))
    elif isinstance(result, int):
        _check_bits(result.bit_length())
    else:
        budget.spend(_length(result))


def _size(value: object, budget: Budget) -> tuple[int, int]:
    """Items and characters of a value, paid for when it has to be walked."""
    if isinstance(value, (str, bytes)):
        return 1, len(value)
    return weigh(value, budget)


def _length(value: object) -> int:
    return len(cast('list[Any]', value)) if isinstance(value, (str, bytes, list, tuple, dict, set, range)) else 1


def _is_name(value: object) -> bool:
    """Whether an argument can name an attribute: a text, or the number of an item."""
    return isinstance(value, str) or type(value) is int


def _factor(value: object, budget: Budget) -> int:
    """How many times longer an argument can make the result for each character or item of the input."""
    if isinstance(value, int):
        return _check_number(value, 'a filter')
    return sum(_size(value, budget)) if value is not None else 0


def _check_number(number: int, where: str) -> int:
    if abs(number) > _MAX_NUMBER:
        raise TemplateLimitError(f'the number {number:.3g} given to {where} is larger than {_MAX_NUMBER}')
    return abs(number)


def _check_bits(bits: int) -> None:
    if bits > MAX_INTEGER_BITS:
        raise TemplateLimitError(f'an integer of {bits} bits is larger than {MAX_INTEGER_BITS} bits')


def _replaced(text: str, old: str = '', new: str = '') -> int:
    return text.count(old) * len(new)


def _padded(text: str, arguments: tuple[Any, ...]) -> int:
    width = arguments[0] if arguments and isinstance(arguments[0], int) else 0
    return max(len(text), _check_number(width, 'a padding'))


def _joined(separator: str, arguments: tuple[Any, ...]) -> int:
    parts: list[Any] = list(arguments[0]) if arguments else []
    return sum(len(part) for part in parts if isinstance(part, str)) + len(separator) * len(parts)


def _translated(text: str, arguments: tuple[Any, ...]) -> int:
    table = arguments[0] if arguments else None
    values = cast('Mapping[Any, Any]', table).values() if isinstance(table, Mapping) else ()
    return len(text) * max((len(value) for value in values if isinstance(value, str)), default=1)


def _encoded(text: str, arguments: tuple[Any, ...]) -> int:
    if arguments and str(arguments[0]).lower() not in _TEXT_ENCODINGS:
        raise TemplateLimitError(f'the encoding {str(arguments[0])[:40]!r} is not allowed')
    return 4 * len(text)


_GROWING_METHODS: Mapping[str, Callable[[str, tuple[Any, ...]], int]] = {
    'center': _padded,
    'ljust': _padded,
    'rjust': _padded,
    'zfill': _padded,
    'expandtabs': lambda text, arguments: (text.count('\t') + 1) * _padded('', arguments) + len(text) * 8,
    'replace': lambda text, arguments: len(text) + _replaced(text, *arguments[:2]),
    'join': _joined,
    'translate': _translated,
    'encode': _encoded,
    'decode': _encoded,
}
