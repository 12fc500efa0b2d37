"""The workspace's files as they are now: read once, followed from then on, the editor's versions first."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from bowerbird.knowledge.archive import Archive, Figures
from bowerbird.knowledge.bare import whole
from bowerbird.knowledge.exclusion import SENTENCES, Exclusion
from bowerbird.knowledge.following import follow_until_cancelled
from bowerbird.knowledge.looking import beside, files_concerned, files_in, nearest_first
from bowerbird.knowledge.mirror import Listener, Mirror
from bowerbird.knowledge.policy import Policy
from bowerbird.knowledge.report import Counts, Progress, ScanReport, Tally
from bowerbird.knowledge.snippet import Source
from bowerbird.settings import IndexSettings

DONE_FILES = 50
"""How often it is told how many files were read."""

SAVE_BYTES = 16_000_000
"""Of text: when a scan has read so much more, it is kept on disk, and leaves the memory."""

FILE_BYTES = 1_000
"""About what is held of each file beside its text."""


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
        self.archive = archive
        self._settings = settings
        self._policy = policy
        self._index_bytes = index_bytes
        self._mirror = Mirror(
            settings, policy, listener, archive.touch if archive is not None else lambda *_: None
        )
        self._shelf = self._mirror.shelf
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
        mirror, policy = self._mirror, self._policy
        policy.forget()
        generation = policy.generation
        for path in beside(policy, mirror.open_paths):
            mirror.sync(path, trust_stamp=True)
        found = files_in(
            policy, policy.rules.folders, tally.skip, lambda files: tell(Progress(0, files)), cancelled
        )
        recalled = self._recall(found, cancelled)
        for done, path in enumerate(nearest_first(found, mirror.open_paths)):
            if cancelled():
                break
            if done % DONE_FILES == 0:
                tell(Progress(done, len(found)))
                mirror.is_full = self.memory_bytes >= self._settings.max_memory_bytes
            if path in recalled and generation is policy.generation:
                reading = mirror.last_reading(path)
            else:
                _, reading = mirror.sync(path, trust_stamp=True)
            tally.count(path, self._shelf.get(path), reading, mirror.is_full)
            if self.archive is not None and self.archive.unsaved_bytes >= SAVE_BYTES:
                self.save()
        if not cancelled():
            self._look_for_the_gone(found)
            tell(Progress(len(found), len(found)))
        self.save()
        return tally.report(time.perf_counter() - began, cancelled())

    def save(self) -> None:
        """Keep on disk what is new, where there is an archive; as slow as the disk."""
        if self.archive is not None:
            self.archive.save(self._mirror.kept, self._mirror.is_current)

    def refresh(self, paths: Iterable[Path], cancelled: Callable[[], bool] = lambda: False) -> int:
        """Look again at files and folders that appeared, changed or vanished; how many sources changed.

        Where an ignore file is among them, all that it rules is looked at.
        """
        changed = 0
        concerned = files_concerned(self._policy, self._shelf, self._mirror.open_paths, paths)
        for path, trust_stamp in concerned.items():
            if cancelled():
                break
            changed += self._mirror.sync(path, trust_stamp)[0]
        return changed

    def open_document(self, path: Path, text: str, language: str | None) -> None:
        """The editor's text counts from now on, instead of the disk's; also for each later text."""
        self._mirror.open_document(os.path.abspath(path), text, language)

    def close_document(self, path: Path) -> None:
        """The disk's version counts again."""
        self._mirror.close_document(os.path.abspath(path))

    @property
    def folders(self) -> tuple[Path, ...]:
        """Of the workspace."""
        return tuple(Path(whole(folder)) for folder in self._policy.rules.folders)

    @property
    def counts(self) -> Counts:
        """What there is now."""
        kept = Figures() if self.archive is None else self.archive.figures
        message = SENTENCES[Exclusion.NO_MEMORY] if self._mirror.is_full else kept.fault
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
        return self._mirror.name_of(os.path.abspath(path))

    def folder_of(self, path: Path) -> Path | None:
        """The workspace folder that `path` lies in; of nested ones the innermost."""
        folder = self._policy.rules.folder_of(os.path.abspath(path))
        return None if folder is None else Path(whole(folder))

    def set_folders(self, folders: Sequence[Path]) -> None:
        """The workspace's folders from now on. What lies in none of them goes; `scan` brings what is new."""
        self._policy.set_folders(folders)
        if self.archive is not None:
            self.archive.open(self._policy.rules.folders)  # what is kept of those that go stays as it is
        for path in {*self._shelf.paths(), *self._mirror.open_paths}:
            self._mirror.sync(path, trust_stamp=True)

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
            if record is not None and (source := self._mirror.recall(path, record)) is not None:
                recalled[path] = source
        self.archive.adopt(recalled, self._mirror.is_current)
        return recalled

    def _look_for_the_gone(self, found: Sequence[str]) -> None:
        """Look at what is held or kept and was not found, or lies outside the workspace's folders."""
        kept: list[str] = []
        if self.archive is not None and len(found) < self._settings.max_files:
            kept = self.archive.kept_paths()
        for path in {*self._shelf.paths(), *self._mirror.open_paths, *kept}.difference(found):
            self._mirror.sync(path)
