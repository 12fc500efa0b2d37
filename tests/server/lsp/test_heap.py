"""Giving memory back."""

from __future__ import annotations

import psutil
import pytest

from bowerbird.lsp import heap

BLOCKS, BLOCK_BYTES = 64_000, 1_000
SPARED = 64  # one block of so many stays, so that no heap can be cut at its end


@pytest.mark.skipif(heap._trim() is None, reason="only the GNU C library can")
def test_what_is_free_is_given_back() -> None:
    """Also where it lies between what is in use."""
    blocks = [bytes(BLOCK_BYTES) for _ in range(BLOCKS)]
    kept = blocks[::SPARED]
    del blocks
    before = psutil.Process().memory_info().rss
    heap.give_back()
    assert psutil.Process().memory_info().rss < before - BLOCKS * BLOCK_BYTES / 3
    assert len(kept) == BLOCKS // SPARED


def test_other_systems_are_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the C library knows no such thing, nothing happens."""

    def cdll(_: object) -> object:
        raise TypeError

    monkeypatch.setattr(heap.ctypes, "CDLL", cdll)
    heap._trim.cache_clear()
    try:
        heap.give_back()
        assert heap._trim() is None
    finally:
        monkeypatch.undo()
        heap._trim.cache_clear()
