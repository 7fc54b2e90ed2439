"""What a hostile template tries; every one of them ends in an error after a bounded number of steps."""

from __future__ import annotations as _annotations

import pytest
from templates.conversation import USER

from pydantic_ai_compat.errors import ChatTemplateError
from pydantic_ai_compat.templates import ChatTemplate, RenderLimits

DOUBLE = '{%% set ns = namespace(a=%s, b=%s) %%}{%% for i in range(60) %%}{%% set ns.a = %s %%}{%% set ns.b = %s %%}{%% endfor %%}%s'


def grown(start: str, step: str, use: str) -> str:
    """A value that is doubled sixty times, and then used."""
    return DOUBLE % (start, start, step, step.replace('ns.a', 'ns.b'), use)


NESTED = ('[1]', '[ns.a, ns.a]')

TOO_MUCH = {
    # Work.
    'loops in loops': '{% for a in range(99999) %}{% for b in range(99999) %}{% endfor %}{% endfor %}',
    'loops over generators': '{% for a in range(99999)|map("string") %}{% for b in range(99999)|map("string") %}{% endfor %}{% endfor %}',
    'a long body in a loop': '{% for a in range(99999) %}' + '{% set x = a %}' * 200 + '{% endfor %}',
    'a long macro in a loop': '{% macro f() %}' + '{% set x = 1 %}' * 200 + '{% endmacro %}{% for a in range(99999) %}{{ f() }}{% endfor %}',
    'a macro that calls itself twice': '{% macro f(n) %}{% if n %}{{ f(n - 1) }}{{ f(n - 1) }}{% endif %}{% endmacro %}{{ f(60) }}',
    'a recursive loop': '{% for i in [1, 2] recursive %}{% if loop.depth < 60 %}{{ loop(range(9999) | map("string")) }}{% endif %}{% endfor %}',
    'a long literal in a loop': '{% for a in range(99999) %}{% set x = [' + '1, ' * 100 + '] %}{% set y = (' + '1, ' * 100 + ') %}{% endfor %}',
    'a long mapping in a loop': '{% for a in range(99999) %}{% set x = {' + ', '.join(f'{n}: 1' for n in range(100)) + '} %}{% endfor %}',
    'slices in a loop': '{% set x = range(99999) | list %}{% for a in range(99999) %}{% set y = x[1:] %}{% endfor %}',
    'a list that grows': '{% set ns = namespace(x=[]) %}{% for a in range(99999) %}{% set ns.x = ns.x + [a] %}{% endfor %}',
    'a sum of lists': '{{ range(99999) | map("string") | map("list") | sum(start=[]) | length }}',
    'a nested list printed': grown(*NESTED, '{{ ns.a }}'),
    'a nested list as JSON': grown(*NESTED, '{{ ns.a | tojson }}'),
    'a nested list trimmed': grown(*NESTED, '{{ ns.a | trim }}'),
    'a nested list joined': grown(*NESTED, '{{ ns.a | join }}'),
    'a nested list in a text': grown(*NESTED, '{{ "%s" % ns.a }}'),
    'a nested list in a format': grown(*NESTED, '{{ "{}".format(ns.a) }}'),
    'nested lists compared': grown(*NESTED, '{{ ns.a == ns.b }}'),
    'nested lists compared by a test': grown(*NESTED, '{{ ns.a is eq(ns.b) }}'),
    'a nested list concatenated': grown(*NESTED, '{{ ns.a ~ "" }}'),
    'a nested list looked for': grown(*NESTED, '{{ [ns.a].index(ns.b) }}'),
    'a nested tuple as a key': grown('(1,)', '(ns.a, ns.a)', '{{ {ns.a: 1} }}'),
    'a nested tuple looked for': grown('(1,)', '(ns.a, ns.a)', '{{ ns.a in {} }}'),
    'a nested tuple looked up': grown('(1,)', '(ns.a, ns.a)', '{{ {}[ns.a] }}'),
    'a nested tuple got': grown('(1,)', '(ns.a, ns.a)', '{{ {}.get(ns.a) }}'),
    'a nested list to a global': grown(*NESTED, '{{ dict([(1, ns.a)]) }}'),
    'a nested value of a mapping view': grown(*NESTED, '{{ {1: ns.a}.values() }}'),
    'a namespace that holds itself': '{% set ns = namespace() %}{% set ns.a = ns %}{{ ns }}',
    'a list repeated': '{{ ([1] * 99999) * 99999 }}',
    'tags stripped from a long text': '{{ ("<" * 999999) | striptags }}',
    'a long list shown': '{{ range(99999) | list | pprint | length }}',
    'sorting in a loop': '{% set x = range(99999) | list %}{% for a in range(99) %}{% set y = x | sort %}{% endfor %}',
    'long texts compared in a loop': '{% set a = "x" * 99999 %}{% set b = "x" * 99999 %}{% for i in range(99999) %}{{ a == b }}{% endfor %}',
    'a text searched in a loop': '{% set a = "x" * 99999 %}{% for i in range(99999) %}{{ "y" in a }}{% endfor %}',
    'a list of long texts searched': '{% set a = "x" * 99999 %}{% set l = ["x" * 99999] * 999 %}{% for i in range(999) %}{{ a in l }}{% endfor %}',
    'long texts compared by a test': '{% set a = "x" * 99999 %}{{ ([("x" * 99999)] * 9999) | select("eq", a) | list | length }}',
    'a text stripped of many letters': '{{ ("x" * 999999).strip("y" * 99999 + "x") }}',
    'a text searched from the right': '{{ ("a" * 999999).rfind("b" + "a" * 99999) }}',
    'a short text stripped of many letters': '{% set a = "y" * 99999 %}{% for i in range(9999) %}{{ "x".strip(a) }}{% endfor %}',
    'a text marked as safe in a loop': '{% set a = "y" * 99999 %}{% for i in range(99999) %}{% set b = a | safe %}{% endfor %}',
    'a nested list asked for its case': grown(*NESTED, '{{ ns.a is lower }}'),
    'a change looked for in a loop': '{% set a = "y" * 99999 %}{% for i in range(99999) %}{{ loop.changed(a) }}{% endfor %}',
    'a long text given to a global in a loop': '{% set a = "y" * 99999 %}{% for i in range(99999) %}{% set b = dict(a=a) %}{% endfor %}',
    'a format with open names': '{{ ("%(" * 499999) % {} }}',
    # Text.
    'a text repeated': '{{ "a" * 10 ** 9 }}',
    'a text repeated from the right': '{{ 10 ** 9 * "a" }}',
    'a text doubled by plus': grown('"x"', 'ns.a + ns.a', ''),
    'a text doubled by a long sum': grown('"x"', ' + '.join(['ns.a'] * 20), ''),
    'a text doubled by tilde': grown('"x"', 'ns.a ~ ns.a', ''),
    'a text doubled by a filter': grown('"x"', 'ns.a | replace("x", "xx")', ''),
    'a text doubled by a method': grown('"x"', 'ns.a.replace("x", "xx")', ''),
    'a text doubled by join': grown('"xx"', 'ns.a.join(["a", "b", ns.a])', ''),
    'a text doubled by a macro': '{% macro f(x, n) %}{% if n %}{{ f(x + x, n - 1) }}{% endif %}{% endmacro %}{{ f("x", 60) }}',
    'a text translated': '{{ ("x" * 99999).translate({120: "y" * 99999}) }}',
    'much output': '{% for a in range(99999) %}{{ "x" * 999 }}{% endfor %}',
    'much output in a block': '{% set x %}{% for a in range(99999) %}' + 'x' * 999 + '{% endfor %}{% endset %}',
    'wide JSON': '{{ [[[[[[[[[[1]]]]]]]]]] | tojson(indent="x" * 9999999) }}',
    'deep JSON': '{{ ([[[[[1]]]]] * 9999) | tojson(indent=9999) }}',
    'a wide format': '{{ "{:1000000000}".format(1) }}',
    'a wide format from its arguments': '{{ "{:{w}}".format(1, w=10 ** 9) }}',
    'a very wide format': '{{ "{:9999999999999999}".format(1) }}',
    'tabs': '{{ ("\t" * 99999).expandtabs(99999) }}',
    'a text padded in a loop': '{% for a in range(999) %}{% set x = "x".ljust(99999) %}{% endfor %}',
    'a date': '{{ strftime_now("%c" * 999999) }}',
    'batches': '{{ ["x" * 99999] | batch(99999, "x" * 99) | list }}',
    'a value named often': '{{ ("%(a)s" * 9999) % {"a": "x" * 9999} }}',
}  # fmt: skip

REFUSED = {
    'a wide filter': ('{{ "x" | center(10 ** 9) }}', 'the number 1e+09 given to a filter is larger than 100000'),
    'a wide method': ('{{ "x".zfill(10 ** 9) }}', 'given to a padding is larger'),
    'a wide method of safe text': ('{{ ("x" | safe).center(10 ** 9) }}', 'given to a padding is larger'),
    'a wide indent': ('{{ "x" | indent(10 ** 9) }}', 'given to a filter is larger'),
    'wide JSON': ('{{ [1] | tojson(indent=10 ** 9) }}', 'given to a filter is larger'),
    'a wide percent': ('{{ "%1000000000d" % 1 }}', 'given to format is larger'),
    'a very wide percent': ('{{ "%99999999999999d" % 1 }}', 'given to format is larger'),
    'a percent with a precision': ('{{ "%.1000000000f" | format(1) }}', 'given to format is larger'),
    'a percent with a width from its values': ('{{ "%*d" % (10 ** 9, 1) }}', "('%*d') is not allowed"),
    'many batches': ('{{ [1] | batch(10 ** 9, 1) | list }}', 'given to a filter is larger'),
    'many slices': ('{{ [1] | slice(10 ** 9) | list }}', 'given to a filter is larger'),
    'many bytes': ('{{ (5).to_bytes(10 ** 9, "big") }}', 'given to to_bytes is larger'),
    'a large power': ('{{ 10 ** (10 ** 10) }}', 'an integer of'),
    'a large product': (grown('3', 'ns.a * ns.a', ''), 'an integer of'),
    'a large sum': ('{% set x = 2 ** 16383 %}{% set y = x + x + x + x %}', 'an integer of'),
    'a large difference': ('{% set x = 0 - 2 ** 16383 %}{% set y = x + x - 1 %}', 'an integer of'),
    'a large integer from text': ('{{ ("f" * 99999) | int(0, 16) }}', 'an integer of'),
    'a large integer from bytes': ('{{ (0).from_bytes(("x" * 99999).encode(), "big") }}', 'an integer of'),
    'a slow encoding': ('{{ "x".encode("idna") }}', "the encoding 'idna' is not allowed"),
    'a slow encoding by name': ('{{ "x".encode(encoding="punycode") }}', "the encoding 'punycode' is not allowed"),
    'much filler': ('{{ lipsum(n=10 ** 9) }}', 'lipsum of 1000000000 paragraphs'),
    'a large range': ('{% for i in range(10 ** 9) %}{% endfor %}', 'Range too big'),
    'a macro that calls itself': ('{% macro f() %}{{ f() }}{% endmacro %}{{ f() }}', 'RecursionError'),
    'a block that calls itself': ('{% block a %}{{ self.a() }}{% endblock %}', 'RecursionError'),
    'a file included': ('{% include "/etc/passwd" %}', 'no loader for this environment'),
    'a file imported': ('{% import "/etc/passwd" as x %}', 'no loader for this environment'),
    'a file inherited': ('{% extends "/etc/passwd" %}', 'no loader for this environment'),
    'a class': ('{{ "".__class__.__mro__ }}', "access to attribute '__class__' of 'str' object is unsafe"),
    'a class by subscript': ('{{ ""["__class__"].x }}', "access to attribute '__class__' of 'str' object is unsafe"),
    'a class by a filter': ('{{ ("" | attr("__class__")).x }}', "access to attribute '__class__' of 'str' object is unsafe"),
    'a class by a format': ('{{ "{0.__class__.x}".format(1) }}', "access to attribute '__class__' of 'int' object is unsafe"),
    'a class by a mapping format': ('{{ "{a.__class__.x}".format_map({"a": 1}) }}', "'__class__' of 'int' object is unsafe"),
    'an attribute of a namespace': ('{% set ns = namespace() %}{{ ns.__init__.__globals__ }}', "has no attribute '__init__'"),
    'an underscore in a namespace': ('{% set ns = namespace(_a=1) %}', 'underscore-prefixed attributes'),
    'an underscore set in a namespace': ('{% set ns = namespace() %}{% set ns._a = 1 %}', 'underscore-prefixed attributes'),
    'a changed list': ('{% set _ = [].append(1) %}', "'append' of 'list' object is unsafe"),
    'a loop over a number': ('{% for i in 5 %}{% endfor %}', "'int' object is not iterable"),
}  # fmt: skip


@pytest.mark.parametrize('name', TOO_MUCH)
def test_a_template_that_wants_too_much_is_stopped(name: str) -> None:
    """A hundredth of the default limits, so that the whole list takes a second; what is counted is the same."""
    limits = RenderLimits(steps=20_000, characters=300_000)
    with pytest.raises(ChatTemplateError, match='(steps|text) than its limit allows'):
        ChatTemplate(TOO_MUCH[name], limits=limits).render([USER])


@pytest.mark.parametrize('name', REFUSED)
def test_a_template_that_goes_where_it_must_not_is_refused(name: str) -> None:
    source, words = REFUSED[name]
    with pytest.raises(ChatTemplateError) as caught:
        ChatTemplate(source).render([USER])
    assert words in str(caught.value)


def test_an_unsafe_attribute_prints_as_nothing() -> None:
    """As in jinja2's sandbox, which raises as soon as anything is done with it."""
    source = '{{ "".__class__ }}{{ ""["__class__"] }}{{ "{0.__class__}".format(1) }}{{ namespace(a=1).__class__ }}'
    assert ChatTemplate(source).render([USER]) == ''


def test_constants_are_not_folded_into_a_bomb_when_a_template_is_compiled() -> None:
    """jinja2 evaluates filters of constants at compile time; the budget of the compilation holds there."""
    source = '{{ "a" | center(99999) | replace(" ", "' + 'x' * 999 + '") | replace("x", "' + 'y' * 999 + '") }}'
    with pytest.raises(ChatTemplateError, match='more text than its limit allows'):
        ChatTemplate(source).render([USER])


def test_limits_grow_with_the_conversation() -> None:
    """A loop over all pairs of messages, which some templates have, never runs into a limit."""
    pairs = ChatTemplate(
        '{% for a in messages %}{% for b in messages %}{{ "x" if a.role == b.role }}{% endfor %}{% endfor %}',
        limits=RenderLimits(steps=1000, characters=1000),
    )
    assert len(pairs.render([USER] * 60)) == 3_600
    copies = ChatTemplate(
        '{% for a in range(9) %}{{ messages[0].content }}{% endfor %}', limits=RenderLimits(characters=0)
    )
    assert len(copies.render([{'role': 'user', 'content': 'x' * 10_000}])) == 90_000


def test_short_work_beside_a_limit_is_counted_exactly() -> None:
    """The bound is a count, not a time: the same template takes the same steps on every machine."""
    source = '{% for a in range(100) %}{{ a }}{% endfor %}'
    enough = next(
        steps for steps in range(0, 2000, 10) if _renders(ChatTemplate(source, limits=RenderLimits(steps=steps)))
    )
    assert 100 < enough < 1000
    for _ in range(3):
        assert _renders(ChatTemplate(source, limits=RenderLimits(steps=enough)))
        assert not _renders(ChatTemplate(source, limits=RenderLimits(steps=enough - 10)))


def _renders(template: ChatTemplate) -> bool:
    try:
        template.render([USER])
    except ChatTemplateError:
        return False
    return True


@pytest.mark.parametrize(
    ('use', 'steps'),
    [
        # What each took in microseconds on a machine on which two million steps take two seconds.
        ('(("Ab c<&> " * 1000) | title)', 2_000),
        ('(("Ab c<&> " * 1000) | wordcount)', 800),
        ('(("www.a.de " * 1000) | urlize)', 10_000),
        ('(("Ab c<&> " * 1000) | wordwrap)', 6_000),
        ('(("a" * 30000) | wordwrap(1))', 60_000),
        ('(("Ab c<&> " * 1000) | urlencode)', 2_000),
        ('(("Ab c<&> " * 1000) | unique | list)', 2_000),
        ('(range(999) | unique | list)', 900),
        ('lipsum(5, false, 20, 200)', 5_000),
    ],
)
def test_what_is_slow_for_each_character_is_counted_as_that(use: str, steps: int) -> None:
    """With these steps it ends at the limit, which a hundred times as many let it pass: counted, and not refused."""
    source = '{% set x = ' + use + ' %}done'
    with pytest.raises(ChatTemplateError, match='more steps than its limit allows'):
        ChatTemplate(source, limits=RenderLimits(steps=steps)).render([USER])
    assert ChatTemplate(source, limits=RenderLimits(steps=steps * 100)).render([USER]) == 'done'


@pytest.mark.parametrize('use', ['lipsum(1, false, 1, 2)', 't | title', 't | urlize', 't | wordwrap'])
def test_a_slow_helper_costs_something_on_little_text_as_well(use: str) -> None:
    source = '{% set t = messages[0].content %}{% for i in range(999) %}{% set x = ' + use + ' %}{% endfor %}'
    with pytest.raises(ChatTemplateError, match='more steps than its limit allows'):
        ChatTemplate(source, limits=RenderLimits(steps=16_000)).render([USER])
