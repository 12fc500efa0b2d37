"""What a session keeps: traces that the shell can read, figures without code, and nothing that hurts it."""

from __future__ import annotations

import asyncio
import json
from collections import namedtuple
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types

from bowerbird import journal
from bowerbird.cli.history import events, last_traces
from bowerbird.lsp.anchor import Insertion, anchored, cursor_at
from bowerbird.lsp.convert import Encoding
from bowerbird.lsp.documents import Document, Documents
from bowerbird.lsp.records import NOTHING_EVERY_S, NOTHING_YET, Records
from bowerbird.meter import Nothing, Shown, Survived
from bowerbird.trace import IterationTrace, Reason, Trace

URI = "file:///shop/a.py"
UTF16 = Encoding.UTF16
SECRET = "hunter2"
ITERATION = IterationTrace(
    f"password = '{SECRET}'", (), "a prompt", 9, 4, 5, 2, "x", "end", 1.0, 2.0, 3.0, 4.0
)
TRACE = Trace(
    "a.py", 1, 1, "rag", "nestling", Reason.OK, (ITERATION,), language="python", text="x", total_ms=9.0
)
EMPTY = replace(TRACE, reason=Reason.EMPTY, iterations=(), text="")


def mask(text: str) -> str:
    return text.replace(SECRET, "*" * len(SECRET))


@dataclass
class Session:
    """A document in an editor, and what is kept of it."""

    folder: Path
    now: float = 1_700_000_000.0
    documents: Documents = field(default_factory=Documents)
    records: Records = field(init=False)

    def __post_init__(self) -> None:
        self.records = Records(self.documents, mask, self.folder, lambda: self.now)
        self.records.configure(keep_traces=True, keep_figures=True)

    def show(self, before: str, behind: str, completion: str) -> Insertion:
        """The editor is given `completion` between the two."""
        item = types.TextDocumentItem(URI, "python", 1, before + behind)
        document = self.documents.open(item)
        line = before.count("\n")
        place = types.Position(line, len(before.split("\n")[-1].encode("utf-16-le")) // 2)
        cursor = cursor_at(document, place, None, UTF16)
        assert cursor is not None
        insertion = anchored(cursor, document, completion, UTF16)
        assert insertion is not None
        self.records.show(replace(TRACE, text=completion), document, insertion, UTF16)
        return insertion

    def change(self, *changes: types.TextDocumentContentChangeEvent) -> Document:
        before = self.documents.get(URI)
        assert before is not None
        after = self.documents.change(URI, 2, changes, UTF16)
        assert after is not None
        self.records.change(before, changes, UTF16)
        return after

    async def kept(self) -> list[Any]:
        await self.records.close()
        return list(events(self.folder))


@pytest.fixture
def session(tmp_path: Path) -> Session:
    return Session(tmp_path / "state")


def insert(insertion: Insertion) -> types.TextDocumentContentChangePartial:
    """As an editor that replaces the range."""
    return types.TextDocumentContentChangePartial(
        insertion.range, insertion.text.replace("\n", insertion.line_end)
    )


async def test_traces_are_there_for_the_shell(session: Session) -> None:
    """While the editor runs; with the time of the request, and without the secrets of the code."""
    for number in range(3):
        session.now += 1
        session.records.nothing(replace(TRACE, name=f"{number}.py", total_ms=500.0))
    await session.records.close()

    kept = last_traces(session.folder, 2)
    assert [(trace.name, trace.asked_at) for trace in kept] == [
        ("2.py", 1_700_000_002.5),
        ("1.py", 1_700_000_001.5),
    ]
    files = [path.read_text() for path in session.folder.rglob("*.jsonl")]
    assert not any(SECRET in text for text in files)


async def test_what_the_settings_forbid_is_not_kept(session: Session) -> None:
    """Neither at first nor later on; what this session has kept is removed."""
    session.records.nothing(TRACE)
    session.records.configure(keep_traces=False, keep_figures=False)
    session.records.nothing(TRACE)
    session.show("x = ", "", "12345")
    await session.records.close()

    assert [path for path in session.folder.rglob("*") if path.is_file()] == []
    assert len(session.records.traces) == 3


async def test_a_suggestion_that_is_taken(session: Session) -> None:
    """By an editor that replaces the word before it; looked at when it is saved; no code in the figures."""
    insertion = session.show("é = 1\r\nprint(pri", ")\r\n", "ces[\n0])")
    document = session.change(insert(insertion))
    assert document.text == "é = 1\nprint(prices[\n0]))\n"
    session.records.accept()
    session.records.save(URI)

    shown, survived = await session.kept()

    assert shown == Shown(
        at=1_699_999_999.991,
        language="python",
        source="in-file",
        carried="written",
        latency_ms=9.0,
        characters=8,
        lines=2,
        tokens_reused=4,
        tokens_evaluated=5,
        tokens_generated=2,
        accepted="whole",
        accepted_characters=8,
        accepts=1,
    )
    assert survived == Survived(1_700_000_000.0, "python", "in-file", "written", "save", 7, 7)
    text = (session.folder / journal.FIGURES / "2023-11.jsonl").read_text()
    assert not any(word in text for word in ("a.py", "prices", "ces", "prompt"))


async def test_changes_come_several_at_once(session: Session) -> None:
    """Each upon the one before; among them one that moves the place, and one that replaces everything."""
    insertion = session.show("x = ", "\n", "12345")
    top = types.Range(types.Position(0, 0), types.Position(0, 0))
    below = types.Range(types.Position(1, 4), types.Position(1, 4))
    assert insertion.text.endswith("12345")
    document = session.change(
        types.TextDocumentContentChangePartial(top, "# top\n"),
        types.TextDocumentContentChangePartial(below, "12345"),
        types.TextDocumentContentChangeWholeDocument("# top\n\nx  =  12345  # five\n"),
    )
    session.records.save(URI)
    assert document.lines[2] == "x  =  12345  # five\n"

    shown, survived = await session.kept()
    assert shown.accepted == "whole"
    assert (survived.kept, survived.characters) == (5, 5)


async def test_what_was_taken_is_looked_at_in_time(session: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    """The event loop is asked to wake us after 30 s, and again after 2 minutes."""
    loop, waits = asyncio.get_running_loop(), []
    call_later = loop.call_later

    def at_once(delay: float, *work: Any) -> asyncio.TimerHandle:
        waits.append(round(delay))
        session.now += delay
        return call_later(0, *work)

    monkeypatch.setattr(loop, "call_later", at_once)
    session.change(insert(session.show("x = ", "\n", "12345")))
    for _ in range(20):
        await asyncio.sleep(0)
    monkeypatch.undo()

    assert waits == [30, 90, 480]
    assert [event.after for event in await session.kept() if isinstance(event, Survived)] == ["30s", "2m"]


async def test_a_closed_document_is_forgotten(session: Session) -> None:
    """And its suggestion was not taken."""
    session.show("x = ", "\n", "12345")
    document = session.documents.close(URI)
    assert document is not None
    session.records.close_document(document)
    session.records.save(URI)

    (shown,) = await session.kept()
    assert shown.accepted == ""


async def test_answers_without_a_suggestion_are_counted_together(session: Session) -> None:
    """They come by the key: one line a minute for each reason, and one at the end."""
    for _ in range(3):
        session.records.nothing(EMPTY)
    session.now += NOTHING_EVERY_S
    session.records.nothing(replace(EMPTY, reason=Reason.TIME))
    session.now += 1
    session.records.nothing(EMPTY)

    assert await session.kept() == [
        Nothing(1_700_000_060.0, "python", "empty", 3),
        Nothing(1_700_000_060.0, "python", "time", 1),
        Nothing(1_700_000_061.0, "python", "empty", 1),
    ]


async def test_a_state_folder_that_cannot_be_written_hurts_nobody(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """Completions are explained from memory; the log says once why nothing is kept."""
    (tmp_path / "state").write_text("")
    session = Session(tmp_path / "state")
    for _ in range(3):
        session.change(insert(session.show("x = ", "\n", "12345")))
    await session.records.close()

    assert len(session.records.traces) == 3
    assert [record.levelname for record in caplog.records] == ["WARNING"]


async def test_explaining_from_memory(session: Session) -> None:
    """The last one, several, or a page whose secrets are masked; odd parameters are no reason to fail."""
    assert session.records.explain(None) == {"trace": None, "sentence": NOTHING_YET}
    for number in range(60):
        session.records.nothing(replace(TRACE, name=f"{number}.py", message=f"number {number}"))

    told = session.records.explain(None)
    assert (told["trace"]["name"], told["sentence"], "traces" in told) == ("59.py", "number 59", False)
    told = session.records.explain(namedtuple("Object", "last html")(2, True))
    assert [trace["name"] for trace in told["traces"]] == ["59.py", "58.py"]
    assert "number 58" in told["html"]
    assert SECRET not in told["html"]
    assert len(session.records.explain({"last": 99})["traces"]) == 50
    for odd in ("two", -1, 0, 1.5, True, [], {}):
        assert len(session.records.explain({"last": odd})["traces"]) == 1
    assert json.dumps(told)
    await session.records.close()
    await session.records.close()
