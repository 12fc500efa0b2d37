"""Unfinished code, and the queries that RepoCoder makes of it (section 2.2)."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

MAX_QUERY_CHARACTERS = 10_000  # 20 lines have a tenth of it; a minified file's line may have millions


@dataclass(frozen=True, slots=True)
class UnfinishedCode:
    """A document and the place where the cursor stands in it. Line ends are ``\\n``."""

    path: Path
    name: str
    """Path relative to its workspace folder, as in prompts."""
    repository: str
    """The workspace folder's name."""
    language: str | None
    prefix: str
    """Everything before the cursor (the paper's X)."""
    suffix: str
    """Everything behind it."""

    @property
    def line(self) -> int:
        """The cursor's line, from 0."""
        return self.prefix.count("\n")

    @property
    def column(self) -> int:
        """The cursor's column in code points, from 0."""
        return len(self.prefix) - (self.prefix.rfind("\n") + 1)


def formulate_query(unfinished: UnfinishedCode, window_lines: int) -> str:
    """The last `window_lines` lines of the unfinished code X: the query of the first iteration."""
    return _last_lines(unfinished.prefix, window_lines)


def evolve_query(unfinished: UnfinishedCode, prediction: str, window_lines: int, slide_lines: int) -> str:
    """The query of a later iteration: the last S_w - S_s lines of X and the first S_s lines of `prediction`.

    A prediction that goes on in the middle of a line counts as a line of its own, as its first words
    do not stand in X. The oracle (section 4.1) passes the true continuation.
    """
    tail = _last_lines(unfinished.prefix, window_lines - slide_lines)
    # A prediction often begins with the line break that the cursor stands before.
    head = "\n".join(prediction.lstrip("\n").split("\n")[:slide_lines])
    within_line = bool(unfinished.prefix) and not unfinished.prefix.endswith("\n")
    joint = "" if within_line and not prediction.startswith("\n") else "\n"
    return f"{tail}{joint}{head}" if tail else head


def _last_lines(text: str, count: int) -> str:
    """The last `count` lines; the empty line after a final line break is none. Of huge lines only the end."""
    text = text[-MAX_QUERY_CHARACTERS:]
    end = len(text) - 1 if text.endswith("\n") else len(text)
    start = end
    for _ in range(count):
        start = text.rfind("\n", 0, start)
        if start < 0:
            return text[:end]
    return text[start + 1 : end]
