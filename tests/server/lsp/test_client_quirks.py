"""What particular editors need, a row for each."""

from typing import Any

import pytest
from lsprotocol import types

from bowerbird.lsp.clients import HABITS
from lsp_pair import TestEditor, capabilities

DOCUMENT = "if a:\r\n    b\r\n    c|"


def shown(item: types.InlineCompletionItem, lines: list[str]) -> bool:
    """The rule by which editors show an item: what stands in its range is a prefix of its filter text."""
    assert item.range is not None
    start, end = item.range.start, item.range.end
    assert start.line == end.line
    return str(item.filter_text or item.insert_text).startswith(
        lines[start.line][start.character : end.character]
    )


@pytest.mark.parametrize("dynamic", [None, False, True])
@pytest.mark.parametrize("name", ["Neovim", "Visual Studio Code", "some editor"])
async def test_inline_completion_is_registered_statically(
    connect: Any, name: str, dynamic: bool | None
) -> None:
    """Neovim announces no dynamic registration, VS Code takes a static one as well."""
    announced = capabilities()
    announced.text_document.inline_completion = types.InlineCompletionClientCapabilities(dynamic)
    async with connect(TestEditor(announced, name)) as pair:
        provider = pair.editor.server.capabilities.inline_completion_provider
        assert provider == types.InlineCompletionOptions()
        assert pair.editor.server.capabilities.completion_provider.trigger_characters == (".", "#")
        await pair.ghost("a.py", "x|")
        assert [each.method for each in pair.editor.registered] == []


@pytest.mark.parametrize("name", ["Neovim", "Visual Studio Code", "emacs", "some editor"])
@pytest.mark.parametrize("text", ["na|", "    |", "x = |", "|", "f(na|)", "🐦|"])
async def test_items_are_shown(connect: Any, name: str, text: str) -> None:
    """Each item has a range on one line whose text begins the item's, so that every editor shows it.

    An item without a range makes Neovim 0.12.0 crash.
    """
    async with connect(TestEditor(capabilities(), name)) as pair:
        assert shown(await pair.ghost("a.py", text), text.replace("|", "").split("\n"))


async def test_typed_further_the_item_still_fits(connect: Any) -> None:
    """Newer Neovims move the range's end over what is typed along the item; its text has it."""
    async with connect(TestEditor(capabilities(), "Neovim")) as pair:
        pair.engine.text = "me = 1"
        item = await pair.ghost("a.py", "x = na|")
        item.range.end.character += 2
        assert shown(item, ["x = name"])


@pytest.mark.parametrize(
    ("name", "line_end"),
    [("Visual Studio Code", "\r\n"), ("some editor", "\r\n"), ("Neovim", "\n"), ("emacs", "\n")],
)
async def test_line_ends(connect: Any, name: str, line_end: str) -> None:
    """Items have the document's line ends, or plain ones where a carriage return would be a character."""
    async with connect(TestEditor(capabilities(), name)) as pair:
        pair.engine.text = "d\n    e"
        item = await pair.ghost("a.py", DOCUMENT)
        assert item.insert_text == f"cd{line_end}    e"


async def test_nothing_is_an_empty_list_never_null(connect: Any) -> None:
    """A null leaves Neovim's old ghost text standing; an empty list clears it."""
    async with connect(TestEditor(capabilities(), "Neovim")) as pair:
        pair.engine.text = ""
        uri, place = pair.type_in("a.py", "x|")
        params = types.InlineCompletionParams(
            types.InlineCompletionContext(types.InlineCompletionTriggerKind.Automatic),
            types.TextDocumentIdentifier(uri),
            place,
        )
        answer = await pair.editor.text_document_inline_completion_async(params)
        assert answer == types.InlineCompletionList(())


@pytest.mark.parametrize(
    ("name", "announced", "carried"),
    [
        ("Visual Studio Code", True, "bowerbird.accepted"),
        ("Neovim", False, "bowerbird.accepted"),
        ("some editor", False, None),
    ],
)
async def test_a_command_is_carried_only_to_editors_that_run_commands(
    connect: Any, name: str, announced: bool, carried: str | None
) -> None:
    """The command counts what was accepted and changes nothing else; Neovim runs it without announcing so."""
    command = types.ExecuteCommandClientCapabilities() if announced else None
    async with connect(TestEditor(capabilities(execute_command=command), name)) as pair:
        item = await pair.ghost("a.py", "x|")
        assert (item.command.command if item.command else None) == carried
        if item.command:
            assert item.command.command in pair.editor.server.capabilities.execute_command_provider.commands
            params = types.ExecuteCommandParams(item.command.command, item.command.arguments)
            await pair.editor.workspace_execute_command_async(params)
            assert pair.editor.statuses[-1]["accepted"] == 1


async def test_emacs_is_sent_no_notification_that_it_does_not_know(connect: Any) -> None:
    """lsp-mode warns the user of each; the status can be asked for instead."""
    async with connect(TestEditor(capabilities(), "emacs")) as pair:
        await pair.ghost("a.py", "x|")
        now = await pair.editor.protocol.send_request_async("bowerbird/status", None)
        assert (now["shown"], pair.editor.statuses) == (1, [])


async def test_messages_that_nobody_knows_pop_nothing_up(connect: Any) -> None:
    """An unknown request has its error, an unknown notification is ignored, and no message box opens."""
    async with connect() as pair:
        with pytest.raises(Exception, match="nonsense"):
            await pair.editor.protocol.send_request_async("bowerbird/nonsense", None)
        pair.editor.protocol.notify("bowerbird/nonsense", {"a": 1})
        pair.editor.protocol.notify("$/setTrace", {"value": "off"})
        await pair.ghost("a.py", "x|")
        assert pair.editor.messages == []


def test_each_row_differs_from_the_rule() -> None:
    """A row that says nothing has no place in the table."""
    plain = type(next(iter(HABITS.values())))()
    assert all(row != plain for row in HABITS.values())
