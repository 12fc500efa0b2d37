"""`textDocument/signatureHelp`: the parameters of a library function while its arguments are written."""

from __future__ import annotations

from lsprotocol import types

from bowerbird.lookup.signature import Part, Signature, SignatureHelp
from bowerbird.lsp.asked import answer, asked
from bowerbird.lsp.convert import Encoding, column_to_client
from bowerbird.lsp.host import BowerbirdServer

OPTIONS = types.SignatureHelpOptions(trigger_characters=["(", ","], retrigger_characters=[","])


async def signature_help(
    server: BowerbirdServer, params: types.SignatureHelpParams
) -> types.SignatureHelp | None:
    """The signatures of the call around the place, or null."""
    place = asked(server, params.text_document.uri, params.position, lambda settings: settings.signature_help)
    if place is None or place.beside:
        return None
    text = place.document.text
    found = await answer(server, lambda: place.engine.signature(text, place.position, place.language))
    return _help(found, _knows_offsets(server)) if found is not None else None


def _help(found: SignatureHelp, offsets: bool) -> types.SignatureHelp:
    return types.SignatureHelp(
        signatures=[_information(one, found.note, offsets) for one in found.signatures],
        active_signature=found.active,
        active_parameter=_active(found.signatures[found.active], found.argument),
    )


def _information(signature: Signature, note: str, offsets: bool) -> types.SignatureInformation:
    parameters = [
        types.ParameterInformation(_label(signature.text, part, offsets), part.note or None)
        for part in signature.parts
    ]
    return types.SignatureInformation(signature.text, note or None, parameters)


def _label(text: str, part: Part, offsets: bool) -> str | tuple[int, int]:
    """Where a parameter stands; these offsets are in UTF-16 whatever else the editor counts in."""
    if not offsets:
        return text[part.start : part.end]
    start, end = (column_to_client(text, at, Encoding.UTF16) for at in (part.start, part.end))
    return start, end


def _active(signature: Signature, argument: int) -> int:
    """The last parameter takes whatever follows where it is variadic; else none is active behind the last."""
    last = len(signature.parts) - 1
    variadic = last >= 0 and "..." in signature.text[signature.parts[last].start :]
    return min(argument, last) if variadic else argument


def _knows_offsets(server: BowerbirdServer) -> bool:
    documents = server.client_capabilities.text_document
    help_ = documents.signature_help if documents else None
    information = help_.signature_information if help_ else None
    parameters = information.parameter_information if information else None
    return bool(parameters and parameters.label_offset_support)
