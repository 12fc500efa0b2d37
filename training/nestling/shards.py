"""Rows of tokens on disk: ids, which of them count, compressed so that they travel.

Order matters for size: documents of one repository stand near one another, and a window that is shown twice
costs little the second time.
"""

from __future__ import annotations

import hashlib
import lzma
import struct
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from nestling.tokenizer import PAD_ID

MAGIC = b"NESTLING2"
HEADER = struct.Struct("<9sIII")
FILTERS = [{"id": lzma.FILTER_LZMA2, "preset": 6, "dict_size": 1 << 26, "lc": 0, "lp": 1, "pb": 1}]
"""For numbers of two bytes: contexts know which of the two a byte is."""

IGNORED, COUNTED, MIDDLE, AGAIN = 0, 1, 2, 3
"""What a token is to the loss: nothing, ordinary, part of an answer, or of a second copy. Training counts
all but the first alike; measuring tells them apart."""

OPEN_ROWS = 256


@dataclass(frozen=True, slots=True)
class Rows:
    """Training rows: a token is predicted from those before it in its row."""

    ids: NDArray[np.uint16]
    """``[rows, context + 1]``"""
    kinds: NDArray[np.uint8]
    """``[rows, context + 1]``; what each token is to the loss."""

    def __len__(self) -> int:
        return int(self.ids.shape[0])

    @property
    def context(self) -> int:
        return int(self.ids.shape[1]) - 1

    def digest(self) -> str:
        """Changes with any token."""
        return hashlib.blake2b(self.ids.tobytes() + self.kinds.tobytes(), digest_size=8).hexdigest()


Piece = tuple[NDArray[np.uint16], NDArray[np.uint8]]
"""A document's ids and kinds."""


def pack_rows(pieces: Iterable[Piece], context: int) -> Iterator[Piece]:
    """Documents into rows of ``context + 1``: each goes where it leaves the least room, none is cut in two.

    What stays free is padded, and the padding does not count.
    """
    open_rows: list[list[Piece]] = []
    room: list[int] = []
    for ids, kinds in pieces:
        size = min(ids.size, context + 1)
        fitting = [at for at, left in enumerate(room) if left >= size]
        if fitting:
            at = min(fitting, key=room.__getitem__)
        else:
            if len(open_rows) >= OPEN_ROWS:
                fullest = min(range(len(room)), key=room.__getitem__)
                yield _joined(open_rows.pop(fullest), context)
                room.pop(fullest)
            open_rows.append([])
            room.append(context + 1)
            at = len(room) - 1
        open_rows[at].append((ids[:size], kinds[:size]))
        room[at] -= size
    for row in open_rows:
        yield _joined(row, context)


def _joined(row: Sequence[Piece], context: int) -> Piece:
    ids = np.full(context + 1, PAD_ID, np.uint16)
    kinds = np.zeros(context + 1, np.uint8)
    at = 0
    for some_ids, some_kinds in row:
        ids[at : at + some_ids.size] = some_ids
        kinds[at : at + some_ids.size] = some_kinds
        at += some_ids.size
    return ids, kinds


def write_shard(path: Path, rows: Sequence[Piece], context: int, vocabulary: int) -> int:
    """Write one shard; returns its bytes."""
    ids = np.stack([row[0] for row in rows])
    kinds = np.stack([row[1] for row in rows])
    packed = np.packbits(np.unpackbits(kinds[..., None], axis=-1)[..., 6:].reshape(-1))
    body = ids.astype("<u2").tobytes() + packed.tobytes()
    data = HEADER.pack(MAGIC, len(rows), context, vocabulary)
    data += lzma.compress(body, format=lzma.FORMAT_XZ, filters=FILTERS)
    path.write_bytes(data)
    return len(data)


def read_shard(path: Path) -> tuple[Rows, int]:
    """The rows of a shard, and the vocabulary's size; raises `ValueError` for anything else."""
    data = path.read_bytes()
    if len(data) < HEADER.size or not data.startswith(MAGIC):
        raise ValueError(f"{path} is no shard of training rows.")
    _, rows, context, vocabulary = HEADER.unpack_from(data)
    try:
        body = lzma.decompress(data[HEADER.size :])
    except lzma.LZMAError as error:
        raise ValueError(f"{path} is damaged: {error}.") from error
    size = rows * (context + 1)
    ids = np.frombuffer(body, "<u2", size).reshape(rows, context + 1)
    bits = np.unpackbits(np.frombuffer(body, np.uint8, offset=2 * size))[: 2 * size].reshape(-1, 2)
    kinds = (bits[:, 0] << 1 | bits[:, 1]).astype(np.uint8).reshape(rows, context + 1)
    return Rows(ids, kinds), vocabulary


def read_shards(paths: Sequence[Path]) -> tuple[Rows, int]:
    """All rows of several shards of one kind."""
    if not paths:
        raise ValueError("There are no training rows: run `python -m nestling prepare` first.")
    read = [read_shard(path) for path in paths]
    if len({(rows.context, vocabulary) for rows, vocabulary in read}) != 1:
        raise ValueError("These shards were prepared with different contexts or vocabularies.")
    ids = np.concatenate([rows.ids for rows, _ in read])
    return Rows(ids, np.concatenate([rows.kinds for rows, _ in read])), read[0][1]
