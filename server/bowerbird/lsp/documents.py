"""The documents that the editor has open, exactly as it sees them.

The framework's own documents are not used: they end lines at form feeds and other characters that the
protocol does not name, and an edit would then land in the wrong place.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from urllib.parse import unquote

from lsprotocol import types

from bowerbird.lsp.convert import (
    Encoding,
    column_from_client,
    lsp_position,
    path_of,
    scheme_of,
    without_lone_surrogates,
)
from bowerbird.text import Position, normalize_line_ends

LINE_END = re.compile(r"\r\n|\r|\n")
WRITABLE_SCHEMES = ("file", "untitled")  # `git:`, `output:` and the like show what nobody types into


@dataclass(frozen=True)
class Document:
    """A text in the editor at one version; an edit makes a new one."""

    uri: str
    language_id: str
    version: int
    lines: tuple[str, ...]
    """With their line ends. The last has none and may be empty."""

    @cached_property
    def path(self) -> Path | None:
        """None for what is no file of this machine."""
        return path_of(self.uri)

    @cached_property
    def text(self) -> str:
        """The whole text, its line ends as ``\\n``."""
        return normalize_line_ends("".join(self.lines))

    @cached_property
    def line_end(self) -> str:
        """The first line's, which stands for all."""
        found = LINE_END.search(self.lines[0])
        return found[0] if found else "\n"

    @property
    def writable(self) -> bool:
        """Does somebody write in it? Read-only views get no completions."""
        return scheme_of(self.uri) in WRITABLE_SCHEMES

    def content(self, line: int) -> str:
        """A line without its end."""
        return self.lines[line].rstrip("\r\n")

    def position(self, place: types.Position, encoding: Encoding) -> Position:
        """The client's position as ours, clamped to what exists."""
        if place.line >= len(self.lines):
            return Position(len(self.lines) - 1, len(self.lines[-1]))
        return Position(place.line, column_from_client(self.content(place.line), place.character, encoding))

    def lsp_range(self, start: Position, end: Position, encoding: Encoding) -> types.Range:
        """Our two positions as the client's range."""
        return types.Range(
            lsp_position(self.lines[start.line], start, encoding),
            lsp_position(self.lines[end.line], end, encoding),
        )

    def split(self, position: Position) -> tuple[str, str]:
        """What stands before and behind `position`, line ends as ``\\n``."""
        line = self.lines[position.line]
        before = "".join(self.lines[: position.line]) + line[: position.column]
        behind = line[position.column :] + "".join(self.lines[position.line + 1 :])
        return normalize_line_ends(before), normalize_line_ends(behind)

    def changed(
        self, version: int, change: types.TextDocumentContentChangeEvent, encoding: Encoding
    ) -> Document:
        """The document after one edit."""
        text = without_lone_surrogates(change.text)
        if not isinstance(change, types.TextDocumentContentChangePartial):
            return replace(self, version=version, lines=split_lines(text))
        start, end = sorted(
            (self.position(change.range.start, encoding), self.position(change.range.end, encoding))
        )
        first = start.line
        new = self.lines[first][: start.column] + text + self.lines[end.line][end.column :]
        if new.startswith("\n") and first > 0 and self.lines[first - 1].endswith("\r"):
            first -= 1  # the two become one line end
            new = self.lines[first] + new
        tail = self.lines[end.line + 1 :]
        edited = split_lines(new)
        if tail:  # `new` ends with a line end, after which `split_lines` puts an empty last line
            edited = edited[:-1]
        return replace(self, version=version, lines=(*self.lines[:first], *edited, *tail))


class Documents:
    """All open documents."""

    def __init__(self) -> None:
        self._documents: dict[str, Document] = {}

    def __iter__(self) -> Iterator[Document]:
        return iter(tuple(self._documents.values()))

    def get(self, uri: str) -> Document | None:
        """None if the editor has not opened it."""
        return self._documents.get(unquote(uri))

    def open(self, item: types.TextDocumentItem) -> Document:
        """The editor shows a document, or shows it anew."""
        lines = split_lines(without_lone_surrogates(item.text))
        document = Document(item.uri, item.language_id, item.version, lines)
        self._documents[unquote(item.uri)] = document
        return document

    def change(
        self,
        uri: str,
        version: int,
        changes: Sequence[types.TextDocumentContentChangeEvent],
        encoding: Encoding,
    ) -> Document | None:
        """Edits, each made upon the one before; None if the document is not open."""
        document = self.get(uri)
        if document is None:
            return None
        for change in changes:
            document = document.changed(version, change, encoding)
        self._documents[unquote(uri)] = document
        return document

    def close(self, uri: str) -> Document | None:
        """The editor no longer shows it."""
        return self._documents.pop(unquote(uri), None)


def split_lines(text: str) -> tuple[str, ...]:
    """Lines with their ends, as the protocol cuts them; at least one, the last without an end."""
    lines = []
    start = 0
    for end in LINE_END.finditer(text):
        lines.append(text[start : end.end()])
        start = end.end()
    lines.append(text[start:])
    return tuple(lines)
