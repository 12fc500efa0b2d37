"""Where a continuation leaves the block that the cursor stands in."""

from __future__ import annotations

import re

from bowerbird.syntax.blocks import Course, Frame, Line, follow, surroundings
from bowerbird.syntax.indent import visible_indentation
from bowerbird.syntax.lexes import Lexis, lexis_of

LINES_ABOVE = 1_000
LEADS = ("@", "#[", "*")  # what may stand directly above a definition, beside comments
WITH_OPERAND = ("in",)  # these words end a block, and yet the next line belongs to it


def block_left(prefix: str, text: str, suffix: str, language: str | None) -> int:
    """How much of the continuation `text` stays in the block that the cursor stands in, with its end.

    A block ends where what encloses it is closed; where lines are indented less, in languages that go by
    that; and where another definition begins beside or above the one around the cursor.
    """
    lexis = lexis_of(language)
    if lexis is None:
        return len(text)
    around = surroundings(prefix, suffix, language)
    course = follow(text, around, language)
    closes = [frame.closes[0] for frame in around.frames[: around.above]]
    above = prefix[: around.line_start]
    cursor_line = prefix[around.line_start :] + text.partition("\n")[0]
    depths = map(visible_indentation, (cursor_line, *text.split("\n")[1:]))
    limit = next((depth for depth in depths if depth is not None), 0)
    header = _header_indentation(above, limit)
    head = _head_indentation(above, cursor_line, limit, lexis)
    for line in course.lines:
        written = text[line.start : line.end]
        depth = visible_indentation(written)
        if line.start and not line.in_token and depth is not None:
            if lexis.begins(lexis.heads, written):
                if head is not None and depth <= head:
                    return _before_leads(text, line.start, lexis)
                head = depth if head is None else head  # the continuation begins one: the next ends it
            in_brackets = line.depth or any(not word.isalpha() for word in closes)
            if lexis.offside and depth < limit and not in_brackets:
                if lexis.begins(lexis.clauses, written) and depth >= header:
                    limit = depth + 1  # what belongs to the clause is deeper
                elif not any(line.start <= one.start < line.end for one in course.closings):
                    return line.start
        if line.left < len(closes):
            begun = _depth_of_header(prefix, around.frames[line.left], lexis)
            if begun is None:
                begun = depth if line.opens or (lexis.offside and written.rstrip().endswith(":")) else None
            if begun is None or not {")", "]"}.issuperset(closes[line.left :]):
                return _with_operand(text, line, course)
            del closes[line.left :]  # the end of a header of several lines: what it heads belongs to it
            limit, header = begun + 1, begun
    return len(text)


def _header_indentation(above: str, limit: int) -> int:
    """The indentation of the line that began the block: the nearest above that is indented less."""
    depths = map(visible_indentation, reversed(above.rsplit("\n", LINES_ABOVE)[-LINES_ABOVE:]))
    return next((depth for depth in depths if depth is not None and depth < limit), limit)


def _depth_of_header(prefix: str, frame: Frame, lexis: Lexis) -> int | None:
    """The indentation of the definition on whose first line `frame` begins, or None."""
    line = prefix[prefix.rfind("\n", 0, frame.start) + 1 :].partition("\n")[0]
    return visible_indentation(line) if lexis.begins(lexis.heads, line) else None


def _head_indentation(above: str, cursor_line: str, depth: int, lexis: Lexis) -> int | None:
    """The indentation of the definition that the cursor begins, or is in by its `depth`; None without one."""
    if lexis.begins(lexis.heads, cursor_line):
        return visible_indentation(cursor_line)
    for line in reversed(above.rsplit("\n", LINES_ABOVE)[-LINES_ABOVE:]):
        if lexis.begins(lexis.heads, line):
            head = visible_indentation(line) or 0
            if head < depth or lexis.flat:
                return head
    return None


def _before_leads(text: str, start: int, lexis: Lexis) -> int:
    """`start`, or where the comments and attributes directly above it begin."""
    while start:
        above = text.rfind("\n", 0, start - 1) + 1
        line = text[above:start].strip()
        if not above or not line:
            return start
        if not line.startswith(LEADS) and not any(re.match(one, line) for one in lexis.comments):
            return start
        start = above
    return start


def _with_operand(text: str, line: Line, course: Course) -> int:
    """The end of `line`, which leaves the block; of the next one if the closing word wants an operand."""
    closing = [one for one in course.closings if line.start <= one.start < line.end][-1]
    if text[closing.start : closing.end] in WITH_OPERAND and not text[closing.end : line.end].strip():
        after = (one for one in course.lines if one.start > line.start)
        return next((one.end for one in after if text[one.start : one.end].strip()), line.end)
    return line.end
