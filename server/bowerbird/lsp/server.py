"""The server: which handler answers which message, and the session's beginning and end."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from lsprotocol import types
from pygls.exceptions import JsonRpcException

from bowerbird import assembly
from bowerbird.lsp import (
    code_action,
    commands,
    completion,
    configuration,
    files,
    hover,
    inline_completion,
    members,
    notebooks,
    search,
    signature,
    status,
    symbols,
)
from bowerbird.lsp.clients import describe_client
from bowerbird.lsp.convert import path_of, uri_of
from bowerbird.lsp.host import Assemble, BowerbirdServer


def initialize(server: BowerbirdServer, params: types.InitializeParams) -> None:
    """Learn who the editor is and what it works on. Nothing is read or started yet."""
    server.client = describe_client(params)
    server.feature(types.TEXT_DOCUMENT_COMPLETION, completion.options(server.client))(completion.completion)
    settings = configuration.start_options(server, params.initialization_options)
    server.assemble(settings, folders_of(params))


async def initialized(server: BowerbirdServer, params: types.InitializedParams) -> None:
    """Ask for the settings, have the disk watched, and begin to index."""
    del params
    await configuration.ask(server)
    server.begun = True
    if server.client.watches_files:
        server.run_beside(_have_watched(server))
    server.indexing.start()


def shutdown(server: BowerbirdServer, params: None) -> None:
    """Let go of everything; only `exit` may follow."""
    del params
    # Of a copy: pygls walks over the futures themselves, and each that is cancelled leaves them at once.
    own = server.protocol.msg_id
    for number, future in tuple(server.protocol._request_futures.items()):
        if number != own and not future.done():
            future.cancel()
    server.shut_down()


def folders_of(params: types.InitializeParams) -> tuple[Path, ...]:
    """The workspace's folders on this machine; older editors name a single root. There may be none."""
    if params.workspace_folders:
        uris = [folder.uri for folder in params.workspace_folders]
    elif params.root_uri:
        uris = [params.root_uri]
    else:
        uris = [uri_of(Path(params.root_path))] if params.root_path else []
    paths = (path_of(uri) for uri in uris)
    return tuple(dict.fromkeys(path for path in paths if path is not None))


async def _have_watched(server: BowerbirdServer) -> None:
    """Have the editor report what changes on disk; where it will not, look ourselves."""
    try:
        await server.client_register_capability_async(types.RegistrationParams([files.WATCH_EVERYTHING]))
    except JsonRpcException:
        server.client = replace(server.client, watches_files=False)
        server.indexing.watch()


HANDLERS: dict[str, tuple[Callable[..., Any], Any]] = {
    types.INITIALIZE: (initialize, None),
    types.INITIALIZED: (initialized, None),
    types.SHUTDOWN: (shutdown, None),
    types.TEXT_DOCUMENT_DID_OPEN: (files.did_open, None),
    types.TEXT_DOCUMENT_DID_CHANGE: (files.did_change, None),
    types.TEXT_DOCUMENT_DID_SAVE: (files.did_save, None),
    types.TEXT_DOCUMENT_DID_CLOSE: (files.did_close, None),
    types.NOTEBOOK_DOCUMENT_DID_OPEN: (notebooks.did_open, None),
    types.NOTEBOOK_DOCUMENT_DID_CHANGE: (notebooks.did_change, None),
    types.NOTEBOOK_DOCUMENT_DID_SAVE: (notebooks.did_save, None),
    types.NOTEBOOK_DOCUMENT_DID_CLOSE: (notebooks.did_close, None),
    types.WORKSPACE_DID_CHANGE_CONFIGURATION: (configuration.did_change_configuration, None),
    types.WORKSPACE_DID_CHANGE_WORKSPACE_FOLDERS: (files.did_change_workspace_folders, None),
    types.WORKSPACE_DID_CHANGE_WATCHED_FILES: (files.did_change_watched_files, None),
    types.WORKSPACE_DID_CREATE_FILES: (files.did_create_files, files.EVERY_FILE),
    types.WORKSPACE_DID_RENAME_FILES: (files.did_rename_files, files.EVERY_FILE),
    types.WORKSPACE_DID_DELETE_FILES: (files.did_delete_files, files.EVERY_FILE),
    types.TEXT_DOCUMENT_INLINE_COMPLETION: (inline_completion.inline_completion, inline_completion.OPTIONS),
    types.TEXT_DOCUMENT_HOVER: (hover.hover, None),
    types.TEXT_DOCUMENT_SIGNATURE_HELP: (signature.signature_help, signature.OPTIONS),
    types.COMPLETION_ITEM_RESOLVE: (members.resolve, None),
    types.TEXT_DOCUMENT_DOCUMENT_SYMBOL: (symbols.document_symbol, None),
    types.TEXT_DOCUMENT_FOLDING_RANGE: (symbols.folding_range, None),
    types.TEXT_DOCUMENT_DEFINITION: (symbols.definition, None),
    types.TEXT_DOCUMENT_CODE_ACTION: (code_action.code_action, code_action.OPTIONS),
    types.CODE_ACTION_RESOLVE: (code_action.resolve, None),
    search.SEARCH: (search.search, None),
    commands.EXPLAIN: (commands.explain, None),
    status.METHOD: (commands.tell_status, None),
}
"""Each message with its handler and, where the protocol has some, the options announced to the editor."""


def create_server(assemble: Assemble = assembly.assemble) -> BowerbirdServer:
    """A server for one editor; starts nothing before `initialize`."""
    server = BowerbirdServer(assemble)
    for method, (handler, options) in HANDLERS.items():
        server.feature(method, options)(handler)
    for name, command in (*commands.COMMANDS.items(), *code_action.COMMANDS.items()):
        server.command(name)(command)
    return server
