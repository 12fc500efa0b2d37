"""Exact match, edit similarity and their differences, on cases worked out by hand."""

from __future__ import annotations

import pytest

from bowerbird.cli.bench.repoeval.metrics import (
    edit_similarity,
    exact_match,
    gap_share,
    paired_difference,
)

EXACT_MATCHES = [
    # prediction, truth, expected
    ("total = 0", "total = 0", 1.0),
    (
        "        total = 0\n        more = 1\n",
        "    total = 0",
        1.0,
    ),  # indentation and later lines do not count
    ("\n\n   \ntotal = 0", "total = 0", 1.0),  # nor do blank lines before it
    ("total = 0 ", "total = 0", 1.0),
    ("total  = 0", "total = 0", 0.0),  # white space inside does
    ("", "total = 0", 0.0),
    ("total = 1", "total = 0", 0.0),
    ("a\n\nb\nc", "a\nb", 1.0),  # as many lines as the truth has
    ("a", "a\nb", 0.0),
]


@pytest.mark.parametrize(("prediction", "truth", "expected"), EXACT_MATCHES)
def test_exact_match_ignores_blank_lines_and_surrounding_space(
    prediction: str, truth: str, expected: float
) -> None:
    """Exact match compares visible lines, of the prediction as many as the truth has."""
    assert expected == exact_match(prediction, truth)


EDIT_SIMILARITIES = [
    # prediction, truth, Lev, longer length
    ("kitten", "sitting", 3, 7),
    ("  abcd\nrest", "abcf", 1, 4),
    ("", "abc", 3, 3),
    ("abc", "abc", 0, 3),
    ("\n\n  ab\n\n  cd", "ab\ncd", 0, 5),
    ("ab", "ab\ncd", 3, 5),
]


@pytest.mark.parametrize(("prediction", "truth", "distance", "longest"), EDIT_SIMILARITIES)
def test_edit_similarity_is_the_papers_formula(
    prediction: str, truth: str, distance: int, longest: int
) -> None:
    """ES is 1 - Lev / max of the two lengths (section 4.3), over the compared lines."""
    assert edit_similarity(prediction, truth) == pytest.approx(1 - distance / longest)


def test_a_difference_is_paired() -> None:
    """A constant gain over very different tasks is certain, because each is compared with itself."""
    theirs = [0.0, 10.0, 55.0, 100.0]

    difference = paired_difference([value + 2.0 for value in theirs], theirs)

    assert (difference.mean, difference.low, difference.high) == (2.0, 2.0, 2.0)
    assert difference.above_noise


def test_an_interval_holds_its_mean_and_repeats() -> None:
    """The bootstrap is seeded: the same tasks give the same interval around the same mean."""
    ours = [1.0, 0.0, 1.0, 1.0, 0.0, 1.0, 0.0, 1.0]
    theirs = [0.0, 0.0, 1.0, 0.0, 1.0, 0.0, 0.0, 1.0]

    difference = paired_difference(ours, theirs)

    assert difference.mean == pytest.approx(0.25)
    assert difference.low < 0.25 < difference.high
    assert not difference.above_noise
    assert difference == paired_difference(ours, theirs)


def test_the_gap_share_is_the_part_of_the_way() -> None:
    """Half-way from in-file to oracle is 0.5, in-file itself is 0, beyond the oracle is more than 1."""
    in_file = [10.0, 20.0, 30.0, 40.0]
    oracle = [value + 8 for value in in_file]

    assert gap_share([value + 4 for value in in_file], in_file, oracle) == pytest.approx(0.5)
    assert gap_share(in_file, in_file, oracle) == pytest.approx(0.0)
    assert gap_share([value + 10 for value in in_file], in_file, oracle) == pytest.approx(1.25)
    assert gap_share([value - 2 for value in in_file], in_file, oracle) == pytest.approx(-0.25)


@pytest.mark.parametrize(
    "oracle",
    [
        [10.0, 20.0, 30.0, 40.0],  # no gap
        [5.0, 15.0, 25.0, 35.0],  # retrieval harms
        [30.0, 5.0, 50.0, 30.0],  # a gain that may be noise
    ],
)
def test_there_is_no_share_of_a_gap_that_is_not_there(oracle: list[float]) -> None:
    """Where the oracle does not beat in-file by more than noise, no share is claimed."""
    in_file = [10.0, 20.0, 30.0, 40.0]

    assert gap_share([12.0, 22.0, 32.0, 42.0], in_file, oracle) is None
