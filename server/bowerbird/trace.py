"""What happened during one completion, and why: the explain view's data.

Plain values only, so that every row can write into it and every client can show it.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Any


class Reason(StrEnum):
    """Why a completion ended as it did, or why there is none. `SENTENCES` says each to the user."""

    OK = "ok"
    EMPTY = "empty"
    TIME = "time"
    DISABLED = "disabled"
    EXCLUDED = "excluded"
    UNTRUSTED = "untrusted"
    NO_DOCUMENT = "no-document"
    SUPERSEDED = "superseded"
    CANCELLED = "cancelled"
    CHANGED = "changed"
    MODEL_MISSING = "model-missing"
    MODEL_CORRUPT = "model-corrupt"
    MODEL_LOADING = "model-loading"
    MODEL_CRASHED = "model-crashed"
    ENGINE_MISSING = "engine-missing"
    SERVER_UNREACHABLE = "server-unreachable"
    INTERNAL = "internal"


SENTENCES: dict[Reason, str] = {
    Reason.OK: "A completion was shown.",
    Reason.EMPTY: "The model had nothing to add here.",
    Reason.TIME: "The time budget ended; the whole lines written so far were shown.",
    Reason.DISABLED: "Completion is switched off in the settings.",
    Reason.EXCLUDED: "This file is kept out by an ignore rule or because it may hold secrets.",
    Reason.UNTRUSTED: "This folder is not trusted, so it is indexed and no more.",
    Reason.NO_DOCUMENT: "The editor asked about a document that it has not opened.",
    Reason.SUPERSEDED: "A newer request took this one's place.",
    Reason.CANCELLED: "The editor withdrew the request.",
    Reason.CHANGED: "The text changed while the model was writing.",
    Reason.MODEL_MISSING: "The model file was not found.",
    Reason.MODEL_CORRUPT: "The model file could not be read.",
    Reason.MODEL_LOADING: "The model is still loading.",
    Reason.MODEL_CRASHED: "The model's process stopped; it will be started again.",
    Reason.ENGINE_MISSING: "Neither llama-cpp-python nor a llama-server was found.",
    Reason.SERVER_UNREACHABLE: "The model server did not answer.",
    Reason.INTERNAL: "Something went wrong inside Bowerbird; the log has the details.",
}


@dataclass(frozen=True, slots=True)
class HitTrace:
    """A retrieved snippet."""

    name: str
    """Where it came from, as in the prompt."""
    lines: str
    """Such as ``12-31``, counted from 1."""
    score: float
    origin: str
    """The retriever that found it."""
    fate: str
    """``prompt``, or why it was left out: ``budget``, ``secret``, ``duplicate``."""


@dataclass(frozen=True, slots=True)
class IterationTrace:
    """One round of retrieval and generation."""

    query: str
    hits: tuple[HitTrace, ...]
    prompt: str
    """Exactly what the model was given, special tokens as their texts."""
    prompt_tokens: int
    tokens_reused: int
    """Prompt tokens answered by the KV cache."""
    tokens_evaluated: int
    tokens_generated: int
    prediction: str
    stopped: str
    """Why the model stopped: ``end``, ``length``, ``time``, ``same-prompt``."""
    retrieve_ms: float
    pack_ms: float
    evaluate_ms: float
    generate_ms: float


@dataclass(frozen=True, slots=True)
class Trace:
    """One completion, from cursor to ghost text."""

    name: str
    """The document, relative to its folder."""
    line: int
    """From 1."""
    column: int
    """From 1."""
    mode: str
    model: str
    reason: Reason
    iterations: tuple[IterationTrace, ...] = ()
    trimmed: tuple[str, ...] = ()
    """What the filters took away, and which."""
    text: str = ""
    """What was shown."""
    total_ms: float = 0.0

    @property
    def sentence(self) -> str:
        """The reason in words."""
        return SENTENCES[self.reason]

    def as_json(self) -> dict[str, Any]:
        """For `bowerbird/explain` and ``--json``."""
        return {**asdict(self), "sentence": self.sentence}
