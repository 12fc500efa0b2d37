"""Notebooks: their cells are documents, and what is completed in one goes on from those above it.

In the index an open notebook stands as its code, in place of the JSON that its file is.
"""

from __future__ import annotations

from lsprotocol import types

from bowerbird.lsp import files
from bowerbird.lsp.cells import Notebook
from bowerbird.lsp.host import BowerbirdServer


def did_open(server: BowerbirdServer, params: types.DidOpenNotebookDocumentParams) -> None:
    """A notebook is shown, with all its cells."""
    for item in params.cell_text_documents:
        server.documents.open(item)
    shown = params.notebook_document
    notebook = Notebook(shown.uri, shown.version, tuple(shown.cells))
    server.documents.notebooks.put(notebook)
    _reindex(server, notebook)


def did_change(server: BowerbirdServer, params: types.DidChangeNotebookDocumentParams) -> None:
    """Cells came, went or moved, somebody typed in one, or one became another kind."""
    identifier, changes = params.notebook_document, params.change.cells
    before = server.documents.notebooks.get(identifier.uri)
    if before is None or changes is None:
        return
    notebook = before.changed(identifier.version, changes)
    server.documents.notebooks.put(notebook)
    if changes.structure is not None:
        for gone in changes.structure.did_close or ():
            _close(server, gone.uri)
        for item in changes.structure.did_open or ():
            server.documents.open(item)
    for edited in changes.text_content or ():
        files.did_change(server, types.DidChangeTextDocumentParams(edited.document, edited.changes))
    _reindex(server, notebook)


def did_save(server: BowerbirdServer, params: types.DidSaveNotebookDocumentParams) -> None:
    """The notebook's file was written."""
    uri = params.notebook_document.uri
    notebook = server.documents.notebooks.get(uri)
    for cell in notebook.cells if notebook else ():
        server.records.save(cell.document)
    files.refresh(server, [uri])


def did_close(server: BowerbirdServer, params: types.DidCloseNotebookDocumentParams) -> None:
    """A notebook is no longer shown; its file counts again."""
    notebook = server.documents.notebooks.get(params.notebook_document.uri)
    if notebook is not None:
        server.indexing.document_closed(server.documents.as_document(notebook))
        server.documents.notebooks.drop(notebook.uri)
    for item in params.cell_text_documents:
        _close(server, item.uri)


def _close(server: BowerbirdServer, cell_uri: str) -> None:
    document = server.documents.close(cell_uri)
    if document is not None:
        server.records.close_document(document)


def _reindex(server: BowerbirdServer, notebook: Notebook) -> None:
    server.indexing.document_changed(server.documents.as_document(notebook))
