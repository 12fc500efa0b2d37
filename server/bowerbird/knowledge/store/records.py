"""A segment of a store: some files' texts, and what is known of each file. It never changes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import blake2b
from itertools import accumulate
from os import fsdecode, fsencode
from typing import NamedTuple

import numpy as np

from bowerbird.knowledge.reading import Stamp
from bowerbird.knowledge.store.container import Array, Container, DamagedFileError
from bowerbird.knowledge.store.manifest import Entry
from bowerbird.knowledge.utf8 import Bytes, Utf8Text

SECRET = "secret"
"""Why a text is not in the store, beside the reasons of `Exclusion`: the file is read anew each time."""

NO_STAMP = (-1, -1, -1, -1)
DIGEST_BYTES = 16


class Record(NamedTuple):
    """What a store knows of one file."""

    name: str
    """Path below the workspace's folder."""
    text: Utf8Text | None
    """None where the file was left out."""
    withheld: str = ""
    """Why it was left out: an `Exclusion` or `SECRET`."""
    stamp: Stamp | None = None
    digest: bytes = b""
    """Of the text."""
    language: str | None = None
    bytes: int = 0
    """On disk."""
    admitted: bool = False
    """As in `Reading`."""


def digest_of(text: Utf8Text) -> bytes:
    """What tells one text from another."""
    return blake2b(text.content, digest_size=DIGEST_BYTES).digest()


def arrays_of(records: Sequence[Record]) -> tuple[dict[str, list[str]], dict[str, Array]]:
    """The form of a segment on disk: a table of words, and arrays with a row for each record."""
    names = [fsencode(record.name) for record in records]
    texts = [b"" if record.text is None else record.text.content for record in records]
    reasons = ["", *sorted({record.withheld for record in records} - {""})]
    languages = ["", *sorted({record.language or "" for record in records} - {""})]
    meta = {"reasons": reasons, "languages": languages}
    return meta, {
        "names": _joined(names),
        "name_ends": _ends(list(map(len, names))),
        "text": _joined(texts),
        "text_ends": _ends(list(map(len, texts))),
        "lines": np.array([0 if one.text is None else one.text.line_count for one in records], np.int32),
        "stamps": np.array([one.stamp or NO_STAMP for one in records], np.int64).reshape(-1, 4),
        "digests": _joined(one.digest.ljust(DIGEST_BYTES, b"\0") for one in records),
        "reasons": np.array([reasons.index(one.withheld) for one in records], np.uint8),
        "languages": np.array([languages.index(one.language or "") for one in records], np.uint16),
        "bytes": np.array([one.bytes for one in records], np.int64),
        "admitted": np.array([one.admitted for one in records], np.bool_),
    }


@dataclass(frozen=True, eq=False)
class StoredSegment:
    """An open segment, as the manifest says."""

    entry: Entry
    container: Container
    indexes: Mapping[str, Container]
    """By key."""
    names: tuple[str, ...]
    """Paths below the workspace's folder, by record."""

    @property
    def id(self) -> str:
        return self.entry.id

    @property
    def size(self) -> int:
        """Bytes on disk."""
        return self.container.size + sum(index.size for index in self.indexes.values())

    @property
    def text_bytes(self) -> int:
        """Of all texts, also those that no longer count."""
        return int(self.container.arrays["text"].size)

    @property
    def lines(self) -> int:
        """Of the texts that count."""
        lines = self.container.arrays["lines"]
        return int(lines.sum()) - int(lines[list(self.entry.gone)].sum())

    def at(self, entry: Entry, indexes: Mapping[str, Container]) -> StoredSegment:
        """The same segment as a later manifest has it."""
        return replace(self, entry=entry, indexes=indexes)

    def live(self) -> list[int]:
        """Numbers of the records that count."""
        return [number for number in range(len(self.names)) if number not in self.entry.gone]

    def holds(self, text: Utf8Text) -> bool:
        """Do the bytes of a text lie in this segment?"""
        content = text.content
        return isinstance(content, memoryview) and content.obj is self.container.arrays["text"].data.obj

    def record(self, number: int) -> Record:
        """One of them."""
        arrays, meta = self.container.arrays, self.container.meta
        withheld = meta["reasons"][int(arrays["reasons"][number])]
        stamp = self.entry.stamps.get(number) or tuple(arrays["stamps"][number].tolist())
        return Record(
            name=self.names[number],
            text=None if withheld else Utf8Text(self.text(number), int(arrays["lines"][number]), mapped=True),
            withheld=withheld,
            stamp=None if stamp == NO_STAMP else stamp,
            digest=arrays["digests"][number * DIGEST_BYTES : (number + 1) * DIGEST_BYTES].tobytes(),
            language=meta["languages"][int(arrays["languages"][number])] or None,
            bytes=int(arrays["bytes"][number]),
            admitted=bool(arrays["admitted"][number]),
        )

    def text(self, number: int) -> memoryview:
        """The bytes of a text, in the mapped file."""
        ends = self.container.arrays["text_ends"]
        first = int(ends[number - 1]) if number else 0
        return self.container.arrays["text"].data[first : int(ends[number])]


def stored_segment(entry: Entry, container: Container, indexes: Mapping[str, Container]) -> StoredSegment:
    """The segment in an open file. Raises `DamagedFileError` where the manifest speaks of another."""
    if container.meta.get("id") != entry.id:
        raise DamagedFileError(f"Segment {entry.id} is another one.")
    blob = container.arrays["names"].tobytes()
    ends = container.arrays["name_ends"].tolist()
    names = tuple(fsdecode(blob[first:end]) for first, end in zip([0, *ends], ends, strict=False))
    return StoredSegment(entry, container, indexes, names)


def _joined(parts: Iterable[Bytes]) -> Array:
    return np.frombuffer(bytearray().join(parts), np.uint8)


def _ends(lengths: list[int]) -> Array:
    return np.fromiter(accumulate(lengths), np.int64, len(lengths))
