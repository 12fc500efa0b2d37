"""The fallback for editors without ghost text."""

from typing import Any

import pytest
from lsprotocol import types

from lsp_pair import Pair, TestEditor

RICH = types.ClientCapabilities(
    text_document=types.TextDocumentClientCapabilities(
        completion=types.CompletionClientCapabilities(
            completion_item=types.ClientCompletionItemOptions(
                documentation_format=[types.MarkupKind.Markdown],
                insert_text_mode_support=types.ClientCompletionItemInsertTextModeOptions(
                    [types.InsertTextMode.AsIs]
                ),
            )
        )
    )
)


async def complete(pair: Pair, text: str) -> types.CompletionList:
    uri, place = pair.type_in("a.py", text)
    params = types.CompletionParams(types.TextDocumentIdentifier(uri), place)
    answer = await pair.editor.text_document_completion_async(params)
    assert isinstance(answer, types.CompletionList)
    return answer


@pytest.fixture
async def pair(connect: Any) -> Any:
    async with connect(TestEditor(types.ClientCapabilities(), "helix")) as pair:
        yield pair


@pytest.mark.parametrize("name", ["helix", "Zed", "Sublime Text LSP"])
async def test_it_is_offered_to_editors_without_ghost_text_only(connect: Any, name: str) -> None:
    """They get the list; who announces inline completion does not get the same text twice."""
    async with connect(TestEditor(types.ClientCapabilities(), name)) as pair:
        assert pair.editor.server.capabilities.completion_provider is not None
        assert len((await complete(pair, "x|")).items) == 1
    async with connect() as other:
        assert (await complete(other, "x|")).items == ()
        assert not other.engine.asked


async def test_a_single_line(pair: Pair) -> None:
    """The item replaces the word and is found by it; the list is asked for again at the next key."""
    pair.engine.text = "me = 1"
    answer = await complete(pair, "x = na|")
    (item,) = answer.items
    assert answer.is_incomplete
    assert item.text_edit == types.TextEdit(
        types.Range(types.Position(0, 4), types.Position(0, 6)), "name = 1"
    )
    assert (item.label, item.filter_text, item.preselect) == ("name = 1", "name = 1", True)
    assert (item.kind, item.insert_text_format) == (
        types.CompletionItemKind.Text,
        types.InsertTextFormat.PlainText,
    )


async def test_several_lines(pair: Pair) -> None:
    """The label is the first line, and the document's line ends are kept."""
    pair.engine.text = "f(a,\n  b)"
    (item,) = (await complete(pair, "a\r\n  |")).items
    assert item.text_edit.new_text == "  f(a,\r\n  b)"
    assert (item.label, item.filter_text, item.kind) == ("f(a, …", "  f(a,", types.CompletionItemKind.Text)
    assert item.documentation == "  f(a,\n  b)"


async def test_a_long_line_has_a_short_label(pair: Pair) -> None:
    """A list is narrow."""
    pair.engine.text = "x" * 200
    (item,) = (await complete(pair, "|")).items
    assert item.label == "x" * 60 + " …"


async def test_nothing_is_an_empty_list(pair: Pair) -> None:
    """Never an error and never null."""
    pair.engine.text = ""
    assert await complete(pair, "x|") == types.CompletionList(True, ())


async def test_what_the_editor_can_do_is_used(connect: Any) -> None:
    """Where the editor says so, the preview is Markdown and the indentation is left alone."""
    async with connect(TestEditor(RICH)) as pair:
        pair.engine.text = "```x```"
        (item,) = (await complete(pair, "|")).items
        assert item.documentation.value == "````\n```x```\n````"
        assert item.insert_text_mode is types.InsertTextMode.AsIs
