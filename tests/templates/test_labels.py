"""Whether a prompt tells whose result an item is, for generated marks and labels of results."""

from __future__ import annotations as _annotations

from collections.abc import Callable, Sequence

from generated import generated
from hypothesis import given, strategies as st

from pydantic_ai_compat.templates.labels import Belonging, Place, belonging

# A way to write a result: its opening and its closing mark, for the number of its call and its own number in the turn.
Marks = Callable[[int, int], tuple[str, str]]

# Letters that labels have none of, so that a mark is never taken for one.
TAGS = st.text('<>[]/|\n=ab', min_size=1, max_size=12)


def shown(calls: Sequence[int], marks: Marks) -> tuple[str, list[list[Place]]]:
    """A prompt with as many items for each call as `calls` says, and where they stand."""
    prompt, places, number = 'question<|calls|>', list[list[Place]](), 0
    for call, count in enumerate(calls):
        places.append([])
        for _ in range(count):
            opening, closing = marks(call, number)
            prompt += opening
            places[-1].append((len(prompt), len(prompt) + 4))
            prompt += f'item{closing}'
            number += 1
    return prompt + '<|answer|>', places


def words(calls: Sequence[int], marks: Marks) -> set[Belonging]:
    prompt, places = shown(calls, marks)
    return {word for found in belonging(prompt, places, each_a_message=True) for word in found}


COUNTS = st.lists(st.integers(1, 4), min_size=2, max_size=4).filter(lambda counts: max(counts) > 1)


@generated()
@given(COUNTS, TAGS, TAGS)
def test_marks_alone_tell_no_call_from_the_next(counts: list[int], opening: str, closing: str) -> None:
    """Some 70 of 105 published templates write results like that."""
    found = words(counts, lambda call, number: (f'<{opening}>', f'<{closing}>'))
    assert 'mislabelled' not in found
    assert 'not told apart' in found


@generated()
@given(COUNTS, TAGS, TAGS, st.booleans())
def test_the_label_of_the_own_call_keeps_items_apart(
    counts: list[int], opening: str, closing: str, in_front: bool
) -> None:
    """Before the item, as DeepSeek-V3.2 writes it, or after it, as Mistral does."""

    def marks(call: int, number: int) -> tuple[str, str]:
        label = f'call{"KLMN"[call]}'
        return (f'<{opening}{label}>', f'<{closing}>') if in_front else (f'<{opening}>', f'<{closing}{label}>')

    assert words(counts, marks) == {'kept'}


@generated()
@given(COUNTS, TAGS, TAGS)
def test_a_label_that_counts_results_names_other_calls(counts: list[int], opening: str, closing: str) -> None:
    """Kimi-K2's template takes the next call's id for each result."""
    found = words(counts, lambda call, number: (f'<{opening}{"QRSTUVWXYZCDEFGH"[number]}>', f'<{closing}>'))
    assert 'mislabelled' in found


@generated()
@given(st.lists(st.integers(2, 4), min_size=1, max_size=1), TAGS, TAGS)
def test_items_of_a_single_call_need_no_label(counts: list[int], opening: str, closing: str) -> None:
    assert words(counts, lambda call, number: (f'<{opening}>', f'<{closing}>')) == {'kept'}


def test_lines_in_one_message_a_call_are_told_apart_and_are_no_labels() -> None:
    prompt = '<r>item\n2. item</r><r>item\n2. item</r>'
    places = [[(3, 7), (11, 15)], [(22, 26), (30, 34)]]
    assert belonging(prompt, places, each_a_message=False) == [['kept', 'kept'], ['kept', 'kept']]


def test_calls_without_items_are_passed_over() -> None:
    assert belonging('', [], each_a_message=True) == []
    assert belonging('<r>item</r>', [[], [(3, 7)], []], each_a_message=True) == [[], ['kept'], []]
