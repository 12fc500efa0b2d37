"""What is asked for in a document: by a comment, a docstring, or a signature with an empty body."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum

from bowerbird.knowledge.examples import SHORTEST_WORDS
from bowerbird.syntax.languages import LANGUAGES
from bowerbird.synthesis.comments import Note, note_at, notes
from bowerbird.synthesis.place import Place, body_below, is_head, place_under
from bowerbird.text import Position, Span, split_at

LONGEST_REQUIREMENT = 2_000  # characters; a licence is longer than any wish
PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+|[^\W\d_]+")
NAME = re.compile(
    r"(?:\b(?:def[np]?-?|fun|func|function|fn|be|new|sub|proc)\s+(?:\([^)]*\)\s*)?"
    r"|^\s*(?:(?:export|let|const|var|val|local|rec|inline)\s+)*(?=[\w.]+(?:\s+\w+)*\s*(?:=|<-))"
    r"|(?=\b[\w:~]+\s*\())([\w:~.]+)",
    re.IGNORECASE,
)
"""The name in a function's head: behind a word for it, before what it is set to, or before its parameters."""


class Kind(StrEnum):
    """What a request is written in."""

    COMMENT = "comment"
    DOCSTRING = "docstring"
    SIGNATURE = "signature"


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """What is wanted, and where it goes."""

    kind: Kind
    requirement: str
    """The paper's x_test: a comment's lines, a docstring, or a function's name in words."""
    language: str
    """Key in `syntax.languages.LANGUAGES`."""
    text: str
    """The whole document, line ends as ``\\n``; empty where the request came without one."""
    lines: Span
    """Of what the request is written in; they stay."""
    place: Place
    signature: str = ""
    """Of the function whose body is wanted, on one line; empty where the code stands for itself."""

    @property
    def body(self) -> bool:
        """Is a function's body wanted, and not whole code?"""
        return bool(self.signature)

    @property
    def before(self) -> str:
        """The document up to the place."""
        return split_at(self.text, self.place.start)[0]

    @property
    def after(self) -> str:
        """The document from the place on."""
        return split_at(self.text, self.place.end)[1]

    def program(self, code: str) -> str:
        """The whole document with the code in its place."""
        return self.place.put(code, self.text, self.language)

    def edit(self, code: str) -> str:
        """What is put at the place, line ends as ``\\n``."""
        return self.place.filled(code, self.text, self.language)


def name_in(head: str) -> str:
    """The name of the function whose head this is; empty where it is none."""
    found = NAME.search(head)
    return found[1] if found else ""


def request_for(language: str, requirement: str) -> Request:
    """A request without a document: the code is a file of its own."""
    start = Position(0, 0)
    return Request(
        kind=Kind.COMMENT,
        requirement=requirement.strip(),
        language=language,
        text="",
        lines=Span(0, 0),
        place=Place(start, start, "", trail="\n"),
    )


def request_at(text: str, language: str | None, line: int) -> Request | None:
    """What the lines around `line` ask for; None where they ask for nothing that can be written.

    Documentation of code that is there already is no request. Never raises.
    """
    if language not in LANGUAGES or not 0 <= line <= text.count("\n"):
        return None
    note = note_at(text, language, line)
    if note is None:
        return _by_signature(text, language, line)
    if len(note.text.split()) < SHORTEST_WORDS or len(note.text) > LONGEST_REQUIREMENT:
        return None
    return _by_docstring(text, language, note) if note.docstring else _by_comment(text, language, note)


def _by_comment(text: str, language: str, note: Note) -> Request | None:
    rows = text.split("\n")
    below = note.lines.end
    if below < len(rows) and rows[below].strip():
        place = body_below(text, below, language)
        if place is not None:
            return _request(Kind.COMMENT, note.text, language, text, note.lines, place, rows[below])
        if is_head(rows[below], language):
            return None  # it documents what is there
    header = _header_above(text, rows, note, language)
    return _request(Kind.COMMENT, note.text, language, text, note.lines, place_under(text, note), header)


def _header_above(text: str, rows: list[str], note: Note, language: str) -> str:
    """The head of the function whose body holds the comment and nothing else; empty where there is none."""
    last = note.lines.first - 1
    owners = notes(text, language)
    while last >= 0 and (not rows[last].strip() or last in owners):
        last -= 1
    if last < 0 or not note.indent:
        return ""
    first = _first_of_header(rows, last)
    return " ".join(rows[first : last + 1]) if body_below(text, first, language) is not None else ""


def _by_docstring(text: str, language: str, note: Note) -> Request | None:
    rows = text.split("\n")
    header = note.lines.first - 1
    while header >= 0 and not rows[header].strip():
        header -= 1
    if header < 0:  # of the whole file
        rest = "\n".join(rows[note.lines.end :])
        if rest.strip():
            return None
        return _request(Kind.DOCSTRING, note.text, language, text, note.lines, place_under(text, note), "")
    first = _first_of_header(rows, header)
    place = body_below(text, first, language)
    if place is None:
        return None
    signature = " ".join(rows[first : header + 1])
    return _request(Kind.DOCSTRING, note.text, language, text, note.lines, place, signature)


def _by_signature(text: str, language: str, line: int) -> Request | None:
    rows = text.split("\n")
    first = _first_of_header(rows, line)
    place = body_below(text, first, language)
    if place is None:
        return None
    header = " ".join(rows[first : max(first + 1, place.start.line)])
    for near in (first - 1, first + 1):  # a comment above, a docstring below
        note = note_at(text, language, near) if 0 <= near < len(rows) else None
        if note is not None and near > first and note.lines.end > place.start.line:
            continue  # the code would come above it
        if note is not None and len(note.text.split()) >= SHORTEST_WORDS:
            header = rows[first]
            return _request(Kind.SIGNATURE, note.text, language, text, note.lines, place, header)
    wanted = " ".join(PART.findall(name_in(rows[first]))).lower()
    if not wanted:
        return None
    return _request(Kind.SIGNATURE, wanted, language, text, Span(first, line + 1), place, header)


def _first_of_header(rows: list[str], last: int) -> int:
    """Where a header begins whose brackets end on the line `last`."""
    first, closed = last, 0
    while first > 0:
        closed += sum(map(rows[first].count, ")]")) - sum(map(rows[first].count, "(["))
        if closed <= 0 or last - first > 12:
            break
        first -= 1
    return first


def _request(
    kind: Kind, requirement: str, language: str, text: str, lines: Span, place: Place, header: str
) -> Request:
    signature = " ".join(header.split()).rstrip("{").rstrip()
    for end in (": ...", ": pass", "{}", "{ }"):
        signature = signature.removesuffix(end).rstrip()
    return Request(
        kind=kind,
        requirement=requirement,
        language=language,
        text=text,
        lines=lines,
        place=place,
        signature=signature,
    )
