"""Whether a prompt tells whose result an item is, for generated marks and labels of results."""

from __future__ import annotations as _annotations

from collections.abc import Callable, Sequence

from generated import generated
from hypothesis import given, strategies as st

from pydantic_ai_compat.templates.labels import Belonging, Place, Turn, belonging

# A way to write a result: its opening and its closing mark, for the number of its call and its own number in the turn.
Marks = Callable[[int, int], tuple[str, str]]

# Letters that labels have none of, so that a mark is never taken for one.
TAGS = st.text('<>[]/|\n=ab', min_size=1, max_size=12)


def shown(calls: Sequence[int], marks: Marks) -> Turn:
    """A prompt with as many messages for each call as `calls` says, and where they stand."""
    prompt, places, number = 'question<|calls|>', list[list[Place]](), 0
    for call, count in enumerate(calls):
        places.append([])
        for _ in range(count):
            opening, closing = marks(call, number)
            prompt += opening
            places[-1].append((len(prompt), len(prompt) + 4))
            prompt += f'item{closing}'
            number += 1
    return Turn(prompt + '<|answer|>', places)


def words_of(calls: Sequence[int], marks: Marks) -> list[list[Belonging]]:
    found = belonging(shown(calls, marks), shown([min(count, 1) for count in calls], marks))
    return [list(words) for words in found]


def words(calls: Sequence[int], marks: Marks) -> set[Belonging]:
    return {word for found in words_of(calls, marks) for word in found}


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
    """Before the item, as some of Kimi-K2's templates write it, or after it, as Mistral does."""

    def marks(call: int, number: int) -> tuple[str, str]:
        label = f'call{"KLMN"[call]}'
        return (f'<{opening}{label}>', f'<{closing}>') if in_front else (f'<{opening}>', f'<{closing}{label}>')

    assert words(counts, marks) == {'kept'}


@generated()
@given(st.lists(st.integers(0, 5), min_size=1, max_size=5), TAGS, TAGS, st.booleans())
def test_each_item_behind_the_first_second_one_of_a_call_is_under_another_label_where_results_are_counted(
    counts: list[int], opening: str, closing: str, in_front: bool
) -> None:
    """Kimi-K2's template takes the next call's id for each result, and one of no call when there is none left."""
    labels = [f'call{letter}' for letter, count in zip('KLMNO', counts, strict=False) if count]

    def marks(call: int, number: int) -> tuple[str, str]:
        label = labels[number] if number < len(labels) else f'unknown{len(labels)}'
        return (f'<{opening}{label}>', f'<{closing}>') if in_front else (f'<{opening}>', f'<{closing}{label}>')

    found = [[word == 'mislabelled' for word in words] for words in words_of(counts, marks)]
    expected, number, own = list[list[bool]](), 0, 0
    for count in counts:
        expected.append([number + position != own for position in range(count)])
        number, own = number + count, own + min(count, 1)
    assert found == expected


@generated()
@given(st.lists(st.integers(1, 4), min_size=2, max_size=4).filter(lambda counts: max(counts) > 1), TAGS)
def test_a_mark_that_moves_with_the_number_of_results_is_a_wrong_label(counts: list[int], opening: str) -> None:
    """DeepSeek-V3.2's template ends the block of results behind as many of them as there were calls."""

    def marks(call: int, number: int) -> tuple[str, str]:
        return f'<{opening}>', '</>\n</results>' if number + 1 == len(counts) else '</>'

    assert 'mislabelled' in words(counts, marks)


@generated()
@given(COUNTS.filter(lambda counts: min(counts) > 1), TAGS, TAGS)
def test_one_label_for_all_results_behind_the_first_tells_no_call_from_the_next(
    counts: list[int], opening: str, closing: str
) -> None:
    found = words_of(counts, lambda call, number: (f'<{opening}call{"KL"[min(number, 1)]}>', f'<{closing}>'))
    assert found[0][0] in ('kept', 'not told apart')
    assert 'kept' not in {word for words in found[1:] for word in words}


@generated()
@given(st.lists(st.integers(2, 4), min_size=1, max_size=1), TAGS, TAGS)
def test_items_of_a_single_call_need_no_label(counts: list[int], opening: str, closing: str) -> None:
    assert words(counts, lambda call, number: (f'<{opening}>', f'<{closing}>')) == {'kept'}


def test_lines_in_one_message_a_call_are_told_apart_and_are_no_labels() -> None:
    turn = Turn('<r>item\n2. item</r><r>item\n2. item</r>', [[(3, 7), (11, 15)], [(22, 26), (30, 34)]])
    assert belonging(turn, None) == [['kept', 'kept'], ['kept', 'kept']]


def test_calls_without_items_are_passed_over() -> None:
    assert belonging(Turn('', []), Turn('', [])) == []
    turn = Turn('<r>item</r>', [[], [(3, 7)], []])
    assert belonging(turn, turn) == [[], ['kept'], []]


def test_without_the_same_turn_in_one_message_a_call_the_first_item_is_taken_to_be_right() -> None:
    """A template may refuse such a turn, or lose a result of it."""
    turn = shown([1, 2], lambda call, number: (f'<{"KLM"[number]}>', '</>'))
    for single in (turn, Turn('', [[], []])):
        assert belonging(turn, single) == [['kept'], ['kept', 'mislabelled']]
