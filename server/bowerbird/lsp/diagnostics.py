"""Diagnostics of Power Query M and Ring: faults of syntax, and names that no library has."""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING

from lsprotocol import types

from bowerbird.lookup.engine import LookupEngine
from bowerbird.lsp.documents import Document
from bowerbird.settings import LookupSettings
from bowerbird.syntax.faults import faults_of
from bowerbird.syntax.languages import language_of
from bowerbird.text import Range

if TYPE_CHECKING:
    from bowerbird.lsp.host import BowerbirdServer

CHECKED = frozenset({"powerquery", "ring"})
TYPING_S = 0.6  # what is half typed is not wrong; whoever pauses so long looks up
SOURCE = "Bowerbird"

logger = logging.getLogger(__name__)

Found = list[tuple[Range, str, types.DiagnosticSeverity, str]]


class Checking:
    """Checks a document when nobody has typed in it for a moment, and tells the editor what it found."""

    def __init__(self, server: BowerbirdServer) -> None:
        self._server = server
        self._timers: dict[str, asyncio.TimerHandle] = {}
        self._told: set[str] = set()
        """Documents in which something is underlined."""
        self._running = 0

    @property
    def busy(self) -> bool:
        """Is a document to be looked at?"""
        return bool(self._timers) or self._running > 0

    def document_changed(self, document: Document) -> None:
        """It was opened, or somebody types in it."""
        if _language(document) not in CHECKED:
            return
        self._cancel(document.uri)
        loop = asyncio.get_running_loop()
        self._timers[document.uri] = loop.call_later(TYPING_S, self._begin, document.uri)

    def document_closed(self, document: Document) -> None:
        """It is no longer shown: nothing is underlined in it."""
        self._cancel(document.uri)
        self._tell(document.uri, None, [])

    def _cancel(self, uri: str) -> None:
        timer = self._timers.pop(uri, None)
        if timer is not None:
            timer.cancel()

    def _begin(self, uri: str) -> None:
        self._timers.pop(uri, None)
        self._running += 1
        self._server.run_beside(self._check(uri)).add_done_callback(self._ended)

    def _ended(self, _: asyncio.Task[None]) -> None:
        self._running -= 1

    async def _check(self, uri: str) -> None:
        server = self._server
        document, assembly = server.documents.get(uri), server.assembly
        if document is None or assembly is None or server.paused or not document.writable:
            return
        settings, language = assembly.settings.lookup, _language(document)
        found: Found = []
        if document.language_id not in settings.beside and language not in settings.beside:
            found = await asyncio.to_thread(_find, document.text, language, settings, assembly.lookup)
        if server.documents.get(uri) is document:  # else it has changed, and is checked anew
            self._tell(uri, document, found)

    def _tell(self, uri: str, document: Document | None, found: Found) -> None:
        """What is right is only told where something was wrong before."""
        if not found and uri not in self._told:
            return
        (self._told.add if found else self._told.discard)(uri)
        encoding = self._server.encoding
        diagnostics = [
            types.Diagnostic(
                range=document.lsp_range(span.start, span.end, encoding),
                message=sentence,
                severity=severity,
                source=SOURCE,
                code=code,
            )
            for span, sentence, severity, code in found
            if document is not None
        ]
        version = document.version if document is not None else None
        self._server.text_document_publish_diagnostics(
            types.PublishDiagnosticsParams(uri, diagnostics, version)
        )


def _find(text: str, language: str | None, settings: LookupSettings, engine: LookupEngine) -> Found:
    found: Found = []
    if settings.diagnostics:
        error = types.DiagnosticSeverity.Error
        found += ((one.range, one.sentence, error, "syntax") for one in faults_of(text, language))
    if settings.unknown_names:
        warning = types.DiagnosticSeverity.Warning
        found += ((one.range, one.sentence, warning, "unknown") for one in engine.unknown(text, language))
    return found


def _language(document: Document) -> str | None:
    return language_of(document.path, document.language_id, document.content(0))
