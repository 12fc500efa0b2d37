"""Greedy writing, checking several drafted tokens at once: the text is that of one token after the other.

Pure but for the model that it is handed.
"""

from __future__ import annotations

import codecs
import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Protocol

from bowerbird.inference.lookup import Lookup

AT_ONCE = (32, 1_024, 1_000_000)  # candidates shown to a grammar in one go, where it refuses the best
WIND_DOWN_TOKENS = 16  # so near to the last token a text that is whole ends where a word does
UNLIKELY = math.log(0.05)  # of the most likely first token's probability; what is rarer is no candidate


@dataclass(frozen=True, slots=True)
class Terms:
    """What is asked of a generation."""

    max_new_tokens: int
    visible_first: bool = True
    """Take no end token before a character other than white space was written."""
    first_choice: int = 0
    """Which of the visible tokens that may come first, by likelihood, begins the text."""
    grammar: str = ""
    """GBNF that the text keeps to."""
    written: Sequence[int] = ()
    """Tokens with which the text begins, from before an interruption; they count, and are not emitted."""


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
    grammar: str = ""
    written: list[int] = field(default_factory=list)
    """The tokens of the text."""


class Constraint(Protocol):
    """A grammar that has followed what was written."""

    def may_end(self) -> bool:
        """Is the text whole as it stands?"""
        ...

    def first(self, tokens: Sequence[int]) -> int | None:
        """The first of `tokens`, none of which ends a text, that may be written next."""
        ...

    def take(self, token: int) -> None:
        """`token`, which may, is written."""
        ...


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

    def __init__(
        self,
        model: Reader,
        terms: Terms,
        emit: Callable[[str], None],
        outcome: Outcome,
        constraint: Constraint | None,
    ) -> None:
        self.model = model
        self.terms = terms
        self.emit = emit
        self.outcome = outcome
        self.constraint = constraint
        self.visible = False
        self._characters = codecs.getincrementaldecoder("utf-8")("replace")

    @property
    def left(self) -> int:
        return self.terms.max_new_tokens - self.outcome.tokens_generated

    def choose(self, place: int) -> int | None:
        """The token to be written next; None, and why in `outcome`, if there is none."""
        terms = self.terms
        may_end = self.visible or not (terms.visible_first or terms.first_choice)
        if self.constraint is not None:
            may_end = self.constraint.may_end() and may_end
        token = self._best(place, may_end)
        if token is None:
            self.outcome.stopped = "stuck"
        elif terms.first_choice and not self.visible and self._shows(token):
            token = choose_first(self._shown(place), terms.first_choice)
            if token is None:
                self.outcome.stopped = "unlikely"
        elif may_end and self.constraint is not None and self._winds_down(token):
            self.outcome.stopped = "closed"
            return None
        return token

    def _best(self, place: int, may_end: bool) -> int | None:
        """The likeliest token that the grammar allows; None if there is none."""
        best = self.model.best(place, may_end)
        if self.constraint is None or self.model.ends(best) or self.constraint.first([best]) is not None:
            return best
        likeliest = (token for token, _ in self.model.likeliest(place))
        for count in AT_ONCE:
            self.model.check()
            candidates, end = list[int](), None
            for token in islice(likeliest, count):
                if not self.model.ends(token):
                    candidates.append(token)
                elif may_end:
                    end = token
                    break
            found = self.constraint.first(candidates)
            if found is not None or end is not None:
                return end if found is None else found
        return None

    def _shown(self, place: int) -> Iterator[tuple[int, float]]:
        """Visible tokens that may be written next, the likeliest first."""
        for token, logit in self.model.likeliest(place):
            if self.model.ends(token) or not self._shows(token):
                continue
            if self.constraint is None or self.constraint.first([token]) is not None:
                yield token, logit

    def _winds_down(self, token: int) -> bool:
        """Is it time to end a text that is whole, and does `token` begin a new word?"""
        left = min(WIND_DOWN_TOKENS, self.terms.max_new_tokens // 4)
        return self.left <= left and self.model.bytes_of(token)[:1].isspace()

    def write(self, token: int) -> None:
        self.emit(self._add(token))

    def go_on(self) -> None:
        """Take over what was written before."""
        for token in self.terms.written:
            self._add(token)

    def _add(self, token: int) -> str:
        if self.constraint is not None:
            self.constraint.take(token)
        text = self._characters.decode(self.model.bytes_of(token))
        self.visible = self.visible or bool(text.strip())
        self.outcome.tokens_generated += 1
        self.outcome.written.append(token)
        return text

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
    constraint: Constraint | None = None,
) -> None:
    """Continue what `model` has read, giving each token's text to `emit`; fills `outcome`.

    With a `constraint` only what its grammar allows is written, and the end only where the text is whole.

    A last character that is incomplete is dropped. With a `lookup` of the prompt likely tokens are read
    together with one that was written; those that the model would not have written are forgotten, so that
    the text is the same.
    """
    writer = Writer(model, terms, emit, outcome, constraint)
    writer.go_on()
    place, draft = -1, list[int]()
    while writer.left > 0:
        token = writer.choose(place)
        guessed = bool(draft) and token == draft[0]
        if draft and not guessed:
            model.forget(len(draft))
            draft = []
        if token is None:
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
    outcome.stopped = "closed" if constraint is not None and constraint.may_end() else "length"
