"""Diagnostics: told when nobody types, taken back when all is well."""

from __future__ import annotations

from typing import Any

import pytest
from lsprotocol import types

from bowerbird.lsp import diagnostics
from lsp_pair import Pair, TestEditor, capabilities


class Listening(TestEditor):
    """Keeps what is published."""

    __test__ = False

    def __init__(self) -> None:
        super().__init__(capabilities())
        self.published: list[types.PublishDiagnosticsParams] = []
        self.feature(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)(lambda told: self.published.append(told))


@pytest.fixture(autouse=True)
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody waits in a test."""
    monkeypatch.setattr(diagnostics, "TYPING_S", 0.01)


def replace_all(pair: Pair, uri: str, text: str) -> None:
    pair.editor.edit(uri, types.TextDocumentContentChangeWholeDocument(text))


async def checked(pair: Pair) -> None:
    """Until every document that was shown has been looked at."""
    await pair.wait_for(lambda: not pair.server.checking.busy)


async def test_a_fault_is_told_and_taken_back(connect: Any) -> None:
    """In the editor's columns, with the version that it was found in."""
    async with connect(Listening()) as pair:
        uri, _ = pair.type_in("q.pq", 'let\r\n  a = "𝄞" == 2\r\nin a', "powerquery")
        await pair.wait_for(lambda: pair.editor.published)
        (told,) = pair.editor.published
        (fault,) = told.diagnostics
        assert (told.uri, told.version, fault.source) == (uri, 1, "Bowerbird")
        assert fault.range == types.Range(types.Position(1, 12), types.Position(1, 13))
        assert fault.message == "M compares with a single `=`."
        replace_all(pair, uri, "let a = 1 in a")
        await pair.wait_for(lambda: len(pair.editor.published) == 2)
        assert pair.editor.published[1].diagnostics == ()


async def test_closing_takes_them_back(connect: Any) -> None:
    """What is not shown is not underlined."""
    async with connect(Listening()) as pair:
        uri, _ = pair.type_in("a.ring", "see x ok", "ring")
        await pair.wait_for(lambda: pair.editor.published)
        pair.editor.text_document_did_close(
            types.DidCloseTextDocumentParams(types.TextDocumentIdentifier(uri))
        )
        await pair.wait_for(lambda: len(pair.editor.published) == 2)
        assert pair.editor.published[1].diagnostics == ()


@pytest.mark.parametrize(
    ("language", "text", "options"),
    [
        ("powerquery", "let a = 1 in Table.AddColum(a)", {}),
        ("python", "def (((", {}),
        ("pony", "actor (((", {}),
        ("powerquery", "let let", {"diagnostics": False}),
        ("powerquery", "let let", {"beside": ["powerquery"]}),
    ],
)
async def test_silence(connect: Any, language: str, text: str, options: Any) -> None:
    """What parses, other languages, and what is switched off: then not even an empty list is sent."""
    async with connect(Listening(), {"lookup": options}) as pair:
        pair.type_in("x", text, language)
        await pair.wait_for(lambda: pair.server.documents.get(pair.uri("x")))
        await checked(pair)
        pair.type_in("y.pq", "let let", "powerquery")
        if not options:
            await pair.wait_for(lambda: pair.editor.published)
        assert {told.uri for told in pair.editor.published} <= {pair.uri("y.pq")}


async def test_unknown_names_if_wanted(connect: Any) -> None:
    """With what may have been meant; off by default."""
    async with connect(Listening(), {"lookup": {"unknownNames": True}}) as pair:
        pair.type_in("q.pq", "Table.AddColum(a)", "powerquery")
        await pair.wait_for(lambda: pair.editor.published)
        (found,) = pair.editor.published[0].diagnostics
        assert "Did you mean `Table.AddColumn`?" in found.message
        assert found.severity is types.DiagnosticSeverity.Warning


async def test_typing_puts_it_off(connect: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Only what is left standing for a moment is looked at."""
    monkeypatch.setattr(diagnostics, "TYPING_S", 0.2)
    async with connect(Listening()) as pair:
        uri, _ = pair.type_in("q.pq", "let let", "powerquery")
        replace_all(pair, uri, "let a = ")
        replace_all(pair, uri, "let a = 1 in a")
        await pair.wait_for(lambda: (shown := pair.server.documents.get(uri)) and shown.version == 3)
        await checked(pair)
        assert pair.editor.published == []
