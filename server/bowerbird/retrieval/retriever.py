"""The seam of retrieval: `Retriever`, `Query`, `Hit`."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Protocol, runtime_checkable

from bowerbird.knowledge.snippet import Snippet
from bowerbird.text import Span

NO_LINES = Span(0, 0)


@dataclass(frozen=True, slots=True)
class Query:
    """What to look for, and what not to bring back."""

    text: str
    exclude_path: Path | None = None
    """The file being written."""
    exclude_lines: Span = NO_LINES
    """Its lines that stand in the prompt already: windows of that file that share one are left out."""
    above: str = ""
    """The code above the cursor, which says what its file imports."""


@dataclass(frozen=True, slots=True)
class Hit:
    """A snippet, how near it is, and who found it."""

    snippet: Snippet
    score: Fraction | float
    """In [0, 1], 1 is nearest; Jaccard scores are exact fractions."""
    origin: str
    """The retriever, such as ``jaccard``."""


class Retriever(Protocol):
    """Finds snippets."""

    def retrieve(self, query: Query, k: int) -> list[Hit]:
        """At most `k` hits with a score above 0, nearest first; ties in one fixed order."""
        ...


@runtime_checkable
class Prepared(Protocol):
    """A retriever that wants to hear of a query before it is asked."""

    async def prepare(self, text: str, patience_s: float | None) -> None:
        """Get ready for a query with this text, for so many seconds at most; None sets no limit."""
        ...
