"""The store of one workspace folder: segments that never change, and a manifest that is replaced.

One process writes, by a lock; any number read. A writer that is killed leaves the manifest before or after
its change, and files that the manifest does not name, which the next writer removes. What is damaged is
left out, and so read anew from the workspace; the other segments stay.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from bowerbird.knowledge.store import files, manifest
from bowerbird.knowledge.store.container import (
    Array,
    Container,
    DamagedFileError,
    open_container,
    write_container,
)
from bowerbird.knowledge.store.lock import WriterLock
from bowerbird.knowledge.store.manifest import UNREADABLE, Entry, Manifest, read_manifest, write_manifest
from bowerbird.knowledge.store.place import mark_used
from bowerbird.knowledge.store.records import Record, StoredSegment, arrays_of, stored_segment

ATTEMPTS = 5  # a reader that meets a segment which its writer just removed looks again

logger = logging.getLogger(__name__)


class Store:
    """Not for two threads at once. Reading raises nothing, writing `OSError`."""

    def __init__(self, folder: Path, root: str, fingerprint: str) -> None:
        self.folder = folder
        self.root = root
        self.segments: dict[str, StoredSegment] = {}
        """By id."""
        self.damaged = 0
        """Segments, indexes and manifests that were left out."""
        self.unsound = False
        """The manifest on disk names what is damaged or missing."""
        self._fingerprint = fingerprint
        self._lock = WriterLock(folder)
        self._stamp: files.FileStamp | None = None
        """Of the manifest that was read last."""
        self._next_id = 0
        self._where: dict[str, tuple[str, int]] = {}

    @property
    def is_writer(self) -> bool:
        return self._lock.held

    @property
    def size(self) -> int:
        """Bytes on disk."""
        return sum(segment.size for segment in self.segments.values())

    @property
    def lines(self) -> int:
        return sum(segment.lines for segment in self.segments.values())

    @property
    def saved_at(self) -> float | None:
        """In seconds since 1970; None where nothing is kept."""
        return None if self._stamp is None else self._stamp[1] / 1e9

    @property
    def names(self) -> Collection[str]:
        """Of all files of which something is kept, as paths below the folder."""
        return self._where.keys()

    def path_of(self, name: str) -> str:
        """Of the file that lies at `name` below the workspace's folder."""
        return f"{self.root}{os.sep}{name}"

    def name_of(self, path: str) -> str:
        """`path`, which lies in the workspace's folder, as the store calls it."""
        return path[len(self.root) + 1 :]

    def find(self, name: str) -> Record | None:
        """What is known of the file at the path `name` below the folder."""
        place = self._where.get(name)
        return None if place is None else self.segments[place[0]].record(place[1])

    def where(self, name: str) -> tuple[str, int] | None:
        """The segment, by its id, and the record that count for a file."""
        return self._where.get(name)

    def follow(self) -> list[StoredSegment]:
        """Read the manifest if it is another one; gives the segments that are new or have new indexes."""
        for _ in range(ATTEMPTS):
            stamp = files.stamp_of(self.folder / manifest.NAME)
            if stamp == self._stamp:
                return []
            found = self._load(stamp)
            if found is not None:
                self._stamp = stamp
                return found
        return []

    def become_writer(self) -> bool:
        """Take the lock if nobody has it. Raises `OSError` where the cache folder cannot be written."""
        if self._lock.held:
            if self.folder.is_dir():
                return True
            self._lock.release()  # somebody removed the store
        self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        if not self._lock.acquire():
            return False
        self.follow()  # what the writer before this one did last
        files.sweep(self.folder, (segment.entry for segment in self.segments.values()))
        mark_used(self.folder)
        return True

    def close(self) -> None:
        """Let others write."""
        self._lock.release()

    def add(self, records: Sequence[Record], indexes: Mapping[str, Mapping[str, Array]]) -> StoredSegment:
        """Write a segment of records and its indexes, by key. It counts from `commit` on."""
        id_ = f"{self._next_id:08x}"
        self._next_id += 1
        meta, arrays = arrays_of(records)
        path = files.text_path(self.folder, id_)
        write_container(path, {**meta, "id": id_}, arrays)
        segment = stored_segment(Entry(id_), open_container(path), {})
        return self.add_indexes(segment, indexes)

    def add_indexes(
        self, segment: StoredSegment, indexes: Mapping[str, Mapping[str, Array]]
    ) -> StoredSegment:
        """Write further indexes beside a segment. They count from `commit` on."""
        opened: dict[str, Container] = dict(segment.indexes)
        for key, arrays in indexes.items():
            path = files.index_path(self.folder, segment.id, key)
            write_container(path, {"id": segment.id, "key": key}, arrays)
            opened[key] = open_container(path)
        return segment.at(replace(segment.entry, indexes=tuple(sorted(opened))), opened)

    def commit(self, segments: Iterable[StoredSegment]) -> None:
        """These segments, as their entries say, are the store from now on; files of others are removed."""
        kept = {segment.id: segment for segment in segments}
        entries = tuple(segment.entry for segment in kept.values())
        told = Manifest(self._fingerprint, self.root, self._next_id, entries)
        write_manifest(self.folder, told)
        self._stamp = files.stamp_of(self.folder / manifest.NAME)
        self.unsound = False
        self._hold(kept)
        files.sweep(self.folder, (segment.entry for segment in self.segments.values()))

    def clear(self) -> None:
        """Forget everything. Raises `OSError`."""
        self.commit([])

    def _load(self, stamp: files.FileStamp | None) -> list[StoredSegment] | None:
        """Open what the manifest names; None where a segment vanished: then there is a newer one."""
        try:
            found = read_manifest(self.folder)
        except UNREADABLE as error:
            self._complain(f"The list of segments cannot be used ({error}).")
            found = None
        if found is None or found.fingerprint != self._fingerprint:
            self._next_id = max(self._next_id, found.next_id if found else files.first_free_id(self.folder))
            self._hold({})
            return []
        segments: dict[str, StoredSegment] = {}
        news: list[StoredSegment] = []
        for entry in found.entries:
            try:
                segments[entry.id] = self._open(entry)
            except FileNotFoundError:
                if files.stamp_of(self.folder / manifest.NAME) != stamp:
                    return None
                self._complain(f"Segment {entry.id} is missing.")
                continue
            except UNREADABLE as error:
                self._complain(str(error))
                continue
            before = self.segments.get(entry.id)
            if before is None or before.entry != entry:
                news.append(segments[entry.id])
        self._next_id = max(self._next_id, found.next_id)
        self._hold(segments)
        return news

    def _open(self, entry: Entry) -> StoredSegment:
        before = self.segments.get(entry.id)
        indexes: dict[str, Container] = {}
        for key in entry.indexes:
            if before is not None and key in before.indexes:
                indexes[key] = before.indexes[key]
                continue
            try:
                index = open_container(files.index_path(self.folder, entry.id, key))
                if (index.meta.get("id"), index.meta.get("key")) != (entry.id, key):
                    raise DamagedFileError(f"The index {key} of segment {entry.id} is another one.")
                indexes[key] = index
            except FileNotFoundError:
                raise
            except UNREADABLE as error:
                self._complain(str(error))
        entry = replace(entry, indexes=tuple(sorted(indexes)))
        if before is not None:
            return before.at(entry, indexes)
        return stored_segment(entry, open_container(files.text_path(self.folder, entry.id)), indexes)

    def _hold(self, segments: dict[str, StoredSegment]) -> None:
        self.segments = segments
        self._where = {
            segment.names[number]: (segment.id, number)
            for segment in segments.values()
            for number in segment.live()
        }

    def _complain(self, sentence: str) -> None:
        self.damaged += 1
        self.unsound = True
        logger.warning(
            "The stored index of %s is damaged: %s What it held is read anew.", self.root, sentence
        )
