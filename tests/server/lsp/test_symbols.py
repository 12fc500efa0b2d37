"""Document symbols, folding and definitions through the real server."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types

from bowerbird.knowledge.snippet import Source
from bowerbird.lookup.engine import LookupEngine
from lsp_pair import LIBRARY, Pair, TestEditor, capabilities

RING = "func 𝔸 x return x\r\n\r\nclass P\r\n  func size\r\n    return 1\r\n"


def identifier(uri: str) -> types.TextDocumentIdentifier:
    return types.TextDocumentIdentifier(uri)


async def test_symbols_as_a_tree(connect: Any) -> None:
    """Where the editor shows trees."""
    able = capabilities()
    able.text_document.document_symbol = types.DocumentSymbolClientCapabilities(
        hierarchical_document_symbol_support=True
    )
    async with connect(TestEditor(able)) as pair:
        uri, _ = pair.type_in("a.ring", RING, "ring")
        symbols = await pair.editor.text_document_document_symbol_async(
            types.DocumentSymbolParams(identifier(uri))
        )
        first, second = symbols
        assert (second.name, second.kind, [one.name for one in second.children]) == (
            "P",
            types.SymbolKind.Class,
            ["size"],
        )
        assert first.selection_range == types.Range(types.Position(0, 5), types.Position(0, 7))


async def test_symbols_as_a_list(connect: Any) -> None:
    """Elsewhere each names what holds it."""
    async with connect() as pair:
        uri, _ = pair.type_in("a.ring", RING, "ring")
        symbols = await pair.editor.text_document_document_symbol_async(
            types.DocumentSymbolParams(identifier(uri))
        )
        assert [(one.name, one.container_name) for one in symbols] == [
            ("𝔸", None),
            ("P", None),
            ("size", "P"),
        ]


async def test_folding(connect: Any) -> None:
    """By whole lines."""
    async with connect() as pair:
        uri, _ = pair.type_in("q.pq", "// a\n// b\nlet\n  a = [\n    b = 1\n  ]\nin a", "powerquery")
        folds = await pair.editor.text_document_folding_range_async(types.FoldingRangeParams(identifier(uri)))
        assert [(one.start_line, one.end_line, one.kind) for one in folds] == [
            (0, 1, types.FoldingRangeKind.Comment),
            (2, 6, None),
            (3, 4, None),
        ]


async def definitions(pair: Pair, name: str, text: str, language: str) -> Any:
    uri, place = pair.type_in(name, text, language)
    params = types.DefinitionParams(identifier(uri), place)
    return await pair.editor.text_document_definition_async(params)


async def test_a_definition_in_the_document(connect: Any) -> None:
    """A step of a `let`, in the editor's columns."""
    async with connect() as pair:
        (place,) = await definitions(pair, "q.pq", 'let\r\n  a = "𝄞", step = 2\r\nin st|ep', "powerquery")
        assert place.uri == pair.uri("q.pq")
        assert place.range.start == types.Position(1, 12)


async def test_a_definition_in_another_file(connect: Any, tmp_path: Path) -> None:
    """Open or on disk; a file that is gone leads nowhere."""
    text = "# é\r\nfunc total goods\r\n  return 1\r\n"
    path, gone = tmp_path / "shop.ring", tmp_path / "gone.ring"
    path.write_bytes(text.encode())
    normal = text.replace("\r\n", "\n")
    sources = [Source(one, one.name, normal, "ring") for one in (path, gone)]
    async with connect() as pair:
        pair.server.assembly.lookup = LookupEngine(LIBRARY, lambda: sources)
        (place,) = await definitions(pair, "a.ring", "see TO|TAL([])", "ring")
        assert (place.uri, place.range.start) == (pair.uri("shop.ring"), types.Position(1, 5))


@pytest.mark.parametrize("options", [{"symbols": False, "definition": False}, {"beside": ["ring"]}])
async def test_they_can_be_switched_off(connect: Any, options: Any) -> None:
    """Each by itself, or all for a language that another server serves."""
    async with connect(options={"lookup": options}) as pair:
        uri, _ = pair.type_in("a.ring", RING, "ring")
        params = types.DocumentSymbolParams(identifier(uri))
        assert await pair.editor.text_document_document_symbol_async(params) is None
        folding = types.FoldingRangeParams(identifier(uri))
        assert await pair.editor.text_document_folding_range_async(folding) is None
        assert await definitions(pair, "b.ring", "func f return 1\nf|()", "ring") is None


async def test_other_languages_have_none(connect: Any) -> None:
    """They have servers of their own."""
    async with connect() as pair:
        uri, _ = pair.type_in("a.py", "def f():\n    pass\n    pass\n", "python")
        params = types.DocumentSymbolParams(identifier(uri))
        assert await pair.editor.text_document_document_symbol_async(params) is None
        assert await definitions(pair, "b.py", "def f(): pass\nf|()", "python") is None
