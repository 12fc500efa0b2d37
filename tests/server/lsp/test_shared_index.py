"""Two real servers on one folder: one of them writes the index on disk, both use it."""

from __future__ import annotations

from pathlib import Path

import pytest

from bowerbird.knowledge.store.place import store_folder
from bowerbird.lsp.session import LspSession

OPTIONS = {"completion": {"enabled": False}, "index": {"watch": False}}

pytestmark = pytest.mark.timeout(180)


def writes(folder: Path, name: str, word: str) -> None:
    """A new file of 40 lines."""
    (folder / name).write_text(f"{word} = 1\n" * 40)


async def read_again(session: LspSession, files: int) -> None:
    """Let a server look at all files, and keep what is new."""
    told = len(session.editor.statuses)
    await session.execute("bowerbird.reindex")
    await session.editor.until(
        lambda: any(status["state"] == "indexing" for status in session.editor.statuses[told:])
    )
    assert (await session.indexed())["files"] == files


async def test_one_server_writes_and_another_takes_over_when_it_dies(tmp_path: Path) -> None:
    """The second only reads as long as the first lives, however that ends, and misses nothing then."""
    folder = tmp_path / "pond"
    folder.mkdir()
    store = store_folder(str(folder))

    def kept() -> bytes:
        """Everything that says what counts."""
        return b"".join(path.read_bytes() for path in sorted(store.iterdir()) if path.name != "lock")

    writes(folder, "heron.py", "heron_of_first")
    async with LspSession(folder, OPTIONS) as first:
        assert (await first.indexed())["diskBytes"] > 0
        assert b"heron_of_first" in kept()
        async with LspSession(folder, OPTIONS) as second:
            before = kept()
            status = await second.indexed()
            assert (status["files"], status["lines"]) == (1, 40)
            assert status["diskBytes"] > 0
            writes(folder, "stork.py", "stork_of_second")
            await read_again(second, files=2)
            assert kept() == before
            await read_again(first, files=2)
            assert b"stork_of_second" in kept()

            first.process.kill()
            await first.process.wait()
            writes(folder, "crane.py", "crane_after_all")
            await read_again(second, files=3)
            assert b"crane_after_all" in kept()
            assert b"heron_of_first" in kept()
