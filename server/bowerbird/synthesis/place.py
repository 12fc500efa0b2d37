"""Where the code of a request goes: under a comment, or into a body that is still empty."""

from __future__ import annotations

import re
from dataclasses import dataclass

from bowerbird.syntax.bodies import in_empty_body
from bowerbird.syntax.indent import adapt, indentation_around, leading_space
from bowerbird.syntax.lexes import lexis_of
from bowerbird.synthesis.comments import Note, notes
from bowerbird.synthesis.heads import FUNCTION, is_empty_by_lines
from bowerbird.text import Position, split_at

MOST_HEADER_LINES = 12

PLACEHOLDER = re.compile(
    r"[ \t]*(?:pass|\.\.\.|todo!\(\)|unimplemented!\(\)|raise NotImplementedError(?:\([^)\n]*\))?);?[ \t]*"
)
INLINE = re.compile(r"(?P<head>.*(?::|=>))[ \t]*(?:pass|\.\.\.)[ \t]*")
BRACES = re.compile(r"(?P<head>.*\{)[ \t]*(?P<tail>\}[;),]*)[ \t]*")


@dataclass(frozen=True, slots=True)
class Place:
    """A gap in a document, and how code is put into it."""

    start: Position
    end: Position
    """What stands before it gives way: nothing, white space, or a placeholder such as `pass`."""
    indent: str
    """Of each line of the code."""
    lead: str = ""
    trail: str = ""
    """What must stand before and behind the code, such as a line end."""

    def filled(self, code: str, text: str, language: str | None) -> str:
        """What stands at the gap of the document `text` afterwards, in the document's indentation."""
        before, after = split_at(text, self.start)[0], split_at(text, self.end)[1]
        indentation = indentation_around(before + self.lead + self.indent, after, language)
        own = adapt(without_margin(code), "", indentation)
        lines = [f"{self.indent}{line}" if line.strip() else "" for line in own.split("\n")]
        return self.lead + "\n".join(lines) + self.trail

    def put(self, code: str, text: str, language: str | None) -> str:
        """The whole document afterwards."""
        before, after = split_at(text, self.start)[0], split_at(text, self.end)[1]
        return before + self.filled(code, text, language) + after


def without_margin(code: str) -> str:
    """The code without empty lines around it, and without the white space that all its lines share."""
    lines = code.strip("\n").rstrip().split("\n")
    visible = [leading_space(line) for line in lines if line.strip()]
    margin = min(visible, key=len, default="")
    while margin and not all(space.startswith(margin) for space in visible):
        margin = margin[:-1]
    return "\n".join(line.removeprefix(margin).rstrip() for line in lines)


def place_under(text: str, note: Note) -> Place:
    """The line below a comment. White space that stands there alone gives way."""
    rows = text.split("\n")
    below = note.lines.end
    if below >= len(rows):
        end = Position(below - 1, len(rows[below - 1]))
        return Place(end, end, note.indent, lead="\n")
    start = Position(below, 0)
    if rows[below] and not rows[below].strip():
        last = below == len(rows) - 1
        return Place(start, Position(below, len(rows[below])), note.indent, trail="\n" if last else "")
    return Place(start, start, note.indent, trail="\n")


def body_below(text: str, header: int, language: str | None) -> Place | None:
    """The empty body of the function whose header has the line `header`; None where there is none."""
    rows = text.split("\n")
    if header >= len(rows) or not rows[header].strip():
        return None
    open_brackets = 0
    for line in range(header, min(header + MOST_HEADER_LINES, len(rows))):
        place = _body_behind(text, rows, line, language)
        if place is not None:
            return place
        open_brackets += sum(map(rows[line].count, "([")) - sum(map(rows[line].count, ")]"))
        if open_brackets <= 0:
            return None
    return None


def is_head(line: str, language: str) -> bool:
    """Does a line begin a definition?"""
    lexis = lexis_of(language)
    return bool(FUNCTION.match(line)) or (lexis is not None and lexis.begins(lexis.heads, line))


def _body_behind(text: str, rows: list[str], header: int, language: str | None) -> Place | None:
    """The empty body that begins behind the line `header`."""
    line = rows[header]
    outer = leading_space(line)
    unit = indentation_around(*split_at(text, Position(header, len(line))), language).unit
    if (match := BRACES.fullmatch(line)) is not None:
        start, end = (Position(header, match.end("head")), Position(header, match.start("tail")))
        return _sound(text, Place(start, end, outer + unit, "\n", f"\n{outer}"), language)
    if (match := INLINE.fullmatch(line)) is not None:
        start, end = Position(header, match.end("head")), Position(header, len(line))
        return _sound(text, Place(start, end, outer + unit, "\n"), language)
    documented = notes(text, language).get(header + 1)
    first = header + 1
    indent = outer + unit
    if documented is not None and documented.docstring:
        first, indent = documented.lines.end, documented.indent
    replaced = next((n for n in range(first, len(rows)) if rows[n].strip()), len(rows))
    if replaced < len(rows) and PLACEHOLDER.fullmatch(rows[replaced]):
        start, stop = Position(replaced, 0), Position(replaced, len(rows[replaced]))
        return _sound(text, Place(start, stop, leading_space(rows[replaced])), language)
    if first >= len(rows):
        end_of_text = Position(len(rows) - 1, len(rows[-1]))
        return _sound(text, Place(end_of_text, end_of_text, indent, lead="\n"), language)
    blank = bool(rows[first]) and not rows[first].strip()
    if blank:
        return _sound(text, Place(Position(first, 0), Position(first, len(rows[first])), indent), language)
    return _sound(text, Place(Position(first, 0), Position(first, 0), indent, trail="\n"), language)


def _sound(text: str, place: Place, language: str | None) -> Place | None:
    """The place, if it is an empty body."""
    before, after = split_at(text, place.start)[0], split_at(text, place.end)[1]
    prefix = before + (place.lead or "") + place.indent
    if in_empty_body(prefix, (place.trail or "\n") + after, language):
        return place
    return place if is_empty_by_lines(before + place.lead, place.trail + after, language) else None
