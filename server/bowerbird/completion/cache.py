"""Completions that are still good: for the same place again, and for text typed along one that is shown.

A function of what was put in; the clock, the disk and the model have no part in it.
"""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass, replace
from pathlib import Path

from bowerbird.completion.query import UnfinishedCode
from bowerbird.completion.request import Completion

LINES_CHECKED = 3  # below the cursor's: a change there may make the completion a repetition
MOST_ENTRIES = 64
MOST_CHARACTERS = 8_000_000  # of all entries' prefixes
CLOSERS = {"(": ")", "[": "]", "{": "}", '"': '"', "'": "'", "`": "`"}


@dataclass(frozen=True, slots=True)
class Entry:
    """One completion and the place that it was made for."""

    path: Path
    prefix: str
    below: str
    """The rest of the cursor's line and the `LINES_CHECKED` lines after it."""
    completion: Completion


@dataclass(frozen=True, slots=True)
class Carried:
    """What a remembered completion has left to say at a later place."""

    text: str
    completion: Completion
    """The whole of it, as it was made."""
    typed: int
    """Characters of it that stand in the document by now."""


class CompletionCache:
    """The latest completions, found again by the text to their left and what stands below."""

    def __init__(self) -> None:
        self._entries: OrderedDict[tuple[Path, str, str, str], Entry] = OrderedDict()
        self._characters = 0

    def __len__(self) -> int:
        return len(self._entries)

    def put(self, unfinished: UnfinishedCode, completion: Completion) -> None:
        """Remember what was made for this place.

        Something else that was made for it stays behind it: the user may be typing along that one.
        """
        before = completion.replaces_before
        if before and completion.text.startswith(unfinished.prefix[-before:]):
            completion = replace(completion, text=completion.text[before:], replaces_before=0)
        entry = Entry(unfinished.path, unfinished.prefix, below(unfinished.suffix), completion)
        key = (entry.path, entry.prefix, entry.below, completion.text)
        if self._entries.pop(key, None) is None:
            self._characters += len(entry.prefix)
        self._entries[key] = entry
        while len(self._entries) > MOST_ENTRIES or self._characters > MOST_CHARACTERS:
            _, oldest = self._entries.popitem(last=False)
            self._characters -= len(oldest.prefix)

    def find(self, unfinished: UnfinishedCode) -> Carried | None:
        """The latest completion that goes on at this place.

        One for this very place may be empty: then nothing is to be had here. One that was typed along has
        something left to say.
        """
        here = below(unfinished.suffix)
        for entry in reversed(self._entries.values()):
            typed = typed_along(entry, unfinished, here)
            if typed is not None and (not typed or len(typed) < len(entry.completion.text)):
                return Carried(entry.completion.text[len(typed) :], entry.completion, len(typed))
        return None

    def clear(self) -> None:
        """Forget everything: the model or the settings are others."""
        self._entries.clear()
        self._characters = 0


def below(suffix: str) -> str:
    """The rest of the cursor's line and the first lines below it."""
    return "\n".join(suffix.split("\n", LINES_CHECKED + 1)[: LINES_CHECKED + 1])


def typed_along(entry: Entry, unfinished: UnfinishedCode, here: str) -> str | None:
    """What of the entry's completion was typed since; None if something else happened in the document."""
    more = len(unfinished.prefix) - len(entry.prefix)
    if entry.path != unfinished.path or not 0 <= more <= len(entry.completion.text):
        return None
    if more and entry.completion.replaces_before:
        return None
    typed = entry.completion.text[:more]
    if not unfinished.prefix.endswith(typed) or not unfinished.prefix.startswith(entry.prefix):
        return None
    return typed if same_below(entry.below, here, typed) else None


def same_below(before: str, now: str, typed: str) -> bool:
    """Is it the same behind the cursor, but for brackets and quotes that the editor closed by itself?

    One that was pushed onto a line of its own pushes the last line of `before` out of sight.
    """
    if before == now:
        return True
    opened = {CLOSERS[character] for character in typed if character in CLOSERS}
    if now.count("\n") < before.count("\n"):
        return False
    for end, character in enumerate(now, start=1):
        if character in opened:
            rest = now[end:].split("\n")
            if before.split("\n")[: len(rest)] == rest:
                return True
        elif not character.isspace():
            return False
    return False
