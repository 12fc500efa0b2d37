"""What the server does and why the last answer was as it was: `bowerbird/status`, and words to the user."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from enum import StrEnum
from typing import Any

from bowerbird.lsp.options import camel
from bowerbird.trace import SENTENCES, Reason

METHOD = "bowerbird/status"

logger = logging.getLogger(__name__)


class State(StrEnum):
    """What the server is about."""

    INDEXING = "indexing"
    READY = "ready"
    GENERATING = "generating"
    PAUSED = "paused"
    ERROR = "error"


FAULTS = (
    Reason.MODEL_MISSING,
    Reason.MODEL_CORRUPT,
    Reason.MODEL_CRASHED,
    Reason.ENGINE_MISSING,
    Reason.SERVER_UNREACHABLE,
    Reason.INTERNAL,
)

ACTIONABLE = tuple(reason for reason in FAULTS if reason is not Reason.INTERNAL)
"""Only the user can mend these, so they are told in a message; the rest is in log and explain view."""


@dataclass(frozen=True, slots=True)
class Status:
    """Everything that a status line may want."""

    indexing: bool = False
    generating: bool = False
    paused: Reason | None = None
    """Why nothing is completed at all, whatever the cursor's place."""
    model: str = ""
    reason: Reason = Reason.OK
    """Of the last answer."""
    message: str = ""
    """A sentence on the reason."""
    latency_ms: int | None = None
    """Of the last completion."""
    files: int = 0
    """In the index."""
    lines: int = 0
    """Of these files."""
    memory_bytes: int = 0
    """Of their texts and indexes, those in mapped files included."""
    disk_bytes: int = 0
    """Of what is kept of them on disk."""
    index_message: str = ""
    """Why not all of the workspace is in the index, or nothing can be kept on disk."""
    shown: int = 0
    """Completions that were given to the editor."""
    accepted: int = 0
    """Those that the user took, where the editor tells."""

    @property
    def state(self) -> State:
        """One word for it all."""
        if self.generating:
            return State.GENERATING
        if self.indexing:
            return State.INDEXING
        if self.paused:
            return State.PAUSED
        return State.ERROR if self.reason in FAULTS else State.READY

    def as_json(self) -> dict[str, Any]:
        """The notification's params."""
        hidden = ("indexing", "generating", "paused")
        plain = {
            camel(item.name): getattr(self, item.name) for item in fields(self) if item.name not in hidden
        }
        shown = self.reason if self.paused is None else self.paused
        message = self.message if self.paused is None else SENTENCES[self.paused]
        return {"state": self.state.value, **plain, "reason": shown.value, "message": message}


class StatusLine:
    """Keeps the status and tells what is new about it."""

    def __init__(self, notify: Callable[[dict[str, Any]], None], warn: Callable[[str], None]) -> None:
        self.now = Status()
        self._notify = notify
        self._warn = warn
        self._told: dict[str, Any] = {}
        self._warned: str | None = None
        self._mentioned = ""

    def update(self, **changes: Any) -> None:
        """Change some fields of `Status`."""
        self.now = replace(self.now, **changes)
        told = self.now.as_json()
        if told != self._told:
            self._told = told
            self._notify(told)

    def conclude(self, reason: Reason, message: str = "", **changes: Any) -> None:
        """A request has its answer. What only the user can mend is told once, until it is mended."""
        sentence = message or SENTENCES[reason]
        if reason in ACTIONABLE and sentence != self._warned:
            self._warned = sentence
            self._warn(sentence)
        elif reason in (Reason.OK, Reason.EMPTY, Reason.TIME):
            self._warned = None
        logger.debug("%s: %s", reason.value, sentence)
        self.update(generating=False, reason=reason, message=sentence, **changes)

    def mention(self, sentence: str) -> None:
        """Something is wrong although there are answers; "" when it no longer is. The user is told once."""
        if sentence and sentence != self._mentioned:
            self._warn(sentence)
        self._mentioned = sentence
        if sentence:
            self.update(message=sentence)
