"""Where a completion is wanted, and where its insertion goes: ranges that every editor can show."""

from __future__ import annotations

from dataclasses import dataclass

from lsprotocol import types

from bowerbird.lsp.convert import Encoding
from bowerbird.lsp.documents import Document
from bowerbird.text import Position


@dataclass(frozen=True, slots=True)
class Cursor:
    """A place in a document as it was when the completion was asked for. One line holds `start` and `end`."""

    document: Document
    start: Position
    """Where the insertion begins to replace."""
    written: str
    """What the insertion repeats before the completion: what stands there, or the selected item's text."""
    end: Position
    """Where it ends to replace: the cursor, or the selected item's end."""


@dataclass(frozen=True, slots=True)
class Insertion:
    """A text and the range on one line that it replaces."""

    text: str
    """Line ends as ``\\n``. Begins with what stands in `range`, or with the selected item's text."""
    range: types.Range
    line_end: str
    """The document's."""


def cursor_at(
    document: Document,
    place: types.Position,
    selected: types.SelectedCompletionInfo | None,
    encoding: Encoding,
) -> Cursor | None:
    """The cursor at the client's `place`; None if the list's selected item lies elsewhere.

    The insertion begins with the word that is being typed, or with the line's indentation, so that an
    editor can tell whether what is typed next still fits. Where text stands behind the cursor it begins
    at the cursor: Neovim draws a replacement over that text, an insertion beside it.
    """
    position = document.position(place, encoding)
    line = document.content(position.line)
    before = line[: position.column]
    if selected is not None:
        start = document.position(selected.range.start, encoding)
        end = document.position(selected.range.end, encoding)
        if not start.line == end.line == position.line or not start <= position <= end:
            return None
        return Cursor(document, start, selected.text, end)
    if line[position.column :].strip():
        column = position.column
    elif before.isspace():
        column = 0
    else:
        column = _start_of_word(before)
    return Cursor(document, Position(position.line, column), before[column:], position)


def anchored(
    cursor: Cursor,
    now: Document,
    completion: str,
    encoding: Encoding,
    replaces_before: int = 0,
    replaces_behind: int = 0,
) -> Insertion | None:
    """The insertion of `completion` into the document as it is now.

    It takes the place of so many characters before and behind the cursor. None if the document went another
    way than the completion while the model was writing.
    """
    start, end, written = _widened(cursor, replaces_before, replaces_behind)
    if now.lines != cursor.document.lines:
        typed = _typed(cursor, now)
        if typed is None or not completion.startswith(typed) or typed == completion or replaces_before:
            return None
        *above, last = typed.split("\n")
        if above:
            start = Position(end.line + len(above), 0)
            end = Position(start.line, len(last))
            written, completion = "", completion[len(typed) - len(last) :]
        else:
            end = Position(end.line, end.column + len(typed))
    return Insertion(written + completion, now.lsp_range(start, end, encoding), now.line_end)


def _widened(cursor: Cursor, before: int, behind: int) -> tuple[Position, Position, str]:
    """The range that is replaced, and what the insertion repeats at its beginning."""
    start, end, written = cursor.start, cursor.end, cursor.written
    if before > len(written):
        start, written = Position(start.line, max(0, start.column - (before - len(written)))), ""
    elif before:
        written = written[:-before]
    return start, Position(end.line, end.column + behind), written


def _typed(cursor: Cursor, now: Document) -> str | None:
    """What was typed at the cursor; None if anything else has changed."""
    before, behind = cursor.document.split(cursor.end)
    if len(now.text) < len(before) + len(behind):
        return None
    if not (now.text.startswith(before) and now.text.endswith(behind)):
        return None
    return now.text[len(before) : len(now.text) - len(behind)]


def _start_of_word(text: str) -> int:
    """The column where the word begins that `text` ends with."""
    start = len(text)
    while start > 0 and (text[start - 1].isalnum() or text[start - 1] == "_"):
        start -= 1
    return start
