"""Filters that go by blocks and by the parser."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

from bowerbird.completion.finish.draft import Draft, Piece
from bowerbird.syntax.blocks import follow, string_end, surroundings
from bowerbird.syntax.leaving import block_left
from bowerbird.syntax.lexes import lexis_of
from bowerbird.syntax.scope import sound_prefix


class _Passed(NamedTuple):
    """A closer that the text shares with the cursor's line."""

    start: int
    end: int
    """In the text."""
    at: int
    """Where it stands behind the cursor."""


def closed_already(piece: Piece, draft: Draft) -> Piece:
    """What the document closes behind the cursor is not closed again.

    Where a completion goes on behind a bracket or quote that the editor wrote behind the cursor, it takes
    that one's place.
    """
    if lexis_of(draft.language) is None:
        return piece
    text, behind = piece.text, draft.line_behind
    around = surroundings(draft.prefix, draft.suffix, draft.language)
    passed: list[_Passed] = []
    quote = string_end(text, around, draft.language)
    if quote is not None and draft.only_closers_behind:
        at = len(behind) - len(behind.lstrip())
        if behind.startswith(text[slice(*quote)], at):
            passed.append(_Passed(*quote, at))
    for closing in follow(text, around, draft.language).closings:
        closed_at = None if closing.frame is None else around.frames[closing.frame].closed_at
        if closing.frame is not None and closed_at is None:
            continue  # nothing behind the cursor does it
        if closed_at is None or closed_at >= len(behind) or not draft.only_closers_behind:
            text = text[: closing.start]
            break
        passed.append(_Passed(closing.start, closing.end, closed_at))
    while passed and behind[passed[-1].at :].rstrip().startswith(text[passed[-1].start :].rstrip()):
        text = text[: passed.pop().start]
    if not passed:
        return replace(piece, text=text)
    if not draft.may_replace:
        return replace(piece, text=text[: passed[0].start])
    last = passed[-1]
    replaced = last.at + last.end - last.start
    if text.startswith(behind[replaced:].rstrip(), last.end):  # such as the semicolon behind the bracket
        replaced = len(behind.rstrip())
    return Piece(text, piece.replaces_before, replaced)


def leaving_block(piece: Piece, draft: Draft) -> Piece:
    """A completion ends with the block that the cursor stands in."""
    prefix, suffix = _around(piece, draft)
    return replace(piece, text=piece.text[: block_left(prefix, piece.text, suffix, draft.language)])


def unsound(piece: Piece, draft: Draft) -> Piece:
    """The longest prefix stays that adds no error to the document, if there is one."""
    prefix, suffix = _around(piece, draft)
    return replace(piece, text=sound_prefix(prefix, piece.text, suffix, draft.language))


def _around(piece: Piece, draft: Draft) -> tuple[str, str]:
    """What will stand before and behind the text."""
    end = len(draft.prefix) - piece.replaces_before
    return draft.prefix[:end], draft.suffix[piece.replaces_behind :]
