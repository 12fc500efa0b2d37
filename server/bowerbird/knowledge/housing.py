"""Indexes whose postings can be kept, and how texts and postings move from memory to a kept segment."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from typing import Protocol

import numpy as np

from bowerbird.knowledge.saving import Kept
from bowerbird.knowledge.snippet import Source
from bowerbird.knowledge.store.container import Array
from bowerbird.knowledge.store.records import StoredSegment, digest_of
from bowerbird.knowledge.store.store import Store

FILES = "files"  # among an index's arrays: the numbers of the records whose postings it has

IsCurrent = Callable[[Source], bool]
"""Does the repository still hold just this source at its path?"""


class Indexer(Protocol):
    """An index whose postings can be kept beside the texts. Any thread may call it."""

    @property
    def key(self) -> str:
        """Names its form on disk: indexes of one key can stand for one another."""
        ...

    @property
    def wanted(self) -> bool:
        """Does it hold all sources, or will it soon? Else nothing of it need be kept."""
        ...

    def replaced(self, source: Source) -> None:
        """A source is new or changed."""
        ...

    def export(self, sources: Sequence[Source]) -> Mapping[str, Array]:
        """The postings of these sources, ascending by path."""
        ...

    def adopt(
        self,
        names: Sequence[str],
        sources: Sequence[Source | None],
        arrays: Mapping[str, Array],
        is_current: IsCurrent,
    ) -> None:
        """Use exported postings for those sources that are there and current, in place of any others."""
        ...


def exported(
    numbered: Sequence[tuple[int, Source | None]], indexers: Sequence[Indexer]
) -> dict[str, Mapping[str, Array]]:
    """Postings of these sources, given with the numbers of their records, by the indexers' keys."""
    held = [(number, source) for number, source in numbered if source is not None]
    files = np.array([number for number, _ in held], np.int32)
    sources = [source for _, source in held]
    return {one.key: {**one.export(sources), FILES: files} for one in indexers}


def house(
    indexers: Sequence[Indexer],
    store: Store,
    segment: StoredSegment,
    sources: Sequence[Source | None],
    is_current: IsCurrent,
) -> None:
    """From now on these sources, by record, have text and postings in a segment, not in memory."""
    for number, source in enumerate(sources):
        if source is not None:
            source.body.move(segment.text(number))
    hand_over(indexers, store, segment, sources, is_current)


def hand_over(
    indexers: Sequence[Indexer],
    store: Store,
    segment: StoredSegment,
    sources: Sequence[Source | None],
    is_current: IsCurrent,
) -> None:
    """Let the indexers find these sources by the postings beside a segment, or index them where none are."""
    if not any(sources):
        return
    for indexer in indexers:
        if (index := segment.indexes.get(indexer.key)) is not None:
            files = index.arrays[FILES].tolist()
            names = [store.path_of(segment.names[number]).replace(os.sep, "/") for number in files]
            indexer.adopt(names, [sources[number] for number in files], index.arrays, is_current)
        elif indexer.wanted:
            for source in sources:
                if source is not None and is_current(source):
                    indexer.replaced(source)


def ours_in(
    store: Store, segment: StoredSegment, kept: Callable[[str], Kept], moved: bool = False
) -> list[Source | None]:
    """By record, our source where it says what the segment says; those that lie in it only if `moved`."""
    found: list[Source | None] = [None] * len(segment.names)
    for number in segment.live():
        source = kept(store.path_of(segment.names[number])).source
        if source is None or source.open:
            continue
        if segment.holds(source.body):
            found[number] = source if moved else None
            continue
        record = segment.record(number)
        same = record.text is not None and record.digest == digest_of(source.body)
        found[number] = source if same and record.language == source.language else None
    return found
