"""`textDocument/inlineCompletion`: ghost text."""

from __future__ import annotations

from lsprotocol import types

from bowerbird.lsp.anchor import Insertion
from bowerbird.lsp.commands import ACCEPTED
from bowerbird.lsp.host import BowerbirdServer
from bowerbird.lsp.suggestion import suggest

OPTIONS = types.InlineCompletionOptions()  # static: Neovim announces no dynamic registration


async def inline_completion(
    server: BowerbirdServer, params: types.InlineCompletionParams
) -> types.InlineCompletionList:
    """The completion at the cursor, or an empty list: after a null Neovim would go on showing the old one."""
    context = params.context
    invoked = context.trigger_kind is types.InlineCompletionTriggerKind.Invoked
    insertions = await suggest(
        server, params.text_document.uri, params.position, invoked, context.selected_completion_info
    )
    return types.InlineCompletionList([_item(server, insertion) for insertion in insertions])


def _item(server: BowerbirdServer, insertion: Insertion) -> types.InlineCompletionItem:
    text = insertion.text.replace("\n", server.client.habits.line_end or insertion.line_end)
    return types.InlineCompletionItem(
        insert_text=text,
        filter_text=text,
        range=insertion.range,
        command=types.Command("Accepted", ACCEPTED) if server.client.runs_commands else None,
    )
