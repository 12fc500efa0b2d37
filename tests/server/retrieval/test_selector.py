"""AceCoder's retriever and selector."""

from __future__ import annotations

from itertools import islice, product

import pytest

from bowerbird.retrieval.selector import select, similar

REQUIREMENT = "Write a function to find sequences of lowercase letters joined with an underscore in a string."
FIGURE_4 = (
    "find sequences of literals in a string.",
    "find sequences of an a followed by zero or more b's.",
    "find sequences of numbers containing a decreasing trend or not.",
    "split a text at lowercase letters.",
)


def test_figure_4() -> None:
    """The fourth program brings something new, so it is chosen before the second, which repeats the first."""
    assert select(REQUIREMENT, FIGURE_4, k=2) == [0, 3]
    assert select(REQUIREMENT, FIGURE_4, k=4)[:3] == [0, 3, 1]


def test_without_decay_similar_ones_crowd_in() -> None:
    """Lambda 1 chooses by likeness alone: then the second program comes before the fourth."""
    assert select(REQUIREMENT, FIGURE_4, k=2, decay=1.0) == [0, 1]


def test_a_request_of_three_words() -> None:
    """A request shorter than the longest n-gram is compared by what n-grams it has."""
    assert select(
        "reverse linked list", ["sort an array", "reverse a list", "reverse a linked list"], k=1
    ) == [2]
    assert select("reverse", ["sort an array", "reverse a list"], k=1) == [1]


def test_a_short_example_has_a_score() -> None:
    """An example without any matching pair of words is still nearer than one without any matching word."""
    assert select(REQUIREMENT, ["draw a circle on paper", "underscore"], k=1) == [1]


@pytest.mark.parametrize(("count", "first"), [(1_200, 1), (1_500, 0)])
def test_the_floor_is_a_millionth(count: int, first: int) -> None:
    """A pair of words outweighs all words in disorder, until it is less than a millionth of the whole."""
    words = list(map("".join, islice(product("bcdfghjklm", repeat=4), count)))
    in_disorder = " ".join(words[::-1])
    assert select(" ".join(words), [in_disorder, " ".join(words[:2])], k=1) == [first]


def test_duplicates() -> None:
    """A second copy adds nothing, so whatever else matches comes first; each index is chosen once."""
    others = ["find sequences of letters", "find sequences of letters", "join with an underscore"]
    assert select(REQUIREMENT, others, k=3) == [0, 2, 1]


@pytest.mark.parametrize("requirement", ["quaternion", "", "the of a"])
def test_without_any_overlap_the_rank_decides(requirement: str) -> None:
    """Where nothing matches, or the request says nothing, examples come by their rank."""
    assert select(requirement, FIGURE_4, k=3) == [0, 1, 2]


def test_fewer_than_wanted() -> None:
    """All there are, when there are not enough."""
    assert select(REQUIREMENT, FIGURE_4[:2], k=3) == [0, 1]
    assert select(REQUIREMENT, [], k=3) == []


def test_counts_weigh() -> None:
    """A word that the request says twice counts twice."""
    assert select("list of list nodes", ["node", "list"], k=1) == [1]


def test_similar_ranks_by_bm25() -> None:
    """Best first, nothing that shares no word, no more than asked for."""
    others = ["draw a circle", "split a text", "split a text at commas"]
    assert similar("split text at commas", others) == [2, 1]
    assert similar("split text at commas", others, m=1) == [2]
    assert similar("split", []) == []
