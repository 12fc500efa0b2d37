"""One source for each path: what the editor has there, where it is open, else what the disk has."""

from __future__ import annotations

import logging
import os
import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Protocol, TypeVar

from bowerbird.knowledge.ignore import as_text
from bowerbird.knowledge.policy import Policy
from bowerbird.knowledge.reading import Reading
from bowerbird.knowledge.recall import recall
from bowerbird.knowledge.saving import Kept
from bowerbird.knowledge.shelf import Shelf
from bowerbird.knowledge.snippet import Source
from bowerbird.knowledge.store.records import Record
from bowerbird.settings import IndexSettings
from bowerbird.syntax.languages import language_of
from bowerbird.text import normalize_line_ends

LOCKS = 64
"""What happens to one path happens in order; two paths seldom wait for each other."""

Told = TypeVar("Told", Source, Path)

logger = logging.getLogger(__name__)


class Listener(Protocol):
    """Is told what changes. It may be called by several threads, but never by two about one path at once."""

    def replaced(self, source: Source) -> None:
        """A source is new or changed."""
        ...

    def removed(self, path: Path) -> None:
        """A source is gone."""
        ...


class Mirror:
    """Brings one path after the other in step, and tells a listener of each change.

    Paths are absolute, with the system's separators. Any thread may call any method.
    """

    def __init__(
        self,
        settings: IndexSettings,
        policy: Policy,
        listener: Listener,
        read_anew: Callable[[str, int], None],
    ) -> None:
        """`read_anew` hears of each path whose file was read, with the length of its text."""
        self.shelf = Shelf()
        self.is_full = False
        """Nothing new comes in but what is open in the editor."""
        self._settings = settings
        self._policy = policy
        self._listener = listener
        self._read_anew = read_anew
        self._read: dict[str, Reading] = {}
        """What came of reading each path last, without the text."""
        self._open: dict[str, tuple[str, str | None]] = {}
        """Text and language of what is open in the editor."""
        self._locks = tuple(threading.RLock() for _ in range(LOCKS))

    @property
    def open_paths(self) -> tuple[str, ...]:
        """What is open in the editor."""
        return tuple(self._open)

    def open_document(self, path: str, text: str, language: str | None) -> None:
        """The editor's text counts from now on; also for each later text."""
        self._open[path] = (normalize_line_ends(text), language)
        self.sync(path)

    def close_document(self, path: str) -> None:
        """The disk's version counts again."""
        self._open.pop(path, None)
        self.sync(path)

    def sync(self, path: str, trust_stamp: bool = False) -> tuple[bool, Reading]:
        """Make the source of `path` what it is to be now: did that change anything, and what was read?

        With `trust_stamp` a file under the stamp that it had is not read again. Blocks.
        """
        changed = False
        with self._lock(path):
            while True:
                generation = self._policy.generation
                reading, source = self._current(path, trust_stamp)
                changed |= self._replace(path, source)
                if generation is self._policy.generation:  # else the rules changed while they were asked
                    return changed, reading

    def recall(self, path: str, record: Record) -> Source | None:
        """Take over what was kept of a file, if the policy lets it in and it is still the same. Blocks.

        The listener is not told: that is for whoever kept the postings, too.
        """
        with self._lock(path):
            if path in self._open or path in self._read:
                return None
            reading = recall(self._policy, path, record)
            if reading is None:
                return None
            self._read[path] = reading
            if reading.stamp != record.stamp:
                self._read_anew(path, 0)
            if record.text is None or not self._has_room():
                return None
            source = Source(path, self.name_of(path), record.text, record.language)
            self.shelf.put(path, source)
            return source

    def last_reading(self, path: str) -> Reading:
        """What came of reading it last, without the text; an empty one if it was not read."""
        return self._read.get(path) or Reading()

    def kept(self, path: str) -> Kept:
        """What is held at `path`, at one moment."""
        with self._lock(path):
            return Kept(self.shelf.get(path), self._read.get(path))

    def is_current(self, source: Source) -> bool:
        """Is just this one held at its path?"""
        return self.shelf.get(source.location) is source

    def name_of(self, path: str) -> str:
        """`path` relative to its folder, led by the folder's name when there are several."""
        rules = self._policy.rules
        folder = rules.folder_of(path)
        if folder is None:
            return os.path.basename(path)
        name = as_text(path[len(folder) + 1 :])
        return f"{as_text(os.path.basename(folder))}/{name}" if len(rules.folders) > 1 else name

    def _lock(self, path: str) -> threading.RLock:
        return self._locks[hash(path) % LOCKS]

    def _current(self, path: str, trust_stamp: bool) -> tuple[Reading, Source | None]:
        """What the editor or the disk has at `path`, and the source of it if it is let in."""
        known, last = self.shelf.get(path), self._read.get(path)
        if (document := self._open.get(path)) is not None:
            text, language = document
            reading = self._policy.judge_document(path, text)
            return reading, self._source(path, reading, language, is_open=True)
        may_last = trust_stamp and last is not None and last.stamp is not None
        may_last = may_last and (known is not None or last is None or last.exclusion is not None)
        reading = self._policy.read(path, last if may_last else None)
        if reading is last and known is not None:
            name = self.name_of(path)
            return reading, known if known.name == name else known.renamed(name)
        self._read.pop(path, None)
        if reading.stamp is not None or reading.text is not None:
            self._read[path] = replace(reading, text=None)
        if reading is not last:
            self._read_anew(path, len(reading.text or ""))
        return reading, self._source(path, reading, reading.language, is_open=False)

    def _source(self, path: str, reading: Reading, language: str | None, is_open: bool) -> Source | None:
        if (text := reading.text) is None:
            return None
        file = Path(path)
        language = language or language_of(file, first_line=text[:200].partition("\n")[0])
        return Source(file, self.name_of(path), text, language, is_open)

    def _replace(self, path: str, source: Source | None) -> bool:
        """Put the source where the one before stood, and tell it if it is another."""
        known = self.shelf.get(path)
        if source is None:
            if known is None:
                return False
            self.shelf.remove(path)
            self._tell(self._listener.removed, known.path)
            return True
        if known is None and not source.open and not self._has_room():
            return False
        closed = known is not None and known.open and not source.open  # from now on it may be kept on disk
        if known is not None and known.says_the_same(source) and not closed:
            return False
        self.shelf.put(path, source)
        self._tell(self._listener.replaced, source)
        return True

    def _has_room(self) -> bool:
        return len(self.shelf) < self._settings.max_files and not self.is_full

    def _tell(self, heard: Callable[[Told], None], what: Told) -> None:
        """One file that a listener cannot bear does not keep the others out."""
        try:
            heard(what)
        except Exception:
            logger.exception("%s is not in the index.", what.path if isinstance(what, Source) else what)
