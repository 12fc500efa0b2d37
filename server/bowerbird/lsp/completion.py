"""`textDocument/completion`: library names, and for editors without ghost text (Helix) what it would be."""

from __future__ import annotations

import asyncio

from lsprotocol import types

from bowerbird.lsp.anchor import Insertion
from bowerbird.lsp.clients import Client
from bowerbird.lsp.host import BowerbirdServer
from bowerbird.lsp.members import member_items
from bowerbird.lsp.suggestion import suggest

TRIGGERS = (".", "(", "[", "=", ":", ",")
MEMBER_TRIGGERS = (".", "#")
LABEL_CHARACTERS = 60
SORT_FIRST = "0"  # the item is the whole of what is likely next, so it stands before single names


def options(client: Client) -> types.CompletionOptions:
    """Editors with ghost text ask here for names only."""
    names = MEMBER_TRIGGERS if client.inline_completion else dict.fromkeys((*TRIGGERS, *MEMBER_TRIGGERS))
    return types.CompletionOptions(trigger_characters=list(names), resolve_provider=True)


async def completion(server: BowerbirdServer, params: types.CompletionParams) -> types.CompletionList:
    """Library names at the cursor; before them, where the editor has no ghost text, what would be its text.

    With that the list is asked for again at the next key.
    """
    uri, place = params.text_document.uri, params.position
    if server.client.inline_completion:
        names, more = await member_items(server, uri, place)
        return types.CompletionList(is_incomplete=more, items=names)
    beside = asyncio.ensure_future(member_items(server, uri, place))
    try:
        # Editors say "invoked" here for each word character too, so nobody is known to wait.
        insertions = await suggest(server, uri, place)
        names, _ = await beside
    finally:
        beside.cancel()
    items = [_item(one, server) for one in insertions[:1]]
    return types.CompletionList(is_incomplete=True, items=[*items, *names])


def _item(insertion: Insertion, server: BowerbirdServer) -> types.CompletionItem:
    text = insertion.text.replace("\n", insertion.line_end)
    first, _, more = insertion.text.strip().partition("\n")
    label = first.rstrip()
    if len(label) > LABEL_CHARACTERS or more:
        label = label[:LABEL_CHARACTERS].rstrip() + " …"
    return types.CompletionItem(
        label=label,
        kind=types.CompletionItemKind.Text,  # Helix would parse, and indent, an item of the kind Snippet
        detail="Bowerbird",
        documentation=_preview(insertion.text) if server.client.markdown else insertion.text,
        preselect=True,
        sort_text=SORT_FIRST,
        filter_text=insertion.text.partition("\n")[0],
        insert_text_format=types.InsertTextFormat.PlainText,
        insert_text_mode=types.InsertTextMode.AsIs if server.client.plain_indent else None,
        text_edit=types.TextEdit(insertion.range, text),
    )


def _preview(code: str) -> types.MarkupContent:
    """The whole text as a Markdown block, whose fence is longer than any in the text."""
    fence = "```"
    while fence in code:
        fence += "`"
    return types.MarkupContent(types.MarkupKind.Markdown, f"{fence}\n{code}\n{fence}")
