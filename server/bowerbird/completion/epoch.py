"""The order of snippets while somebody types: a stable head for the KV cache.

The paper sorts the snippets of every prompt by ascending similarity (section 2.3). Doing so at each key
moves them about, and the model must read all of them again. So the order is fixed for an *epoch*:
within one, no snippet moves or leaves, and new ones are appended nearest the cursor.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from bowerbird.knowledge.snippet import Snippet, Window
from bowerbird.text import Span

FREE_SHARE = 0.2  # of the snippet budget stays empty when an epoch begins, for what is appended later
MAX_LINES_MOVED = 20


@dataclass(frozen=True, slots=True)
class Place:
    """Where the cursor stands, as far as epochs care."""

    path: Path
    line: int
    definition: str | None
    in_prompt: Span
    """The document's lines that stand in the prompt as code before and behind the cursor."""


@dataclass(frozen=True, slots=True)
class Epoch:
    """An order of snippets that holds for a while."""

    place: Place
    """Where the cursor stood when it began."""
    windows: tuple[Window, ...]
    """In the prompt's order: the last is nearest the cursor."""


WindowKey = tuple[str, str]
Placed = TypeVar("Placed", bound=Snippet)


def key_of(snippet: Snippet) -> WindowKey:
    """What makes two snippets the same: their file and their text."""
    return snippet.name, snippet.text


def pack(ranked: Sequence[Placed], tokens: Mapping[WindowKey, int], budget_tokens: int) -> tuple[Placed, ...]:
    """Those of `ranked` (nearest first) that fit, in ascending similarity; what does not fit is skipped."""
    chosen: list[Placed] = []
    seen: set[WindowKey] = set()
    left = budget_tokens
    for window in ranked:
        key = key_of(window)
        if key in seen or tokens[key] > left:
            continue
        seen.add(key)
        chosen.append(window)
        left -= tokens[key]
    return tuple(reversed(chosen))


def continue_epoch(
    epoch: Epoch | None,
    place: Place,
    ranked: Sequence[Window],
    tokens: Mapping[WindowKey, int],
    budget_tokens: int,
) -> Epoch:
    """The epoch that holds for a prompt at `place`: the present one with what is new appended, or a new one.

    An epoch ends when the cursor has left its document or definition or moved `MAX_LINES_MOVED` lines,
    when one of its snippets shows lines that the prompt now has as code, when a new snippet finds no
    room, or when it holds under half of what would be chosen now.
    """
    wanted = pack(ranked, tokens, round(budget_tokens * (1 - FREE_SHARE)))
    fresh = Epoch(place, wanted)
    if epoch is None or has_left(epoch, place):
        return fresh
    present = {key_of(window) for window in epoch.windows}
    new = [window for window in wanted if key_of(window) not in present]
    if 2 * (len(wanted) - len(new)) < len(wanted):
        return fresh
    left = budget_tokens - sum(tokens[key_of(window)] for window in epoch.windows)
    if sum(tokens[key_of(window)] for window in new) > left:
        return fresh
    return Epoch(epoch.place, (*epoch.windows, *new))


def has_left(epoch: Epoch, place: Place) -> bool:
    """Is the cursor elsewhere than where the epoch's snippets are of use?"""
    began = epoch.place
    return (
        began.path != place.path
        or began.definition != place.definition
        or abs(began.line - place.line) >= MAX_LINES_MOVED
        or any(w.path == place.path and w.span.overlaps(place.in_prompt) for w in epoch.windows)
    )
