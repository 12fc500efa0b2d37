"""The cells of open notebooks: which there are, in which order, and what each has around it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from lsprotocol import types

from bowerbird.completion.query import UnfinishedCode
from bowerbird.knowledge.notebook import Cell, above, below, language_here, plain_code
from bowerbird.lsp.convert import key_of

ALL_NOTEBOOKS = types.NotebookDocumentSyncOptions(
    [types.NotebookDocumentFilterWithNotebook(notebook="*")], save=True
)
"""Which notebooks the editor is to tell of, with cells of every language."""


@dataclass(frozen=True, slots=True)
class Notebook:
    """A notebook that the editor shows; its cells' texts are documents of their own."""

    uri: str
    version: int
    cells: tuple[types.NotebookCell, ...]

    def changed(self, version: int, changes: types.NotebookDocumentCellChanges | None) -> Notebook:
        """The notebook with cells that came, went, moved or became another kind."""
        cells = self.cells
        if changes is not None and changes.structure is not None:
            array = changes.structure.array
            behind = cells[array.start + array.delete_count :]
            cells = (*cells[: array.start], *(array.cells or ()), *behind)
        if changes is not None and changes.data:
            new = {cell.document: cell for cell in changes.data}
            cells = tuple(new.get(cell.document, cell) for cell in cells)
        return replace(self, version=version, cells=cells)


class Notebooks:
    """All open notebooks."""

    def __init__(self) -> None:
        self._notebooks: dict[str, Notebook] = {}
        self._holding: dict[str, str] = {}
        """The notebook of each cell."""

    def __iter__(self) -> Iterator[Notebook]:
        return iter(tuple(self._notebooks.values()))

    def get(self, uri: str) -> Notebook | None:
        """None if the editor has not opened it."""
        return self._notebooks.get(key_of(uri))

    def holding(self, cell_uri: str) -> Notebook | None:
        """The notebook that the cell with this URI belongs to."""
        return self._notebooks.get(self._holding.get(key_of(cell_uri), ""))

    def put(self, notebook: Notebook) -> None:
        """The editor shows a notebook, or has changed its cells."""
        self.drop(notebook.uri)
        key = key_of(notebook.uri)
        self._notebooks[key] = notebook
        self._holding.update((key_of(cell.document), key) for cell in notebook.cells)

    def drop(self, uri: str) -> Notebook | None:
        """The editor no longer shows it."""
        notebook = self._notebooks.pop(key_of(uri), None)
        for cell in notebook.cells if notebook else ():
            self._holding.pop(key_of(cell.document), None)
        return notebook


@dataclass(frozen=True, slots=True)
class Surroundings:
    """One cell among the others."""

    notebook: str
    """The notebook's URI."""
    cell: Cell
    cells_above: tuple[Cell, ...]
    cells_below: tuple[Cell, ...]


def around(notebook: str, cells: Sequence[Cell], index: int) -> Surroundings:
    """What the cell at `index` has around it."""
    return Surroundings(notebook, cells[index], tuple(cells[:index]), tuple(cells[index + 1 :]))


def widened(unfinished: UnfinishedCode, place: Surroundings) -> UnfinishedCode:
    """The unfinished code of a cell with the cells above and below it.

    The cursor's line stays as it is, for what is written there goes on from it.
    """
    cell = place.cell
    language = language_here(cell)
    plain, line = plain_code(cell).split("\n"), unfinished.line
    *_, typed = unfinished.prefix.split("\n")
    rest, _, _ = unfinished.suffix.partition("\n")
    before = "\n".join([*plain[:line], typed])
    behind = "\n".join([rest, *plain[line + 1 :]])
    tail = below(place.cells_below, language)
    return replace(
        unfinished,
        language=language,
        prefix=above(place.cells_above, language) + before,
        suffix=behind.rstrip("\n") + tail if tail else behind,
    )
