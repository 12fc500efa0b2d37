"""Writes what of a store changes: new segments, those written again, and indexes built since."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from bowerbird.knowledge.housing import Indexer, IsCurrent, exported, house, ours_in
from bowerbird.knowledge.saving import Changes, Kept, carried, groups_of, to_rewrite
from bowerbird.knowledge.snippet import Source
from bowerbird.knowledge.store.records import StoredSegment
from bowerbird.knowledge.store.store import Store


def write_changes(
    store: Store,
    changes: Changes,
    kept: Callable[[str], Kept],
    indexers: Sequence[Indexer],
    is_current: IsCurrent,
    completing: bool = True,
) -> None:
    """Make `changes` in a store that this process writes; then texts and postings lie there, not in memory.

    With `completing`, segments get the indexes that were built since they were written. Raises `OSError` or
    `DamagedFileError`; then the store is as it was.
    """
    _house_unchanged(store, changes, indexers, is_current)
    rewritten = to_rewrite(store, changes)
    staying = [
        segment.at(changes.entry(segment.entry), segment.indexes)
        for segment in store.segments.values()
        if segment.id not in rewritten
    ]
    completed = staying
    if completing:
        completed = [_completed(store, segment, changes, kept, indexers) for segment in staying]
    if not (changes or rewritten or store.unsound or completed != staying):
        return
    wanted = [one for one in indexers if one.wanted]
    written: list[tuple[StoredSegment, list[Source | None]]] = []
    for group in groups_of([*changes.fresh, *carried(store, rewritten, changes, kept)]):
        sources = [item.source for item in group]
        indexes = exported(list(enumerate(sources)), wanted)
        written.append((store.add([item.record for item in group], indexes), sources))
    store.commit([*completed, *(segment for segment, _ in written)])
    for segment, sources in written:
        house(indexers, store, segment, sources, is_current)
    for before, after in zip(staying, completed, strict=True):
        if before is not after:
            house(indexers, store, after, ours_in(store, after, kept, moved=True), is_current)


def _house_unchanged(
    store: Store, changes: Changes, indexers: Sequence[Indexer], is_current: IsCurrent
) -> None:
    """Let sources whose text is kept already lie in the store."""
    for id_, found in changes.unchanged.items():
        segment = store.segments[id_]
        sources = [found.get(number) for number in range(len(segment.names))]
        if not all(source is None or segment.holds(source.body) for source in sources):
            house(indexers, store, segment, sources, is_current)


def _completed(
    store: Store,
    segment: StoredSegment,
    changes: Changes,
    kept: Callable[[str], Kept],
    indexers: Sequence[Indexer],
) -> StoredSegment:
    """A segment with the indexes built since it was written, without those of other forms."""
    missing = [one for one in indexers if one.wanted and one.key not in segment.indexes]
    if not missing:
        return segment
    items = carried(store, [segment.id], changes, kept)
    numbered = [(number, item.source) for number, item in zip(segment.live(), items, strict=True)]
    known = {one.key for one in indexers}
    indexes = {key: index for key, index in segment.indexes.items() if key in known}
    return store.add_indexes(segment.at(segment.entry, indexes), exported(numbered, missing))
