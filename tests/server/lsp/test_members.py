"""Lists of library names, and their cards."""

from __future__ import annotations

from typing import Any

import pytest
from lsprotocol import types

from lsp_pair import Pair, TestEditor, capabilities


async def complete(pair: Pair, text: str, language: str = "powerquery", name: str = "q.pq") -> Any:
    uri, place = pair.type_in(name, text, language)
    params = types.CompletionParams(types.TextDocumentIdentifier(uri), place)
    return await pair.editor.text_document_completion_async(params)


async def test_who_has_ghost_text_gets_names_only(connect: Any) -> None:
    """The model is not asked, and a list that is whole need not be asked for again."""
    async with connect() as pair:
        answer = await complete(pair, "let é = Table.AddC|")
        assert [item.label for item in answer.items][:1] == ["Table.AddColumn"]
        assert not answer.is_incomplete
        assert not pair.engine.asked


async def test_others_get_both_by_one_answer(connect: Any) -> None:
    """What the model says stands first, and names behind it."""
    async with connect(TestEditor(types.ClientCapabilities(), "helix")) as pair:
        pair.engine.text = "olumn(x)"
        answer = await complete(pair, "let a = Table.AddC|")
        labels = [item.label for item in sorted(answer.items, key=lambda item: item.sort_text)]
        assert labels[0].startswith("AddColumn(x)")
        assert "Table.AddColumn" in labels[1:]
        assert answer.is_incomplete
        assert pair.engine.asked


async def test_a_failing_model_takes_no_names_away(connect: Any) -> None:
    """Less, never nothing."""
    async with connect(TestEditor(types.ClientCapabilities(), "helix")) as pair:
        pair.engine.fault = RuntimeError("broken")
        answer = await complete(pair, "let a = Table.AddC|")
        assert [item.label for item in answer.items][:1] == ["Table.AddColumn"]


async def test_an_item_replaces_what_is_typed(connect: Any) -> None:
    """The whole dotted name in M; in Pony what stands behind the dot."""
    async with connect() as pair:
        (item, *_) = (await complete(pair, '"𝄞" & Text.Upp|')).items
        assert item.text_edit == types.TextEdit(
            types.Range(types.Position(0, 7), types.Position(0, 15)), "Text.Upper"
        )
        text = "actor A\n  fun f() =>\n    Array[U8].pu|"
        (item, *_) = (await complete(pair, text, "pony", "a.pony")).items
        assert (item.text_edit.range.start.character, item.text_edit.new_text) == (14, "push")


async def test_a_list_is_short(connect: Any) -> None:
    """As the setting says; then it is asked for again at the next key."""
    async with connect(options={"lookup": {"maxMembers": 7}}) as pair:
        answer = await complete(pair, "Table.|")
        assert len(answer.items) == 7
        assert answer.is_incomplete


@pytest.mark.parametrize("text", ['"Table.|"', "// Table.|", "let a = |"])
async def test_nothing_in_texts_and_comments(connect: Any, text: str) -> None:
    """And nothing before a letter is typed."""
    async with connect() as pair:
        assert (await complete(pair, text)).items == ()


@pytest.mark.parametrize("options", [{"members": False}, {"beside": ["powerquery"]}])
async def test_it_can_be_switched_off(connect: Any, options: Any) -> None:
    """By itself, or for a language that another server serves."""
    async with connect(options={"lookup": options}) as pair:
        assert (await complete(pair, "Table.|")).items == ()


async def test_an_item_is_resolved_to_its_card(connect: Any) -> None:
    """In the format that the editor shows beside items; whatever else is asked for comes back as it was."""
    rich = capabilities()
    rich.text_document.completion = types.CompletionClientCapabilities(
        completion_item=types.ClientCompletionItemOptions(documentation_format=[types.MarkupKind.Markdown])
    )
    for editor, kind in ((TestEditor(rich), "markdown"), (None, "plaintext")):
        async with connect(editor) as pair:
            (item, *_) = (await complete(pair, "Table.AddC|")).items
            assert item.documentation is None
            full = await pair.editor.completion_item_resolve_async(item)
            assert full.documentation.kind == kind
            assert "newColumnName" in full.documentation.value
            for data in (None, ["no", "such", "thing"], [1, 2, 3], "x", {"a": 1}):
                strange = types.CompletionItem("x", data=data)
                assert (await pair.editor.completion_item_resolve_async(strange)).documentation is None
