"""`bowerbird bench examples`: names that the chosen examples hold, by AceCoder's decay."""

from __future__ import annotations

from bowerbird.cli.bench.generate.examples import UNSELECTED, Case, cases_of, measure
from bowerbird.knowledge.library import Library


def case(*shares: str) -> Case:
    """Four similar requirements; the first three say the same."""
    similar = ("sort a list", "sort a list now", "sort a list again", "reverse the order")
    return Case("ring", "sort a list in reverse order", similar, tuple(map(frozenset, shares)), 2)


def test_a_decay_shows_what_differs() -> None:
    """Where the first three say the same, the fourth brings the second name; BM25 alone does not show it."""
    rows = {row.way: row for row in measure([case("a", "a", "a", "b")] * 4)}
    assert rows[UNSELECTED].coverage == {"ring": 50.0, "all": 50.0}
    assert rows["decay 0.5"].coverage["all"] == 100.0
    assert rows["decay 0.5"].gain.mean == 0.0
    assert rows[UNSELECTED].gain.mean == -50.0


def test_no_example_finds_itself() -> None:
    """Each is left out where its own purpose is the request; requests that need no name are no cases."""
    cases = list(cases_of("ring", Library()))
    assert len(cases) > 250
    assert all(one.wanted and one.request not in one.similar for one in cases)
    assert all(len(one.similar) == len(one.shares) <= 20 for one in cases)
