"""Power Query M's library as Microsoft's language services want it, made from what packs document."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from bowerbird.knowledge.packs.pack import Pack
from bowerbird.knowledge.snippet import EntityKind, GrammarEntity

PRIMITIVE_TYPES = re.compile(
    "any|anynonnull|binary|date|datetime|datetimezone|duration|function|list|logical|none|null|number|record|"
    "table|text|time|type"
)

_FUNCTION, _ENUMERATION, _MEMBER, _CONSTANT = 3, 13, 20, 21  # kinds of completion items in the protocol
_RESULT = re.compile(r"\)\s+as\s+((?:nullable\s+)?\w+)\s*$")


def library_symbols(packs: Iterable[Pack]) -> list[dict[str, Any]]:
    """Each name that the packs have, once."""
    found: dict[str, dict[str, Any]] = {}
    for pack in packs:
        for entity in pack.entities:
            symbol = _symbol(entity)
            if symbol is not None:
                for name in (entity.symbol, *entity.aliases):
                    found.setdefault(name, {**symbol, "name": name})
    return [*found.values()]


def _symbol(entity: GrammarEntity) -> dict[str, Any] | None:
    match entity.kind:
        case EntityKind.FUNCTION:
            result = _RESULT.search(entity.signatures[0]) if entity.signatures else None
            parameters = [
                {
                    "name": one.name,
                    "type": _primitive(one.type),
                    "isRequired": not one.optional,
                    "isNullable": True,
                }
                for one in entity.parameters
            ]
            return _described(_FUNCTION, _primitive(result[1] if result else ""), parameters)
        case EntityKind.ENUMERATION:
            return _described(_ENUMERATION, "type")
        case EntityKind.MEMBER:
            return _described(_MEMBER, _type_of_value(entity.value))
        case EntityKind.CONSTANT:
            is_type = entity.symbol.endswith(".Type")
            return _described(_CONSTANT, "type" if is_type else _type_of_value(entity.value))
    return None


def _described(kind: int, result: str, parameters: list[dict[str, Any]] | None = None) -> dict[str, Any]:
    return {
        "completionItemKind": kind,
        "type": result,
        "functionParameters": parameters,
        "isDataSource": False,
    }


def _primitive(written: str) -> str:
    nullable, _, bare = written.rpartition("nullable ")
    name = bare.strip()
    if not PRIMITIVE_TYPES.fullmatch(name):
        return "any"
    return f"nullable {name}" if nullable or "nullable" in written else name


def _type_of_value(value: str) -> str:
    if value.startswith('"'):
        return "text"
    return (
        "number"
        if re.fullmatch(r"-?(?:#infinity|#nan|[\d.]+(?:e[+-]?\d+)?)", value, re.IGNORECASE)
        else "any"
    )
