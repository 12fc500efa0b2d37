"""Notebooks: a completion in a cell goes on from the cells above it."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import pytest
from lsprotocol import types

from bowerbird.lsp.cells import Notebook, Notebooks
from bowerbird.trace import Reason
from lsp_pair import Pair, TestEditor, capabilities

CODE, NOTES = types.NotebookCellKind.Code, types.NotebookCellKind.Markup


@dataclass
class Shown:
    """A notebook in the editor; ``[("python", "x = 1")]`` are its cells."""

    pair: Pair
    cells: Sequence[tuple[str, str]]
    uri: str = ""
    version: int = 1
    uris: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.uri = self.uri or self.pair.uri("birds.ipynb")
        self.uris = [self.cell_uri(number) for number in range(len(self.cells))]
        items = [self.item(number, *cell) for number, cell in enumerate(self.cells)]
        cells = [self.cell(number, cell[0]) for number, cell in enumerate(self.cells)]
        notebook = types.NotebookDocument(self.uri, "jupyter-notebook", 1, cells)
        self.pair.editor.notebook_document_did_open(types.DidOpenNotebookDocumentParams(notebook, items))

    def cell_uri(self, number: int) -> str:
        """As VS Code makes them."""
        return f"vscode-notebook-cell:{self.uri.partition('://')[2]}#W{number}sZmlsZQ%3D%3D"

    def item(self, number: int, language: str, text: str) -> types.TextDocumentItem:
        return types.TextDocumentItem(self.cell_uri(number), language, 1, text)

    def cell(self, number: int, language: str) -> types.NotebookCell:
        return types.NotebookCell(NOTES if language == "markdown" else CODE, self.cell_uri(number))

    def change(self, **changes: Any) -> None:
        """Tell of changed cells."""
        self.version += 1
        identifier = types.VersionedNotebookDocumentIdentifier(self.version, self.uri)
        event = types.NotebookDocumentChangeEvent(cells=types.NotebookDocumentCellChanges(**changes))
        self.pair.editor.notebook_document_did_change(
            types.DidChangeNotebookDocumentParams(identifier, event)
        )

    def rearrange(self, start: int, deleted: int, *cells: types.NotebookCell, **more: Any) -> None:
        """Replace some cells."""
        array = types.NotebookCellArrayChange(start, deleted, list(cells))
        self.change(structure=types.NotebookDocumentCellChangeStructure(array, **more))

    def type_in(self, number: int, line: int, column: int, text: str) -> None:
        """Insert text into a cell."""
        place = types.Position(line, column)
        change = types.TextDocumentContentChangePartial(types.Range(place, place), text)
        document = types.VersionedTextDocumentIdentifier(self.version + 1, self.cell_uri(number))
        self.change(text_content=[types.NotebookDocumentCellContentChanges(document, [change])])

    async def ghosts(self, number: int, line: int, column: int) -> Sequence[types.InlineCompletionItem]:
        return await self.pair.editor.ghosts(self.cell_uri(number), types.Position(line, column))

    async def around(self, number: int, line: int, column: int) -> tuple[str, str]:
        """What the engine is told stands before and behind a place."""
        await self.ghosts(number, line, column)
        asked = [unfinished for unfinished, request in self.pair.engine.asked if not request.speculative]
        return asked[-1].prefix, asked[-1].suffix


@pytest.fixture
async def pair(connect: Any) -> Any:
    announced = capabilities()
    sync = types.NotebookDocumentSyncClientCapabilities()
    announced.notebook_document = types.NotebookDocumentClientCapabilities(synchronization=sync)
    async with connect(TestEditor(announced)) as pair:
        yield pair


BIRDS = [
    ("markdown", "# Birds"),
    ("python", "%matplotlib inline\nimport birds\n"),
    ("python", "for bird in birds:\n    \n\n"),
    ("raw", "no code"),
    ("python", "birds.close()"),
]


async def test_all_notebooks_are_told_of(pair: Pair) -> None:
    """The editor is asked for all kinds of notebooks and cells, and for their saving."""
    sync = pair.editor.server.capabilities.notebook_document_sync
    assert sync == types.NotebookDocumentSyncOptions(
        (types.NotebookDocumentFilterWithNotebook(notebook="*"),), save=True
    )


async def test_a_cell_goes_on_from_those_above(pair: Pair) -> None:
    """The prefix is what stands above, notes and magics as comments; the suffix what stands below."""
    before, behind = await Shown(pair, BIRDS).around(2, 1, 4)
    assert before == "# # Birds\n\n# %matplotlib inline\nimport birds\n\nfor bird in birds:\n    "
    assert behind == "\n\nbirds.close()"
    unfinished = pair.engine.asked[0][0]
    assert (unfinished.path, unfinished.name) == (pair.folder / "birds.ipynb", "birds.ipynb")
    assert unfinished.language == "python"


async def test_the_range_is_in_the_cell(pair: Pair) -> None:
    """What is inserted counts its lines from the cell's first."""
    pair.engine.text = "print(bird)"
    (item,) = await Shown(pair, BIRDS).ghosts(2, 1, 4)
    assert item.insert_text == "    print(bird)"
    assert item.range == types.Range(types.Position(1, 0), types.Position(1, 4))


async def test_the_cursors_line_stays_as_it_is(pair: Pair) -> None:
    """A magic that is being written is completed as a magic."""
    notebook = Shown(pair, [("python", "%time x\n%time birds.\n!ls")])
    assert await notebook.around(0, 1, 12) == ("# %time x\n%time birds.", "\n# !ls")


async def test_each_cell_has_its_language(pair: Pair) -> None:
    """A cell sees those of its own language; a magic in its first line says another."""
    cells = [("sql", "select 1"), ("csharp", "var x;"), ("sql", "select "), ("python", "%%sql\nselect 2")]
    notebook = Shown(pair, cells)
    assert await notebook.around(2, 0, 7) == ("select 1\n\nselect ", "\n\n-- %%sql\nselect 2")
    assert pair.engine.asked[0][0].language == "sql"


async def test_edits_and_moves_and_kinds(pair: Pair) -> None:
    """Whatever happens to cells, the next completion sees them as they are."""
    notebook = Shown(pair, [("python", "a = 1"), ("python", "b = 2"), ("python", "c = ")])
    notebook.type_in(0, 0, 5, "0")
    assert (await notebook.around(2, 0, 4))[0] == "a = 10\n\nb = 2\n\nc = "
    notebook.rearrange(0, 2, notebook.cell(1, "python"), notebook.cell(0, "python"))
    assert (await notebook.around(2, 0, 4))[0] == "b = 2\n\na = 10\n\nc = "
    opened = notebook.item(3, "python", "d = 3")
    closed = types.TextDocumentIdentifier(notebook.cell_uri(1))
    notebook.rearrange(0, 1, notebook.cell(3, "python"), did_open=[opened], did_close=[closed])
    assert (await notebook.around(2, 0, 4))[0] == "d = 3\n\na = 10\n\nc = "
    notebook.change(data=[types.NotebookCell(NOTES, notebook.cell_uri(3))])
    assert (await notebook.around(2, 0, 4))[0] == "# d = 3\n\na = 10\n\nc = "
    assert not await notebook.ghosts(1, 0, 0)
    assert pair.editor.statuses[-1]["reason"] == Reason.NO_DOCUMENT


async def test_a_cell_that_goes_while_the_model_writes(pair: Pair) -> None:
    """There is nothing left to complete."""
    notebook = Shown(pair, BIRDS)
    pair.engine.may_answer.clear()
    asking = asyncio.create_task(notebook.ghosts(4, 0, 0))
    await pair.wait_for(lambda: pair.engine.running)
    notebook.rearrange(4, 1, did_close=[types.TextDocumentIdentifier(notebook.cell_uri(4))])
    await pair.wait_for(lambda: pair.server.documents.get(notebook.cell_uri(4)) is None)
    pair.engine.may_answer.set()
    assert not await asking


async def test_a_closed_notebook(pair: Pair) -> None:
    """Its cells get no more completions, its file counts again, and nothing is kept."""
    notebook = Shown(pair, BIRDS)
    await pair.wait_for(lambda: pair.repository.opened)
    cells = [types.TextDocumentIdentifier(uri) for uri in notebook.uris]
    pair.editor.notebook_document_did_close(
        types.DidCloseNotebookDocumentParams(types.NotebookDocumentIdentifier(notebook.uri), cells)
    )
    assert not await notebook.ghosts(2, 1, 4)
    await pair.wait_for(lambda: not pair.repository.opened)
    assert list(pair.server.documents) == []


async def test_the_index_has_its_code_instead_of_its_file(pair: Pair) -> None:
    """An open notebook is no JSON to others; what is typed in it reaches them."""
    notebook = Shown(pair, BIRDS)
    notebook.type_in(4, 0, 13, "  # all")
    code = "# # Birds\n\n# %matplotlib inline\nimport birds\n\n"
    code += "for bird in birds:\n    \n\nbirds.close()  # all\n"
    await pair.wait_for(lambda: pair.repository.opened == {pair.folder / "birds.ipynb": code})


async def test_saving_looks_at_the_file(pair: Pair, monkeypatch: pytest.MonkeyPatch) -> None:
    """As for other files; what was accepted in its cells counts as saved."""
    saved: list[str] = []
    monkeypatch.setattr(pair.server.records, "save", saved.append)
    notebook = Shown(pair, BIRDS)
    identifier = types.NotebookDocumentIdentifier(notebook.uri)
    pair.editor.notebook_document_did_save(types.DidSaveNotebookDocumentParams(identifier))
    await pair.wait_for(lambda: pair.repository.refreshed == [pair.folder / "birds.ipynb"])
    assert saved == notebook.uris


async def test_an_unsaved_notebook(pair: Pair) -> None:
    """It counts as one in the first folder, and is not in the index."""
    notebook = Shown(pair, BIRDS, "untitled:new.ipynb")
    await notebook.around(1, 0, 0)
    assert pair.engine.asked[0][0].path == pair.folder / "new.ipynb"
    assert pair.repository.opened == {}


async def test_a_notebook_of_a_difference(pair: Pair) -> None:
    """Its cells are views like itself."""
    assert not await Shown(pair, BIRDS, "git:/w/birds.ipynb?ref").ghosts(1, 0, 0)
    assert pair.editor.statuses[-1]["reason"] == Reason.EXCLUDED


async def test_news_of_a_notebook_that_is_not_open(pair: Pair) -> None:
    """They are passed over, and nothing pops up."""
    notebook = Shown(pair, [])
    pair.editor.notebook_document_did_close(
        types.DidCloseNotebookDocumentParams(types.NotebookDocumentIdentifier(notebook.uri), [])
    )
    notebook.type_in(0, 0, 0, "x")
    notebook.rearrange(7, 9, notebook.cell(1, "python"))
    await pair.ghost("a.py", "x|")
    assert pair.editor.messages == []


def test_a_change_beyond_the_end_appends() -> None:
    """Numbers that make no sense do no harm, and a cell belongs to one notebook only."""
    cells = tuple(types.NotebookCell(CODE, f"cell:{name}") for name in "ab")
    array = types.NotebookCellArrayChange(9, 9, cells[1:])
    change = types.NotebookDocumentCellChanges(types.NotebookDocumentCellChangeStructure(array))
    notebook = Notebook("file:///x.ipynb", 1, cells[:1]).changed(2, change)
    assert (notebook.cells, notebook.version) == (cells, 2)
    notebooks = Notebooks()
    notebooks.put(notebook)
    assert notebooks.holding("cell:b") is notebook
    notebooks.put(notebook.changed(3, types.NotebookDocumentCellChanges(data=[cells[0]])))
    notebooks.drop("file:///x.ipynb")
    assert notebooks.holding("cell:b") is None
