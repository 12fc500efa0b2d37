"""Greedy writing, checking several drafted tokens at once: the text is that of one token after the other.

Pure but for the model that it is handed.
"""

from __future__ import annotations

import codecs
import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol

from bowerbird.inference.lookup import Lookup

UNLIKELY = math.log(0.05)  # of the most likely first token's probability; what is rarer is no candidate


@dataclass(frozen=True, slots=True)
class Terms:
    """What is asked of a generation."""

    max_new_tokens: int
    visible_first: bool = True
    """Take no end token before a character other than white space was written."""
    first_choice: int = 0
    """Which of the visible tokens that may come first, by likelihood, begins the text."""


@dataclass(slots=True)
class Outcome:
    """What a generation cost, and how it ended. Filled while it goes on; the fields of the message `done`."""

    tokens_reused: int = 0
    tokens_evaluated: int = 0
    tokens_generated: int = 0
    evaluate_ms: float = 0.0
    generate_ms: float = 0.0
    stopped: str = "cancelled"
    tokens_drafted: int = 0
    tokens_accepted: int = 0


class Reader(Protocol):
    """A model that has read a prompt."""

    most_drafted: int
    """Tokens that it is willing to read beside the one that was written."""

    def read(self, tokens: Sequence[int]) -> None:
        """Read on. An interruption raises what the caller of `write` expects."""
        ...

    def forget(self, count: int) -> None:
        """Unread the last `count` tokens."""
        ...

    def best(self, place: int, may_end: bool) -> int:
        """The likeliest token behind the token `place` of those last read; -1 for the last of them."""
        ...

    def likeliest(self, place: int) -> Iterable[tuple[int, float]]:
        """The likeliest tokens at the same place, in order, with their logits."""
        ...

    def ends(self, token: int) -> bool:
        """Does `token` end a text?"""
        ...

    def bytes_of(self, token: int) -> bytes:
        """What `token` writes."""
        ...

    def check(self) -> None:
        """Raise what `read` would if it was interrupted now."""
        ...


class Writer:
    """One text on its way out of a model. Made by `write`."""

    def __init__(self, model: Reader, terms: Terms, emit: Callable[[str], None], outcome: Outcome) -> None:
        self.model = model
        self.terms = terms
        self.emit = emit
        self.outcome = outcome
        self.visible = False
        self._characters = codecs.getincrementaldecoder("utf-8")("replace")

    @property
    def left(self) -> int:
        return self.terms.max_new_tokens - self.outcome.tokens_generated

    def choose(self, place: int) -> int | None:
        """The token to be written next; None if no token is likely enough to be the first."""
        terms = self.terms
        may_end = self.visible or not (terms.visible_first or terms.first_choice)
        token = self.model.best(place, may_end)
        if terms.first_choice and not self.visible and self._shows(token):
            likeliest = self.model.likeliest(place)
            shown = (one for one in likeliest if not self.model.ends(one[0]) and self._shows(one[0]))
            return choose_first(shown, terms.first_choice)
        return token

    def write(self, token: int) -> None:
        text = self._characters.decode(self.model.bytes_of(token))
        self.visible = self.visible or bool(text.strip())
        self.outcome.tokens_generated += 1
        self.emit(text)

    def _shows(self, token: int) -> bool:
        return bool(self.model.bytes_of(token).decode("utf-8", "replace").strip())


def choose_first(candidates: Iterable[tuple[int, float]], rank: int) -> int | None:
    """The token at `rank` (0 is the best) of those in order of their logits; None if it is much rarer."""
    best: float | None = None
    for place, (token, logit) in enumerate(candidates):
        best = logit if best is None else best
        if logit - best < UNLIKELY:
            return None
        if place == rank:
            return token
    return None


def write(
    model: Reader,
    terms: Terms,
    emit: Callable[[str], None],
    outcome: Outcome,
    lookup: Lookup | None = None,
) -> None:
    """Continue what `model` has read, giving each token's text to `emit`; fills `outcome`.

    A last character that is incomplete is dropped. With a `lookup` of the prompt likely tokens are read
    together with one that was written; those that the model would not have written are forgotten, so that
    the text is the same.
    """
    writer = Writer(model, terms, emit, outcome)
    place, draft = -1, list[int]()
    while writer.left > 0:
        token = writer.choose(place)
        guessed = bool(draft) and token == draft[0]
        if draft and not guessed:
            model.forget(len(draft))
            draft = []
        if token is None:
            outcome.stopped = "unlikely"
            return
        if model.ends(token):
            outcome.stopped = "end"
            return
        writer.write(token)
        if lookup is not None:
            lookup.add(token)
        if guessed:
            outcome.tokens_accepted += 1
            draft.pop(0)
            place += 1
            model.check()
        elif writer.left > 0:
            if lookup is not None:
                draft = lookup.draft(min(model.most_drafted, writer.left - 1), model.ends)
                outcome.tokens_drafted += len(draft)
            model.read([token, *draft])
            place = 0
    outcome.stopped = "length"
