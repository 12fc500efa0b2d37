"""`textDocument/codeAction`: generate the code that a comment asks for; worked on only when it is chosen."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path, PurePosixPath
from typing import Any

from lsprotocol import types

from bowerbird.lsp.convert import path_of
from bowerbird.lsp.documents import Document
from bowerbird.lsp.host import BowerbirdServer
from bowerbird.lsp.progress import Bar, progress_bar
from bowerbird.lsp.schemes import Use
from bowerbird.lsp.superseding import run_to_its_end
from bowerbird.syntax.languages import LANGUAGES, language_of
from bowerbird.synthesis.options import options_of
from bowerbird.synthesis.outcome import Outcome, Stage
from bowerbird.synthesis.prompt import commented
from bowerbird.synthesis.request import Request, request_at
from bowerbird.trace import SENTENCES, Reason

GENERATE = "bowerbird.generate"
EXPLAIN = "bowerbird.explainGeneration"
TITLE = "Bowerbird: generate from comment"
KIND = "refactor.rewrite.generate"
OPTIONS = types.CodeActionOptions(code_action_kinds=[KIND], resolve_provider=True)

LOOK_EVERY_S = 0.1  # at the button that cancels
INSERT, INSERT_ANYWAY = "Insert example", "Insert anyway"
CHANGED = "The document changed while the code was written, so nothing was put into it; ask again."
NOTHING_ASKED = "Nothing here asks for code: no comment, no docstring, no head of an empty function."
NOTHING_YET = "Nothing has been generated yet."

logger = logging.getLogger(__name__)


class RefusedError(Exception):
    """Nothing is put in; `str()` says why. ::

    RefusedError
    └── DeclinedError   the user said so, and need not be told
    """


class DeclinedError(RefusedError):
    """See `RefusedError`."""


def code_action(server: BowerbirdServer, params: types.CodeActionParams) -> list[types.CodeAction]:
    """The action, where something asks for code. Quick: editors ask at each move of the cursor."""
    only = params.context.only
    if only and not any(kind == KIND or KIND.startswith(f"{kind}.") for kind in only):
        return []
    uri, line = params.text_document.uri, params.range.start.line
    try:
        document, _ = _asked(server, uri, line)
    except RefusedError:
        return []
    action = types.CodeAction(TITLE, KIND)
    if _resolves_edits(server):
        action.data = {"uri": uri, "line": line, "version": document.version}
    else:
        action.command = types.Command(TITLE, GENERATE, arguments=[uri, line])
    return [action]


async def resolve(server: BowerbirdServer, action: types.CodeAction) -> types.CodeAction:
    """The action with its edit; without one where there is none, and then a message says why."""
    data = action.data
    if not isinstance(data, Mapping) or not isinstance(data.get("uri"), str):
        return action
    try:
        edit, outcome = await _generate(server, data["uri"], data.get("line"), data.get("version"))
    except DeclinedError:
        return action
    except RefusedError as refused:
        server.warn(str(refused))
        return action
    action.edit = edit
    _tell(server, outcome)
    return action


async def generate(server: BowerbirdServer, *arguments: Any) -> str:
    """The command: the same for a URI and a line, from 0; the edit is sent to the editor."""
    uri: Any = arguments[0] if arguments else ""
    line: Any = arguments[1] if len(arguments) > 1 else None
    if isinstance(uri, Mapping):  # some editors wrap all arguments into an object
        uri, line = uri.get("uri"), uri.get("line")
    try:
        edit, outcome = await _generate(server, uri if isinstance(uri, str) else "", line, None)
    except DeclinedError as declined:
        return str(declined)
    except RefusedError as refused:
        server.warn(str(refused))
        return str(refused)
    applied = await server.workspace_apply_edit_async(types.ApplyWorkspaceEditParams(edit, outcome.title))
    if not applied.applied:
        server.warn(applied.failure_reason or CHANGED)
        return applied.failure_reason or CHANGED
    _tell(server, outcome)
    return outcome.verdict


def explain(server: BowerbirdServer, *_: Any) -> dict[str, Any]:
    """The command: everything about the last generation, as `bowerbird generate --json` prints it."""
    return server.last_generation or {"message": NOTHING_YET}


async def _generate(
    server: BowerbirdServer, uri: str, line: object, version: object
) -> tuple[types.WorkspaceEdit, Outcome]:
    document, request = _asked(server, uri, line)
    if version is not None and document.version != version:
        raise RefusedError(CHANGED)
    async with server.generations.take(), progress_bar(server, TITLE, server.client.progress) as bar:
        outcome = await _with_button(bar, run_to_its_end(_work(server, document, request, bar)))
    server.last_generation = outcome.as_json()
    if not outcome.code:
        raise RefusedError(outcome.verdict)
    if not _is_as_asked(outcome) and not await _wanted(server, outcome):
        raise DeclinedError("Nothing was put in.")
    now = server.documents.get(uri)
    if now is None or now.lines != document.lines:
        raise RefusedError(CHANGED)
    return _edit(server, now, request, outcome), outcome


async def _work(server: BowerbirdServer, document: Document, request: Request, bar: Bar) -> Outcome:
    assembly = server.assembly
    assert assembly is not None
    settings = assembly.settings.generation
    rounds = settings.rounds

    def tell(stage: Stage, number: int) -> None:
        bar.report(f"round {number} of {rounds}: {stage.value}", min(99, 100 * (number - 1) // rounds))

    path = PurePosixPath()
    if document.path is not None:
        await server.indexing.catch_up(document.path)
        path = PurePosixPath(assembly.repository.name_of(document.path))
    options = await asyncio.to_thread(options_of, settings, _file_of(server, document))
    return await assembly.synthesis.generate(request, options, tell, path)


async def _with_button(bar: Bar, work: Any) -> Outcome:
    """Await the work; when the bar's button is pressed, stop it."""
    task: asyncio.Task[Outcome] = asyncio.ensure_future(work)
    try:
        while not (await asyncio.wait([task], timeout=LOOK_EVERY_S))[0]:
            if bar.cancelled:
                task.cancel()
                with suppress(asyncio.CancelledError):
                    await task
                raise RefusedError("The generation was cancelled.")
        return task.result()
    finally:
        if not task.done():
            task.cancel()
            await asyncio.wait([task])


def _is_as_asked(outcome: Outcome) -> bool:
    return outcome.passed and outcome.example is None


async def _wanted(server: BowerbirdServer, outcome: Outcome) -> bool:
    """An example, or code that did not pass, is only put in if the user says so."""
    insert = INSERT if outcome.example is not None else INSERT_ANYWAY
    params = types.ShowMessageRequestParams(
        types.MessageType.Info, f"Bowerbird: {outcome.verdict}", [types.MessageActionItem(insert)]
    )
    chosen = await server.window_show_message_request_async(params)
    return chosen is not None and chosen.title == insert


def _asked(server: BowerbirdServer, uri: str, line: object) -> tuple[Document, Request]:
    """The document and what it asks for on a line; raises `RefusedError`."""
    assembly, document = server.assembly, server.documents.get(uri)
    if assembly is None or document is None:
        raise RefusedError(SENTENCES[Reason.NO_DOCUMENT])
    if server.paused:
        raise RefusedError(SENTENCES[Reason.PAUSED])
    if not server.trusted:
        raise RefusedError(SENTENCES[Reason.UNTRUSTED])
    if not assembly.settings.generation.enabled:
        raise RefusedError("Generation is switched off in the settings.")
    use = server.documents.use_of(document)
    if use is not Use.CODE:
        raise RefusedError(use.value)
    language = language_of(document.path, document.language_id, document.content(0))
    request = request_at(document.text, language, line) if isinstance(line, int) else None
    if request is None:
        raise RefusedError(NOTHING_ASKED)
    path = _file_of(server, document)
    if path is not None and assembly.policy.excluded(path) is not None:
        raise RefusedError(SENTENCES[Reason.EXCLUDED])
    return document, request


def _file_of(server: BowerbirdServer, document: Document) -> Path | None:
    """The file that a document is, or that holds the cell that it is."""
    notebook = server.documents.notebooks.holding(document.uri)
    return path_of(notebook.uri) if notebook is not None else document.path


def _edit(
    server: BowerbirdServer, document: Document, request: Request, outcome: Outcome
) -> types.WorkspaceEdit:
    """One edit at one place of this very version, so that it is one step to undo."""
    assembly = server.assembly
    cite = assembly is not None and assembly.settings.generation.cite
    cite = cite and bool(LANGUAGES[request.language].comment)
    code = f"{citation(outcome, request)}\n{outcome.code}" if cite else outcome.code
    text = request.edit(code).replace("\n", server.client.habits.line_end or document.line_end)
    place = request.place
    edit = types.TextEdit(document.lsp_range(place.start, place.end, server.encoding), text)
    workspace = server.client_capabilities.workspace
    edits = workspace.workspace_edit if workspace else None
    if edits is None or not edits.document_changes:
        return types.WorkspaceEdit(changes={document.uri: [edit]})
    identifier = types.OptionalVersionedTextDocumentIdentifier(document.uri, document.version)
    return types.WorkspaceEdit(document_changes=[types.TextDocumentEdit(identifier, [edit])])


def citation(outcome: Outcome, request: Request) -> str:
    """Where the code comes from, as comment lines."""
    names = ", ".join(dict.fromkeys(source.name for source in outcome.sources)) or "nothing"
    return commented(f"Generated by {outcome.model or 'Bowerbird'} from {names}.", request.language)


def _resolves_edits(server: BowerbirdServer) -> bool:
    documents = server.client_capabilities.text_document
    support = documents.code_action.resolve_support if documents and documents.code_action else None
    return support is not None and "edit" in support.properties


def _tell(server: BowerbirdServer, outcome: Outcome) -> None:
    """How far the code was looked at; whoever was asked has read it already."""
    logger.info("%s", outcome.verdict)
    if _is_as_asked(outcome):
        told = types.ShowMessageParams(types.MessageType.Info, f"Bowerbird: {outcome.verdict}")
        server.window_show_message(told)


COMMANDS = {GENERATE: generate, EXPLAIN: explain}
