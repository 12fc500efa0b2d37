"""Places in a text."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bowerbird.text import Position, Span, clamp, normalize_line_ends, split_at


@pytest.mark.parametrize(
    ("text", "expected"),
    [("a\r\nb\rc\nd", "a\nb\nc\nd"), ("\r\r\n", "\n\n"), ("a\x0cb\u2028c", "a\x0cb\u2028c")],
)
def test_normalize_line_ends(text: str, expected: str) -> None:
    """The protocol's three line ends become one; what else breaks lines elsewhere stays."""
    assert expected == normalize_line_ends(text)


@given(st.text(alphabet="ab\n"), st.integers(-3, 9), st.integers(-3, 9))
def test_split_at_any_place_loses_nothing(text: str, line: int, column: int) -> None:
    """A place outside the text is moved to the nearest inside, and both halves make the whole."""
    before, after = split_at(text, Position(line, column))

    place = clamp(text, Position(line, column))
    assert text == before + after
    assert (before.count("\n"), len(before) - before.rfind("\n") - 1) == (place.line, place.column)


def test_clamp_past_the_end() -> None:
    """A line past the end becomes the end of the last line."""
    assert Position(1, 2) == clamp("a\nbc", Position(7, 0))
    assert Position(0, 1) == clamp("a\nbc", Position(0, 99))


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [((0, 2), (2, 4), False), ((0, 3), (2, 4), True), ((5, 6), (0, 9), True), ((0, 0), (0, 9), False)],
)
def test_spans_overlap(one: tuple[int, int], other: tuple[int, int], expected: bool) -> None:
    """Spans overlap when they share a line; the end is not in them."""
    assert expected is Span(*one).overlaps(Span(*other))
    assert expected is Span(*other).overlaps(Span(*one))


def test_span_reads_as_people_count() -> None:
    """A span is shown from 1, both ends included."""
    assert str(Span(11, 31)) == "12-31"
    assert len(Span(11, 31)) == 20
    assert 11 in Span(11, 31)
    assert 31 not in Span(11, 31)
