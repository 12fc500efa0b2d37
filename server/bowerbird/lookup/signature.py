"""The signatures of the function whose arguments are being written."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from bowerbird.knowledge.packs.pack import Pack
from bowerbird.knowledge.packs.signature import CLOSING, OPENING
from bowerbird.knowledge.snippet import CALLED_KINDS, EntityKind, GrammarEntity
from bowerbird.lookup.card import summary
from bowerbird.lookup.matching import matches
from bowerbird.syntax.arguments import Call, call_around
from bowerbird.syntax.spot import Spot
from bowerbird.text import Position, Range

NO_RANGE = Range(Position(0, 0), Position(0, 0))
VARIADIC = "..."


@dataclass(frozen=True, slots=True)
class Part:
    """A parameter in a signature."""

    start: int
    end: int
    """Code points of the signature, `end` excluded."""
    note: str
    """What it is for."""


@dataclass(frozen=True, slots=True)
class Signature:
    """One way to call a function."""

    text: str
    parts: tuple[Part, ...]


@dataclass(frozen=True, slots=True)
class SignatureHelp:
    """The ways to call a function, and where the cursor is."""

    entity: GrammarEntity
    signatures: tuple[Signature, ...]
    active: int
    """Of the signatures."""
    argument: int
    """From 0; it may lie behind the last parameter."""
    note: str
    """What the function does, in a sentence."""


def signature_at(
    prefix: str, suffix: str, language: str | None, packs: Sequence[Pack]
) -> SignatureHelp | None:
    """Help for the call that is open at the end of `prefix`; None where there is none, or it is not known."""
    call = call_around(prefix, language) if packs else None
    entity = _called(call, prefix + suffix, packs) if call else None
    if call is None or entity is None:
        return None
    signatures = tuple(Signature(text, parts_of(text, entity)) for text in entity.signatures)
    fitting = (at for at, one in enumerate(signatures) if len(one.parts) > call.argument or _variadic(one))
    return SignatureHelp(entity, signatures, next(fitting, 0), call.argument, summary(entity))


def parts_of(signature: str, entity: GrammarEntity) -> tuple[Part, ...]:
    """The parameters between the first round brackets of a signature, with what the entity says of each."""
    notes = {parameter.name: parameter.note for parameter in entity.parameters}
    begin = signature.find("(") + 1
    parts, depth, start = [], 1, begin
    for at in range(begin, len(signature) if begin else 0):
        character = signature[at]
        depth += character in OPENING
        depth -= character in CLOSING
        if (character == "," and depth == 1) or depth == 0:
            text = signature[start:at]
            if text.strip():
                left = start + len(text) - len(text.lstrip())
                parts.append(Part(left, start + len(text.rstrip()), _note(text, notes)))
            start = at + 1
        if depth == 0:
            break
    return tuple(parts)


def _note(part: str, notes: dict[str, str]) -> str:
    words = part.replace("[", " ").replace("]", " ").replace(":", " ").split()
    return next((notes[word] for word in words if word in notes), "")


def _variadic(signature: Signature) -> bool:
    return bool(signature.parts) and VARIADIC in signature.text[signature.parts[-1].start :]


def _called(call: Call, text: str, packs: Sequence[Pack]) -> GrammarEntity | None:
    spot = Spot(call.function, NO_RANGE, "code", call.receivers, identifier=True, called=True)
    found = [match.entity for match in matches(spot, text, packs) if match.entity.signatures]
    called = [entity for entity in found if entity.kind in CALLED_KINDS]
    if called:
        return called[0]
    types = [entity for entity in found if entity.kind is EntityKind.TYPE]
    return _constructor(types[0], packs) if types else None


def _constructor(entity: GrammarEntity, packs: Sequence[Pack]) -> GrammarEntity | None:
    """What makes a value of a type: ``String(10)`` calls ``String.create``."""
    for pack in packs:
        for name in (f"{entity.symbol}.create", f"{entity.symbol}.init"):
            for index in pack.names.whole(name):
                if pack.entities[index].signatures:
                    return pack.entities[index]
    return None
