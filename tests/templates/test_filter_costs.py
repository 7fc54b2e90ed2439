"""No filter, test or function that a template may use does more work than it pays for.

Work is counted in calls of functions, Python's and built-in ones, while the filter runs; a step of the budget stands
for about a microsecond, in which there is time for a dozen.
"""

from __future__ import annotations as _annotations

import sys
from collections.abc import Callable
from typing import Any, cast

import jinja2
import pytest

from pydantic_ai_compat.templates import ChatTemplate, RenderLimits
from pydantic_ai_compat.templates.budget import Budget, spending
from pydantic_ai_compat.templates.sandbox import ChatTemplateEnvironment

ENVIRONMENT = ChatTemplateEnvironment()
FILTERS = sorted(name for name in cast('dict[str, Any]', ENVIRONMENT.filters) if not name.startswith('_'))
TESTS = sorted(name for name in cast(Any, ENVIRONMENT).tests if name.isidentifier())
SIZE = 64
INPUTS: dict[str, Callable[[], Any]] = {
    'one word': lambda: 'a' * SIZE,
    'words': lambda: 'Ab c<&> ' * (SIZE // 8),
    'addresses': lambda: 'www.a.de ' * (SIZE // 9),
    'tags': lambda: '<b>' * (SIZE // 3),
    'open tags': lambda: '<' * SIZE,
    'lines': lambda: '\n' * SIZE,
    'numbers': lambda: list(range(SIZE)),
    'numbers backwards': lambda: list(range(SIZE))[::-1],
    'a generator': lambda: (str(number) for number in range(SIZE)),
    'texts': lambda: list(map(str, range(SIZE))),
    'mixed case': lambda: ['a', 'B'] * (SIZE // 2),
    'pairs': lambda: [list(str(number + 10)) for number in range(SIZE // 4)],
    'objects': lambda: [{'a': 1, 'b': 'x'}] * (SIZE // 4),
    'nested': lambda: [[[[1]]]] * (SIZE // 8),
    'an object': lambda: {str(number): number for number in range(SIZE)},
}
ARGUMENTS = {
    **{name: ('("a")',) for name in ('attr', 'default', 'd')},
    **{name: ('("string")', '(attribute="a")', '("wordwrap", 1)', '("tojson")') for name in ('map',)},
    **{name: ('', '("eq", 1)', '("in", x)', '("odd")') for name in ('select', 'reject')},
    **{name: ('("a")', '("a", "eq", 1)', '("a", "in", x)') for name in ('selectattr', 'rejectattr')},
    **{name: ('', '(attribute="a")') for name in ('join', 'max', 'min', 'sum', 'unique')},
    'batch': ('(1)', '(99, " ")'),
    'center': ('(9999)',),
    'dictsort': ('', '(false, "value")'),
    'format': ('("x")',),
    'groupby': ('(0)', '("a")'),
    'indent': ('', '(99, true, true)'),
    'replace': ('("a", "b")', '("", "x")'),
    'slice': ('(2)', '(999)'),
    'sort': ('', '(attribute="a")', '(case_sensitive=true)'),
    'tojson': ('', '(indent=2)'),
    'truncate': ('', '(5, true)'),
    'wordwrap': ('', '(1)', '(1, false)'),
}
LAZY = frozenset(
    ['batch', 'items', 'map', 'reject', 'rejectattr', 'reverse', 'select', 'selectattr', 'slice', 'unique']
)
CALLS_PER_STEP = 12


def worked(use: str, value: Any) -> tuple[int, int, str]:
    """The calls and the steps of an expression on `x`, and how it failed if it did."""
    compiled = ChatTemplate(f'{{% set y = {use} %}}')._compiled(None).template
    limits = RenderLimits()
    budget = Budget(limits.steps, limits.characters)
    context = compiled.new_context({'x': value, 'true': True, 'false': False})
    calls, error = 0, ''

    def count(_: Any, event: str, __: Any) -> None:
        nonlocal calls
        calls += event in ('call', 'c_call')

    with spending(budget):
        before = sys.getprofile()
        sys.setprofile(count)
        try:
            ''.join(compiled.root_render_func(context))
        except (jinja2.TemplateError, ArithmeticError, LookupError, TypeError, ValueError, AttributeError) as problem:
            error = f'{type(problem).__name__}: {problem}'[:80]
        finally:
            sys.setprofile(before)
    return calls, limits.steps - budget.steps, error


def uses(name: str) -> list[str]:
    read = ' | list' if name in LAZY else ''
    return [f'x | {name}{arguments}{read}' for arguments in ARGUMENTS.get(name, ('',))]


@pytest.mark.parametrize('name', FILTERS)
@pytest.mark.untraced
def test_a_filter_pays_for_the_work_that_it_does(name: str) -> None:
    for about, value in INPUTS.items():
        for use in uses(name):
            calls, steps, error = worked(use, value())
            assert calls <= CALLS_PER_STEP * (steps + 20), (use, about, error)


@pytest.mark.parametrize('name', TESTS)
def test_a_test_pays_for_the_work_that_it_does(name: str) -> None:
    for about, value in INPUTS.items():
        for use in (f'x is {name}', f'x is {name}(x)'):
            calls, steps, error = worked(use, value())
            assert calls <= CALLS_PER_STEP * (steps + 20), (use, about, error)


@pytest.mark.parametrize('use', ['lipsum(50, false, 20, 200)', 'range(9999)', 'dict(x)', 'cycler(x)', 'joiner(x)'])
def test_a_function_pays_for_the_work_that_it_does(use: str) -> None:
    calls, steps, error = worked(use, [['a', 1]] * SIZE)
    assert calls <= CALLS_PER_STEP * (steps + 20), error


@pytest.mark.parametrize(
    'name', ['groupby("a")', 'join(",", attribute="b")', 'sort', 'max', 'unique', 'list', 'batch(2)']
)
def test_a_text_is_paid_for_as_the_items_that_it_is_taken_apart_into(name: str) -> None:
    _, steps, _ = worked(f'x | {name}' + (' | list' if name in ('unique', 'batch(2)') else ''), INPUTS['one word']())
    assert steps >= SIZE


def test_what_a_generator_is_searched_for_is_paid_for() -> None:
    _, steps, _ = worked('"x" in x', INPUTS['a generator']())
    assert steps >= SIZE


def test_each_filter_of_a_chain_is_paid_for() -> None:
    """A generator is read by the last filter of a chain, and makes the others work item by item."""
    _, one, _ = worked('x | map("string") | list', INPUTS['numbers']())
    _, nine, _ = worked('x' + ' | map("string")' * 9 + ' | list', INPUTS['numbers']())
    assert nine - one >= 8 * SIZE


@pytest.mark.parametrize('use', ['"a,b".split(",", 1)', '"a,b".startswith(x)', '"a,b".count(x)'])
def test_a_method_of_a_short_text_is_free_only_with_a_short_argument(use: str) -> None:
    """Chat templates ask short texts such as roles for their beginning all the time."""
    _, free, _ = worked('"a,b".split(",")', 'a' * 64)
    _, steps, error = worked(use, 'a' * 10_000)
    assert steps > free, error
