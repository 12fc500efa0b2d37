"""What a signature says of its parameters, in whatever notation it is written."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from bowerbird.knowledge.snippet import CALLED_KINDS, GrammarEntity, Parameter

OPENING = "([{"
CLOSING = ")]}"
TYPE_FIRST = frozenset({"c", "cpp", "csharp", "java"})
"""Languages that write ``int count``."""

NO_PARAMETERS = frozenset(
    {"", "self", "cls", "&self", "&mut self", "mut self", "this", "*", "/", "void", "..."}
)

# `optional NAME as TYPE` (M), `NAME: TYPE = VALUE` (Pony, Python, ...), `[NAME]` (prose).
_AS = re.compile(r"(?P<optional>optional\s+)?(?P<name>\S+)\s+as\s+(?P<type>\S.*)")
_COLON = re.compile(r"(?P<name>[^:=\s]+)\s*(?P<optional>\?)?\s*:\s*(?P<type>[^=]*[^=\s])\s*(?P<value>=.*)?")
_BARE = re.compile(r"(?P<name>[^=\s][^=]*?)\s*(?P<value>=.*)?")


def with_parameters(entity: GrammarEntity) -> GrammarEntity:
    """The entity with what its signatures say of its parameters, where its page does not say it."""
    if entity.kind not in CALLED_KINDS or not entity.signatures:
        return entity
    told: dict[str, Parameter] = {}
    for signature in entity.signatures:
        for parameter in parameters_of(signature, entity.language):
            told.setdefault(parameter.name, parameter)
    if not told:
        return entity
    if not entity.parameters:
        return replace(entity, parameters=tuple(told.values()))
    return replace(entity, parameters=tuple(_joined(one, told.get(one.name)) for one in entity.parameters))


def parameters_of(signature: str, language: str = "") -> list[Parameter]:
    """The parameters between the round brackets, in order; none where there are no brackets."""
    return [parameter for part in _parts(signature) if (parameter := _parameter(part.strip(), language))]


def _joined(page: Parameter, signature: Parameter | None) -> Parameter:
    if signature is None:
        return page
    return Parameter(
        page.name,
        page.type or signature.type,
        page.optional or signature.optional,
        page.note or signature.note,
    )


def _parts(signature: str) -> Iterator[str]:
    """What the commas part between the first round brackets that stand in no others."""
    depth = 0
    begin: int | None = None
    for at, character in enumerate(signature):
        if character in OPENING:
            if begin is None and depth == 0 and character == "(":
                begin = at + 1
            depth += 1
        elif character in CLOSING:
            depth -= 1
            if begin is not None and depth == 0:
                yield signature[begin:at]
                return
        elif character == "," and depth == 1 and begin is not None:
            yield signature[begin:at]
            begin = at + 1


def _parameter(part: str, language: str) -> Parameter | None:
    optional = part.startswith("[") and part.endswith("]")
    if optional:
        part = part[1:-1].strip()
    if part in NO_PARAMETERS:
        return None
    if language in TYPE_FIRST and " " in part:
        kind, _, name = part.partition("=")[0].strip().rpartition(" ")
        return Parameter(name.lstrip("*&"), kind, optional or "=" in part)
    for notation in (_AS, _COLON, _BARE):
        match = notation.fullmatch(part)
        if match:
            found = match.groupdict()
            return Parameter(
                found["name"].strip(),
                (found.get("type") or "").strip(),
                optional or bool(found.get("optional") or found.get("value")),
            )
    return None
