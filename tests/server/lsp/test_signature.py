"""Signature help through the real server."""

from __future__ import annotations

from typing import Any

import pytest
from lsprotocol import types

from lsp_pair import Pair, TestEditor, capabilities


async def ask(pair: Pair, text: str, language: str = "powerquery") -> types.SignatureHelp | None:
    uri, place = pair.type_in("q", text, language)
    params = types.SignatureHelpParams(types.TextDocumentIdentifier(uri), place)
    return await pair.editor.text_document_signature_help_async(params)


async def test_the_parameters_of_a_call(connect: Any) -> None:
    """The signature, the active parameter, and what it is for."""
    async with connect() as pair:
        assert pair.editor.server.capabilities.signature_help_provider.trigger_characters == ("(", ",")
        answer = await ask(pair, "let\r\n  é = Table.AddColumn(x, |")
        assert answer is not None
        (signature,) = answer.signatures
        assert (answer.active_signature, answer.active_parameter) == (0, 1)
        assert signature.label.startswith("Table.AddColumn(table as table, ")
        assert signature.parameters[1].label == "newColumnName as text"
        assert signature.parameters[1].documentation


async def test_offsets_where_the_editor_knows_them(connect: Any) -> None:
    """Then a parameter's label is its place in the signature."""
    able = capabilities()
    able.text_document.signature_help = types.SignatureHelpClientCapabilities(
        signature_information=types.ClientSignatureInformationOptions(
            parameter_information=types.ClientSignatureParameterInformationOptions(label_offset_support=True)
        )
    )
    async with connect(TestEditor(able)) as pair:
        answer = await ask(pair, "Table.AddColumn(|")
        (signature,) = answer.signatures
        start, end = signature.parameters[0].label
        assert signature.label[start:end] == "table as table"


@pytest.mark.parametrize("text", ["Table.AddColumn(a)|", "Foo.Bar(|", '"Table.AddColumn(|', "1 + |"])
async def test_elsewhere_null(connect: Any, text: str) -> None:
    """Outside calls, in texts, for what no library has."""
    async with connect() as pair:
        assert await ask(pair, text) is None


@pytest.mark.parametrize("options", [{"signatureHelp": False}, {"beside": ["pq"]}])
async def test_it_can_be_switched_off(connect: Any, options: Any) -> None:
    """By itself, or for a language that another server serves, by any of the language's ids."""
    async with connect(options={"lookup": options}) as pair:
        assert await ask(pair, "Table.AddColumn(|") is None
