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

from lsprotocol import types

from bowerbird.knowledge.notebook import NOTES, Cell, joined, main_language
from bowerbird.lsp.cells import Notebook, Notebooks, Surroundings, around
from bowerbird.lsp.convert import (
    Encoding,
    column_from_client,
    key_of,
    lsp_position,
    path_of,
    scheme_of,
    without_lone_surrogates,
)
from bowerbird.lsp.schemes import Use, use_of
from bowerbird.syntax.languages import LANGUAGES, language_of
from bowerbird.text import Position, normalize_line_ends

LINE_END = re.compile(r"\r\n|\r|\n")
SNIFFED_CHARACTERS = 8192  # so far a NUL is looked for, as in files

TOO_LARGE = "This document is larger than index.maxFileBytes."
BINARY = "This document is no text."


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
        """Does somebody write code in such documents? Of a notebook's cell `Documents.use_of` knows more."""
        return use_of(scheme_of(self.uri)) is Use.CODE

    @cached_property
    def characters(self) -> int:
        """Its length; counted without joining the lines, for it may be huge."""
        return sum(map(len, self.lines))

    def unfit(self, max_characters: int) -> str | None:
        """Why nobody can complete it, in a sentence."""
        if self.characters > max_characters:
            return TOO_LARGE
        seen = 0
        for line in self.lines:
            if "\0" in line:
                return BINARY
            seen += len(line)
            if seen >= SNIFFED_CHARACTERS:
                break
        return None

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
    """All open documents. One that is open under two spellings of its URI is one document."""

    def __init__(self) -> None:
        self._documents: dict[str, Document] = {}
        self._spellings: dict[str, set[str]] = {}
        """The URIs by which the editor has opened each."""
        self.notebooks = Notebooks()

    def __iter__(self) -> Iterator[Document]:
        """All documents, and each notebook as one document of its code."""
        yield from tuple(self._documents.values())
        yield from [self.as_document(notebook) for notebook in self.notebooks]

    def get(self, uri: str) -> Document | None:
        """None if the editor has not opened it."""
        return self._documents.get(key_of(uri))

    def open(self, item: types.TextDocumentItem) -> Document:
        """The editor shows a document, or shows it anew."""
        lines = split_lines(without_lone_surrogates(item.text))
        document = Document(item.uri, item.language_id, item.version, lines)
        key = key_of(item.uri)
        self._documents[key] = document
        self._spellings.setdefault(key, set()).add(item.uri)
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
        self._documents[key_of(uri)] = document
        return document

    def close(self, uri: str) -> Document | None:
        """The editor no longer shows it under this URI; the document, if under no other either."""
        key = key_of(uri)
        spellings = self._spellings.get(key, set())
        if uri in spellings and len(spellings) > 1:
            spellings.remove(uri)
            return None
        self._spellings.pop(key, None)
        return self._documents.pop(key, None)

    def surroundings(self, document: Document) -> Surroundings | None:
        """The cells around `document` as it is, None if it is no cell."""
        notebook = self.notebooks.holding(document.uri)
        if notebook is None:
            return None
        here = key_of(document.uri)
        keys = [key_of(cell.document) for cell in notebook.cells]
        cells = [
            _as_cell(cell.kind, document if key == here else self._documents.get(key))
            for key, cell in zip(keys, notebook.cells, strict=True)
        ]
        return around(notebook.uri, cells, keys.index(here))

    def use_of(self, document: Document) -> Use:
        """What the document is for; a cell what its notebook is for."""
        notebook = self.notebooks.holding(document.uri)
        return use_of(scheme_of(notebook.uri if notebook else document.uri))

    def as_document(self, notebook: Notebook) -> Document:
        """All its code in its main language, as it stands in the index."""
        cells = [_as_cell(cell.kind, self.get(cell.document)) for cell in notebook.cells]
        language = main_language(cells)
        language_id = LANGUAGES[language].lsp_ids[0] if language else ""
        return Document(notebook.uri, language_id, notebook.version, split_lines(joined(cells, language)))


def _as_cell(kind: types.NotebookCellKind, document: Document | None) -> Cell:
    if document is None:
        return Cell("", None)
    notes = kind is types.NotebookCellKind.Markup
    return Cell(document.text, NOTES if notes else language_of(None, document.language_id))


def split_lines(text: str) -> tuple[str, ...]:
    """Lines with their ends, as the protocol cuts them; at least one, the last without an end."""
    lines = []
    start = 0
    for end in LINE_END.finditer(text):
        lines.append(text[start : end.end()])
        start = end.end()
    lines.append(text[start:])
    return tuple(lines)
