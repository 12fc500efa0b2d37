"""Edits made small: whatever an editor sends, applying the small ones gives the same text."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from bowerbird.lsp.documents import split_lines
from bowerbird.lsp.edits import Edit, advance, shared_ends, smallest, text_between
from bowerbird.text import Position, normalize_line_ends

CODE = st.text("ab\n", max_size=30)


def whole(old: str, new: str) -> Edit:
    """The whole text replaced, as a formatter does it."""
    return Edit(Position(0, 0), advance(Position(0, 0), old), new)


def applied(text: str, edit: Edit) -> str:
    lines = split_lines(text)
    before = text_between(lines, Position(0, 0), edit.start)
    behind = text_between(lines, edit.end, Position(len(lines) - 1, len(lines[-1])))
    return before + edit.text + behind


@given(CODE, CODE)
def test_small_edits_make_the_same_text(old: str, new: str) -> None:
    """One after the other, from the last to the first, each stands where it says."""
    text = old
    for edit in smallest(whole(old, new), split_lines(old)):
        text = applied(text, edit)
    assert text == new


def test_only_what_differs_is_left() -> None:
    """A formatter that sends the whole file has changed two lines of it."""
    old, new = "a=1\nb = 2\nc = 3\nd=4\n", "a = 1\nb = 2\nc = 3\nd = 4\n"

    assert [*smallest(whole(old, new), split_lines(old))] == [
        Edit(Position(3, 1), Position(3, 2), " = "),
        Edit(Position(0, 1), Position(0, 2), " = "),
    ]


def test_a_word_replaced_by_a_longer_one_is_an_insertion() -> None:
    """So editors take suggestions: the typed word goes, and comes back with the rest."""
    edit = Edit(Position(0, 0), Position(0, 2), "print()")

    assert [*smallest(edit, ("pr\r\n", ""))] == [Edit(Position(0, 2), Position(0, 2), "int()")]


def test_line_ends_of_all_kinds_count_the_same() -> None:
    """The text of a document with Windows' line ends has ours, and what lies outside is empty."""
    lines = split_lines("ab\r\ncd\ref")

    assert text_between(lines, Position(0, 1), Position(2, 1)) == "b\ncd\ne"
    assert normalize_line_ends("ab\r\ncd\ref")[1:7] == "b\ncd\ne"
    assert text_between(lines, Position(2, 1), Position(9, 0)) == "f"
    assert text_between(lines, Position(9, 0), Position(9, 4)) == ""


@given(CODE, CODE)
def test_shared_ends_do_not_overlap(one: str, other: str) -> None:
    """What two texts begin with alike is not counted again at their ends."""
    head, tail = shared_ends(one, other)

    assert one[:head] == other[:head]
    assert one[len(one) - tail :] == other[len(other) - tail :]
    assert head + tail <= min(len(one), len(other))
    if head < min(len(one), len(other)):
        assert one[head] != other[head]
