"""A jinja2 environment that renders as Hugging Face transformers does, and in which a template cannot run away.

What a template may reach is jinja2's immutable sandbox: no file, no loader, no underscore, no changed list. That alone
leaves work and memory unbounded (`{{ 'a' * 10 ** 10 }}` is legal there), so everything that can loop, recurse, repeat
or walk a value takes from the `Budget` of the rendering.
"""

from __future__ import annotations as _annotations

import functools
from collections.abc import Callable, Mapping
from datetime import datetime
from types import BuiltinMethodType, MethodType
from typing import Any, NoReturn, cast

from jinja2 import nodes
from jinja2.exceptions import SecurityError, TemplateError
from jinja2.ext import Extension, loopcontrols
from jinja2.parser import Parser
from jinja2.runtime import BlockReference, Context, LoopContext, Macro
from jinja2.sandbox import ImmutableSandboxedEnvironment, SandboxedFormatter, modifies_known_mutable
from jinja2.utils import Namespace, generate_lorem_ipsum, pass_eval_context

from .budget import TemplateLimitError, current_budget, weigh
from .filters import GUARD_FILTERS, all_of, guarded, joined, to_json
from .guards import call_method, guard_method, guard_percent_format, guard_power, guard_product, guard_result
from .rewrite import FILTERS_OF_TEXT, FILTERS_OF_VALUES, UNGUARDED, add_guards

__all__ = ('ChatTemplateEnvironment', 'GenerationTag')

_COSTLY_TESTS = (
    *('==', 'eq', 'equalto', '!=', 'ne', '>', 'gt', 'greaterthan', '<', 'lt', 'lessthan', '>=', 'ge', '<=', 'le'),
    *('in', 'lower', 'upper'),
)

_STEPS_PER_CALL = 16

_STEPS_PER_WORD = 8

_DICT_NAMES = frozenset(dir(dict))

_SAFE_NAMES: Mapping[type, frozenset[str]] = {
    str: frozenset(name for name in dir(str) if not name.startswith(('_', 'format'))),
    dict: frozenset(['copy', 'get', 'items', 'keys', 'values']),
    LoopContext: frozenset(name for name in dir(LoopContext) if not name.startswith('_')),
}
"""What the immutable sandbox allows on values of exactly these types; looking that up anew takes longer than using it.
`str.format` is left out: the sandbox replaces it."""


class ChatTemplateEnvironment(ImmutableSandboxedEnvironment):
    """The environment of transformers 5.24 (`utils/chat_template_utils.py`, `_cached_compile_jinja_template`), bounded.

    Args:
        llama_cpp: Whether to render as llama.cpp's own interpreter does where it differs. `list.append` and the like
            work there, so two of Kimi-K2's published templates render there only; and what is printed of a map or of
            null is nothing, of a list its items one after the other. Seen on llama.cpp b11549.
    """

    intercepted_binops = frozenset(['*', '**', '%'])

    def __init__(self, *, llama_cpp: bool = False):
        super().__init__(
            trim_blocks=True,
            lstrip_blocks=True,
            extensions=[GenerationTag, loopcontrols],
            finalize=_printed_by_llama_cpp if llama_cpp else None,
        )
        self.llama_cpp = llama_cpp
        self.concat = joined
        self.filters['tojson'] = to_json
        unguarded = {UNGUARDED + name: self.filters[name] for name in FILTERS_OF_TEXT | FILTERS_OF_VALUES}
        self.filters = {name: guarded(name, function) for name, function in self.filters.items()}
        self.filters |= {**unguarded, **GUARD_FILTERS}
        self.tests |= {name: guarded(name, self.tests[name]) for name in _COSTLY_TESTS}
        cast('dict[str, Any]', self.globals).update(
            raise_exception=_raise_exception,
            strftime_now=_strftime_now,
            dict=_TemplateDict(),
            namespace=_TemplateNamespace,
            lipsum=_lorem_ipsum,
        )

    def _parse(self, source: str, name: str | None, filename: str | None) -> nodes.Template:
        tree = super()._parse(source, name, filename)
        return add_guards(tree)

    def getattr(self, obj: Any, attribute: str) -> Any:
        """`obj.attribute` as in jinja2: an attribute of the object, else the item of that name."""
        kind = cast('type[Any]', type(obj))
        if kind is dict and attribute not in _DICT_NAMES:
            # jinja2 gets here by way of an `AttributeError`, which costs more than all the rest.
            try:
                return obj[attribute]
            except KeyError:
                return self.undefined(obj=obj, name=attribute)
        if kind is _TemplateNamespace and not attribute.startswith('_'):
            try:
                return getattr(obj, attribute)
            except AttributeError:
                return self.undefined(obj=obj, name=attribute)
        if attribute in _SAFE_NAMES.get(kind, ()):
            return getattr(obj, attribute)
        return super().getattr(obj, attribute)

    def is_safe_attribute(self, obj: Any, attr: str, value: Any) -> bool:
        """As the immutable sandbox, except for lists where these may be changed."""
        if self.llama_cpp and isinstance(obj, list) and modifies_known_mutable(obj, attr):
            return True
        return super().is_safe_attribute(obj, attr, value)

    def call_binop(self, context: Context, operator: str, left: Any, right: Any) -> Any:
        """`left * right`, `left ** right` or `left % right`, paid for before it is made."""
        budget = current_budget()
        if operator == '*':
            guard_product(left, right, budget)
        elif operator == '**':
            guard_power(left, right)
        elif isinstance(left, str):
            guard_percent_format(left, right, budget)
        return self.binop_table[operator](left, right)

    def call(self, context: Context, obj: Any, /, *args: Any, **kwargs: Any) -> Any:
        """A call inside the template: a macro, a method of a value, a global function."""
        if type(obj) is BuiltinMethodType:
            if kwargs:
                # What jinja2 adds to a call inside a loop or a block, for functions that take the context.
                kwargs.pop('_loop_vars', None)
                kwargs.pop('_block_vars', None)
            if obj.__name__ == 'join' and args:
                args = (all_of(args[0]), *args[1:])
            # What jinja2 looks for in a callable (`unsafe_callable`, `jinja_pass_arg`) no built-in method can have.
            return call_method(obj, args, kwargs)
        budget = current_budget()
        if isinstance(obj, Macro):
            budget.spend(_STEPS_PER_CALL + budget.macro_costs.get(obj.name, budget.template_cost))
        elif isinstance(obj, (LoopContext, BlockReference)):
            args = tuple(all_of(argument) for argument in args)
            budget.spend(budget.template_cost * (1 + sum(len(argument) for argument in args)))
        elif isinstance(obj, MethodType):
            guard_method(obj, (*args, *kwargs.values()), budget)
        else:
            budget.spend(_STEPS_PER_CALL)
            if obj is not _TemplateNamespace:
                _, characters = weigh((args, kwargs), budget)
                budget.spend(characters // 64)
        result = super().call(context, obj, *args, **kwargs)
        guard_result(result, budget)
        return result

    def wrap_str_format(self, value: Any) -> Callable[..., str] | None:
        """`str.format` with its fields looked up in the sandbox and its widths bounded."""
        wrapped = super().wrap_str_format(value)
        if wrapped is None:
            return None
        text = cast(str, value.__self__)
        by_mapping = value.__name__ == 'format_map'

        def formatted(*args: Any, **kwargs: Any) -> str:
            budget = current_budget()
            weigh((args, kwargs), budget)
            if by_mapping:
                args, kwargs = (), cast(dict[str, Any], args[0])
            return type(text)(_BoundedFormatter(self).vformat(text, args, kwargs))

        return functools.update_wrapper(formatted, value)


class _BoundedFormatter(SandboxedFormatter):
    def format_field(self, value: Any, format_spec: str) -> Any:
        budget = current_budget()
        _, characters = weigh(value, budget)
        numbers = ''.join(character if character.isdecimal() else ' ' for character in format_spec).split()
        budget.make(characters + sum(int(number) if len(number) < 12 else 10**12 for number in numbers))
        return super().format_field(value, format_spec)


class GenerationTag(Extension):
    """`{% generation %}` marks what the assistant wrote, for training; it renders as its body."""

    tags = {'generation'}  # noqa: RUF012 - jinja2 declares it without `ClassVar`

    def parse(self, parser: Parser) -> nodes.Node:
        """The tag's body as a call block, as transformers has it, so that its scope is the same."""
        line = next(parser.stream).lineno
        body = parser.parse_statements(('name:endgeneration',), drop_needle=True)
        return nodes.CallBlock(self.call_method('_body'), [], [], body).set_lineno(line)

    @pass_eval_context
    def _body(self, context: nodes.EvalContext, caller: Macro) -> str:
        return caller()


class _TemplateDict:
    """The global `dict`, without the class's own attributes."""

    def __call__(self, *args: Any, **kwargs: Any) -> dict[Any, Any]:
        return dict(*args, **kwargs)

    def fromkeys(self, *args: Any, **kwargs: Any) -> dict[Any, Any]:
        return dict.fromkeys(*args, **kwargs)


class _TemplateNamespace(Namespace):
    """`namespace()`, which refuses names that begin with an underscore, as transformers 5.24 does."""

    def __init__(*args: Any, **kwargs: Any) -> None:
        self, *others = args
        attributes = dict(*others, **kwargs)
        for name in attributes:
            _check_namespace_name(name)
        Namespace.__init__(self, attributes)

    def __setitem__(self, name: str, value: Any) -> None:
        _check_namespace_name(name)
        super().__setitem__(name, value)


def _check_namespace_name(name: object) -> None:
    if isinstance(name, str) and name.startswith('_'):
        raise SecurityError(
            f'Chat templates cannot store underscore-prefixed attributes on a namespace, but got {name!r}. '
            'Please rename the attribute.'
        )


def _printed_by_llama_cpp(value: Any) -> Any:
    """What goes out for a printed value; its size has been paid for by then."""
    if value is None or isinstance(value, dict):
        return ''
    if isinstance(value, (list, tuple)):
        return ''.join(str(_printed_by_llama_cpp(item)) for item in cast('list[Any]', value))
    return value


def _raise_exception(message: object) -> NoReturn:
    raise TemplateError(cast(str, message))


def _strftime_now(format: str) -> str:
    # A conversion gives at most 256 characters, which is where Python's own strftime stops.
    current_budget().make(256 * len(format))
    return datetime.now().strftime(format)


def _lorem_ipsum(n: int = 5, html: bool = True, min: int = 20, max: int = 100) -> str:
    if not 0 <= n * max <= 100_000:
        raise TemplateLimitError(f'lipsum of {n} paragraphs of up to {max} words is too long')
    # Each word is drawn by chance, and compared with the one before.
    current_budget().spend(_STEPS_PER_WORD * n * (max + 1))
    return generate_lorem_ipsum(n, html, min, max)
