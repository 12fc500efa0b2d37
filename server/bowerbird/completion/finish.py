"""Prediction -> what is shown: a table of pure filters.

Each takes the text so far and what is known about it, and gives the text back, shorter or as it was.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Draft:
    """What the filters may look at."""

    prefix: str
    suffix: str
    stopped: str
    """Why the model stopped: ``end``, ``length``, ``time``."""


def whole_lines(text: str, draft: Draft) -> str:
    """A prediction that was cut off keeps its whole lines; a single line that reached its length stays."""
    if draft.stopped == "end":
        return text
    head, line_break, _ = text.rpartition("\n")
    if draft.stopped == "time":
        return head
    return head if line_break and head.strip() else text


def repeated_suffix(text: str, draft: Draft) -> str:
    """What stands behind the cursor already is not written again.

    The rest of the cursor's line is taken off the end of the first line that ends with it; a line that
    equals the next line below ends the completion.
    """
    rest, _, below = draft.suffix.partition("\n")
    lines = text.split("\n")
    rest = rest.strip()
    if rest and lines[0].rstrip().endswith(rest):
        return lines[0].rstrip()[: -len(rest)]
    following = next((line.strip() for line in below.split("\n") if line.strip()), "")
    if len(following) >= 3:
        for number, line in enumerate(lines[1:], start=1):
            if line.strip() == following:
                return "\n".join(lines[:number])
    return text


def looping(text: str, draft: Draft) -> str:
    """A line that repeats the line above it ends the completion: small models fall into loops."""
    lines = text.split("\n")
    above = draft.prefix.rpartition("\n")[2] + lines[0]
    for number, line in enumerate(lines[1:], start=1):
        if line.strip() and line == above:
            return "\n".join(lines[:number])
        above = line
    return text


def trailing_space(text: str, draft: Draft) -> str:  # noqa: ARG001 - every filter has one shape
    """No white space at the end."""
    return text.rstrip()


def nothing_visible(text: str, draft: Draft) -> str:  # noqa: ARG001
    """White space alone is no completion."""
    return text if text.strip() else ""


Filter = Callable[[str, Draft], str]

FILTERS: dict[str, Filter] = {
    "whole-lines": whole_lines,
    "repeated-suffix": repeated_suffix,
    "looping": looping,
    "trailing-space": trailing_space,
    "nothing-visible": nothing_visible,
}
"""In the order in which they run."""


def finish(prediction: str, draft: Draft) -> tuple[str, tuple[str, ...]]:
    """What is shown, and for each filter that took something away its name and what it took."""
    text = prediction
    trimmed: list[str] = []
    for name, run in FILTERS.items():
        shorter = run(text, draft)
        if shorter != text:
            trimmed.append(f"{name}: {text[len(shorter) :]!r}")
        text = shorter
    return text, tuple(trimmed)
