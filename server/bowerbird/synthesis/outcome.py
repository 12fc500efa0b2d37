"""What came of a request, and what may honestly be said of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Any

from bowerbird.execution.executor import Feedback, Level


class End(StrEnum):
    """Why no further program was written. `ENDS` says it to the user."""

    PASSED = "passed"
    ONE = "one"
    REPEATED = "repeated"
    ROUNDS = "rounds"
    TOKENS = "tokens"
    TIME = "time"
    MODEL = "model"


ENDS = {
    End.PASSED: "It passed.",
    End.ONE: "This mode writes one program.",
    End.REPEATED: "The same was wrong three times in a row.",
    End.ROUNDS: "All rounds were used.",
    End.TOKENS: "The budget of tokens was used up.",
    End.TIME: "The time was over.",
    End.MODEL: "The model failed.",
}


SMALL = " The model is small: `generation.model` names another one."


class Stage(StrEnum):
    """What is being done, for a progress bar."""

    RETRIEVE = "looking for what helps"
    WRITE = "writing"
    CHECK = "checking"
    RUN = "running"
    INPUTS = "making test inputs"
    QUERY = "thinking what to look up"


Tell = Callable[[Stage, int], None]
"""Hears what is done now, and in which round, from 1."""


@dataclass(frozen=True, slots=True)
class Source:
    """Something that stood in the prompt of the program."""

    name: str
    kind: str
    """``example``, ``entity`` or ``feedback``."""
    origin: str
    """Such as ``workspace``, ``pack`` or ``soup``."""
    requirement: str = ""
    """Of an example."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Round:
    """One turn of Algorithm 1's loop."""

    query: str
    """q_i."""
    sources: tuple[Source, ...]
    """Of K_r what had room in the prompt."""
    prompt: str
    """Exactly what the model was given, for people."""
    answer: str
    """What it wrote."""
    preliminary: str
    code: str
    """p_i, as it goes to its place; empty where the answer held none."""
    inputs: tuple[str, ...]
    """I, with which the code ran."""
    feedback: Feedback
    """F_i."""
    tokens: int
    """Processed by the model in this round."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """The best program, and how it came about."""

    code: str = ""
    """To be put into `Request.place`; empty where there is none."""
    feedback: Feedback | None = None
    """What is known of it."""
    end: End
    rounds: tuple[Round, ...] = ()
    best: int = -1
    """The round that wrote it; -1 for an example that was adapted."""
    example: Source | None = None
    """The example that stands in for what the model could not write."""
    model: str = ""
    small: bool = False
    """It is too small to be asked for more than code."""
    mode: str = ""
    tokens: int = 0
    seconds: float = 0.0
    problem: str = ""
    """A sentence on what kept the model from writing."""

    @property
    def passed(self) -> bool:
        return self.feedback is not None and self.feedback.passed

    @property
    def sources(self) -> tuple[Source, ...]:
        """What stood in the prompt of the program, or the example that it is."""
        if self.example is not None:
            return (self.example,)
        return self.rounds[self.best].sources if 0 <= self.best < len(self.rounds) else ()

    @property
    def title(self) -> str:
        """Of the editor's action."""
        return "Insert example" if self.example is not None else "Bowerbird: generate from comment"

    @property
    def verdict(self) -> str:
        """How far the code was looked at, by whom, and what remained."""
        return " ".join(self._verdict())

    def _verdict(self) -> Iterator[str]:
        if self.example is not None:
            yield f"This is the nearest example, {self.example.name}, with its names adapted: {self._why()}"
        elif not self.code:
            yield self.problem or f"The model wrote no code.{SMALL if self.small else ''}"
            return
        if self.feedback is not None:
            yield looked_at(self.feedback)
        if self.example is None and not self.passed:
            yield self.problem or f"{ENDS[self.end]}{SMALL if self.small else ''}"

    def _why(self) -> str:
        return self.problem or "the model is too small to write it, and nothing that it wrote passed."

    def as_json(self) -> dict[str, Any]:
        """For ``--json``."""
        told = asdict(self)
        return {**told, "passed": self.passed, "verdict": self.verdict, "title": self.title}


LOOKED = {
    Level.UNCHECKED: "Nobody looked at the code: no checker here knows the language.",
    Level.PARSED: "The code was only parsed",
    Level.CHECKED: "The code was checked and not run",
    Level.RUN: "The code was run",
}


def looked_at(feedback: Feedback) -> str:
    """One or two sentences on what a checker found."""
    by = f" (by {', '.join(feedback.by)})" if feedback.by else ""
    if feedback.level is Level.UNCHECKED:
        told = [message.text for message in feedback.errors[:1]] or [LOOKED[Level.UNCHECKED]]
        return " ".join(filter(None, (*told, feedback.note)))
    found = f"{LOOKED[feedback.level]}{by}: "
    errors = feedback.errors
    if feedback.passed:
        found += "nothing was found wrong."
    elif errors:
        more = f" (and {len(errors) - 1} more)" if len(errors) > 1 else ""
        found += f"{str(errors[0]).rstrip('.')}{more}."
    else:
        found += "it failed."
    return " ".join(filter(None, (found, feedback.note)))
