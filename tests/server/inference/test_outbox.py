"""Tokens travel in messages of several, and nobody waits for long."""

from __future__ import annotations

from bowerbird.inference.outbox import HELD_SECONDS, Outbox


class Clock:
    """A clock that is set by hand."""

    def __init__(self) -> None:
        self.seconds = 100.0

    def __call__(self) -> float:
        return self.seconds


def test_the_first_at_once_then_by_time_and_by_line() -> None:
    """The first token does not wait; later ones wait for a while, for the end of a line, or for the end."""
    sent: list[tuple[str, int]] = []
    clock = Clock()
    outbox = Outbox(lambda text, count: sent.append((text, count)), clock)
    outbox.add("a")
    assert sent == [("a", 1)]
    for text in ("b", "", "c"):
        outbox.add(text)
    assert len(sent) == 1
    clock.seconds += HELD_SECONDS
    outbox.add("d")
    assert sent[1:] == [("bcd", 4)]
    outbox.add("e")
    outbox.add("\n    ")
    assert sent[2:] == [("e\n    ", 2)]
    outbox.add("f")
    outbox.flush()
    outbox.flush()
    assert sent[3:] == [("f", 1)]


def test_a_slow_model_sends_every_token() -> None:
    """Where a token takes longer than the wait, none is held back."""
    sent: list[tuple[str, int]] = []
    clock = Clock()
    outbox = Outbox(lambda text, count: sent.append((text, count)), clock)
    for text in "abc":
        outbox.add(text)
        clock.seconds += 2 * HELD_SECONDS
    assert sent == [("a", 1), ("b", 1), ("c", 1)]
