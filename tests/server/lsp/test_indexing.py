"""The index beside the requests: read, followed, kept on disk."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from bowerbird.lsp import indexing


async def test_what_changed_is_kept_now_and_then(connect: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """The index is saved again and again while the server runs, not while it is paused; the status tells."""
    monkeypatch.setattr(indexing, "SAVE_S", 0.01)
    async with connect() as pair:
        await pair.wait_for(lambda: pair.repository.saves > 2)
        await pair.editor.until(lambda: pair.editor.statuses[-1]["diskBytes"] > 2)
        await pair.server.pause()
        saves = pair.repository.saves
        await asyncio.sleep(0.1)
        assert pair.repository.saves == saves
        pair.server.resume()
        await pair.wait_for(lambda: pair.repository.saves > saves)
