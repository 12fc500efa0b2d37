"""The workspace's files as they are now: read once, followed from then on, the editor's versions first."""

from __future__ import annotations

import asyncio
import logging
import os
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Protocol, TypeVar

from bowerbird.knowledge.following import follow
from bowerbird.knowledge.ignore import as_text
from bowerbird.knowledge.looking import files_concerned, files_in
from bowerbird.knowledge.policy import Policy
from bowerbird.knowledge.reading import Reading
from bowerbird.knowledge.report import Progress, ScanReport, Tally
from bowerbird.knowledge.shelf import Shelf
from bowerbird.knowledge.snippet import Source
from bowerbird.settings import IndexSettings
from bowerbird.syntax.languages import language_of
from bowerbird.text import normalize_line_ends

LOCKS = 64
"""What happens to one path happens in order; two paths seldom wait for each other."""

DONE_FILES = 50
"""How often it is told how many files were read."""

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
        self, folders: Sequence[Path], settings: IndexSettings, policy: Policy, listener: Listener
    ) -> None:
        self._settings = settings
        self._policy = policy
        self._listener = listener
        self._shelf = Shelf()
        self._read: dict[str, Reading] = {}
        """What came of reading each path last, without the text."""
        self._open: dict[str, tuple[str, str | None]] = {}
        """Text and language of what is open in the editor."""
        self._locks = tuple(threading.RLock() for _ in range(LOCKS))
        policy.set_folders(folders)

    def scan(
        self,
        progress: Callable[[Progress], None] | None = None,
        cancelled: Callable[[], bool] = lambda: False,
    ) -> ScanReport:
        """Read everything anew; files that did not change since they were read are not read again."""
        began = time.perf_counter()
        tell = progress or (lambda _: None)
        tally = Tally()
        self._policy.forget()
        found = files_in(
            self._policy,
            self._policy.rules.folders,
            tally.skip,
            lambda files: tell(Progress(0, files)),
            cancelled,
        )
        for done, path in enumerate(found):
            if cancelled():
                break
            if done % DONE_FILES == 0:
                tell(Progress(done, len(found)))
            _, reading = self._sync(path, trust_stamp=True)
            if (source := self._shelf.get(path)) is not None:
                tally.read(source.text, reading.bytes)
            elif reading.exclusion is not None:
                tally.skip(path, reading.exclusion)
        if not cancelled():
            for path in {*self._shelf.paths(), *self._open}.difference(found):
                self._sync(path)
            tell(Progress(len(found), len(found)))
        return tally.report(time.perf_counter() - began, cancelled())

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
        for path in {*self._shelf.paths(), *self._open}:
            self._sync(path, trust_stamp=True)

    async def watch(self) -> None:
        """Follow the disk until cancelled. Begin before `scan`, so that nothing is missed in between.

        Raises `OSError` where the disk cannot be followed in any way.
        """
        stop = threading.Event()
        thread = asyncio.ensure_future(
            asyncio.to_thread(follow, self._policy, lambda paths: self.refresh(paths, stop.is_set), stop)
        )
        try:
            await asyncio.shield(thread)
        except asyncio.CancelledError:
            stop.set()
            await asyncio.wait([thread])
            raise

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
        has_text = last is not None and (known is not None or last.exclusion is not None)
        reading = self._policy.read(path, last if trust_stamp and has_text else None)
        if reading is last and known is not None:
            return reading, replace(known, name=self._name_of(path))
        if reading.stamp is None:
            self._read.pop(path, None)
        else:
            self._read[path] = replace(reading, text=None)
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
        if known is None and not source.open and len(self._shelf) >= self._settings.max_files:
            return False
        if known is not None and _says_the_same(known, source):
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


def _says_the_same(one: Source, other: Source) -> bool:
    return (one.text, one.name, one.language) == (other.text, other.name, other.language)
