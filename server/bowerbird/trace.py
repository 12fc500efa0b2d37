"""What happened during one completion, and why: the explain view's data.

Plain values only, so that every row can write into it and every client can show it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, dataclass, replace
from enum import StrEnum
from typing import Any

IN_PROMPT = "prompt"
"""The fate of a hit that the model was shown."""


class Reason(StrEnum):
    """Why a completion ended as it did, or why there is none. `SENTENCES` says each to the user."""

    OK = "ok"
    EMPTY = "empty"
    TIME = "time"
    DISABLED = "disabled"
    PAUSED = "paused"
    SWITCHED_OFF = "switched-off"
    COMMENT = "comment"
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
    Reason.PAUSED: "Bowerbird is paused; nothing runs until it is resumed.",
    Reason.SWITCHED_OFF: "The settings switch completion off in this language or file.",
    Reason.COMMENT: "The cursor stands in a comment or a string, where nothing is completed unless asked.",
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
    kind: str = "window"
    """What it is: ``window`` of the workspace, ``entity`` or ``example`` of a documentation pack."""


@dataclass(frozen=True, slots=True)
class PlacedTrace:
    """A snippet where it stands in a prompt."""

    name: str
    lines: str
    origin: str = ""
    """The retriever that found it; empty for one that stayed from an earlier completion."""
    round: int = 0
    """The iteration that found it first, from 1; 0 for one that stayed from an earlier completion."""
    kind: str = "window"
    """As in `HitTrace`."""
    start: int = 0
    end: int = 0
    """The characters of the prompt that are its text; none where the text was not found as it is."""


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
    snippets: tuple[PlacedTrace, ...] = ()
    """All that the prompt shows beside the unfinished code, in its order; `locate` finds their places."""
    tokens_drafted: int = 0
    """Looked up in the prompt and checked."""
    tokens_accepted: int = 0
    """Of these, what the model wrote indeed."""


@dataclass(frozen=True, slots=True)
class Step:
    """A part of the time that a completion took."""

    name: str
    iteration: int
    """From 1; 0 for what lies outside of all iterations."""
    ms: float


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
    """What the engine took, without the waiting before it."""
    asked_at: float = 0.0
    """When the editor asked, in seconds since 1970; 0 where nobody looked."""
    language: str = ""
    invoked: bool = False
    """Asked for by a key; else the editor asked by itself."""
    carried: str = ""
    """Where an answer came from that was not written for this request: ``cache``, ``speculative``, or
    ``running`` (the request before was still at it). Empty where the model wrote it now."""
    debounce_ms: float = 0.0
    """Waited for the typing to pause."""
    wait_ms: float = 0.0
    """Waited for the request before to let go of the model, and for the index."""
    message: str = ""
    """A sentence beyond the reason's own."""
    vectors: str = ""
    """How many windows had vectors, or why none; empty where windows are found by words alone."""

    @property
    def sentence(self) -> str:
        """The reason in words."""
        return self.message or SENTENCES[self.reason]

    @property
    def latency_ms(self) -> float:
        """What the user waited."""
        return self.debounce_ms + self.wait_ms + self.total_ms

    @property
    def steps(self) -> tuple[Step, ...]:
        """Where the time went, in order; nothing that took none."""
        return tuple(step for step in self._steps() if step.ms > 0)

    def _steps(self) -> Iterator[Step]:
        yield Step("debounce", 0, self.debounce_ms)
        yield Step("wait", 0, self.wait_ms)
        left_ms = self.total_ms
        iterations = () if self.carried else self.iterations  # they ran for an earlier request
        for number, iteration in enumerate(iterations, start=1):
            for name in STEPS:
                ms: float = getattr(iteration, f"{name}_ms")
                left_ms -= ms
                yield Step(name, number, ms)
        yield Step("other", 0, left_ms)

    def as_json(self) -> dict[str, Any]:
        """For `bowerbird/explain` and ``--json``."""
        steps = [asdict(step) for step in self.steps]
        return {**asdict(self), "sentence": self.sentence, "steps": steps}


STEPS = ("retrieve", "pack", "evaluate", "generate")
"""Of an iteration, in order."""


def locate(prompt: str, snippets: Iterable[tuple[PlacedTrace, str]]) -> tuple[PlacedTrace, ...]:
    """Each snippet with the place of its text in `prompt`, where they stand in this order."""
    placed = []
    behind = 0
    for snippet, text in snippets:
        start = prompt.find(text, behind)
        if start >= 0:
            behind = start + len(text)
            snippet = replace(snippet, start=start, end=behind)
        placed.append(snippet)
    return tuple(placed)


def masked(trace: Trace, mask: Callable[[str], str]) -> Trace:
    """`trace` fit to be kept: a prompt holds no secrets, but the code as it is may, and names of files."""
    return replace(
        trace,
        name=mask(trace.name),
        text=mask(trace.text),
        trimmed=tuple(map(mask, trace.trimmed)),
        iterations=tuple(_masked_iteration(iteration, mask) for iteration in trace.iterations),
    )


def _masked_iteration(iteration: IterationTrace, mask: Callable[[str], str]) -> IterationTrace:
    return replace(
        iteration,
        query=mask(iteration.query),
        prediction=mask(iteration.prediction),
        hits=tuple(replace(hit, name=mask(hit.name)) for hit in iteration.hits),
        snippets=tuple(replace(snippet, name=mask(snippet.name)) for snippet in iteration.snippets),
    )
