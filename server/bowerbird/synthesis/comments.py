"""Comments and docstrings that have their lines to themselves: what a request may be written in."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate

from bowerbird.syntax.indent import leading_space
from bowerbird.syntax.lexis import tokens
from bowerbird.text import Span

MAX_CHARACTERS = 500_000  # read at each move of the cursor, about 100 ns each

BRACKETED = {
    "ocaml": re.compile(r"\(\*.*?\*\)", re.DOTALL),
    **dict.fromkeys(("html", "xml", "markdown"), re.compile(r"<!--.*?-->", re.DOTALL)),
    **dict.fromkeys(("vue", "svelte"), re.compile(r"<!--.*?-->|/\*.*?\*/|//[^\n]*", re.DOTALL)),
    "scss": re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL),
    "restructuredtext": re.compile(r"^[ \t]*\.\. (?![\w:-]+::|[_\[|])[^\n]*", re.MULTILINE),
}
"""Comments of languages of whose letters nothing else is known."""

QUOTES = ('"""', "'''")
DOCSTRINGS = frozenset({"python", "pony"})
"""Languages in which a text that stands by itself documents what is around it."""

OPENING = re.compile(
    r"[ \t]*(?:/\*+!?|//+!?|#+:?|--+(?:\[=*\[)?|;+|%+|<!--|\(\*+|=begin|\.\.(?= )|\"(?!\"))[ \t]?"
)
MIDDLE = re.compile(r"[ \t]*(?:\*(?!/)|=end)[ \t]?")
CLOSING = re.compile(r"[ \t]*(?:\*+/|-->|\*+\)|--\]=*\]|\]=*\]|=end)[ \t]*$")

DIRECTIVE = re.compile(
    r"#!|\W*(?:noqa|type:|mypy:|ruff:|pylint:|pragma|region|endregion|eslint|prettier|ts-|@ts|go:|\+build"
    r"|-\*-|vim?:|shellcheck|clang-format|NOLINT|SPDX|coding[:=]|frozen_string_literal|rubocop)",
    re.IGNORECASE,
)
"""A comment that speaks to a program, or to a lawyer."""


@dataclass(frozen=True, slots=True)
class Note:
    """Lines that hold nothing but a comment, or a docstring."""

    lines: Span
    indent: str
    text: str
    """Without marks; lines are kept."""
    docstring: bool = False


def note_at(text: str, language: str | None, line: int) -> Note | None:
    """The run of comment lines, or the docstring, that `line` belongs to; None where there is none.

    Comments of one run stand on consecutive lines and begin in one column.
    """
    rows = text.split("\n")
    owners = notes(text, language)
    here = owners.get(line)
    if here is None or here.docstring:
        return here
    first, end = here.lines.first, here.lines.end
    while (above := owners.get(first - 1)) and _joins(above, here):
        first = above.lines.first
    while (below := owners.get(end)) and _joins(below, here):
        end = below.lines.end
    said = [line for line in rows[first:end] if not DIRECTIVE.match(line.strip())]
    return Note(Span(first, end), here.indent, _plain(said)) if said else None


@lru_cache(maxsize=2)  # for one request the same text is asked about several times
def notes(text: str, language: str | None) -> Mapping[int, Note]:
    """For each line that holds nothing but a comment or a docstring, the token that it belongs to."""
    found: dict[int, Note] = {}
    rows = text.split("\n")
    starts = [0, *accumulate(len(row) + 1 for row in rows)]
    for start, end, docstring in _spans(text, language):
        first = bisect_right(starts, start) - 1
        last = bisect_right(starts, end) - 1
        before = text[text.rfind("\n", 0, start) + 1 : start]
        behind = text[end:].partition("\n")[0] if end < len(text) else ""
        if before.strip() or behind.strip() or first >= len(rows):
            continue
        inside = text[start:end]
        said = _unquoted(inside) if docstring else _plain(inside.split("\n"))
        note = Note(Span(first, last + 1), leading_space(rows[first]), said, docstring)
        found.update(dict.fromkeys(range(first, last + 1), note))
    return found


def _spans(text: str, language: str | None) -> Iterator[tuple[int, int, bool]]:
    if len(text) > MAX_CHARACTERS:
        return
    if (pattern := BRACKETED.get(language or "")) is not None:
        yield from ((*match.span(), False) for match in pattern.finditer(text))
        return
    for token in tokens(text, language):
        inside = text[token.start : token.end]
        if token.kind == "comment":
            yield token.start, token.start + len(inside.rstrip("\n")), False
        elif token.kind == "string" and language in DOCSTRINGS and inside.startswith(QUOTES):
            yield token.start, min(token.end, len(text)), True


def _joins(one: Note, other: Note) -> bool:
    return not one.docstring and one.indent == other.indent


def _plain(lines: list[str]) -> str:
    """A comment's lines without its marks."""
    plain = []
    for number, line in enumerate(lines):
        line = CLOSING.sub("", line)
        opened = OPENING.match(line)
        if opened is None and number:
            opened = MIDDLE.match(line)
        plain.append((line[opened.end() :] if opened else line).strip())
    return "\n".join(plain).strip("\n").strip()


def _unquoted(text: str) -> str:
    mark = text[:3]
    inside = text[3:].removesuffix(mark) if len(text) >= 6 else text[3:]
    return "\n".join(line.strip() for line in inside.split("\n")).strip()
