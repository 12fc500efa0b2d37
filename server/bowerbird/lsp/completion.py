"""`textDocument/completion` for editors without ghost text, such as Helix: one item in the list."""

from __future__ import annotations

from lsprotocol import types

from bowerbird.lsp.anchor import Insertion
from bowerbird.lsp.host import BowerbirdServer
from bowerbird.lsp.suggestion import suggest

OPTIONS = types.CompletionOptions(trigger_characters=[".", "(", "[", "=", ":", ","])
LABEL_CHARACTERS = 60
SORT_FIRST = "0"  # the item is the whole of what is likely next, so it stands before single names


async def completion(server: BowerbirdServer, params: types.CompletionParams) -> types.CompletionList:
    """The completion at the cursor as the only item of a list that is asked for again at the next key."""
    # Editors say "invoked" here for each word character too, so nobody is known to wait.
    insertions = await suggest(server, params.text_document.uri, params.position)
    return types.CompletionList(is_incomplete=True, items=[_item(one, server) for one in insertions[:1]])


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
