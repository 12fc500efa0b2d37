"""RepoCoder: retrieve, generate, retrieve again with what was generated (sections 2.1 to 2.3)."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Coroutine, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

from bowerbird.completion.epoch import Epoch, Place, WindowKey, continue_epoch, key_of, pack
from bowerbird.completion.finish import Draft, finish
from bowerbird.completion.layout import Code, Layout
from bowerbird.completion.prompt import likely_lines
from bowerbird.completion.query import UnfinishedCode, evolve_query, formulate_query
from bowerbird.completion.request import Completion, Mode, Request
from bowerbird.inference.generator import Generator, InferenceError, Prompt, Tokenizer, Usage
from bowerbird.inference.loaded import LoadedModel
from bowerbird.knowledge.policy import Policy
from bowerbird.knowledge.snippet import Window
from bowerbird.retrieval.retriever import Hit, Query, Retriever
from bowerbird.settings import CompletionSettings
from bowerbird.syntax.entities import definitions, enclosing_definition
from bowerbird.syntax.parser import parse
from bowerbird.text import Span
from bowerbird.trace import HitTrace, IterationTrace, Reason, Trace

LAST_LINE = 2**31
FUNCTION_WINDOW_LINES = 50  # section 4.2: function bodies
MAX_CHARACTERS_PARSED = 200_000  # at each key, to know the cursor's definition: a few milliseconds


class Model(Generator, Tokenizer, Protocol):
    """What the engine needs of the model: it writes, it counts, and it says what it is."""

    async def load(self) -> LoadedModel:
        """Make sure that the model is there; raises `InferenceError`."""
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
    began: float = field(default_factory=time.perf_counter)
    iterations: list[IterationTrace] = field(default_factory=list)
    best: Prediction = field(default_factory=Prediction)
    """The prediction of the last iteration that ran to its end, else what there is of the first."""
    prompt: Prompt | None = None
    model: str = ""


class CompletionEngine:
    """Completes unfinished code. It is handed its parts and builds none."""

    def __init__(
        self,
        retriever: Retriever,
        function_retriever: Retriever,
        model: Model,
        policy: Policy,
        settings: CompletionSettings,
    ) -> None:
        self.retriever = retriever
        self.function_retriever = function_retriever
        self.model = model
        self.policy = policy
        self.settings = settings
        self._epoch: Epoch | None = None

    async def complete(self, unfinished: UnfinishedCode, request: Request) -> Completion:
        """Run RepoCoder's iterations.

        Whatever goes wrong with the model becomes a reason; only a cancellation is raised.
        """
        course = Course(unfinished, request)
        if self.policy.excluded(unfinished.path) is not None:
            return _answer(course, "", Reason.EXCLUDED)
        budget = request.time_budget_ms
        try:
            async with asyncio.timeout(None if budget is None else budget / 1000):
                await self._iterate(course)
        except TimeoutError:
            return (
                _finished(course, Reason.TIME) if course.model else _answer(course, "", Reason.MODEL_LOADING)
            )
        except InferenceError as error:
            return _answer(course, "", error.reason, message=str(error))
        return _finished(course, Reason.OK)

    async def _iterate(self, course: Course) -> None:
        unfinished, request = course.unfinished, course.request
        loaded = await self.model.load()
        course.model = loaded.name
        layout = Layout(unfinished, loaded, self.model, self.policy)
        budget = layout.budget(self.settings, request.max_new_tokens, request.mode is not Mode.IN_FILE)
        query = self._first_query(unfinished, request)
        likely = _hidden(likely_lines(unfinished, budget), request)
        expected = self._sound(self._retrieve(query, unfinished, likely, request, first=True))
        code, definition = await asyncio.gather(  # one waits for the model's process while the other parses
            layout.fit_code(budget, expected), _definition_at(unfinished, request)
        )
        hidden = _hidden(code.lines, request)
        place = Place(unfinished.path, unfinished.line, definition, code.lines)
        before: tuple[WindowKey, ...] | None = None

        def evolve(prediction: str) -> str:
            return evolve_query(unfinished, prediction, *self._shape(request))

        async def foresee(prediction: str) -> None:
            """Count the windows that the next iteration will probably find, while the model still writes."""
            hits = self._retrieve(evolve(prediction), unfinished, hidden, request, first=False)
            await layout.count_ranked(self._sound(hits), budget.snippets)

        for iteration in range(request.rounds):
            began = time.perf_counter()
            hits = self._retrieve(query, unfinished, hidden, request, first=iteration == 0)
            retrieved = time.perf_counter()
            windows, fates = await self._arrange(hits, layout, code, place, request)
            if before == (order := tuple(map(key_of, windows))):
                return  # the model would answer the same prompt alike
            before = order
            course.prompt = await layout.lay_out(windows, code)
            times = (began, retrieved, time.perf_counter())
            prediction = Prediction()
            if iteration == 0:
                course.best = prediction
            try:
                more = iteration + 1 < request.rounds
                await self._predict(course.prompt, prediction, foresee if more else None)
                course.best = prediction
            finally:
                course.iterations.append(
                    _iteration_trace(query, hits, fates, course.prompt, prediction, times)
                )
            query = evolve(prediction.text)

    def _first_query(self, unfinished: UnfinishedCode, request: Request) -> str:
        window_lines, slide_lines = self._shape(request)
        if request.mode is Mode.ORACLE:
            return evolve_query(unfinished, request.truth, window_lines, slide_lines)
        return formulate_query(unfinished, window_lines)

    def _shape(self, request: Request) -> tuple[int, int]:
        lines = FUNCTION_WINDOW_LINES if request.whole_function else self.settings.window_lines
        return lines, min(self.settings.slide_lines, lines)

    def _retrieve(
        self, query: str, unfinished: UnfinishedCode, hidden: Span, request: Request, first: bool
    ) -> list[Hit]:
        if request.mode is Mode.IN_FILE:
            return []
        retriever = self.function_retriever if request.whole_function else self.retriever
        hits = retriever.retrieve(Query(query, unfinished.path, hidden), self.settings.max_snippets)
        if first and self.settings.shift_lines and request.mode is not Mode.ORACLE:
            return [_shifted(hit, self.settings.shift_lines, unfinished, hidden) for hit in hits]
        return hits

    def _sound(self, hits: Sequence[Hit]) -> list[Window]:
        """The windows that may enter a prompt, nearest first."""
        return [window for window in map(_window, hits) if not self.policy.holds_secret(window.text)]

    async def _arrange(
        self, hits: Sequence[Hit], layout: Layout, code: Code, place: Place, request: Request
    ) -> tuple[tuple[Window, ...], Mapping[WindowKey, str]]:
        """The snippets in the prompt's order, and what became of each hit."""
        ranked = self._sound(hits)
        fates = dict.fromkeys((key_of(_window(hit)) for hit in hits), "secret")
        fates |= dict.fromkeys(map(key_of, ranked), "budget")
        epoch = self._epoch if request.editor else None
        tokens = await layout.count_ranked(ranked, code.budget.snippets)
        if epoch is not None:
            tokens |= await layout.count(epoch.windows)
        if request.editor and request.mode is not Mode.IN_FILE:
            self._epoch = continue_epoch(epoch, place, ranked, tokens, code.budget.snippets)
            windows = self._epoch.windows
        else:
            windows = pack(ranked, tokens, code.budget.snippets)
        fates.update(dict.fromkeys(map(key_of, windows), "prompt"))
        return windows, fates

    async def _predict(
        self,
        prompt: Prompt,
        prediction: Prediction,
        foresee: Callable[[str], Coroutine[Any, Any, None]] | None,
    ) -> None:
        """Fill `prediction` token by token, so that a time-out finds what there is."""
        beside: asyncio.Task[None] | None = None
        left = prompt.max_new_tokens // 2
        try:
            async with aclosing(self.model.generate(prompt)) as stream:
                async for token in stream:
                    prediction.text += token.text
                    if token.usage is not None:
                        prediction.usage = token.usage
                        prediction.stopped = token.usage.stopped
                    left -= 1
                    if left == 0 and foresee is not None:
                        beside = asyncio.create_task(foresee(prediction.text))
        finally:
            if beside is not None:
                beside.cancel()
                await asyncio.gather(beside, return_exceptions=True)  # whoever counts next meets the error


def _window(hit: Hit) -> Window:
    """Workspace retrieval brings windows; other kinds of snippets have products of their own."""
    assert isinstance(hit.snippet, Window)
    return hit.snippet


def _hidden(shown: Span, request: Request) -> Span:
    """The document's lines that do not retrieve themselves, where the prompt has those `shown` as code."""
    return shown if request.editor else Span(shown.first, LAST_LINE)


async def _definition_at(unfinished: UnfinishedCode, request: Request) -> str | None:
    """Dotted name of the definition around the cursor, where epochs ask for it."""
    if not request.editor or len(unfinished.prefix) + len(unfinished.suffix) > MAX_CHARACTERS_PARSED:
        return None
    tree = parse(unfinished.prefix + unfinished.suffix, unfinished.language)
    around = enclosing_definition(definitions(tree), unfinished.line) if tree else None
    return around.name if around else None


def _shifted(hit: Hit, lines: int, unfinished: UnfinishedCode, hidden: Span) -> Hit:
    """The same hit some lines further down, where its file goes on and the prompt does not have those lines.

    The authors' code does so in the first iteration; the paper's section 2.2 speaks of it with reserve.
    """
    window = _window(hit)
    down = max(0, min(lines, len(window.source.lines) - window.span.end))
    span = Span(window.span.first + down, window.span.end + down)
    if window.path == unfinished.path and span.overlaps(hidden):
        return hit
    return replace(hit, snippet=replace(window, span=span))


def _finished(course: Course, reason: Reason) -> Completion:
    """What is shown of the best prediction."""
    best = course.best
    if not course.request.editor:
        return _answer(course, best.text, reason)
    draft = Draft(course.unfinished.prefix, course.unfinished.suffix, best.stopped)
    text, trimmed = finish(best.text, draft)
    if not text and reason is Reason.OK:
        reason = Reason.EMPTY
    return _answer(course, text, reason, trimmed)


def _answer(
    course: Course, text: str, reason: Reason, trimmed: tuple[str, ...] = (), message: str = ""
) -> Completion:
    trace = Trace(
        name=course.unfinished.name,
        line=course.unfinished.line + 1,
        column=course.unfinished.column + 1,
        mode=course.request.mode.value,
        model=course.model,
        reason=reason,
        iterations=tuple(course.iterations),
        trimmed=trimmed,
        text=text,
        total_ms=(time.perf_counter() - course.began) * 1000,
    )
    return Completion(text, course.best.text, reason, trace, course.prompt, message)


def _iteration_trace(
    query: str,
    hits: Sequence[Hit],
    fates: Mapping[WindowKey, str],
    prompt: Prompt,
    prediction: Prediction,
    times: tuple[float, float, float],
) -> IterationTrace:
    began, retrieved, packed = times
    usage = prediction.usage or Usage(0, 0, 0, 0.0, (time.perf_counter() - packed) * 1000, "time")
    found = tuple(
        HitTrace(window.name, str(window.span), float(hit.score), hit.origin, fates[key_of(window)])
        for hit, window in zip(hits, map(_window, hits), strict=True)
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
    )
