"""Document symbols, folding and go to definition, for Power Query M and Ring."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path

from lsprotocol import types

from bowerbird.lookup.definitions import DEFINED, Place
from bowerbird.lsp.asked import Asked, answer, asked
from bowerbird.lsp.convert import uri_of
from bowerbird.lsp.documents import Document, split_lines
from bowerbird.lsp.host import BowerbirdServer
from bowerbird.syntax.folds import folds_of
from bowerbird.syntax.symbols import Symbol, symbols_of
from bowerbird.text import Range

SERVED = frozenset(DEFINED)
KINDS = {
    "class": types.SymbolKind.Class,
    "method": types.SymbolKind.Method,
    "module": types.SymbolKind.Module,
    "function": types.SymbolKind.Function,
    "variable": types.SymbolKind.Variable,
}


async def document_symbol(
    server: BowerbirdServer, params: types.DocumentSymbolParams
) -> Sequence[types.DocumentSymbol] | Sequence[types.SymbolInformation] | None:
    """What the document defines, as a tree where the editor shows trees."""
    here = _asked(server, params.text_document.uri)
    if here is None:
        return None
    document = here.document
    symbols = await answer(server, lambda: symbols_of(document.text, here.language)) or []
    documents = server.client_capabilities.text_document
    outline = documents.document_symbol if documents else None
    if outline and outline.hierarchical_document_symbol_support:
        return [_symbol(one, document, server) for one in symbols]
    return [item for one in symbols for item in _flat(one, document, server, "")]


async def folding_range(
    server: BowerbirdServer, params: types.FoldingRangeParams
) -> Sequence[types.FoldingRange] | None:
    """What of the document can be folded, whole lines."""
    here = _asked(server, params.text_document.uri)
    if here is None:
        return None
    folds = await answer(server, lambda: folds_of(here.document.text, here.language)) or []
    comment = types.FoldingRangeKind.Comment
    return [
        types.FoldingRange(span.first, span.end - 1, kind=comment if is_comment else None)
        for span, is_comment in folds
    ]


async def definition(
    server: BowerbirdServer, params: types.DefinitionParams
) -> Sequence[types.Location] | None:
    """Where the workspace defines the name at the place."""
    here = asked(server, params.text_document.uri, params.position, lambda settings: settings.definition)
    if here is None or here.beside or here.language not in SERVED:
        return None
    return await answer(server, partial(_locations, server, here)) or None


def _locations(server: BowerbirdServer, here: Asked) -> list[types.Location]:
    """In a thread: other files may have to be read."""
    document = here.document
    places = here.engine.definition(document.text, here.position, here.language, document.path)
    return [location for place in places if (location := _location(server, document, place)) is not None]


def _location(server: BowerbirdServer, document: Document, place: Place) -> types.Location | None:
    if place.path is None:
        return types.Location(document.uri, _range(document, place.range, server))
    uri = uri_of(place.path)
    shown = server.documents.get(uri)
    if shown is None:
        shown = _on_disk(place.path, uri)
    if shown is None or place.range.end.line >= len(shown.lines):
        return None  # it has changed since it was read
    return types.Location(uri, _range(shown, place.range, server))


def _on_disk(path: Path, uri: str) -> Document | None:
    try:
        return Document(uri, "", 0, split_lines(path.read_text("utf-8", "replace")))
    except OSError:
        return None


def _asked(server: BowerbirdServer, uri: str) -> Asked | None:
    here = asked(server, uri, None, lambda settings: settings.symbols)
    return None if here is None or here.beside or here.language not in SERVED else here


def _range(document: Document, span: Range, server: BowerbirdServer) -> types.Range:
    return document.lsp_range(span.start, span.end, server.encoding)


def _symbol(symbol: Symbol, document: Document, server: BowerbirdServer) -> types.DocumentSymbol:
    return types.DocumentSymbol(
        name=symbol.name,
        kind=KINDS.get(symbol.kind, types.SymbolKind.Variable),
        range=_range(document, symbol.range, server),
        selection_range=_range(document, symbol.name_range, server),
        children=[_symbol(one, document, server) for one in symbol.children],
    )


def _flat(
    symbol: Symbol, document: Document, server: BowerbirdServer, container: str
) -> list[types.SymbolInformation]:
    location = types.Location(document.uri, _range(document, symbol.range, server))
    kind = KINDS.get(symbol.kind, types.SymbolKind.Variable)
    first = types.SymbolInformation(location, symbol.name, kind, container_name=container or None)
    return [first, *(item for one in symbol.children for item in _flat(one, document, server, symbol.name))]
