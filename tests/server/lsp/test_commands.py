"""Bowerbird's own requests and commands."""

import asyncio
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types
from pygls.exceptions import JsonRpcException

from bowerbird.assembly import assemble
from bowerbird.lsp import commands
from bowerbird.settings import Settings
from lsp_pair import Pair


async def run(pair: Pair, command: str, *arguments: Any) -> Any:
    params = types.ExecuteCommandParams(command, list(arguments) or None)
    return await pair.editor.workspace_execute_command_async(params)


async def test_explain_before_the_first_completion(connect: Any) -> None:
    """There is no trace, and a sentence says so."""
    async with connect() as pair:
        answer = await pair.editor.protocol.send_request_async("bowerbird/explain", None)
        assert answer == {"trace": None, "sentence": "Nothing has been completed yet."}


async def test_explain_is_the_last_trace(connect: Any) -> None:
    """As a request with or without parameters, and as a command for editors that know only these."""
    async with connect() as pair:
        pair.engine.message = "It went well."
        await pair.ghost("shop/a.py", "x\ny|")
        for params in (None, {}, {"some": "thing"}):
            answer = await pair.editor.protocol.send_request_async("bowerbird/explain", params)
            trace = answer["trace"]
            assert (trace["name"], trace["line"], trace["column"]) == ("shop/a.py", 2, 2)
            assert (trace["reason"], trace["text"]) == ("ok", "x = 1")
            assert answer["sentence"] == "It went well."
        assert await run(pair, "bowerbird.explain", 1, {"two": 3}) == answer


async def test_restarting_the_model(connect: Any) -> None:
    """The engine forgets its crashes; nothing is read again."""
    async with connect() as pair:
        assert "next completion" in await run(pair, "bowerbird.restartModel")
        assert (pair.assemblies[-1].model.restarts, pair.repository.scans) == (1, 1)


async def test_nothing_is_left_of_commands_and_notifications(connect: Any) -> None:
    """However many there were, pygls holds no future of one that is done (2.1.1 held them all)."""
    async with connect() as pair:
        for _ in range(5):
            await run(pair, "bowerbird.explain")
            await run(pair, "bowerbird.pause")
            await run(pair, "bowerbird.resume")
            settings = types.DidChangeConfigurationParams(settings={})
            pair.editor.workspace_did_change_configuration(settings)
        await run(pair, "bowerbird.explain")
        async with asyncio.timeout(5):
            while pair.server.protocol._request_futures:  # noqa: ASYNC110 - nobody tells
                await asyncio.sleep(0.01)


async def test_reading_the_workspace_again(connect: Any) -> None:
    """The scan runs once more, and the status says so."""
    async with connect() as pair:
        await run(pair, "bowerbird.reindex")
        assert (await pair.editor.indexed())["state"] == "ready"
        assert pair.repository.scans == 2


def renew_engines(pair: Pair) -> None:
    """As the real `assemble` does: what completes is made anew each time (the next test looks)."""
    assemble = pair.server._assemble

    def with_new_engine(*arguments: Any) -> Any:
        made: Any = assemble(*arguments)
        made.completion = replace(pair.engine)
        return made

    pair.server._assemble = with_new_engine


def test_what_is_joined_anew_completes_anew() -> None:
    """Parts are taken over from what was there before; the engine that remembers prompts is not."""
    old = assemble(Settings(), [])
    new = assemble(Settings(), [], old)
    assert new.model is old.model
    assert new.completion is not old.completion


async def test_clearing_the_caches(connect: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is remembered is asked of the model again, the workspace is read again, built packs are gone."""
    built = tmp_path / "packs" / "ring.built"
    built.parent.mkdir()
    built.write_bytes(b"old")
    monkeypatch.setattr(commands, "cache_folder", lambda: built.parent)
    async with connect() as pair:
        renew_engines(pair)
        uri, place = pair.type_in("shop/a.py", "x\ny|")
        first = await pair.editor.ghosts(uri, place)
        assert first == await pair.editor.ghosts(uri, place)
        asked = len(pair.engine.asked)
        assert "empty" in await run(pair, "bowerbird.clearCaches")
        assert first == await pair.editor.ghosts(uri, place)
        assert len(pair.engine.asked) > asked
        assert pair.assemblies[-1].model.restarts == 1
        await pair.wait_for(lambda: pair.repository.scans == 2)
    assert not built.exists()


async def test_an_unknown_command_is_an_error_of_its_own(connect: Any) -> None:
    """The request fails; nothing pops up."""
    async with connect() as pair:
        with pytest.raises(JsonRpcException) as error:
            await run(pair, "bowerbird.dance")
        assert error.value.code == types.ErrorCodes.InvalidParams
        assert pair.editor.messages == []
