"""Between the workspace as it was read and what is kept of it on disk: recalls, adopts and saves."""

from __future__ import annotations

import logging
import os
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from bowerbird.knowledge.housing import Indexer, IsCurrent, exported, hand_over, house, ours_in
from bowerbird.knowledge.saving import Changes, Kept, carried, changes_of, groups_of, to_rewrite
from bowerbird.knowledge.snippet import Source
from bowerbird.knowledge.store.container import DamagedFileError
from bowerbird.knowledge.store.fingerprint import fingerprint
from bowerbird.knowledge.store.place import make_room, store_folder
from bowerbird.knowledge.store.records import Record, StoredSegment
from bowerbird.knowledge.store.store import Store
from bowerbird.settings import IndexSettings

RETRY_S = 300.0  # after a full disk
DISK_SHARE = 1.5  # bytes on disk for each byte of text, postings included

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
                    folder = store_folder(root or os.sep, self._folder)
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
            return [f"{root}{os.sep}{name}" for root, store in self._stores.items() for name in store.names]

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
            return None if store is None else store.find(path[len(root) + 1 :])

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
            for root, store in self._stores.items():
                for segment in store.segments.values():
                    sources: list[Source | None] = [None] * len(segment.names)
                    for number in segment.live():
                        source = recalled.get(path := f"{root}{os.sep}{segment.names[number]}")
                        if source is not None and segment.holds(source.body):
                            sources[number] = left.pop(path)
                    hand_over(self._indexers, root, segment, sources, is_current)
        for source in left.values():  # what held them was written again meanwhile
            for indexer in self._indexers:
                if indexer.built and is_current(source):
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
                for root, store in self._stores.items():
                    mine = {path for path in dirty if self._store_of(path) is store}
                    if store.become_writer():
                        self._write(root, store, mine, kept, is_current)
                        dirty -= mine
                    else:
                        for segment in store.follow():
                            ours = ours_in(segment, root, kept)
                            house(self._indexers, root, segment, ours, is_current)
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
            files=sum(store.files for store in stores),
            lines=sum(store.lines for store in stores),
            damaged=sum(store.damaged for store in stores),
            saved_at=max((at for store in stores if (at := store.saved_at) is not None), default=None),
            writer=any(store.is_writer for store in stores),
            fault=self._fault,
        )

    def _write(
        self,
        root: str,
        store: Store,
        dirty: set[str],
        kept: Callable[[str], Kept],
        is_current: IsCurrent,
    ) -> None:
        """Bring a store up to date. Raises `OSError`; then it is as it was."""
        changes = changes_of(store, root, dirty, kept, self._may_keep)
        for id_, found in changes.unchanged.items():
            segment = store.segments[id_]
            sources = [found.get(number) for number in range(len(segment.names))]
            if not all(source is None or segment.holds(source.body) for source in sources):
                house(self._indexers, root, segment, sources, is_current)
        text_bytes = sum(len(item.record.text or b"") for item in changes.fresh)
        if changes.fresh and not self._has_room(store, text_bytes):
            changes.fresh.clear()
        rewritten = to_rewrite(store, changes)
        staying = [
            segment.at(changes.entry(segment.entry), segment.indexes)
            for segment in store.segments.values()
            if segment.id not in rewritten
        ]
        completed = [self._completed(root, store, segment, changes, kept) for segment in staying]
        if not (changes or rewritten or store.unsound or completed != staying):
            return
        items = [*changes.fresh, *carried(store, root, rewritten, changes, kept)]
        housed: list[tuple[StoredSegment, list[Source | None]]] = []
        for group in groups_of(items):
            sources = [item.source for item in group]
            indexes = exported(list(enumerate(sources)), [one for one in self._indexers if one.built])
            housed.append((store.add([item.record for item in group], indexes), sources))
        store.commit([*completed, *(segment for segment, _ in housed)])
        for segment, sources in housed:
            house(self._indexers, root, segment, sources, is_current)
        for before, after in zip(staying, completed, strict=True):
            if before is not after:
                held = ours_in(after, root, kept, moved=True)
                house(self._indexers, root, after, held, is_current)

    def _completed(
        self,
        root: str,
        store: Store,
        segment: StoredSegment,
        changes: Changes,
        kept: Callable[[str], Kept],
    ) -> StoredSegment:
        """A segment with the indexes built since it was written, without those of other forms."""
        missing = [one for one in self._indexers if one.built and one.key not in segment.indexes]
        if not missing:
            return segment
        items = carried(store, root, [segment.id], changes, kept)
        numbered = [(number, item.source) for number, item in zip(segment.live(), items, strict=True)]
        known = {one.key for one in self._indexers}
        indexes = {key: index for key, index in segment.indexes.items() if key in known}
        return store.add_indexes(segment.at(segment.entry, indexes), exported(numbered, missing))

    def _has_room(self, store: Store, text_bytes: int) -> bool:
        """May the store grow by so much text and its postings? Older workspaces' stores make room."""
        most = self._settings.max_disk_bytes
        needed = store.size + DISK_SHARE * text_bytes
        if needed <= most:
            make_room(store.folder, round(most - needed + store.size))
            return True
        self._fault = (
            f"The index of {store.root} would take over {most:,} bytes on disk (index.maxDiskBytes); "
            "what has no room is read anew at each start."
        )
        return False

    def _store_of(self, path: str) -> Store | None:
        roots = [root for root in self._stores if path.startswith(root + os.sep)]
        return self._stores[max(roots, key=len)] if roots else None
