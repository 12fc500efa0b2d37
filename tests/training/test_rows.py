"""Rows on disk and in batches."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from nestling.copies import code_copies, random_copies
from nestling.data import Feed, copying_rows
from nestling.shards import AGAIN, IGNORED, Piece, Rows, pack_rows, read_shard, read_shards, write_shard
from nestling.tokenizer import PAD_ID

CONTEXT, VOCABULARY = 64, 500


def _pieces(count: int) -> list[Piece]:
    random = np.random.default_rng(0)
    lengths = random.integers(1, CONTEXT + 1, count)
    return [
        (random.integers(7, VOCABULARY, n).astype(np.uint16), random.integers(1, 4, n).astype(np.uint8))
        for n in lengths
    ]


def _rows(count: int = 40) -> Rows:
    packed = list(pack_rows(_pieces(count), CONTEXT))
    return Rows(np.stack([ids for ids, _ in packed]), np.stack([kinds for _, kinds in packed]))


def test_documents_are_packed_whole() -> None:
    """Every token of each is in one row, what stays free is padding that does not count, and little is."""
    pieces = _pieces(300)
    rows = list(pack_rows(pieces, CONTEXT))
    texts = [row[0].tobytes() for row in rows]
    assert all(any(ids.tobytes() in text for text in texts) for ids, _ in pieces)
    assert sum(int((kinds > 0).sum()) for _, kinds in rows) == sum(ids.size for ids, _ in pieces)
    for ids, kinds in rows:
        assert ids.shape == kinds.shape == (CONTEXT + 1,)
        assert ((ids == PAD_ID) == (kinds == IGNORED)).all()
    assert np.mean([(kinds == IGNORED).mean() for _, kinds in rows]) < 0.1


def test_shards_keep_everything(tmp_path: Path) -> None:
    """Ids and kinds; several shards become one."""
    packed = list(pack_rows(_pieces(50), CONTEXT))
    write_shard(tmp_path / "a.rows", packed[:9], CONTEXT, VOCABULARY)
    write_shard(tmp_path / "b.rows", packed[9:], CONTEXT, VOCABULARY)
    rows, vocabulary = read_shards([tmp_path / "a.rows", tmp_path / "b.rows"])
    assert vocabulary == VOCABULARY
    assert (rows.ids == np.stack([ids for ids, _ in packed])).all()
    assert (rows.kinds == np.stack([kinds for _, kinds in packed])).all()


def test_what_repeats_costs_little(tmp_path: Path) -> None:
    """A shard whose rows stand in it twice is hardly larger."""
    packed = list(pack_rows(_pieces(200), CONTEXT))
    once = write_shard(tmp_path / "a.rows", packed, CONTEXT, VOCABULARY)
    assert write_shard(tmp_path / "b.rows", packed + packed, CONTEXT, VOCABULARY) < 1.2 * once


@pytest.mark.parametrize("damage", [b"", b"something else", None])
def test_a_damaged_shard_is_told(tmp_path: Path, damage: bytes | None) -> None:
    """In a sentence with the file's name."""
    path = tmp_path / "a.rows"
    write_shard(path, list(pack_rows(_pieces(50), CONTEXT)), CONTEXT, VOCABULARY)
    path.write_bytes(path.read_bytes()[:-40] if damage is None else damage)
    with pytest.raises(ValueError, match=r"a\.rows"):
        read_shard(path)


def test_shards_of_different_kinds_do_not_mix(tmp_path: Path) -> None:
    """Another vocabulary means other tokens."""
    packed = list(pack_rows(_pieces(5), CONTEXT))
    write_shard(tmp_path / "a.rows", packed, CONTEXT, VOCABULARY)
    write_shard(tmp_path / "b.rows", packed, CONTEXT, VOCABULARY + 1)
    with pytest.raises(ValueError, match="different"):
        read_shards([tmp_path / "a.rows", tmp_path / "b.rows"])
    with pytest.raises(ValueError, match="prepare"):
        read_shards([])


def test_a_step_alone_decides_its_batch() -> None:
    """Whoever asks, in whatever order; another seed gives others."""
    rows = _rows()
    one, other = (Feed(rows, VOCABULARY, 8, seed) for seed in (0, 0))
    for step in (0, 5, 3, 11):
        assert (one.batch(step).ids == other.batch(step).ids).all()
    assert (one.batch(11).ids != Feed(rows, VOCABULARY, 8, 1).batch(11).ids).any()


def test_an_epoch_has_every_row_once() -> None:
    """In an order that the next epoch does not repeat."""
    rows = _rows()
    feed = Feed(rows, VOCABULARY, 1, 0)
    assert feed.real_rows == 1
    first = [feed.batch(step).ids[0].tobytes() for step in range(len(rows))]
    second = [feed.batch(step + len(rows)).ids[0].tobytes() for step in range(len(rows))]
    assert sorted(first) == sorted(second) == sorted(row.astype(np.int64).tobytes() for row in rows.ids)
    assert first != second


def test_copies_are_copies() -> None:
    """Every token that counts stands in the row before, after the same token."""
    random = np.random.default_rng(0)
    code = random.integers(7, VOCABULARY, 65).astype(np.uint16)
    for _ in range(30):
        for copied in (random_copies(random, VOCABULARY, 65), code_copies(random, code, 65)):
            assert copied.again.any()
            assert copied.ids.size <= 65
            pairs = set(zip(copied.ids[:-1].tolist(), copied.ids[1:].tolist(), strict=True))
            first = copied.ids[: int(copied.again.argmax())]
            earlier = set(zip(first[:-1].tolist(), first[1:].tolist(), strict=True))
            for at in np.flatnonzero(copied.again):
                pair = int(copied.ids[at - 1]), int(copied.ids[at])
                assert pair in pairs
                assert pair in earlier or int(copied.ids[at - 1]) == int(first[-1])


def test_batches_hold_their_share_of_copies() -> None:
    """About one row in ten, and only their second copies count."""
    feed = Feed(_rows(100), VOCABULARY, 20, 0)
    kinds = feed.batch(0).kinds
    copying = [row for row in kinds if (row == AGAIN).any() and set(row.tolist()) <= {AGAIN, IGNORED}]
    assert len(copying) >= 2
    code, chance = copying_rows(_rows(), VOCABULARY, 4)
    assert (code.kinds == AGAIN).any(axis=1).all()
    assert (chance.kinds == AGAIN).any(axis=1).all()
