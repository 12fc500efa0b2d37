"""`textDocument/hover`: what a library name means."""

from __future__ import annotations

from collections.abc import Iterable

from lsprotocol import types

from bowerbird.lookup.card import Card, markdown, plain
from bowerbird.lsp.asked import answer, asked
from bowerbird.lsp.host import BowerbirdServer


async def hover(server: BowerbirdServer, params: types.HoverParams) -> types.Hover | None:
    """The card of the library name at the place, or null."""
    place = asked(server, params.text_document.uri, params.position, lambda settings: settings.hover)
    if place is None:
        return None
    document = place.document
    found = await answer(server, lambda: place.engine.hover(document.text, place.position, place.language))
    if found is None:
        return None
    capabilities = server.client_capabilities.text_document
    formats = capabilities.hover.content_format if capabilities and capabilities.hover else None
    # Where another server shows the type, the signature would stand there twice.
    content = card_content(found.card, formats, signature=not place.beside)
    return types.Hover(content, document.lsp_range(found.range.start, found.range.end, server.encoding))


def card_content(
    card: Card, formats: Iterable[types.MarkupKind] | None, signature: bool = True
) -> types.MarkupContent:
    """The card in the format that the editor names first; one that names none is given plain text."""
    if next(iter(formats or ()), types.MarkupKind.PlainText) is types.MarkupKind.Markdown:
        return types.MarkupContent(types.MarkupKind.Markdown, markdown(card, signature))
    return types.MarkupContent(types.MarkupKind.PlainText, plain(card, signature))
