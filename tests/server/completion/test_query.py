"""RepoCoder's queries."""

from pathlib import Path

import pytest

from bowerbird.completion.query import UnfinishedCode, evolve_query, formulate_query


def unfinished(prefix: str, suffix: str = "") -> UnfinishedCode:
    return UnfinishedCode(Path("/w/a.py"), "a.py", "w", "python", prefix, suffix)


@pytest.mark.parametrize(
    ("prefix", "expected"),
    [
        ("", ""),
        ("one", "one"),
        ("one\n", "one"),
        ("one\ntwo\nthree\n", "two\nthree"),
        ("one\ntwo\nthr", "two\nthr"),
        ("one\n\n\n", "\n"),
    ],
)
def test_first_query_is_the_last_lines(prefix: str, expected: str) -> None:
    """The query is the last window_lines lines; the empty line that the cursor stands on is none."""
    assert expected == formulate_query(unfinished(prefix), window_lines=2)


@pytest.mark.parametrize(
    ("prefix", "prediction", "expected"),
    [
        ("a\nb\nc\n", "d\ne\nf", "b\nc\nd\ne"),
        ("a\nb\nc = ", "d\ne\nf", "b\nc = d\ne"),
        ("a\nb\nc:", "\nd\ne\nf", "b\nc:\nd\ne"),
        ("", "d\ne\nf", "d\ne"),
        ("a\n", "", "a\n"),
    ],
)
def test_later_query_joins_code_and_prediction(prefix: str, prediction: str, expected: str) -> None:
    """The last S_w - S_s lines of code and the first S_s of the prediction, joined where the cursor is."""
    assert expected == evolve_query(unfinished(prefix), prediction, window_lines=4, slide_lines=2)


def test_a_huge_line_makes_a_bounded_query() -> None:
    """Of a line of millions of characters only the end is looked for."""
    query = formulate_query(unfinished("x = 1\n" + "word " * 1_000_000 + "end"), window_lines=20)

    assert len(query) <= 10_000
    assert query.endswith("word end")


def test_cursor_counts_from_zero() -> None:
    """Line and column of the cursor follow from what stands before it."""
    assert (unfinished("ab\ncd\nef").line, unfinished("ab\ncd\nef").column) == (2, 2)
    assert (unfinished("").line, unfinished("").column) == (0, 0)
