"""Questions in plain words."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest

from bowerbird.knowledge.library import Library
from bowerbird.knowledge.packs.pack import Pack
from bowerbird.knowledge.snippet import Example
from bowerbird.lookup.search import search


@pytest.mark.parametrize(
    ("language", "question", "symbol"),
    [
        ("powerquery", "how do I add a column to a table?", "Table.AddColumn"),
        ("pony", "read a file line by line", "FileLines"),
        ("ring", "split a text at commas", "split"),
    ],
)
def test_a_question_finds_its_element(
    packs: Callable[[str], Sequence[Pack]], language: str, question: str, symbol: str
) -> None:
    """Among the first, with examples beside it, the best first."""
    found = search(question, packs(language), 10)
    assert symbol in [one.snippet.symbol for one in found if not isinstance(one.snippet, Example)]
    assert any(isinstance(one.snippet, Example) for one in found)
    assert [one.score for one in found] == sorted((one.score for one in found), reverse=True)


@pytest.mark.parametrize("question", ["", "  ", "zzzqqq", "\ud800", "?"])
def test_no_answer_is_an_empty_list(library: Library, question: str) -> None:
    """Neither is what nobody asked."""
    assert search(question, library.packs, 5) == []
    assert search("add a column", (), 5) == []


def test_there_are_at_most_so_many(library: Library) -> None:
    """All packs together."""
    assert len(search("text", library.packs, 3)) == 3
