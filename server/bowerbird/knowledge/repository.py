"""The workspace's files as they are now: read once, followed from then on, the editor's versions first."""

from __future__ import annotations

import logging
import os
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Protocol, TypeVar

from bowerbird.knowledge.archive import Archive, Figures
from bowerbird.knowledge.exclusion import SENTENCES, Exclusion
from bowerbird.knowledge.following import follow_until_cancelled
from bowerbird.knowledge.ignore import as_text
from bowerbird.knowledge.looking import beside, files_concerned, files_in, nearest_first
from bowerbird.knowledge.policy import Policy
from bowerbird.knowledge.reading import Reading
from bowerbird.knowledge.recall import recall
from bowerbird.knowledge.report import Counts, Progress, ScanReport, Tally
from bowerbird.knowledge.saving import Kept
from bowerbird.knowledge.shelf import Shelf
from bowerbird.knowledge.snippet import Source
from bowerbird.knowledge.store.records import Record
from bowerbird.settings import IndexSettings
from bowerbird.syntax.languages import language_of
from bowerbird.text import normalize_line_ends

LOCKS = 64
"""What happens to one path happens in order; two paths seldom wait for each other."""

DONE_FILES = 50
"""How often it is told how many files were read."""

SAVE_BYTES = 16_000_000
"""Of text: when a scan has read so much more, it is kept on disk, and leaves the memory."""

FILE_BYTES = 1_000
"""About what is held of each file beside its text."""

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


class Repository:
    """Keeps a source for every file that the policy lets in, and tells a listener of each change.

    Any thread may call any method. A path's text is what the editor has, where it is open, else what the
    disk has. Methods that read the disk block.
    """

    def __init__(
        self,
        folders: Sequence[Path],
        settings: IndexSettings,
        policy: Policy,
        listener: Listener,
        archive: Archive | None = None,
        index_bytes: Callable[[], int] = lambda: 0,
    ) -> None:
        """Without an `archive` nothing is kept on disk. `index_bytes` is what listeners hold in memory."""
        self._settings = settings
        self._policy = policy
        self._listener = listener
        self._shelf = Shelf()
        self._read: dict[str, Reading] = {}
        """What came of reading each path last, without the text."""
        self._open: dict[str, tuple[str, str | None]] = {}
        """Text and language of what is open in the editor."""
        self._locks = tuple(threading.RLock() for _ in range(LOCKS))
        self.archive = archive
        self._index_bytes = index_bytes
        self._is_full = False
        policy.set_folders(folders)

    @property
    def memory_bytes(self) -> int:
        """About what all texts and indexes take, those in mapped files included."""
        return self._shelf.text_bytes + FILE_BYTES * len(self._shelf) + self._index_bytes()

    def scan(
        self,
        progress: Callable[[Progress], None] | None = None,
        cancelled: Callable[[], bool] = lambda: False,
    ) -> ScanReport:
        """Read everything anew; files that did not change since they were read are not read again.

        What is kept on disk is taken first, then what lies near open documents; what is new is kept.
        """
        began = time.perf_counter()
        tell = progress or (lambda _: None)
        tally = Tally()
        self._policy.forget()
        generation = self._policy.generation
        for path in beside(self._policy, tuple(self._open)):
            self._sync(path, trust_stamp=True)
        found = files_in(
            self._policy,
            self._policy.rules.folders,
            tally.skip,
            lambda files: tell(Progress(0, files)),
            cancelled,
        )
        recalled = self._recall(found, cancelled)
        for done, path in enumerate(nearest_first(found, tuple(self._open))):
            if cancelled():
                break
            if done % DONE_FILES == 0:
                tell(Progress(done, len(found)))
                self._look_at_memory()
            if path in recalled and generation is self._policy.generation:
                reading = self._read.get(path) or Reading()
            else:
                _, reading = self._sync(path, trust_stamp=True)
            tally.count(path, self._shelf.get(path), reading, self._is_full)
            if self.archive is not None and self.archive.unsaved_bytes >= SAVE_BYTES:
                self.save()
        if not cancelled():
            kept = self._kept_paths() if len(found) < self._settings.max_files else []
            for path in {*self._shelf.paths(), *self._open, *kept}.difference(found):
                self._sync(path)
            tell(Progress(len(found), len(found)))
        self.save()
        return tally.report(time.perf_counter() - began, cancelled())

    def save(self) -> None:
        """Keep on disk what is new, where there is an archive; as slow as the disk."""
        if self.archive is not None:
            self.archive.save(self._kept, self._is_current)

    def refresh(self, paths: Iterable[Path], cancelled: Callable[[], bool] = lambda: False) -> int:
        """Look again at files and folders that appeared, changed or vanished; how many sources changed.

        Where an ignore file is among them, all that it rules is looked at.
        """
        changed = 0
        for path, trust_stamp in files_concerned(self._policy, self._shelf, tuple(self._open), paths).items():
            if cancelled():
                break
            changed += self._sync(path, trust_stamp)[0]
        return changed

    def open_document(self, path: Path, text: str, language: str | None) -> None:
        """The editor's text counts from now on, instead of the disk's; also for each later text."""
        key = os.path.abspath(path)
        self._open[key] = (normalize_line_ends(text), language)
        self._sync(key)

    def close_document(self, path: Path) -> None:
        """The disk's version counts again."""
        key = os.path.abspath(path)
        self._open.pop(key, None)
        self._sync(key)

    @property
    def folders(self) -> tuple[Path, ...]:
        """Of the workspace."""
        return tuple(Path(folder or os.sep) for folder in self._policy.rules.folders)

    @property
    def counts(self) -> Counts:
        """What there is now."""
        kept = Figures() if self.archive is None else self.archive.figures
        message = SENTENCES[Exclusion.NO_MEMORY] if self._is_full else kept.fault
        return Counts(len(self._shelf), self._shelf.lines, self.memory_bytes, kept.bytes, message)

    def close(self) -> None:
        """Keep nothing on disk any more; another process may."""
        if self.archive is not None:
            self.archive.close()

    def __len__(self) -> int:
        """Sources."""
        return len(self._shelf)

    def source(self, path: Path) -> Source | None:
        """The source at `path`."""
        return self._shelf.get(os.path.abspath(path))

    def sources(self) -> list[Source]:
        """All sources, by path."""
        return self._shelf.sources()

    def name_of(self, path: Path) -> str:
        """`path` relative to its folder, led by the folder's name when there are several."""
        return self._name_of(os.path.abspath(path))

    def folder_of(self, path: Path) -> Path | None:
        """The workspace folder that `path` lies in; of nested ones the innermost."""
        folder = self._policy.rules.folder_of(os.path.abspath(path))
        return None if folder is None else Path(folder or os.sep)

    def set_folders(self, folders: Sequence[Path]) -> None:
        """The workspace's folders from now on. What lies in none of them goes; `scan` brings what is new."""
        self._policy.set_folders(folders)
        if self.archive is not None:
            self.archive.open(self._policy.rules.folders)  # what is kept of those that go stays as it is
        for path in {*self._shelf.paths(), *self._open}:
            self._sync(path, trust_stamp=True)

    async def watch(self) -> None:
        """Follow the disk until cancelled. Begin before `scan`, so that nothing is missed in between.

        Raises `OSError` where the disk cannot be followed in any way.
        """
        await follow_until_cancelled(self._policy, self.refresh)

    def _recall(self, found: Iterable[str], cancelled: Callable[[], bool]) -> dict[str, Source]:
        """Sources of those files that are as they were when they were kept, by path."""
        recalled: dict[str, Source] = {}
        if self.archive is None or not self.archive.enabled:
            return recalled
        self.archive.open(self._policy.rules.folders)
        for path in found:
            if cancelled():
                break
            record = self.archive.recall(self._policy.rules.folder_of(path) or "", path)
            if record is not None and (source := self._recalled(path, record)) is not None:
                recalled[path] = source
        self.archive.adopt(recalled, self._is_current)
        return recalled

    def _recalled(self, path: str, record: Record) -> Source | None:
        """Take over a record if the policy lets the file in and the file is still the same."""
        assert self.archive is not None
        with self._locks[hash(path) % LOCKS]:
            if path in self._open or path in self._read:
                return None
            reading = recall(self._policy, path, record)
            if reading is None:
                return None
            self._read[path] = reading
            if reading.stamp != record.stamp:
                self.archive.touch(path)
            if record.text is None or len(self._shelf) >= self._settings.max_files or self._is_full:
                return None
            source = Source(path, self._name_of(path), record.text, record.language)
            self._shelf.put(path, source)
            return source

    def _kept(self, path: str) -> Kept:
        with self._locks[hash(path) % LOCKS]:
            return Kept(self._shelf.get(path), self._read.get(path))

    def _kept_paths(self) -> list[str]:
        return [] if self.archive is None else self.archive.kept_paths()

    def _is_current(self, source: Source) -> bool:
        return self._shelf.get(source.location) is source

    def _look_at_memory(self) -> None:
        self._is_full = self.memory_bytes >= self._settings.max_memory_bytes

    def _sync(self, path: str, trust_stamp: bool = False) -> tuple[bool, Reading]:
        """Make the source of `path` what it is to be now: did that change anything, and what was read?"""
        changed = False
        with self._locks[hash(path) % LOCKS]:
            while True:
                generation = self._policy.generation
                reading, source = self._current(path, trust_stamp)
                changed |= self._replace(path, source)
                if generation is self._policy.generation:  # else the rules changed while they were asked
                    return changed, reading

    def _current(self, path: str, trust_stamp: bool) -> tuple[Reading, Source | None]:
        """What the editor or the disk has at `path`, and the source of it if it is let in."""
        known, last = self._shelf.get(path), self._read.get(path)
        if (document := self._open.get(path)) is not None:
            text, language = document
            reading = self._policy.judge_document(path, text)
            return reading, self._source(path, reading, language, is_open=True)
        may_last = trust_stamp and last is not None and last.stamp is not None
        may_last = may_last and (known is not None or last is None or last.exclusion is not None)
        reading = self._policy.read(path, last if may_last else None)
        if reading is last and known is not None:
            name = self._name_of(path)
            return reading, known if known.name == name else known.renamed(name)
        self._read.pop(path, None)
        if reading.stamp is not None or reading.text is not None:
            self._read[path] = replace(reading, text=None)
        if self.archive is not None and reading is not last:
            self.archive.touch(path, len(reading.text or ""))
        return reading, self._source(path, reading, reading.language, is_open=False)

    def _source(self, path: str, reading: Reading, language: str | None, is_open: bool) -> Source | None:
        if (text := reading.text) is None:
            return None
        file = Path(path)
        language = language or language_of(file, first_line=text[:200].partition("\n")[0])
        return Source(file, self._name_of(path), text, language, is_open)

    def _replace(self, path: str, source: Source | None) -> bool:
        """Put the source where the one before stood, and tell it if it is another."""
        known = self._shelf.get(path)
        if source is None:
            if known is None:
                return False
            self._shelf.remove(path)
            self._tell(self._listener.removed, known.path)
            return True
        has_room = len(self._shelf) < self._settings.max_files and not self._is_full
        if known is None and not source.open and not has_room:
            return False
        if known is not None and known.says_the_same(source):
            return False
        self._shelf.put(path, source)
        self._tell(self._listener.replaced, source)
        return True

    def _tell(self, heard: Callable[[Told], None], what: Told) -> None:
        """One file that a listener cannot bear does not keep the others out."""
        try:
            heard(what)
        except Exception:
            logger.exception("%s is not in the index.", what.path if isinstance(what, Source) else what)

    def _name_of(self, path: str) -> str:
        folders = self._policy.rules
        folder = folders.folder_of(path)
        if folder is None:
            return os.path.basename(path)
        name = as_text(path[len(folder) + 1 :])
        return f"{as_text(os.path.basename(folder))}/{name}" if len(folders.folders) > 1 else name
