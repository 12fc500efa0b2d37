"""The seam to checkers and interpreters: a program goes in, what they say of it comes out."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import IntEnum, StrEnum
from pathlib import PurePosixPath
from typing import Protocol

from bowerbird.text import Position

MOST_MESSAGES = 50  # of one program; what comes behind them follows from them
NOWHERE = PurePosixPath()
LONGEST_TEXT = 2_000  # characters of one message


class Want(StrEnum):
    """How far to go."""

    CHECK = "check"
    """Say what is wrong with it; nothing of it runs, except what compiling it runs."""
    RUN = "run"
    """Run it with its test. Needs `Permission.RUN`."""


class Permission(StrEnum):
    """What the user allows. Machine-scoped: no file of a workspace can set it."""

    CHECK = "check"
    RUN = "run"
    """Programs that a model wrote may run, in the sandbox."""


class Level(IntEnum):
    """How much the answer is worth; more is more."""

    UNCHECKED = 0
    """Nothing here knows the language."""
    PARSED = 1
    """Its syntax was looked at, and the library's names where a pack documents them."""
    CHECKED = 2
    """A compiler or linter looked at its names or types, too."""
    RUN = 3
    """It ran, with its test."""


class Severity(StrEnum):
    """Does it stand in the way?"""

    ERROR = "error"
    HINT = "hint"
    """Worth a look; checkers are often wrong here."""


@dataclass(frozen=True, slots=True)
class File:
    """A file that the program may read."""

    path: PurePosixPath
    """Relative to the workspace, as the program's own is."""
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Program:
    """Code that is to be looked at."""

    language: str
    """Key in `syntax.languages.LANGUAGES`."""
    code: str
    """The whole file as it would be, with ``\\n`` line ends."""
    path: PurePosixPath = NOWHERE
    """Where it would stand, relative to the workspace; empty where that does not matter."""
    test: str = ""
    """Lines that run behind it, in the same file, each a statement or a call."""
    stdin: str = ""
    files: tuple[File, ...] = ()
    """Those of the workspace that it may read; whoever admits them asks the ignore and secret policy."""
    want: Want = Want.CHECK


@dataclass(frozen=True, slots=True)
class Message:
    """One thing that a checker says."""

    text: str
    """In the checker's words; the nearest names that exist are a part of it."""
    line: int = 0
    """From 0."""
    column: int | None = None
    """Code points from the start of the line; None where the checker tells only the line."""
    code: str = ""
    """The checker's own, such as ``E0425``."""
    severity: Severity = Severity.ERROR
    path: str = ""
    """The admitted file in which it stands; empty for the program itself."""

    @property
    def position(self) -> Position:
        return Position(self.line, self.column or 0)

    def __str__(self) -> str:
        """As people count, from 1: ``12:5: text [code]``."""
        place = ":".join(
            [
                *([self.path] if self.path else []),
                *(str(n + 1) for n in (self.line, self.column) if n is not None),
            ]
        )
        return f"{place}: {self.text}{f' [{self.code}]' if self.code else ''}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Feedback:
    """What came of a program (EVOR's execution feedback)."""

    passed: bool
    """Nobody found an error, up to `level`."""
    level: Level
    by: tuple[str, ...] = ()
    """Who looked at it: names of checkers."""
    messages: tuple[Message, ...] = ()
    """In order of their lines; at most `MOST_MESSAGES`."""
    stdout: str = ""
    """Of a program that ran; cut where it is too long."""
    stderr: str = ""
    milliseconds: float = 0.0
    note: str = ""
    """Why `level` is not higher, or how the program ended; for the user."""

    @property
    def errors(self) -> tuple[Message, ...]:
        return tuple(message for message in self.messages if message.severity is Severity.ERROR)

    @property
    def key(self) -> str:
        """The same for two rounds that say the same: without places, addresses and other numbers."""
        said = [f"{one.code} {_without_places(one.text)}" for one in self.errors]
        output = [_without_places(text) for text in (self.stdout, self.stderr)] if not self.passed else []
        return "\n".join([f"{self.level.name} {self.passed}", *dict.fromkeys(said), *output])


class Executor(Protocol):
    """Looks at programs, or runs them."""

    async def execute(self, program: Program) -> Feedback:
        """Whatever the program is, the answer is feedback; raises nothing of its own."""
        ...


def as_message(text: str) -> str:
    """A message's text at a length that a prompt can bear."""
    text = text.strip()
    return text if len(text) <= LONGEST_TEXT else f"{text[:LONGEST_TEXT]} ..."


_PLACES = re.compile(r"0x[0-9a-fA-F]+|\b\d+\b")


def _without_places(text: str) -> str:
    return " ".join(_PLACES.sub("#", text).split())
