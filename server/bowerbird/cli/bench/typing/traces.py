"""A typing trace: a document, and what somebody did to it, key by key."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.resources import files
from typing import Any

FOLDER = "traces"
SUFFIX = ".jsonl"


@dataclass(frozen=True, slots=True)
class State:
    """A document and the cursor in it."""

    text: str
    cursor: int
    """Characters before it."""

    @property
    def place(self) -> tuple[int, int]:
        """The cursor's line and column, from 0."""
        return place_of(self.text, self.cursor)


@dataclass(frozen=True, slots=True)
class Step:
    """One key."""

    at_ms: int
    """Since the trace's beginning."""
    edit: tuple[int, int, str] | None
    """The characters from the first offset up to the second became this; None where only the cursor moved."""
    cursor: int
    """Behind the key."""
    look: bool = False
    """Before this key the typist looks at what is on show, and takes it if it is what they want."""
    test: bool = False
    """Before this key the typist takes whatever is on show, looks at it, and undoes it."""

    def apply(self, state: State) -> State:
        """The document after the key."""
        text = state.text
        if self.edit is not None:
            start, end, new = self.edit
            text = text[:start] + new + text[end:]
        return State(text, self.cursor)

    def as_json(self) -> dict[str, Any]:
        """A line of the file; what is false or absent is left out."""
        marks = {name: True for name in ("look", "test") if getattr(self, name)}
        edit = {} if self.edit is None else {"edit": self.edit}
        return {"at": self.at_ms, **edit, "cursor": self.cursor, **marks}


@dataclass(frozen=True, slots=True)
class Trace:
    """All of it."""

    name: str
    """The document's path in the workspace."""
    language: str
    """As editors call it."""
    begin: State
    steps: tuple[Step, ...]

    def states(self) -> list[State]:
        """The document before the first key, and after each."""
        states = [self.begin]
        for step in self.steps:
            states.append(step.apply(states[-1]))
        return states

    def dump(self) -> str:
        """As JSON lines: the document, then each key."""
        head = {
            "name": self.name,
            "language": self.language,
            "text": self.begin.text,
            "cursor": self.begin.cursor,
        }
        return "".join(_line(one) for one in (head, *(step.as_json() for step in self.steps)))


def parse(text: str) -> Trace:
    """A trace from its JSON lines."""
    head, *rows = map(json.loads, text.splitlines())
    steps = (
        Step(
            row["at"],
            tuple(row["edit"]) if "edit" in row else None,
            row["cursor"],
            row.get("look", False),
            row.get("test", False),
        )
        for row in rows
    )
    return Trace(head["name"], head["language"], State(head["text"], head["cursor"]), tuple(steps))


def recorded() -> Iterator[Trace]:
    """The traces that we ship, in the order of their files."""
    folder = files(__package__) / FOLDER
    for file in sorted(folder.iterdir(), key=lambda file: file.name):
        if file.name.endswith(SUFFIX):
            yield parse(file.read_text(encoding="utf-8"))


def place_of(text: str, offset: int) -> tuple[int, int]:
    """Line and column of an offset, from 0."""
    return text.count("\n", 0, offset), offset - (text.rfind("\n", 0, offset) + 1)


def _line(value: dict[str, Any]) -> str:
    return json.dumps(value, ensure_ascii=False) + "\n"
