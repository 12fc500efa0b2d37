"""Filters that indent: the only ones that change what the model wrote."""

from __future__ import annotations

from dataclasses import replace

from bowerbird.completion.finish.draft import Draft, Piece
from bowerbird.syntax.blocks import follow, surroundings
from bowerbird.syntax.indent import adapt, indentation_around, leading_space, visible_indentation
from bowerbird.syntax.lexes import lexis_of


def document_indentation(text: str, draft: Draft) -> str:
    """Lines are indented as the document's are: with its tabs or spaces, and as wide."""
    if "\n" not in text:
        return text
    found = indentation_around(draft.prefix, draft.suffix, draft.language)
    return adapt(text, draft.line_before, found)


def first_line(piece: Piece, draft: Draft) -> Piece:
    """On a blank line the completion begins at the right column, over white space that is there already."""
    typed = draft.line_before
    if typed.strip() or draft.line_behind.strip() or not piece.text.strip():
        return piece
    line, line_break, others = piece.text.partition("\n")
    if not line.strip():
        return piece
    own = leading_space(line)
    wanted = own if draft.indents_itself else _of_closing(line, draft)
    if wanted is None:
        wanted = typed if own and _too_deep(typed + line, draft) else typed + own
    text = line[len(own) :] + line_break + others
    if wanted.startswith(typed):
        return replace(piece, text=wanted[len(typed) :] + text)
    if not draft.may_replace:
        return replace(piece, text=text)
    return replace(piece, text=wanted + text, replaces_before=len(typed))


def _of_closing(line: str, draft: Draft) -> str | None:
    """The indentation of the line whose block the first word of `line` ends; None if it ends none."""
    around = surroundings(draft.prefix, draft.suffix, draft.language)
    closings = follow(line, around, draft.language).closings
    begins = len(line) - len(line.lstrip())
    if not closings or closings[0].start != begins or closings[0].frame is None:
        return None
    opened = around.frames[closings[0].frame].start
    return leading_space(draft.prefix[draft.prefix.rfind("\n", 0, opened) + 1 :].partition("\n")[0])


def _too_deep(line: str, draft: Draft) -> bool:
    """Is `line` indented more than the line above it lets a statement be?"""
    above = draft.visible_lines_above(1)
    lexis = lexis_of(draft.language)
    if not above or lexis is None:
        return False
    depth, limit = visible_indentation(line) or 0, visible_indentation(above[0]) or 0
    opens = above[0].rstrip().endswith((":", "{", "(", "[", ",", "=>", "=", "do", "then", "\\"))
    return depth > limit and not opens and lexis.offside
