"""A pack's ``pack.toml``: what it is called, which language it documents, where its facts come from."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

from bowerbird.knowledge.packs.problem import Problem, Severity
from bowerbird.syntax.languages import LANGUAGES

FILE_NAME = "pack.toml"
FORMAT = 1
MAX_BYTES = 100_000

NAME = re.compile(r"[a-z][a-z0-9_+-]{0,63}")
NAME_RULE = "small letters, digits, '-', '_' and '+', a letter first, at most 64"


@dataclass(frozen=True, slots=True, kw_only=True)
class Manifest:
    """What a pack says of itself."""

    format: int = FORMAT
    """Of the pages."""
    name: str
    language: str
    """Key in `syntax.languages.LANGUAGES`; for a library, the language that it is written in."""
    title: str = ""
    version: str = ""
    licence: str = ""
    sources: tuple[str, ...] = ()
    """Where the facts come from."""
    case_sensitive: bool = True
    """Do names differ by case alone?"""
    checker: str = ""
    """Row of the checkers' table that checks code; empty where there is none."""


_TYPES: dict[str, type] = {
    "format": int,
    "name": str,
    "language": str,
    "title": str,
    "version": str,
    "licence": str,
    "sources": list,
    "case_sensitive": bool,
    "checker": str,
}
_IN_WORDS = {int: "a whole number", str: "text in quotes", list: "a list of texts", bool: "true or false"}


def read_manifest(content: bytes) -> tuple[Manifest | None, list[Problem]]:
    """The manifest, None where it does not say what is needed, and what is wrong. Never raises."""
    try:
        found = tomllib.loads(content[:MAX_BYTES].decode())
    except UnicodeDecodeError:
        return None, [_problem("It is not UTF-8.")]
    except tomllib.TOMLDecodeError as error:
        line = re.search(r"line (\d+)", str(error))
        return None, [Problem(FILE_NAME, int(line[1]) - 1 if line else 0, f"It is not TOML: {error}.")]
    except RecursionError:
        return None, [_problem("It is not TOML: it is nested too deeply.")]
    values, problems = _checked(found)
    for key in ("format", "name", "language"):
        if key not in found:
            problems.append(_problem(f"The key `{key}` is missing."))
    if values.get("format", FORMAT) != FORMAT:
        problems.append(_problem(f"Format {values['format']} is unknown; this Bowerbird reads {FORMAT}."))
        return None, problems
    if "name" in values and not NAME.fullmatch(values["name"]):
        problems.append(_problem(f"The name {values['name']!r} cannot be one: {NAME_RULE}."))
        return None, problems
    if "name" not in values or "language" not in values:
        return None, problems
    if values["language"] not in LANGUAGES:
        sentence = f"The language {values['language']!r} is unknown, so no grammar reads its examples."
        problems.append(_problem(sentence, Severity.WARNING))
    return Manifest(**values), problems


def write_manifest(manifest: Manifest) -> str:
    """The text of a ``pack.toml`` that reads as `manifest`."""
    return "".join(f"{one.name} = {_toml(getattr(manifest, one.name))}\n" for one in fields(manifest))


def _checked(found: Mapping[str, Any]) -> tuple[dict[str, Any], list[Problem]]:
    values: dict[str, Any] = {}
    problems: list[Problem] = []
    for key, value in found.items():
        wanted = _TYPES.get(key)
        if wanted is None:
            problems.append(_problem(f"The key `{key}` is unknown.", Severity.WARNING))
        elif type(value) is not wanted or not all(isinstance(one, str) for one in _parts(value)):
            problems.append(_problem(f"The key `{key}` must be {_IN_WORDS[wanted]}."))
        else:
            values[key] = tuple(_parts(value)) if wanted is list else value
    return values, problems


def _parts(value: object) -> list[Any]:
    return value if isinstance(value, list) else []


def _problem(sentence: str, severity: Severity = Severity.ERROR) -> Problem:
    return Problem(FILE_NAME, 0, sentence, severity)


def _toml(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, tuple):
        return f"[{', '.join(map(_toml, value))}]"
    return str(value) if isinstance(value, int) else _quoted(str(value))


def _quoted(text: str) -> str:
    return '"' + "".join(map(_escaped, text)) + '"'


def _escaped(character: str) -> str:
    if character in '"\\':
        return "\\" + character
    if character < " " or character == "\x7f":
        return f"\\u{ord(character):04x}"
    return "\ufffd" if "\ud800" <= character <= "\udfff" else character
