"""Where the user asks about library names, and whether the settings want an answer there."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from lsprotocol import types

from bowerbird.lookup.engine import LookupEngine
from bowerbird.lsp.documents import Document
from bowerbird.lsp.host import BowerbirdServer
from bowerbird.settings import LookupSettings
from bowerbird.syntax.languages import LANGUAGES, language_of
from bowerbird.text import Position

T = TypeVar("T")

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Asked:
    """A place in a document as it is now, and who can answer."""

    document: Document
    language: str | None
    position: Position
    engine: LookupEngine
    settings: LookupSettings
    beside: bool
    """Another server serves this language, too."""


def asked(
    server: BowerbirdServer, uri: str, place: types.Position | None, wanted: Callable[[LookupSettings], bool]
) -> Asked | None:
    """The place; None where the document is not open, the server paused, or an answer not `wanted`."""
    assembly, document = server.assembly, server.documents.get(uri)
    if assembly is None or document is None or server.paused:
        return None
    settings = assembly.settings.lookup
    if not wanted(settings):
        return None
    language = document_language(document)
    position = document.position(place, server.encoding) if place is not None else Position(0, 0)
    beside = is_beside(settings, document, language)
    return Asked(document, language, position, assembly.lookup, settings, beside)


def document_language(document: Document) -> str | None:
    """A key of `LANGUAGES`, or None."""
    return language_of(document.path, document.language_id, document.content(0))


def is_beside(settings: LookupSettings, document: Document, language: str | None) -> bool:
    """Does the user say that another server serves this language?"""
    ids = (document.language_id, language, *(LANGUAGES[language].lsp_ids if language in LANGUAGES else ()))
    return any(one in settings.beside for one in ids)


async def answer(server: BowerbirdServer, work: Callable[[], T]) -> T | None:
    """What `work` gives, done in a thread; None where it fails, which is logged."""
    try:
        found = await asyncio.to_thread(work)
    except Exception:
        logger.exception("A look-up failed.")
        return None
    tell_problems(server)
    return found


def tell_problems(server: BowerbirdServer) -> None:
    """Tell of packs that cannot be read, once a session."""
    library = server.assembly.lookup.library if server.assembly is not None else None
    if library is not None and library.ready:
        for sentence in library.untold_problems():
            server.warn(sentence)
