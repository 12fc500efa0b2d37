"""Between the workspace as it was read and what is kept of it on disk: recalls, adopts and saves."""

from __future__ import annotations

import logging
import os
import threading
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from bowerbird.knowledge.bare import whole
from bowerbird.knowledge.housing import Indexer, IsCurrent, hand_over, house, ours_in
from bowerbird.knowledge.saving import Kept, changes_of
from bowerbird.knowledge.snippet import Source
from bowerbird.knowledge.store.container import DamagedFileError
from bowerbird.knowledge.store.fingerprint import fingerprint
from bowerbird.knowledge.store.place import room_for, store_folder
from bowerbird.knowledge.store.records import Record
from bowerbird.knowledge.store.store import Store
from bowerbird.knowledge.writing import write_changes
from bowerbird.settings import IndexSettings

RETRY_S = 300.0  # after a full disk

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Figures:
    """What is kept of a workspace on disk."""

    bytes: int = 0
    segments: int = 0
    files: int = 0
    lines: int = 0
    damaged: int = 0
    """Segments that were found damaged in this session, and are read anew."""
    saved_at: float | None = None
    """In seconds since 1970; None where nothing is kept."""
    writer: bool = False
    """It is this process that writes."""
    fault: str = ""
    """Why nothing can be kept, as a sentence."""


class Archive:
    """The stores of the workspace's folders. Any thread may call it; what fails is told, and nothing is lost.

    Nothing with a secret in it is kept: such a file is read anew at each start.
    """

    def __init__(
        self,
        settings: IndexSettings,
        may_keep: Callable[[str], bool],
        indexers: Sequence[Indexer] = (),
        folder: Path | None = None,
    ) -> None:
        """`may_keep` is asked about the text of each file.

        `indexers` may grow until the first `open`. `folder` holds all stores; without it they lie in the
        user's cache folder.
        """
        self._settings = settings
        self._may_keep = may_keep
        self._indexers = indexers
        self._folder = folder
        self._stores: dict[str, Store] = {}
        """By workspace folder."""
        self._busy = threading.RLock()
        self._dirty: set[str] = set()
        """Paths that were read since they were kept, or are no more."""
        self._marking = threading.Lock()
        self._unsaved_bytes = 0
        self._retry_at = 0.0
        self._fault = ""
        self._closed = False
        self.figures = Figures()
        """What there was after the last change."""

    @property
    def enabled(self) -> bool:
        return self._settings.store

    @property
    def unsaved_bytes(self) -> int:
        """About how much text was read since the last `save`."""
        return self._unsaved_bytes

    def open(self, roots: Sequence[str]) -> None:
        """Read what is kept of these workspace folders; those not among them are let go."""
        if not self.enabled:
            return
        with self._busy:
            for root in [root for root in self._stores if root not in roots]:
                self._stores.pop(root).close()
            for root in roots:
                if root not in self._stores:
                    folder = store_folder(whole(root), self._folder)
                    self._stores[root] = Store(folder, root, fingerprint(self._settings.max_file_bytes))
                    self._stores[root].follow()
            self._count()

    def close(self) -> None:
        """Let others write; never waits. What is being written is written to its end."""
        self._closed = True
        if self._busy.acquire(blocking=False):
            self._release()

    def kept_paths(self) -> list[str]:
        """All files of which something is kept."""
        with self._busy:
            return [store.path_of(name) for store in self._stores.values() for name in store.names]

    def clear(self) -> None:
        """Forget what is kept of the workspace. Raises `OSError`, where another process writes, too."""
        with self._busy:
            for store in self._stores.values():
                if not store.become_writer():
                    raise BlockingIOError("Another process is writing this index; close its editor first.")
                store.clear()
            self._count()

    def recall(self, root: str, path: str) -> Record | None:
        """What is kept of a file. Whether the file is still so is for the caller to see."""
        with self._busy:
            store = self._stores.get(root)
            return None if store is None else store.find(store.name_of(path))

    def touch(self, path: str, text_bytes: int = 0) -> None:
        """What is kept of a file may no longer hold."""
        if self.enabled:
            with self._marking:
                self._dirty.add(path)
                self._unsaved_bytes += text_bytes

    def adopt(self, recalled: Mapping[str, Source], is_current: IsCurrent) -> None:
        """Make sources that were recalled, given by path, findable by the postings that are kept of them."""
        left = dict(recalled)
        with self._busy:
            for store in self._stores.values():
                for segment in store.segments.values():
                    sources: list[Source | None] = [None] * len(segment.names)
                    for number in segment.live():
                        source = recalled.get(path := store.path_of(segment.names[number]))
                        if source is not None and segment.holds(source.body):
                            sources[number] = left.pop(path)
                    hand_over(self._indexers, store, segment, sources, is_current)
        for source in left.values():  # what held them was written again meanwhile
            for indexer in self._indexers:
                if indexer.wanted and is_current(source):
                    indexer.replaced(source)

    def save(self, kept: Callable[[str], Kept], is_current: IsCurrent) -> None:
        """Write what is new, or, where another process writes, take over what that one wrote.

        `kept` tells what the repository holds at a path. Where it cannot be written the work goes on in
        memory, and `figures` say why.
        """
        if not self.enabled or self._closed or time.monotonic() < self._retry_at:
            return
        if not self._busy.acquire(blocking=False):
            return
        try:
            with self._marking:
                dirty, self._dirty, self._unsaved_bytes = self._dirty, set(), 0
            self._fault, before = "", self._fault
            try:
                for store in self._stores.values():
                    mine = {path for path in dirty if self._store_of(path) is store}
                    if store.become_writer():
                        left = self._write(store, mine, kept, is_current)
                        dirty -= mine - left
                    else:
                        for segment in store.follow():
                            ours = ours_in(store, segment, kept)
                            house(self._indexers, store, segment, ours, is_current)
            except (OSError, DamagedFileError) as error:
                reason = getattr(error, "strerror", None) or error
                self._fault = f"The index cannot be kept on disk ({reason})."
                self._retry_at = time.monotonic() + RETRY_S
            finally:
                with self._marking:
                    self._dirty |= {path for path in dirty if self._store_of(path) is not None}
            if self._fault not in ("", before):
                logger.warning("%s It is held in memory.", self._fault)
            self._count()
        finally:
            self._release()

    def _release(self) -> None:
        if self._closed:
            for store in self._stores.values():
                store.close()
        self._busy.release()

    def _count(self) -> None:
        stores = tuple(self._stores.values())
        self.figures = Figures(
            bytes=sum(store.size for store in stores),
            segments=sum(len(store.segments) for store in stores),
            files=sum(len(store.names) for store in stores),
            lines=sum(store.lines for store in stores),
            damaged=sum(store.damaged for store in stores),
            saved_at=max((at for store in stores if (at := store.saved_at) is not None), default=None),
            writer=any(store.is_writer for store in stores),
            fault=self._fault,
        )

    def _write(
        self, store: Store, dirty: Iterable[str], kept: Callable[[str], Kept], is_current: IsCurrent
    ) -> set[str]:
        """Bring a store up to date; gives the paths for which there was no room. Raises `OSError`."""
        most = self._settings.max_disk_bytes
        if store.size > most:  # it was less once
            store.clear()
        changes = changes_of(store, dirty, kept, self._may_keep)
        wanted = [one.key for one in self._indexers if one.wanted]
        growth = changes.growth(store, wanted)
        left: set[str] = set()
        completing = True
        if growth and (room := room_for(store.folder, growth, most)) < growth:
            left = {store.path_of(name) for name in changes.fit(room, len(wanted))}
            completing = False
            self._fault = (
                f"The index of {store.root} would take over {most:,} bytes on disk (index.maxDiskBytes); "
                "what has no room is read anew at each start."
            )
        write_changes(store, changes, kept, self._indexers, is_current, completing)
        return left

    def _store_of(self, path: str) -> Store | None:
        roots = [root for root in self._stores if path.startswith(root + os.sep)]
        return self._stores[max(roots, key=len)] if roots else None
