"""What of a store changes when it is saved: which files are new, which segments are written again."""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from bowerbird.knowledge.reading import Reading, Stamp
from bowerbird.knowledge.snippet import Source
from bowerbird.knowledge.store.manifest import Entry
from bowerbird.knowledge.store.records import SECRET, Record, StoredSegment, digest_of
from bowerbird.knowledge.store.store import Store

SEGMENT_BYTES = 24_000_000  # of text; some 600,000 lines
SEGMENT_FILES = 20_000
GROWTH = 4  # segments up to so many times as large as what is new are merged with it
SMALL_BYTES = 100_000  # what is smaller counts as this large
INDEX_SHARE = 0.75  # bytes of an index on disk for each byte of text, in small segments; large ones need less
RECORD_BYTES = 200  # of a file beside its text


class Kept(NamedTuple):
    """What a repository holds at one path."""

    source: Source | None
    reading: Reading | None


class Item(NamedTuple):
    """A file to be written."""

    record: Record
    source: Source | None
    """None where the record has no text."""

    def size(self, indexes: int) -> int:
        """About how many bytes it takes on disk with so many indexes, rather more than too few."""
        return round(RECORD_BYTES + len(self.record.text or b"") * (1 + INDEX_SHARE * indexes))


@dataclass(slots=True)
class Changes:
    """What has to be said and written."""

    fresh: list[Item] = field(default_factory=list)
    gone: dict[str, set[int]] = field(default_factory=lambda: defaultdict(set))
    """By segment, numbers of records that no longer count."""
    stamps: dict[str, dict[int, Stamp]] = field(default_factory=lambda: defaultdict(dict))
    """By segment, of files that were written again with the same content."""
    erased: set[str] = field(default_factory=set)
    """Segments with a text that may no longer be kept."""
    unchanged: dict[str, dict[int, Source]] = field(default_factory=lambda: defaultdict(dict))
    """By segment, sources whose text another process has kept already."""

    @property
    def fresh_bytes(self) -> int:
        """Of the texts to be written."""
        return sum(len(item.record.text or b"") for item in self.fresh)

    def growth(self, store: Store, wanted: Collection[str]) -> int:
        """About how many bytes a store grows by: new files with the wanted indexes, and indexes it lacks."""
        lacking = sum(
            segment.text_bytes
            for segment in store.segments.values()
            for key in wanted
            if key not in segment.indexes
        )
        new = sum(item.size(len(wanted)) for item in self.fresh)
        return new + round(INDEX_SHARE * lacking)

    def fit(self, room: int, indexes: int) -> set[str]:
        """Leave out what has no room of so many bytes, with so many indexes; gives the names."""
        kept: list[Item] = []
        left: set[str] = set()
        for item in self.fresh:
            size = item.size(indexes)
            if size <= room:
                kept.append(item)
                room -= size
            else:
                left.add(item.record.name)
        self.fresh = kept
        return left

    def entry(self, before: Entry) -> Entry:
        """A segment's entry after the changes."""
        gone, stamps = self.gone.get(before.id, set()), self.stamps.get(before.id, {})
        return replace(before, gone=before.gone | gone, stamps={**before.stamps, **stamps})

    def __bool__(self) -> bool:
        return bool(self.fresh or self.gone or self.stamps)


def changes_of(
    store: Store,
    paths: Iterable[str],
    kept: Callable[[str], Kept],
    may_keep: Callable[[str], bool],
) -> Changes:
    """Compare what a store says of these paths with what the repository holds."""
    changes = Changes()
    for path in sorted(paths):
        source, reading = kept(path)
        if source is not None and source.open:
            continue  # what is kept is the disk's version, and may still be so
        name = store.name_of(path)
        if not may_keep(name):
            continue  # names are kept even of files that are left out
        record = _record(name, source, reading)
        place = store.where(name)
        if place is None:
            if record is not None:
                changes.fresh.append(_item(record, source, may_keep))
            continue
        id_, number = place
        before = store.segments[id_].record(number)
        if record is not None and _same(before, record):
            if before.stamp != record.stamp and record.stamp is not None:
                changes.stamps[id_][number] = record.stamp
            if source is not None and before.text is not None:
                changes.unchanged[id_][number] = source
            continue
        changes.gone[id_].add(number)
        if record is not None:
            changes.fresh.append(_item(record, source, may_keep))
        elif before.text is not None:
            changes.erased.add(id_)
    return changes


def to_rewrite(store: Store, changes: Changes) -> set[str]:
    """Segments that are written again: with what must be erased, half empty, or small beside what is new."""
    chosen = set(changes.erased)
    others: list[tuple[int, StoredSegment]] = []
    for segment in store.segments.values():
        gone = changes.entry(segment.entry).gone
        if 2 * len(gone) > len(segment.names):
            chosen.add(segment.id)
        elif segment.id not in chosen:
            others.append((segment.text_bytes, segment))
    if changes.fresh or chosen:
        size = changes.fresh_bytes
        for text_bytes, segment in sorted(others, key=lambda pair: pair[0]):
            if text_bytes > GROWTH * max(size, SMALL_BYTES) or size + text_bytes > SEGMENT_BYTES:
                break
            chosen.add(segment.id)
            size += text_bytes
    return chosen


def carried(
    store: Store, ids: Iterable[str], changes: Changes, kept: Callable[[str], Kept]
) -> Iterator[Item]:
    """The files of segments that are written again, as far as they still count."""
    for id_ in ids:
        segment = store.segments[id_]
        entry = changes.entry(segment.entry)
        as_told = segment.at(entry, segment.indexes)
        for number in as_told.live():
            record = as_told.record(number)
            if record.text is None:
                yield Item(record, None)
                continue
            path = store.path_of(record.name)
            source = kept(path).source
            if source is None or source.open or not segment.holds(source.body):
                source = Source(path, record.name, record.text, record.language)
            yield Item(record._replace(text=source.body), source)


def groups_of(items: Iterable[Item]) -> Iterator[Sequence[Item]]:
    """The items by path, in portions for one segment each."""
    group: list[Item] = []
    size = 0
    for item in sorted(items, key=lambda item: item.record.name.replace(os.sep, "/")):
        more = len(item.record.text or b"")
        if group and (size + more > SEGMENT_BYTES or len(group) >= SEGMENT_FILES):
            yield group
            group, size = [], 0
        group.append(item)
        size += more
    if group:
        yield group


def _record(name: str, source: Source | None, reading: Reading | None) -> Record | None:
    """What may be kept of a file, secrets apart; None where nothing is."""
    if reading is None:
        return None
    if source is None:
        if reading.exclusion is None or reading.stamp is None:
            return None
        return Record(
            name, None, reading.exclusion, reading.stamp, bytes=reading.bytes, admitted=reading.admitted
        )
    return Record(
        name=name,
        text=source.body,
        stamp=reading.stamp,
        digest=digest_of(source.body),
        language=source.language,
        bytes=reading.bytes,
        admitted=reading.admitted,
    )


def _item(record: Record, source: Source | None, may_keep: Callable[[str], bool]) -> Item:
    if record.text is not None and not may_keep(record.text.decode()):
        return Item(record._replace(text=None, withheld=SECRET, digest=b"", language=None), None)
    return Item(record, source)


def _same(before: Record, now: Record) -> bool:
    """Need nothing be written again for this file?"""
    if before.withheld == SECRET:
        return now.text is not None and before.stamp is not None and before.stamp == now.stamp
    kept = (before.withheld, before.language, before.admitted, before.bytes)
    if kept != (now.withheld, now.language, now.admitted, now.bytes):
        return False
    return before.digest.strip(b"\0") == now.digest.strip(b"\0")
