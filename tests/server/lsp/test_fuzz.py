"""Random conversations: with the server inside the test, where hypothesis finds the shortest one that hurts,
and with the real program. `bowerbird bench fuzz` holds thousands."""

from __future__ import annotations

import asyncio
import random
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bowerbird.cli.bench.fuzz import run
from bowerbird.cli.bench.fuzz.conversation import Conversation
from bowerbird.cli.bench.fuzz.reference import edited, offset
from bowerbird.cli.bench.fuzz.run import fuzz
from bowerbird.cli.bench.fuzz.wire import Wire
from bowerbird.lsp.serve import converse
from bowerbird.lsp.server import create_server
from lsp_pair import FakeAssembly, FakeEngine, FakeModel, FakeRepository
from lsp_pair import Wire as Line

TALKS = 24
ANSWER_S = 20.0


async def converse_once(chance: random.Random, folder: Path) -> None:
    """One conversation with a server whose engine answers at once."""
    model, repository, engine = FakeModel(), FakeRepository([folder]), FakeEngine()

    def assemble(settings: Any, folders: Any, previous: Any = None) -> Any:
        del previous
        return FakeAssembly(settings, tuple(folders), repository, model, engine)

    server = create_server(assemble)
    to_server, to_editor = asyncio.StreamReader(), asyncio.StreamReader()
    wire, before = Wire(Line(to_server)), asyncio.all_tasks()
    serving = asyncio.create_task(converse(server, to_server, Line(to_editor)))
    listening = asyncio.create_task(wire.listen(to_editor))
    try:
        capabilities = {
            "general": {"positionEncodings": ["utf-16"]},
            "textDocument": {"inlineCompletion": {}},
        }
        params = {"processId": None, "rootUri": folder.as_uri(), "capabilities": capabilities}
        await wire.result("initialize", params, ANSWER_S)
        wire.tell("initialized", {})
        talk = Conversation(wire, chance, folder.as_uri(), "utf-16", lambda: 0)
        await talk.hold()
        assert await wire.answered(ANSWER_S) == []
        await wire.result("bowerbird/status", None, ANSWER_S)  # all before it has been heard
        assert all(len(answers) == 1 for answers in wire.answers.values())
        assert {document.uri: "".join(document.lines) for document in server.documents} == talk.texts
        await wire.result("shutdown", None, ANSWER_S)
        wire.tell("exit", None)
        await asyncio.wait_for(serving, ANSWER_S)
    finally:
        to_server.feed_eof()
        await asyncio.wait([serving])
        to_editor.feed_eof()
        await listening
    for _ in range(100):
        if asyncio.all_tasks() == before:
            break
        await asyncio.sleep(0.01)
    assert asyncio.all_tasks() == before


@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(chance=st.randoms(use_true_random=False))
def test_a_server_bears_any_conversation(chance: random.Random, tmp_path: Path) -> None:
    """Each request has one answer, each document says what it must, no task is left."""
    asyncio.run(converse_once(chance, tmp_path.resolve()))


async def test_the_real_server_bears_them_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With the real model, which is killed now and then; nothing is left of any process."""
    (tmp_path / "a.py").write_text("def total(items):\n    return sum(items)\n")
    monkeypatch.setattr("bowerbird.cli.bench.fuzz.conversation.CRASHES", 0.01)
    found = await fuzz(tmp_path, TALKS, 3, TALKS, lambda _: None)
    assert found.faults == []
    assert found.requests > TALKS


async def test_what_is_wrong_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With a reference that forgets what is typed, documents differ: the silence above means something."""
    monkeypatch.setattr("bowerbird.cli.bench.fuzz.conversation.edited", lambda text, *_: text)
    found = await fuzz(tmp_path, 3, 0, 3, lambda _: None)
    assert any("must be" in fault.what for fault in found.faults)
    assert found.faults[0].encoding == run.ENCODINGS[0]


@pytest.mark.parametrize(
    ("place", "encoding", "where"),
    [
        ((0, 1), "utf-16", 0),  # within the bird's surrogate pair
        ((0, 2), "utf-16", 1),
        ((0, 4), "utf-8", 1),
        ((0, 99), "utf-16", 2),
        ((1, 0), "utf-32", 4),
        ((2, 0), "utf-32", 6),
        ((9, 9), "utf-32", 6),
    ],
)
def test_the_reference_counts_as_the_protocol_says(place: tuple[int, int], encoding: str, where: int) -> None:
    """Columns in units; behind a line's end it is that end, behind the text the text's."""
    assert offset("🐦x\r\nb\r", *place, encoding) == where


def test_the_reference_edits() -> None:
    """A range may be the wrong way round."""
    wrong = {"start": {"line": 0, "character": 2}, "end": {"line": 0, "character": 1}}
    assert edited("abc", {"range": wrong, "text": "\ud83d"}, "utf-16") == "a\ufffdc"
