"""From a cursor in the editor to what may be written there: the one way of both kinds of completion."""

from __future__ import annotations

import asyncio
import logging
import os
import re
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path, PurePosixPath
from urllib.parse import unquote

from lsprotocol import types

from bowerbird.assembly import Assembly
from bowerbird.completion.query import UnfinishedCode
from bowerbird.completion.request import Alternative, Completion, Mode, Request
from bowerbird.lsp.anchor import Cursor, Insertion, anchored, cursor_at
from bowerbird.lsp.cells import Surroundings, widened
from bowerbird.lsp.convert import path_of
from bowerbird.lsp.documents import Document
from bowerbird.lsp.host import Asked, BowerbirdServer
from bowerbird.lsp.schemes import Use
from bowerbird.lsp.switches import COMMIT_LANGUAGES, switched_off
from bowerbird.settings import CompletionSettings
from bowerbird.syntax.bodies import in_empty_body
from bowerbird.syntax.languages import language_of
from bowerbird.syntax.lexis import inside_comment_or_string
from bowerbird.trace import Reason, Trace

PATIENCE_WHEN_INVOKED = 2  # who asks by a key waits longer than who merely types
QUERY = re.compile("[?#].*")

logger = logging.getLogger(__name__)


class NoCompletionError(Exception):
    """There is no completion to be had at this place, and `reason` says why."""

    def __init__(self, reason: Reason, message: str = "") -> None:
        super().__init__(message)
        self.reason = reason
        self.message = message


async def suggest(
    server: BowerbirdServer,
    uri: str,
    place: types.Position,
    invoked: bool = False,
    selected: types.SelectedCompletionInfo | None = None,
) -> list[Insertion]:
    """What may be written at `place`, the best first; nothing, with the reason in status and trace.

    Raises `CancelledError` only: a newer request came, or the editor withdrew this one.
    """
    try:
        async with server.turns.take():
            return await _suggest(server, uri, place, invoked, selected)
    except NoCompletionError as nothing:
        _conclude(server, nothing.reason, _empty_trace(uri, place, nothing.reason), nothing.message)
    except asyncio.CancelledError:
        if not server.turns.superseded:  # the newer request has its own say
            server.status.conclude(Reason.CANCELLED)
        raise
    except Exception:
        logger.exception("A completion failed.")
        _conclude(server, Reason.INTERNAL, _empty_trace(uri, place, Reason.INTERNAL))
    return []


async def _suggest(
    server: BowerbirdServer,
    uri: str,
    place: types.Position,
    invoked: bool,
    selected: types.SelectedCompletionInfo | None,
) -> list[Insertion]:
    assembly, document = _ready(server, uri)
    cursor = cursor_at(document, place, selected, server.encoding)
    if cursor is None:
        raise NoCompletionError(Reason.EMPTY, "The list's selected item lies elsewhere than the cursor.")
    unfinished = unfinished_code(cursor, assembly, server.folders, server.documents.surroundings(document))
    settings = assembly.settings.completion
    _may_speak(settings, document, unfinished, invoked)
    server.status.update(generating=True)
    server.asked = Asked(document.uri, unfinished.path, place.line)
    completion = await server.live.suggest(unfinished, request_for(settings, unfinished, invoked))
    insertions: list[Insertion] = []
    if completion.text:
        insertions = _insertions(server, cursor, completion)
        if not insertions:
            trace = replace(completion.trace, reason=Reason.CHANGED, text="")
            completion = replace(completion, reason=Reason.CHANGED, message="", trace=trace)
    if completion.trace.model and completion.trace.model != server.status.now.model:
        for note in (await assembly.model.load()).notes:
            logger.warning("%s: %s", completion.trace.model, note)
    trace = replace(
        completion.trace,
        invoked=invoked,
        language=unfinished.language or "",
        vectors="" if assembly.dense is None else assembly.dense.progress(len(assembly.retriever.index)),
    )
    _conclude(server, completion.reason, trace, completion.message, completion, insertions, uri)
    if completion.reason is Reason.OK:
        without_vectors = assembly.dense.problem if assembly.dense is not None else ""
        server.status.mention(assembly.model.problem or without_vectors)
    return insertions


def _insertions(server: BowerbirdServer, cursor: Cursor, completion: Completion) -> list[Insertion]:
    """All candidates that fit into the document as it is now."""
    now = server.documents.get(cursor.document.uri)
    if now is None:
        raise NoCompletionError(Reason.NO_DOCUMENT)
    best = Alternative(completion.text, completion.replaces_before, completion.replaces_behind)
    anchors = (
        anchored(cursor, now, one.text, server.encoding, one.replaces_before, one.replaces_behind)
        for one in (best, *completion.others)
    )
    return [insertion for insertion in anchors if insertion is not None]


def _may_speak(
    settings: CompletionSettings, document: Document, unfinished: UnfinishedCode, invoked: bool
) -> None:
    """Raise the reason why nothing is said here; who asks by hand is heard in comments and strings too."""
    if switched_off(settings, document, unfinished):
        raise NoCompletionError(Reason.SWITCHED_OFF)
    if invoked:
        return
    inside = inside_comment_or_string(unfinished.prefix, unfinished.suffix, unfinished.language)
    if inside is not None and not (settings.in_comments if inside == "comment" else settings.in_strings):
        raise NoCompletionError(Reason.COMMENT)


def _ready(server: BowerbirdServer, uri: str) -> tuple[Assembly, Document]:
    """The parts and the document, or the reason why this place gets no completion."""
    assembly, document = server.assembly, server.documents.get(uri)
    if assembly is None or document is None:
        raise NoCompletionError(Reason.NO_DOCUMENT)
    if server.paused:
        raise NoCompletionError(Reason.PAUSED)
    if not server.trusted:
        raise NoCompletionError(Reason.UNTRUSTED)
    if not assembly.settings.completion.enabled:
        raise NoCompletionError(Reason.DISABLED)
    if (use := server.documents.use_of(document)) is not Use.CODE:
        raise NoCompletionError(Reason.EXCLUDED, use.value)
    if (why := document.unfit(assembly.settings.index.max_file_bytes)) is not None:
        raise NoCompletionError(Reason.EXCLUDED, why)
    return assembly, document


def request_for(settings: CompletionSettings, unfinished: UnfinishedCode, invoked: bool) -> Request:
    """How the settings want it done."""
    modes = {0: Mode.IN_FILE, 1: Mode.RAG}
    whole_function = settings.function_tokens > 0 and in_empty_body(
        unfinished.prefix, unfinished.suffix, unfinished.language
    )
    patience = PATIENCE_WHEN_INVOKED if invoked or whole_function else 1
    return Request(
        mode=modes.get(settings.iterations, Mode.REPOCODER),
        iterations=settings.iterations,
        max_new_tokens=settings.function_tokens if whole_function else settings.max_new_tokens,
        time_budget_ms=settings.time_budget_ms * patience,
        whole_function=whole_function,
        invoked=invoked,
        candidates=settings.candidates if invoked else settings.automatic_candidates,
        speculate=settings.speculate,
    )


def unfinished_code(
    cursor: Cursor, assembly: Assembly, folders: Sequence[Path], place: Surroundings | None = None
) -> UnfinishedCode:
    """The document around `cursor`, as the engine wants it; a notebook's cell with the cells around it."""
    document, repository = cursor.document, assembly.repository
    uri = place.notebook if place else document.uri
    in_git = document.language_id in COMMIT_LANGUAGES  # what is asked for there shall not fail at `.git`
    path = (None if in_git else path_of(uri)) or _unsaved_path(uri, folders)
    folder = repository.folder_of(path)
    before, _ = document.split(cursor.start)
    _, behind = document.split(cursor.end)
    unfinished = UnfinishedCode(
        path=path,
        name=repository.name_of(path) if folder else path.name,
        repository=(folder or path.parent).name,
        language=language_of(path, document.language_id, document.content(0)),
        prefix=before + cursor.written,
        suffix=behind,
    )
    return widened(unfinished, place) if place else unfinished


def _unsaved_path(uri: str, folders: Sequence[Path]) -> Path:
    """Where a document without a file would lie: in the first folder."""
    rest = QUERY.sub("", uri.partition(":")[2])
    name = PurePosixPath(unquote(rest).rstrip("/")).name or "untitled"
    return (folders[0] if folders else Path(os.sep)) / name


def _conclude(
    server: BowerbirdServer,
    reason: Reason,
    trace: Trace,
    message: str = "",
    completion: Completion | None = None,
    insertions: Sequence[Insertion] = (),
    uri: str = "",
) -> None:
    trace = replace(trace, message=message, asked_at=time.time())
    document = server.documents.get(uri)
    if document is None or not insertions:
        server.records.nothing(trace)
    else:
        server.records.show(trace, document, insertions[0], server.encoding)
    changes: dict[str, object] = {}
    if completion is not None:
        changes["latency_ms"] = round(0 if trace.carried in ("cache", "speculative") else trace.latency_ms)
        changes["model"] = trace.model or server.status.now.model
        changes["shown"] = server.status.now.shown + bool(trace.text)
    server.status.conclude(reason, message, **changes)


def _empty_trace(uri: str, place: types.Position, reason: Reason) -> Trace:
    name = PurePosixPath(uri).name
    return Trace(name, place.line + 1, place.character + 1, mode="", model="", reason=reason)
