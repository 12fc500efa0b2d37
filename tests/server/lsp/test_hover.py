"""Hover through the real server, in documents as editors send them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types

from bowerbird.knowledge.library import Library
from bowerbird.knowledge.packs.problem import Problem
from bowerbird.knowledge.packs.store import Loaded
from bowerbird.lookup.engine import LookupEngine
from lsp_pair import Pair, TestEditor

MARKDOWN = [types.MarkupKind.Markdown, types.MarkupKind.PlainText]
PLAIN = [types.MarkupKind.PlainText, types.MarkupKind.Markdown]
M = 'let\r\n  "𝄞é" = 1, Source = Table.Add|Column(orders, "T", each [Price] * 2),\r\nin\r\n'


def editor(formats: list[types.MarkupKind] | None = MARKDOWN, encoding: str = "utf-16") -> TestEditor:
    return TestEditor(
        types.ClientCapabilities(
            general=types.GeneralClientCapabilities(position_encodings=[encoding]),
            text_document=types.TextDocumentClientCapabilities(
                hover=types.HoverClientCapabilities(content_format=formats)
            ),
        )
    )


async def hover(pair: Pair, name: str, text: str, language: str) -> types.Hover | None:
    uri, place = pair.type_in(name, text, language)
    params = types.HoverParams(types.TextDocumentIdentifier(uri), place)
    return await pair.editor.text_document_hover_async(params)


@pytest.mark.parametrize(
    ("name", "language", "text", "told"),
    [
        ("q.pq", "powerquery", M, "Table.AddColumn(\n  table as table,"),
        ("q.pq", "powerquery", "Table.Join(a, b, JoinKind.In|ner", "JoinKind.Inner = 0"),
        ("q.pq", "powerquery", "Table.SelectRows(t, ea|ch [A])", "each expression"),
        ("q.pq", "powerquery", "1 |<> 2", "x <> y"),
        ("q.pq", "powerquery", "1 // Text.Up|per", "Text.Upper("),
        ("untitled:Untitled-1", "powerquery", "= Text.Up|per(", "Text.Upper("),
        ("a.pony", "pony", "actor A\n  fun f() =>\n    Array[U8].pu|sh(1)", "fun ref push(value: A)"),
        ("a.ring", "ring", "see SUBS|TR('a', 1)", "substr(string, substring)"),
    ],
)
async def test_a_library_name(connect: Any, name: str, language: str, text: str, told: str) -> None:
    """Functions, members, keywords, operators, comments, methods; unsaved, broken and with CRLF."""
    async with connect(editor()) as pair:
        answer = await hover(pair, name, text, language)
        assert answer is not None
        assert answer.contents.kind is types.MarkupKind.Markdown
        assert answer.contents.value.startswith(f"```{language}\n{told}")


@pytest.mark.parametrize(
    ("language", "text"),
    [("powerquery", '"Text.Up|per"'), ("powerquery", "Foo.B|ar"), ("ring", "x|yz"), ("python", "prin|t")],
)
async def test_anything_else_is_null(connect: Any, language: str, text: str) -> None:
    """Never an error, never an empty card."""
    async with connect(editor()) as pair:
        assert await hover(pair, "x", text, language) is None


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "utf-32"])
async def test_columns_are_the_editors(connect: Any, encoding: str) -> None:
    """Behind letters beyond the first plane too."""
    sizes = {"utf-8": 6, "utf-16": 3, "utf-32": 2}
    async with connect(editor(encoding=encoding)) as pair:
        uri, _ = pair.type_in("q.pq", '"𝄞é" & Text.Upper("a")', "powerquery")
        column = 2 + sizes[encoding] + 3
        place = types.Position(0, column + 2)
        params = types.HoverParams(types.TextDocumentIdentifier(uri), place)
        answer = await pair.editor.text_document_hover_async(params)
        assert answer.range == types.Range(types.Position(0, column), types.Position(0, column + 10))


@pytest.mark.parametrize("formats", [PLAIN, None, []])
async def test_plain_text_where_the_editor_wants_it(connect: Any, formats: Any) -> None:
    """The format that it names first counts; who names none gets text."""
    async with connect(editor(formats)) as pair:
        answer = await hover(pair, "q.pq", M, "powerquery")
        assert answer.contents.kind is types.MarkupKind.PlainText
        assert "`" not in answer.contents.value


async def test_settings(connect: Any) -> None:
    """It can be switched off; beside another server it leaves the signature to that one."""
    async with connect(editor(), {"lookup": {"hover": False}}) as pair:
        assert await hover(pair, "q.pq", M, "powerquery") is None
    async with connect(editor(), {"lookup": {"beside": ["powerquery"]}}) as pair:
        answer = await hover(pair, "q.pq", M, "powerquery")
        assert answer.contents.value.startswith("Puts a new column")


async def test_paused_and_closed(connect: Any) -> None:
    """A paused server says nothing, and neither does one of a document that is not open."""
    async with connect(editor()) as pair:
        params = types.HoverParams(types.TextDocumentIdentifier(pair.uri("none.pq")), types.Position(9, 9))
        assert await pair.editor.text_document_hover_async(params) is None
        await pair.server.pause()
        assert await hover(pair, "q.pq", M, "powerquery") is None


async def test_it_works_without_a_model_and_in_untrusted_folders(connect: Any) -> None:
    """Nothing is run: the documentation is read."""
    async with connect(editor(), {"trusted": False, "completion": {"enabled": False}}) as pair:
        assert await hover(pair, "q.pq", M, "powerquery") is not None
        assert not pair.engine.asked


async def test_a_broken_pack_is_told_once(connect: Any, tmp_path: Path) -> None:
    """And a look-up that fails is no error for the editor."""
    failures = {str(tmp_path / "own"): (Problem("pack.toml", 0, "It has no name."),)}
    async with connect(editor()) as pair:
        pair.server.assembly.lookup = LookupEngine(Library(lambda: Loaded((), failures)), list)
        assert await hover(pair, "q.pq", M, "powerquery") is None
        assert await hover(pair, "r.pq", M, "powerquery") is None
        await pair.wait_for(lambda: pair.editor.messages)
        (message,) = pair.editor.messages
        assert "It has no name." in message
        assert "own" in message


async def test_a_fault_of_ours_is_no_error(connect: Any) -> None:
    """The editor gets null, and the log the rest."""

    def fails() -> Loaded:
        raise RuntimeError("a fault")

    async with connect(editor()) as pair:
        pair.server.assembly.lookup = LookupEngine(Library(fails), list)
        assert await hover(pair, "q.pq", M, "powerquery") is None
