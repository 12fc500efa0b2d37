"""The part of the knowledge soup that grows: programs, and what checkers said of them (EVOR, section 2.2).

It lasts in a file for each workspace, in the user's data folder. What it holds was written by a model, so it
is never trusted for good: an entry that helps nobody loses its place, and each one ends after some weeks.
"""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
import time
from collections.abc import Callable, Collection, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import platformdirs

from bowerbird.journal import read_lines
from bowerbird.structure import structure

SOUP = "soup/"
"""What leads the name of every entry."""

MAX_ENTRIES = 400
MAX_BYTES = 500_000
MAX_PROGRAM_CHARACTERS = 8_000
MAX_AGE_S = 60 * 86_400.0  # a toolchain that has moved on makes old verdicts stale
MAX_FAILURES = 3  # requests more than it helped with: whatever such an entry teaches is wrong


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """A program, and what came of it."""

    requirement: str
    language: str
    program: str
    passed: bool
    """Else `feedback` says why not."""
    by: str
    """Who says so: the checker's name and what it did, such as ``python (run)``."""
    feedback: str = ""
    """The first message."""
    line: int = 0
    """Of the program, from 1, that the message speaks of; 0 where it names none."""
    made_at: float = 0.0
    """In seconds since 1970."""
    successes: int = 0
    """How often a program was found sound that was written with this entry in view."""
    failures: int = 0

    @property
    def key(self) -> str:
        """Tells one entry from another: the same program has one."""
        told = f"{self.language}\0{self.requirement}\0{self.program}"
        return hashlib.sha256(told.encode("utf-8", "replace")).hexdigest()[:12]

    @property
    def name(self) -> str:
        """As in prompts and traces."""
        return f"{SOUP}{self.key}"

    @property
    def text(self) -> str:
        """What of it may enter a prompt."""
        return "\n".join((self.requirement, self.program, self.feedback))

    @property
    def faulty_line(self) -> str:
        """The line of the program that the message speaks of."""
        lines = self.program.split("\n")
        return lines[self.line - 1].strip() if 0 < self.line <= len(lines) else ""


class Soup:
    """One workspace's entries. Reads its file when first asked; not for two threads at once."""

    def __init__(
        self,
        path: Path | None,
        holds_secret: Callable[[str], bool],
        clock: Callable[[], float] = time.time,
    ) -> None:
        self.path = path
        """None for a soup that lasts no longer than the session."""
        self._holds_secret = holds_secret
        self._clock = clock
        self._entries: dict[str, Entry] = {}
        self._unsaved: dict[str, Entry] = {}
        """Of these what is new since the file was read or written."""
        self._stamp: tuple[int, int] | None = None
        """Of the file as it was then."""

    @property
    def entries(self) -> tuple[Entry, ...]:
        """All that are good enough to be shown, oldest first."""
        return tuple(_kept(list(self._fresh().values()), self._clock()))

    def of(self, language: str) -> tuple[Entry, ...]:
        """Those of one language."""
        return tuple(entry for entry in self.entries if entry.language == language)

    def add(self, entry: Entry) -> None:
        """Take in a program; one with a secret, or as long as a whole file, stays out."""
        if len(entry.program) > MAX_PROGRAM_CHARACTERS or not entry.program.strip():
            return
        if self._holds_secret(entry.text):
            return
        before = self._fresh().pop(entry.key, None)
        if before is not None:
            entry = replace(entry, successes=before.successes, failures=before.failures)
        self._put(replace(entry, made_at=self._clock()))

    def served(self, keys: Collection[str], passed: bool) -> None:
        """A program was written with these entries in view: did it come out sound?"""
        entries = self._fresh()
        for key in keys:
            if (entry := entries.get(key)) is not None:
                successes, failures = entry.successes + passed, entry.failures + (not passed)
                self._put(replace(entry, successes=successes, failures=failures))

    def save(self) -> None:
        """Write the file at once and whole, with what others have added to it; raises `OSError`."""
        if self.path is None or not self._unsaved:
            return
        kept = _kept(list(self._fresh().values()), self._clock())
        self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        descriptor, fresh = tempfile.mkstemp(prefix=f".{self.path.name}.", dir=self.path.parent)  # mode 0600
        try:
            with os.fdopen(descriptor, "wb") as file:
                file.writelines(map(_encoded, kept))
                file.flush()
                os.fsync(file.fileno())
            os.replace(fresh, self.path)
        except OSError:
            with suppress(OSError):
                os.unlink(fresh)
            raise
        self._entries, self._unsaved = {entry.key: entry for entry in kept}, {}
        self._stamp = _stamp(self.path)

    def clear(self) -> int:
        """Forget everything, on disk too; how many entries there were. Raises `OSError`."""
        count = len(self._fresh())
        self._entries, self._unsaved = {}, {}
        if self.path is not None:
            self.path.unlink(missing_ok=True)
        self._stamp = None
        return count

    def _put(self, entry: Entry) -> None:
        self._entries[entry.key] = self._unsaved[entry.key] = entry

    def _fresh(self) -> dict[str, Entry]:
        """The file's entries, read again where somebody changed or removed it, and those that are new."""
        stamp = _stamp(self.path)
        if self.path is not None and stamp != self._stamp:
            self._stamp = stamp
            read: list[Entry] = []
            if stamp is not None and stamp[1] <= 2 * MAX_BYTES:  # we write none that is larger
                read = [entry for line in read_lines(self.path) if (entry := _entry(line)) is not None]
            sound = {entry.key: entry for entry in read if not self._holds_secret(entry.text)}
            self._entries = {**sound, **self._unsaved}
        return self._entries


def soup_folder() -> Path:
    """Where the soups of all workspaces lie. It need not exist."""
    return Path(platformdirs.user_data_dir("bowerbird", appauthor=False)) / "soup"


def soup_file(workspace: Path, folder: Path | None = None) -> Path:
    """The file of one workspace; its name tells which one only to who knows the workspace."""
    key = hashlib.sha256(os.fsencode(os.path.realpath(workspace))).hexdigest()[:16]
    return (folder or soup_folder()) / f"{key}.jsonl"


def _stamp(path: Path | None) -> tuple[int, int] | None:
    """When a file was written and how long it is; None where there is none."""
    if path is not None:
        with suppress(OSError):
            found = path.stat()
            return found.st_mtime_ns, found.st_size
    return None


def _kept(entries: Sequence[Entry], now: float) -> list[Entry]:
    """The newest that have room, without those that are too old or lead astray."""
    kept: list[Entry] = []
    size = 0
    for entry in reversed(entries):
        fresh = 0 <= now - entry.made_at < MAX_AGE_S
        if not fresh or entry.failures - entry.successes >= MAX_FAILURES:
            continue
        size += len(_encoded(entry))
        if len(kept) == MAX_ENTRIES or size > MAX_BYTES:
            break
        kept.append(entry)
    return kept[::-1]


def _entry(data: object) -> Entry | None:
    try:
        return structure(Entry, data)
    except (ValueError, TypeError):
        return None


def _encoded(entry: Entry) -> bytes:
    return json.dumps(asdict(entry), separators=(",", ":")).encode() + b"\n"
