"""Snippets: what retrieval finds. Each keeps where it came from, from index to hover."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Protocol

from bowerbird.text import Span


class Snippet(Protocol):
    """Anything that may stand in a prompt."""

    @property
    def name(self) -> str:
        """Where it came from, as shown in prompts and traces."""
        ...

    @property
    def text(self) -> str:
        """What it says; lines end with ``\\n``, none at the very end."""
        ...


@dataclass(frozen=True, eq=False)
class Source:
    """One file of the workspace as it was read, or one document as the editor has it.

    Two sources are the same only if they are one object: a changed file is a new source.
    """

    path: Path
    """Absolute."""
    name: str
    """Path relative to its workspace folder, with ``/``; led by the folder's name when there are several."""
    text: str
    """Decoded, with ``\\n`` line ends."""
    language: str | None = None
    """Key in `syntax.languages.LANGUAGES`, or None for plain text."""
    open: bool = field(default=False, compare=False)
    """The editor's version, which may differ from the disk's."""

    @cached_property
    def lines(self) -> list[str]:
        """Without line ends. A final newline gives no extra line."""
        lines = self.text.split("\n")
        if lines and not lines[-1]:
            lines.pop()
        return lines


@dataclass(frozen=True, slots=True)
class Window:
    """Some consecutive lines of a file (RepoCoder's retrieval unit, section 2.2)."""

    source: Source
    span: Span
    """Where the lines stand, so that a hover can lead back to them."""
    definition: str | None = None
    """Dotted name of the innermost definition around the first line, such as ``Shop.total``."""

    @property
    def path(self) -> Path:
        return self.source.path

    @property
    def name(self) -> str:
        return self.source.name

    @property
    def text(self) -> str:
        return "\n".join(self.source.lines[self.span.first : self.span.end])
