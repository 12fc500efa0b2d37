"""One completion on its way through the engine, and the answer and trace that become of it."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from bowerbird.completion.epoch import WindowKey, key_of
from bowerbird.completion.finish import DEFAULT, Draft, Finished, finished
from bowerbird.completion.query import UnfinishedCode
from bowerbird.completion.request import Alternative, Completion, Request
from bowerbird.inference.generator import Prompt, Usage
from bowerbird.knowledge.snippet import Example, GrammarEntity, Snippet, Window
from bowerbird.retrieval.retriever import Hit
from bowerbird.syntax.blocks import surroundings
from bowerbird.trace import HitTrace, IterationTrace, PlacedTrace, Reason, Trace, locate

KINDS: dict[type, str] = {GrammarEntity: "entity", Example: "example"}


class Watch(Protocol):
    """Who looks on while the engine works."""

    def wrote(self, text: str) -> None:
        """The first iteration's prediction so far."""
        ...

    def drafted(self, completion: Completion) -> None:
        """The first iteration's answer; a later one may still say something else."""
        ...


@dataclass(slots=True)
class Prediction:
    """What the model has written so far."""

    text: str = ""
    usage: Usage | None = None
    stopped: str = "time"


@dataclass(slots=True)
class Course:
    """One completion on its way; `CompletionEngine.complete` owns it."""

    unfinished: UnfinishedCode
    request: Request
    filters: tuple[str, ...] = DEFAULT
    """Names of those that end what is shown."""
    began: float = field(default_factory=time.perf_counter)
    iterations: list[IterationTrace] = field(default_factory=list)
    best: Prediction = field(default_factory=Prediction)
    """The prediction of the last iteration that ran to its end, else what there is of the first."""
    prompt: Prompt | None = None
    model: str = ""
    others: list[Prediction] = field(default_factory=list)
    """Further candidates."""
    shown: bool = False
    """Somebody has the first iteration's answer."""

    def look_around(self) -> None:
        """Soon, while the model is at work: find what surrounds the cursor, which the filters will ask."""
        if self.request.editor:
            code = self.unfinished
            loop = asyncio.get_running_loop()
            loop.call_soon(surroundings, code.prefix, code.suffix, code.language)

    def finished(self, prediction: Prediction) -> Finished:
        """What is shown of a prediction."""
        unfinished = self.unfinished
        draft = Draft(
            unfinished.prefix, unfinished.suffix, prediction.stopped, unfinished.language, may_replace=True
        )
        return finished(prediction.text, draft, self.filters)

    def answer(self, reason: Reason, message: str = "") -> Completion:
        """The best prediction as it is shown; in benchmarks as it is."""
        if not self.model or not self.request.editor:
            return self._completion(Finished(self.best.text, 0, 0, ()), reason, message)
        shown = list(dict.fromkeys(map(self.finished, (self.best, *self.others))))
        visible = [one for one in shown if one.text]
        if not visible and reason is Reason.OK:
            reason = Reason.EMPTY
        best, *others = visible or shown[:1]
        return self._completion(best, reason, message, others)

    def _completion(
        self, shown: Finished, reason: Reason, message: str, others: Sequence[Finished] = ()
    ) -> Completion:
        unfinished = self.unfinished
        trace = Trace(
            name=unfinished.name,
            line=unfinished.line + 1,
            column=unfinished.column + 1,
            mode=self.request.mode.value,
            model=self.model,
            reason=reason,
            iterations=tuple(self.iterations),
            trimmed=shown.trimmed,
            text=shown.text,
            total_ms=(time.perf_counter() - self.began) * 1000,
        )
        return Completion(
            shown.text,
            self.best.text,
            reason,
            trace,
            self.prompt,
            message,
            shown.replaces_before,
            shown.replaces_behind,
            tuple(
                Alternative(*edit)
                for edit in dict.fromkeys(other.edit for other in others)
                if edit != shown.edit
            ),
        )


def unanswered(unfinished: UnfinishedCode, request: Request, reason: Reason) -> Completion:
    """No completion, and why."""
    return Course(unfinished, request).answer(reason)


def window_of(hit: Hit) -> Window:
    """What workspace retrieval brings."""
    assert isinstance(hit.snippet, Window)
    return hit.snippet


def kind_of(snippet: Snippet) -> str:
    """As traces name it."""
    return KINDS.get(type(snippet), "window")


def lines_of(snippet: Snippet) -> str:
    """Where it stands in its file, as people count."""
    return str(snippet.span) if isinstance(snippet, (Window, GrammarEntity, Example)) else ""


def placed(
    snippets: Sequence[Snippet], found: Mapping[WindowKey, tuple[str, int]], prompt: Prompt
) -> tuple[PlacedTrace, ...]:
    """The prompt's snippets, who found them and when; one that nobody found now stayed from earlier."""
    told = [
        PlacedTrace(one.name, lines_of(one), *found.get(key_of(one), ("", 0)), kind=kind_of(one))
        for one in snippets
    ]
    return locate(prompt.text, zip(told, (one.text for one in snippets), strict=True))


def iteration_trace(
    query: str,
    hits: Sequence[Hit],
    fates: Mapping[WindowKey, str],
    prompt: Prompt,
    prediction: Prediction,
    times: tuple[float, float, float],
    snippets: tuple[PlacedTrace, ...],
) -> IterationTrace:
    began, retrieved, packed = times
    usage = prediction.usage or Usage(0, 0, 0, 0.0, (time.perf_counter() - packed) * 1000, "time")
    found = tuple(
        HitTrace(
            hit.snippet.name,
            lines_of(hit.snippet),
            float(hit.score),
            hit.origin,
            fates[key_of(hit.snippet)],
            kind_of(hit.snippet),
        )
        for hit in hits
    )
    return IterationTrace(
        query=query,
        hits=found,
        prompt=prompt.text,
        prompt_tokens=len(prompt.tokens),
        tokens_reused=usage.tokens_reused,
        tokens_evaluated=usage.tokens_evaluated,
        tokens_generated=usage.tokens_generated,
        prediction=prediction.text,
        stopped=prediction.stopped,
        retrieve_ms=(retrieved - began) * 1000,
        pack_ms=(packed - retrieved) * 1000,
        evaluate_ms=usage.evaluate_ms,
        generate_ms=usage.generate_ms,
        tokens_drafted=usage.tokens_drafted,
        tokens_accepted=usage.tokens_accepted,
        snippets=snippets,
    )
