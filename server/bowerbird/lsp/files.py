"""What the editor tells of documents, files and folders."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from lsprotocol import types

from bowerbird.completion.query import UnfinishedCode
from bowerbird.lsp.anchor import Cursor
from bowerbird.lsp.convert import path_of
from bowerbird.lsp.documents import Document
from bowerbird.lsp.edits import advance
from bowerbird.lsp.host import BowerbirdServer
from bowerbird.lsp.schemes import Use
from bowerbird.lsp.suggestion import unfinished_code

EVERY_FILE = types.FileOperationRegistrationOptions(
    filters=[types.FileOperationFilter(types.FileOperationPattern(glob="**/*"), scheme="file")]
)
WATCH_EVERYTHING = types.Registration(
    id="bowerbird.watch",
    method=types.WORKSPACE_DID_CHANGE_WATCHED_FILES,
    register_options=types.DidChangeWatchedFilesRegistrationOptions(
        [types.FileSystemWatcher(glob_pattern="**/*")]
    ),
)


def did_open(server: BowerbirdServer, params: types.DidOpenTextDocumentParams) -> None:
    """A document is shown."""
    document = server.documents.open(params.text_document)
    server.indexing.document_changed(document)
    server.checking.document_changed(document)


def did_change(server: BowerbirdServer, params: types.DidChangeTextDocumentParams) -> None:
    """Somebody types."""
    item = params.text_document
    before = server.documents.get(item.uri)
    document = server.documents.change(item.uri, item.version, params.content_changes, server.encoding)
    if before is None or document is None:
        return
    server.indexing.document_changed(document)
    if not server.paused:
        server.checking.document_changed(document)
        if server.documents.use_of(document) is Use.CODE:  # a log that grows is no typing
            server.live.edited(_typed_into(server, document, params.content_changes))
    server.records.change(before, params.content_changes, server.encoding)


def _typed_into(
    server: BowerbirdServer, document: Document, changes: Sequence[types.TextDocumentContentChangeEvent]
) -> UnfinishedCode | None:
    """The document around the end of what was typed last, if the model is at work and wants to know."""
    change = changes[-1] if changes else None
    if not server.live.flying or server.assembly is None:
        return None
    if not isinstance(change, types.TextDocumentContentChangePartial):
        return None
    end = advance(document.position(change.range.start, server.encoding), change.text)
    place = server.documents.surroundings(document)
    return unfinished_code(Cursor(document, end, "", end), server.assembly, server.folders, place)


def did_close(server: BowerbirdServer, params: types.DidCloseTextDocumentParams) -> None:
    """A document is no longer shown; its file counts again."""
    document = server.documents.close(params.text_document.uri)
    if document is not None:
        server.indexing.document_closed(document)
        server.checking.document_closed(document)
        server.records.close_document(document)


def did_save(server: BowerbirdServer, params: types.DidSaveTextDocumentParams) -> None:
    """A file was written."""
    server.records.save(params.text_document.uri)
    refresh(server, [params.text_document.uri])


def did_change_watched_files(server: BowerbirdServer, params: types.DidChangeWatchedFilesParams) -> None:
    """Something happened on disk."""
    refresh(server, [change.uri for change in params.changes])


def did_create_files(server: BowerbirdServer, params: types.CreateFilesParams) -> None:
    """The user made files or folders in the editor."""
    refresh(server, [file.uri for file in params.files])


def did_rename_files(server: BowerbirdServer, params: types.RenameFilesParams) -> None:
    """The user renamed files or folders in the editor."""
    refresh(server, [uri for file in params.files for uri in (file.old_uri, file.new_uri)])


def did_delete_files(server: BowerbirdServer, params: types.DeleteFilesParams) -> None:
    """The user deleted files or folders in the editor."""
    refresh(server, [file.uri for file in params.files])


def did_change_workspace_folders(
    server: BowerbirdServer, params: types.DidChangeWorkspaceFoldersParams
) -> None:
    """Folders came or went."""
    gone = {path_of(folder.uri) for folder in params.event.removed}
    kept = [folder for folder in server.folders if folder not in gone]
    new = [path_of(folder.uri) for folder in params.event.added]
    folders = tuple(dict.fromkeys([*kept, *(path for path in new if path is not None)]))
    if folders != server.folders:
        server.change_folders(folders)


def refresh(server: BowerbirdServer, uris: Iterable[str]) -> None:
    """Look again at what lies at these places on disk."""
    paths = (path_of(uri) for uri in uris)
    server.indexing.refresh(path for path in paths if path is not None)
