"""The order of snippets while somebody types."""

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bowerbird.completion.epoch import Epoch, Place, continue_epoch, key_of, pack
from bowerbird.knowledge.snippet import Source, Window
from bowerbird.text import Span

HERE = Place(Path("/w/here.py"), line=30, definition="f", in_prompt=Span(20, 40))


def window(name: str, lines: int = 2) -> Window:
    text = "\n".join(f"{name} {number}" for number in range(lines))
    return Window(Source(Path(f"/w/{name}.py"), f"{name}.py", text, "python"), Span(0, lines))


A, B, C, D, E, F = map(window, "abcdef")
ALL = (A, B, C, D, E, F)
TEN_EACH = {key_of(w): 10 for w in ALL}


def names(windows: tuple[Window, ...]) -> str:
    return "".join(w.name[0] for w in windows)


@pytest.mark.parametrize(
    ("budget", "expected"),
    [(0, ""), (9, ""), (10, "a"), (30, "cba"), (1000, "fedcba")],
)
def test_pack_puts_the_nearest_last(budget: int, expected: str) -> None:
    """The least similar is left out first, and the order is by ascending similarity."""
    assert expected == names(pack(ALL, TEN_EACH, budget))


def test_pack_skips_what_does_not_fit() -> None:
    """A snippet that is too long does not keep shorter ones out."""
    assert names(pack((A, B, C), {**TEN_EACH, key_of(B): 99}, 25)) == "ca"


def test_pack_takes_no_text_twice() -> None:
    """The same text of the same file enters once."""
    assert names(pack((A, replace(A), B), TEN_EACH, 100)) == "ba"


def test_an_epoch_begins_with_room_to_spare() -> None:
    """A fifth of the budget is free at first: 50 tokens take four snippets of ten."""
    assert names(continue_epoch(None, HERE, ALL, TEN_EACH, 50).windows) == "dcba"


def test_within_an_epoch_nothing_moves_and_new_ones_come_last() -> None:
    """Other similarities change no order; a new snippet stands nearest the cursor."""
    first = continue_epoch(None, HERE, (A, B, C, D), TEN_EACH, 50)

    second = continue_epoch(first, HERE, (C, E, A, B), TEN_EACH, 50)

    assert names(first.windows) == "dcba"
    assert names(second.windows) == "dcbae"


@pytest.mark.parametrize(
    ("place", "ranked"),
    [
        (replace(HERE, path=Path("/w/other.py")), (A, B, E)),
        (replace(HERE, definition="g"), (A, B, E)),
        (replace(HERE, line=50), (A, B, E)),
        (replace(HERE, line=10), (A, B, E)),
        (HERE, (E, F, A)),
    ],
    ids=["document", "definition", "down", "up", "most are new"],
)
def test_an_epoch_ends(place: Place, ranked: tuple[Window, ...]) -> None:
    """Where the cursor went elsewhere, or most of what is wanted is missing, the order begins anew."""
    epoch = continue_epoch(None, HERE, (A, B, C, D), TEN_EACH, 50)

    after = continue_epoch(epoch, place, ranked, TEN_EACH, 50)

    assert names(after.windows) == names(ranked)[::-1]
    assert after.place == place


def test_an_epoch_ends_when_its_budget_is_full() -> None:
    """A new snippet that finds no room begins a new epoch."""
    epoch = Epoch(HERE, (E, D, C, B, A))

    assert names(continue_epoch(epoch, HERE, (A, B, C, F), TEN_EACH, 50).windows) == "fcba"


def test_an_epoch_ends_when_the_prompt_shows_its_lines() -> None:
    """A snippet of the document itself leaves once its lines stand in the prompt as code."""
    own = Window(Source(HERE.path, "here.py", "x\n" * 60, "python"), Span(50, 60))
    tokens = {**TEN_EACH, key_of(own): 10}
    epoch = continue_epoch(None, HERE, (A, B, own), tokens, 50)

    after = continue_epoch(epoch, replace(HERE, line=35, in_prompt=Span(25, 55)), (A, B), tokens, 50)

    assert own in epoch.windows
    assert own not in after.windows


@given(
    st.lists(st.lists(st.sampled_from(ALL), unique=True), max_size=8),
    st.dictionaries(st.sampled_from([key_of(w) for w in ALL]), st.integers(1, 40)),
    st.integers(0, 90),
)
def test_no_epoch_outgrows_its_budget(
    rankings: list[list[Window]], lengths: dict[tuple[str, str], int], budget: int
) -> None:
    """Whatever is retrieved along the way, the snippets fit and none stands twice."""
    tokens = {**TEN_EACH, **lengths}
    epoch: Epoch | None = None
    for ranked in rankings:
        before = epoch.windows if epoch else ()
        epoch = continue_epoch(epoch, HERE, ranked, tokens, budget)
        assert sum(tokens[key_of(w)] for w in epoch.windows) <= budget
        assert len(set(epoch.windows)) == len(epoch.windows)
        kept = epoch.windows[: len(before)] == before
        assert kept or epoch.windows == pack(ranked, tokens, round(budget * 0.8))
