"""What a grammar is measured with: pieces of code, and another parser's word on them."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from bowerbird.cli.errors import InputNotFound


@dataclass(frozen=True, slots=True)
class Sample:
    """A piece of code."""

    origin: str
    """Where it stands: a file, and the line in it."""
    text: str


Judge = Callable[[Sequence[str]], list[str | None]]
"""For each text None where the language's own parser accepts it, else what that says."""


@dataclass(frozen=True, slots=True)
class Mutation:
    """A text with one token that should not be as it is."""

    kind: str
    """``delete``, ``duplicate``, ``replace`` or ``insert``."""
    token: str
    """What was deleted, duplicated or replaced, or stands behind what was inserted."""
    new: str
    """What was inserted or put in place of `token`; empty where nothing was."""
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Contest:
    """How one language's grammar is measured."""

    language: str
    """Key in `LANGUAGES`."""
    samples: Callable[[Path], Iterable[Sample]]
    """The code in a folder; the judge may find some of it unsound."""
    judge: Callable[[Path], Judge]
    """The language's own parser, from where the user has it."""
    join: Callable[[Sequence[str]], str]
    """Many samples in one text, to be timed."""
    bindings: frozenset[str]
    """Kinds of nodes that bind a name, which a mistake elsewhere should leave alone."""
    whole: frozenset[str] = frozenset()
    """Kinds of nodes that are one token, though they have parts."""
    without: frozenset[str] = frozenset({"comment"})
    """Kinds of nodes that are no tokens."""
    explanations: Mapping[str, Callable[[Mutation, str], bool]]
    """Why the two may disagree on a mutation and the judge's word on it; the first that holds counts."""


def ask(command: Sequence[str], texts: Sequence[str]) -> list[str | None]:
    """Hand `texts` to a program, a line of JSON each, which answers with a line each: null or a complaint."""
    lines = "".join(json.dumps(text) + "\n" for text in texts)
    try:
        done = subprocess.run(command, input=lines, capture_output=True, encoding="utf-8")
    except FileNotFoundError:
        raise InputNotFound(f"The judge needs {command[0]}, which is not on the PATH.") from None
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    if len(answers) != len(texts):
        told = done.stderr.strip().splitlines()[-1:] or ["it said nothing more"]
        raise InputNotFound(f"The judge gave {len(answers)} of {len(texts)} answers: {told[0]}")
    return answers
