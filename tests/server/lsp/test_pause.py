"""Paused: nothing runs until the user says so, and nothing is lost."""

import asyncio
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import psutil
import pytest
from lsprotocol import types

from bowerbird.lsp.convert import uri_of
from bowerbird.lsp.session import GHOST_TEXT, Editor, LspSession
from bowerbird.trace import Reason
from lsp_pair import Pair


async def run(editor: Editor, command: str) -> Any:
    return await editor.workspace_execute_command_async(types.ExecuteCommandParams(f"bowerbird.{command}"))


async def settle() -> None:
    """Longer than any timer of the index waits."""
    await asyncio.sleep(0.6)


@pytest.fixture
async def pair(connect: Any) -> Any:
    async with connect() as pair:
        yield pair


async def test_requests_are_answered_by_nothing(pair: Pair) -> None:
    """The reason is told at once and with each answer; after resuming everything is as before."""
    await run(pair.editor, "pause")
    assert (pair.editor.statuses[-1]["state"], pair.editor.statuses[-1]["reason"]) == ("paused", "paused")
    uri, place = pair.type_in("a.py", "x|")
    assert not await pair.editor.ghosts(uri, place, invoked=True)
    assert pair.engine.asked == []
    assert pair.server.records.traces[-1].reason is Reason.PAUSED
    await run(pair.editor, "resume")
    assert await pair.editor.ghosts(uri, place)
    await pair.editor.until(lambda: pair.editor.statuses[-1]["state"] == "ready")


async def test_what_runs_is_stopped(pair: Pair) -> None:
    """The model in the middle of an answer, its process, the scan and the watcher."""
    pair.engine.may_answer.clear()
    asking = asyncio.create_task(pair.editor.ghosts(*pair.type_in("a.py", "x|")))
    await pair.wait_for(lambda: pair.engine.running)
    pair.repository.may_finish.clear()
    await run(pair.editor, "reindex")
    await pair.wait_for(lambda: pair.repository.scans == 2 and pair.repository.watching == 1)
    await run(pair.editor, "pause")
    with pytest.raises(Exception, match="cancel"):
        await asking
    assert (pair.engine.running, pair.repository.watching, pair.assemblies[-1].model.closes) == (0, 0, 1)
    assert pair.editor.statuses[-1]["state"] == "paused"


async def test_typing_wakes_nothing_and_is_not_lost(pair: Pair) -> None:
    """Edited, opened and closed documents are in the index after resuming, not before."""
    uri, _ = pair.type_in("a.py", "one|")
    pair.type_in("gone.py", "x|")
    await pair.wait_for(lambda: len(pair.repository.opened) == 2)
    await run(pair.editor, "pause")
    pair.editor.edit(uri, types.TextDocumentContentChangeWholeDocument("two"))
    pair.type_in("new.py", "three|")
    closed = types.TextDocumentIdentifier(pair.uri("gone.py"))
    pair.editor.text_document_did_close(types.DidCloseTextDocumentParams(closed))
    await settle()
    assert pair.repository.opened == {pair.folder / "a.py": "one", pair.folder / "gone.py": "x"}
    await run(pair.editor, "resume")
    now = {pair.folder / "a.py": "two", pair.folder / "new.py": "three"}
    await pair.wait_for(lambda: pair.repository.opened == now)


async def test_changes_on_disk_wake_nothing_and_are_not_lost(pair: Pair) -> None:
    """What the editor reports meanwhile is not looked at; resuming reads everything anew."""
    await run(pair.editor, "pause")
    saved = types.DidSaveTextDocumentParams(types.TextDocumentIdentifier(pair.uri("a.py")))
    pair.editor.text_document_did_save(saved)
    await run(pair.editor, "reindex")
    await settle()
    assert (pair.repository.refreshed, pair.repository.scans, pair.repository.watching) == ([], 1, 0)
    await run(pair.editor, "resume")
    await pair.wait_for(lambda: pair.repository.scans == 2 and pair.repository.watching == 1)


async def test_settings_and_folders_do_not_resume(pair: Pair) -> None:
    """They hold from the resuming on; the new index is filled then, with what is open."""
    uri, place = pair.type_in("a.py", "x|")
    await run(pair.editor, "pause")
    index = {"completion": {"enabled": True, "model": "other"}, "index": {"exclude": ["y"]}}
    pair.editor.workspace_did_change_configuration(types.DidChangeConfigurationParams(index))
    await pair.wait_for(lambda: pair.assemblies[-1].settings.index.exclude == ("y",))
    other = types.WorkspaceFoldersChangeEvent([types.WorkspaceFolder(uri_of(Path("/other")), "other")], [])
    pair.editor.workspace_did_change_workspace_folders(types.DidChangeWorkspaceFoldersParams(other))
    await pair.wait_for(lambda: len(pair.server.folders) == 2)
    await settle()
    assert not await pair.editor.ghosts(uri, place)
    assert pair.editor.statuses[-1]["reason"] == Reason.PAUSED
    assert (pair.repository.scans, pair.repository.watching, pair.repository.opened) == (0, 0, {})
    await run(pair.editor, "resume")
    await pair.wait_for(lambda: pair.repository.scans == 1 and pair.repository.opened)
    assert pair.repository.folders == (pair.folder, Path("/other"))


async def test_toggling_quickly(pair: Pair) -> None:
    """However fast it is switched, the last word holds."""
    await asyncio.gather(*(run(pair.editor, "togglePause") for _ in range(4)))
    await settle()
    assert await pair.editor.ghosts(*pair.type_in("a.py", "x|"))
    await pair.wait_for(lambda: pair.repository.watching == 1)
    await asyncio.gather(*(run(pair.editor, "togglePause") for _ in range(3)))
    await settle()
    assert (pair.repository.watching, pair.editor.statuses[-1]["state"]) == (0, "paused")


async def test_resumed_before_everything_has_stopped(pair: Pair, monkeypatch: pytest.MonkeyPatch) -> None:
    """What was resumed is not stopped afterwards."""
    may_stop = asyncio.Event()
    monkeypatch.setattr(pair.server.live, "stop", may_stop.wait)
    pausing = asyncio.create_task(pair.server.pause())
    await asyncio.sleep(0)
    pair.server.resume()
    may_stop.set()
    await pausing
    assert pair.assemblies[-1].model.closes == 0
    await pair.wait_for(lambda: pair.repository.watching == 1 and pair.repository.scans == 2)


async def test_what_is_being_read_is_read_to_its_end(pair: Pair, monkeypatch: pytest.MonkeyPatch) -> None:
    """A thread cannot be stopped, so pausing waits for it: afterwards really nothing runs."""
    reading, may_end = threading.Event(), threading.Event()
    monkeypatch.setattr(pair.repository, "open_document", lambda *_: reading.set() or may_end.wait())
    pair.type_in("a.py", "x|")
    await pair.wait_for(reading.is_set)
    pausing = asyncio.create_task(run(pair.editor, "pause"))
    await pair.wait_for(lambda: pair.server.paused)
    assert not (await asyncio.wait([pausing], timeout=0.05))[0]
    may_end.set()
    await pausing


async def test_an_untrusted_folder_stays_untrusted(connect: Any) -> None:
    """Resuming brings back the reason from before."""
    async with connect(options={"trusted": False}) as pair:
        await run(pair.editor, "pause")
        await run(pair.editor, "resume")
        assert pair.editor.statuses[-1]["reason"] == Reason.UNTRUSTED


async def test_a_real_server_rests(workspace: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """No model's process and no work of the processor; what changed meanwhile is found after resuming."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    files: Mapping[str, str] = {
        "shop/money.py": "def count(coins):\n    return sum(coins)\n",
        "shop/a.py": "",
    }
    folder = workspace(files)
    a = folder / "shop" / "a.py"
    options = {"completion": {"timeBudgetMs": 60_000, "speculate": False}}
    async with LspSession(folder, options, editor=Editor(GHOST_TEXT)) as session:
        await session.indexed()
        await session.open(a, "def count(")
        place = types.Position(0, 10)
        await session.editor.ghosts(uri_of(a), place, invoked=True)
        server = psutil.Process(session.process.pid)
        assert server.children(recursive=True)

        await run(session.editor, "pause")
        assert server.children(recursive=True) == []
        spent = server.cpu_times()
        (folder / "shop" / "birds.py").write_text("def count_birds(birds):\n    return len(birds)\n")
        await session.change(a, "def count_birds(")
        assert not await session.editor.ghosts(uri_of(a), place)
        assert (await session.explain())["reason"] == "paused"
        await asyncio.sleep(1)
        now = server.cpu_times()
        assert now.user + now.system - spent.user - spent.system < 0.5
        assert server.children(recursive=True) == []

        await run(session.editor, "resume")
        await session.editor.until(lambda: session.editor.statuses[-1]["state"] == "ready")
        await session.editor.ghosts(uri_of(a), types.Position(0, 16), invoked=True)
        trace = await session.explain()
        assert "shop/birds.py" in {hit["name"] for one in trace["iterations"] for hit in one["hits"]}
