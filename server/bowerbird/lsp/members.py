"""Library names as completion items, and `completionItem/resolve`, which brings their cards."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from lsprotocol import types

from bowerbird.knowledge.snippet import EntityKind
from bowerbird.lookup.card import summary
from bowerbird.lookup.members import Member
from bowerbird.lsp.asked import answer, asked
from bowerbird.lsp.host import BowerbirdServer
from bowerbird.lsp.hover import card_content
from bowerbird.text import Position

LONGEST_DETAIL = 100  # characters

KINDS = {
    EntityKind.FUNCTION: types.CompletionItemKind.Function,
    EntityKind.METHOD: types.CompletionItemKind.Method,
    EntityKind.CONSTRUCTOR: types.CompletionItemKind.Constructor,
    EntityKind.BEHAVIOUR: types.CompletionItemKind.Method,
    EntityKind.FIELD: types.CompletionItemKind.Field,
    EntityKind.TYPE: types.CompletionItemKind.Class,
    EntityKind.ENUMERATION: types.CompletionItemKind.Enum,
    EntityKind.MEMBER: types.CompletionItemKind.EnumMember,
    EntityKind.CONSTANT: types.CompletionItemKind.Constant,
    EntityKind.MODULE: types.CompletionItemKind.Module,
}
"""What is not here is a word of the language."""


async def member_items(
    server: BowerbirdServer, uri: str, place: types.Position
) -> tuple[list[types.CompletionItem], bool]:
    """Library names for the place, and whether there are more than are told."""
    here = asked(server, uri, place, lambda settings: settings.members)
    if here is None or here.beside:
        return [], False
    found = await answer(
        server,
        lambda: here.engine.members(
            here.document.text, here.position, here.language, here.settings.max_members
        ),
    )
    if found is None:
        return [], False
    start = Position(here.position.line, here.position.column - len(found.typed))
    span = here.document.lsp_range(start, here.position, server.encoding)
    return [_item(one, number, span) for number, one in enumerate(found.found)], found.more


async def resolve(server: BowerbirdServer, item: types.CompletionItem) -> types.CompletionItem:
    """The item with its card; as it is where it is none of ours."""
    data: Any = item.data
    assembly = server.assembly
    if assembly is None or not isinstance(data, list) or len(data) != 3 or not all(map(_is_text, data)):
        return item
    card = await answer(server, lambda: assembly.lookup.member_card(*data))
    if card is not None:
        item.documentation = card_content(card, _formats(server))
    return item


def _item(member: Member, number: int, span: types.Range) -> types.CompletionItem:
    entity = member.entity
    detail = entity.signatures[0] if entity.signatures else summary(entity)
    return types.CompletionItem(
        label=member.text,
        kind=KINDS.get(entity.kind, types.CompletionItemKind.Keyword),
        detail=detail if len(detail) <= LONGEST_DETAIL else detail[: LONGEST_DETAIL - 1] + "…",
        sort_text=f"1{number:04}",  # behind the item that is the whole of what is likely next
        filter_text=member.text,
        insert_text_format=types.InsertTextFormat.PlainText,
        text_edit=types.TextEdit(span, member.text),
        data=[entity.pack, entity.symbol, str(entity.kind)],
    )


def _formats(server: BowerbirdServer) -> Sequence[types.MarkupKind] | None:
    """What the editor shows beside an item."""
    documents = server.client_capabilities.text_document
    item = documents.completion.completion_item if documents and documents.completion else None
    return item.documentation_format if item else None


def _is_text(value: object) -> bool:
    return isinstance(value, str)
