"""Greedy writing with drafts is greedy writing: proven on made-up models of every kind."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bowerbird.inference.greedy import Outcome, Terms, choose_first, write
from bowerbird.inference.lookup import Lookup

PIECES = [b"", b"", b" ", b"\n", b"a", b"b", b"\xe2\x82", b"\xac", b"\xc3", b"c"]
"""What each token writes: among them white space, and characters of two tokens."""
ENDS = (0, 1)


class Stopped(Exception):  # noqa: N818 - no error
    """The model was told to stop."""


@dataclass
class MadeUp:
    """A model whose logits hang on the last `order` tokens alone, so that it soon repeats itself."""

    seed: int
    order: int
    held: list[int]
    most_drafted: int = 0
    end_weight: float = 1.0
    stop: bool = False
    last_read: int = 1
    steps: int = 0
    read_tokens: int = 0
    sizes: list[int] = field(default_factory=list)

    def logits(self, at: int) -> list[float]:
        """Behind the first `at` tokens."""
        chance = random.Random(f"{self.seed} {self.held[max(0, at - self.order) : at]}")
        return [chance.random() * (self.end_weight if token in ENDS else 1) for token in range(len(PIECES))]

    def _at(self, place: int) -> int:
        assert -1 <= place < self.last_read
        return len(self.held) - (0 if place == -1 else self.last_read - 1 - place)

    def read(self, tokens: Sequence[int]) -> None:
        self.check()
        assert 0 < len(tokens) <= 1 + self.most_drafted
        self.held += tokens
        self.last_read = len(tokens)
        self.sizes.append(len(tokens))

    def forget(self, count: int) -> None:
        assert 0 < count < self.last_read
        del self.held[-count:]
        self.last_read = -1  # its logits are not to be asked for again

    def best(self, place: int, may_end: bool) -> int:
        logits = self.logits(self._at(place))
        return max(
            (t for t in range(len(PIECES)) if may_end or t not in ENDS), key=lambda token: logits[token]
        )

    def likeliest(self, place: int) -> Iterator[tuple[int, float]]:
        logits = self.logits(self._at(place))
        yield from sorted(enumerate(logits), key=lambda pair: -pair[1])

    def ends(self, token: int) -> bool:
        return token in ENDS

    def bytes_of(self, token: int) -> bytes:
        return PIECES[token]

    def check(self) -> None:
        if self.stop:
            raise Stopped


def run(model: MadeUp, terms: Terms, lookup: Lookup | None, stop_after: int = 0) -> tuple[list[str], Outcome]:
    """What is written, and how it ended; interrupted at the token `stop_after`."""
    texts: list[str] = []
    outcome = Outcome()

    def emit(text: str) -> None:
        texts.append(text)
        model.stop = len(texts) == stop_after

    try:
        write(model, terms, emit, outcome, lookup)
    except Stopped:
        assert outcome.stopped == "cancelled"
    return texts, outcome


@given(
    seed=st.integers(0, 10**6),
    order=st.integers(0, 4),
    prompt=st.lists(st.integers(2, 9), min_size=1, max_size=60),
    terms=st.builds(Terms, st.integers(0, 40), st.booleans(), st.integers(0, 3)),
    most_drafted=st.integers(1, 12),
    end_weight=st.sampled_from([0.0, 0.8, 1.0, 2.0]),
    stop_after=st.integers(0, 40),
)
def test_the_text_is_that_of_one_token_after_the_other(
    seed: int,
    order: int,
    prompt: list[int],
    terms: Terms,
    most_drafted: int,
    end_weight: float,
    stop_after: int,
) -> None:
    """Token for token the same text, end, count and cache, whatever the model, its ends and interruptions."""
    plain = MadeUp(seed, order, list(prompt), 0, end_weight)
    fast = MadeUp(seed, order, list(prompt), most_drafted, end_weight)
    expected, plainly = run(plain, terms, None, stop_after)
    texts, outcome = run(fast, terms, Lookup(prompt), stop_after)
    assert texts == expected
    assert outcome.stopped == plainly.stopped
    assert outcome.tokens_generated == plainly.tokens_generated == len(texts)
    if outcome.stopped == "end" and (terms.visible_first or terms.first_choice):
        assert "".join(texts).strip()
    assert 0 <= outcome.tokens_accepted <= outcome.tokens_drafted
    if outcome.stopped == "cancelled":
        assert fast.held[: len(plain.held)] == plain.held
    else:
        assert fast.held == plain.held
        assert sum(fast.sizes) == outcome.tokens_drafted + len(fast.sizes)
        assert len(fast.sizes) == len(plain.sizes) - outcome.tokens_accepted


def test_repetitions_take_fewer_steps() -> None:
    """A model that goes round in circles is read in batches."""
    model = MadeUp(3, 1, [4, 5, 9], 8, end_weight=0.0)
    _, outcome = run(model, Terms(60), Lookup([4, 5, 9]))
    assert outcome.tokens_generated == 60
    assert len(model.sizes) < 25


def test_the_first_choices_differ_and_the_rest_is_greedy() -> None:
    """Each rank begins with another visible token, and goes on as the model would behind it."""
    beginnings = []
    for rank in range(3):
        model = MadeUp(11, 2, [4, 9], end_weight=0.0)
        texts, outcome = run(model, Terms(6, first_choice=rank), None)
        beginnings.append(next(text for text in texts if text.strip()))
        written = model.held[2:]
        begun = next(at for at, token in enumerate(written, start=1) if PIECES[token].strip())
        again = MadeUp(11, 2, [4, 9, *written[:begun]], end_weight=0.0)
        rest, _ = run(again, Terms(6 - begun, visible_first=False), None)
        assert "".join(texts) == "".join(texts[:begun]) + "".join(rest)
        assert outcome.stopped == "length"
    assert len(set(beginnings)) == 3


@pytest.mark.parametrize(
    ("rank", "chosen"),
    [(0, 7), (1, 8), (2, None), (3, None)],
    ids=["the best", "one that is likely too", "one that is rare", "none"],
)
def test_a_rare_first_token_is_no_candidate(rank: int, chosen: int | None) -> None:
    """What has less than a twentieth of the best one's probability, or is not there, is not chosen."""
    assert choose_first([(7, 0.0), (8, -2.5), (9, -3.5)], rank) == chosen


def test_an_unlikely_choice_ends_at_once() -> None:
    """Nothing is written, and nothing read, where there are fewer candidates."""
    model = MadeUp(1, 2, [4, 9])
    model.likeliest = lambda _place: iter([(4, 9.0), (5, 1.0)])  # type: ignore[method-assign,assignment]
    texts, outcome = run(model, Terms(6, first_choice=1), None)
    assert (texts, outcome.stopped, model.sizes) == ([], "unlikely", [])
