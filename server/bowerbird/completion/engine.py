"""RepoCoder: retrieve, generate, retrieve again with what was generated (sections 2.1 to 2.3)."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Coroutine, Mapping, Sequence
from contextlib import aclosing, suppress
from dataclasses import dataclass, replace
from typing import Any, Protocol

from bowerbird.completion.course import Course, Prediction, Watch, iteration_trace, placed, window_of
from bowerbird.completion.epoch import Epoch, Place, WindowKey, continue_epoch, has_left, key_of, pack
from bowerbird.completion.finish import chosen
from bowerbird.completion.guides import Guide, Guides, find_guides
from bowerbird.completion.layout import Code, Layout
from bowerbird.completion.prompt import likely_lines
from bowerbird.completion.query import UnfinishedCode, evolve_query, formulate_query
from bowerbird.completion.request import Completion, Mode, Request
from bowerbird.inference.generator import Generator, InferenceError, ModelChanged, Prompt, Tokenizer
from bowerbird.inference.loaded import LoadedModel
from bowerbird.inference.turns import Priority
from bowerbird.knowledge.policy import Policy
from bowerbird.knowledge.snippet import Window
from bowerbird.retrieval.retriever import Hit, Prepared, Query, Retriever
from bowerbird.settings import CompletionSettings
from bowerbird.syntax.entities import definitions, enclosing_definition
from bowerbird.syntax.parser import parse
from bowerbird.text import Span
from bowerbird.trace import Reason

LAST_LINE = 2**31
WITHIN_SECRET = "The cursor stands in what looks like a secret."
FUNCTION_WINDOW_LINES = 50  # section 4.2: function bodies
PATIENCE_S = 0.25  # a completion in the editor waits so long at most for a vector or an index
MAX_CHARACTERS_PARSED = 200_000  # at each key, to know the cursor's definition: a few milliseconds


Foresight = Callable[[str], Coroutine[Any, Any, None]]
"""Is handed half of a prediction."""


class Model(Generator, Tokenizer, Protocol):
    """What the engine needs of the model: it writes, it counts, and it says what it is."""

    async def load(self) -> LoadedModel:
        """Make sure that the model is there; raises `InferenceError`."""
        ...


@dataclass(frozen=True, slots=True)
class Ground:
    """What all iterations of one completion stand on."""

    layout: Layout
    code: Code
    place: Place
    hidden: Span
    """The document's lines that do not retrieve themselves."""
    snippet_tokens: int
    """What windows may have of the prompt."""
    guides: Guides


class CompletionEngine:
    """Completes unfinished code. It is handed its parts and builds none."""

    def __init__(
        self,
        retriever: Retriever,
        function_retriever: Retriever,
        model: Model,
        policy: Policy,
        settings: CompletionSettings,
        guide: Guide | None = None,
    ) -> None:
        """Without a `guide` no documentation stands in prompts."""
        self.retriever = retriever
        self.function_retriever = function_retriever
        self.model = model
        self.policy = policy
        self.settings = settings
        self.guide = guide
        self._epoch: Epoch | None = None
        self._guides = Guides()
        """Of the epoch."""

    async def complete(
        self, unfinished: UnfinishedCode, request: Request, watch: Watch | None = None
    ) -> Completion:
        """Run RepoCoder's iterations. Each answer that `watch` hears of has the time budget to itself.

        Whatever goes wrong with the model becomes a reason; only a cancellation is raised. Where another
        model stands in before anything is shown, that one completes.
        """
        course = Course(unfinished, request, chosen(self.settings.filters))
        if self.policy.excluded(unfinished.path) is not None:
            return course.answer(Reason.EXCLUDED)
        if self.policy.is_within_secret(unfinished.prefix, unfinished.suffix):
            return course.answer(Reason.EXCLUDED, WITHIN_SECRET)
        budget = request.time_budget_ms
        try:
            async with asyncio.timeout(None if budget is None else budget / 1000) as limit:
                try:
                    await self._iterate(course, watch, limit)
                except ModelChanged:
                    if course.shown:
                        raise
                    course = Course(unfinished, request, course.filters, course.began)
                    await self._iterate(course, watch, limit)
        except TimeoutError:
            return course.answer(Reason.TIME if course.model else Reason.MODEL_LOADING)
        except InferenceError as error:
            course.best = Prediction()
            return course.answer(error.reason, str(error))
        return course.answer(Reason.OK)

    async def prefill(self, unfinished: UnfinishedCode, request: Request) -> None:
        """Have the model read this place's prompt and write nothing: the next one will begin alike."""
        if self.policy.excluded(unfinished.path) is not None:
            return
        with suppress(InferenceError):
            ground = await self._survey(Course(unfinished, request))
            hits = await self._retrieve(
                self._first_query(unfinished, request), ground.hidden, unfinished, request
            )
            windows, _ = await self._arrange(hits, ground, request)
            prompt = await ground.layout.lay_out((*ground.guides.shown, *windows), ground.code)
            prompt = replace(prompt, max_new_tokens=0, priority=Priority.SPECULATIVE)
            await self._predict(prompt, Prediction())

    async def _iterate(self, course: Course, watch: Watch | None, limit: asyncio.Timeout) -> None:
        unfinished, request = course.unfinished, course.request
        ground = await self._survey(course)
        query = self._first_query(unfinished, request)
        before: tuple[WindowKey, ...] | None = None
        found: dict[WindowKey, tuple[str, int]] = {}
        for iteration in range(request.rounds):
            began = time.perf_counter()
            hits = await self._retrieve(query, ground.hidden, unfinished, request, first=iteration == 0)
            retrieved = time.perf_counter()
            for hit in (*ground.guides.hits, *hits):
                found.setdefault(key_of(hit.snippet), (hit.origin, iteration + 1))
            windows, fates = await self._arrange(hits, ground, request)
            if before == (order := tuple(map(key_of, windows))):
                break  # the model would answer the same prompt alike
            before = order
            snippets = (*ground.guides.shown, *windows)
            prompt = await ground.layout.lay_out(snippets, ground.code)
            course.prompt = replace(prompt, priority=request.priority)
            times = (began, retrieved, time.perf_counter())
            prediction = Prediction()
            if iteration == 0:
                course.best = prediction
                course.look_around()
            more = iteration + 1 < request.rounds
            try:
                await self._predict(
                    course.prompt,
                    prediction,
                    foresee=self._foresight(ground, unfinished, request) if more else None,
                    wrote=watch.wrote if watch and iteration == 0 else None,
                )
                course.best = prediction
            finally:
                told = (*ground.guides.hits, *hits)
                shown = placed(snippets, found, course.prompt)
                course.iterations.append(
                    iteration_trace(query, told, fates, course.prompt, prediction, times, shown)
                )
            if more and watch is not None and not request.invoked and request.candidates == 1:
                watch.drafted(course.answer(Reason.OK))
                course.shown = True
                if request.time_budget_ms is not None:
                    limit.reschedule(asyncio.get_running_loop().time() + request.time_budget_ms / 1000)
            query = self._evolved_query(unfinished, prediction.text, request)
        await self._write_others(course)

    async def _survey(self, course: Course) -> Ground:
        """Load the model and cut the code to its budget."""
        unfinished, request = course.unfinished, course.request
        loaded = await self.model.load()
        course.model = loaded.name
        layout = Layout(unfinished, loaded, self.model, self.policy)
        budget = layout.budget(self.settings, request.max_new_tokens, request.mode is not Mode.IN_FILE)
        likely = _hidden(likely_lines(unfinished, budget), request)
        expected = await self._retrieve(self._first_query(unfinished, request), likely, unfinished, request)
        code, definition = await asyncio.gather(  # one waits for the model's process while the other parses
            layout.fit_code(budget, self._sound(expected)), _definition_at(unfinished, request)
        )
        place = Place(unfinished.path, unfinished.line, definition, code.lines)
        guides = await self._find_guides(layout, place, budget.snippets, request)
        spent = sum((await layout.count(guides.shown)).values())
        return Ground(layout, code, place, _hidden(code.lines, request), budget.snippets - spent, guides)

    async def _find_guides(
        self, layout: Layout, place: Place, budget_tokens: int, request: Request
    ) -> Guides:
        """Documentation of the language that is written, the same for a whole epoch."""
        if self.guide is None or not request.editor or request.mode is Mode.IN_FILE:
            return Guides()
        if self._epoch is not None and not has_left(self._epoch, place):
            return self._guides
        guides = await find_guides(self.guide, layout, budget_tokens)
        if not request.speculative:
            self._guides = guides
        return guides

    def _foresight(self, ground: Ground, unfinished: UnfinishedCode, request: Request) -> Foresight:
        """Counts the windows that the next iteration will probably find, while the model still writes."""

        async def foresee(prediction: str) -> None:
            query = self._evolved_query(unfinished, prediction, request)
            hits = await self._retrieve(query, ground.hidden, unfinished, request, first=False)
            await ground.layout.count_ranked(self._sound(hits), ground.snippet_tokens)

        return foresee

    async def _write_others(self, course: Course) -> None:
        """Further candidates for the last prompt: each begins with the next likely first token."""
        assert course.prompt is not None
        for choice in range(1, course.request.candidates):
            prediction = Prediction()
            course.others.append(prediction)
            await self._predict(replace(course.prompt, first_choice=choice), prediction)

    def _evolved_query(self, unfinished: UnfinishedCode, prediction: str, request: Request) -> str:
        return evolve_query(unfinished, prediction, *self._shape(request))

    def _first_query(self, unfinished: UnfinishedCode, request: Request) -> str:
        window_lines, slide_lines = self._shape(request)
        if request.mode is Mode.ORACLE:
            return evolve_query(unfinished, request.truth, window_lines, slide_lines)
        return formulate_query(unfinished, window_lines)

    def _shape(self, request: Request) -> tuple[int, int]:
        lines = FUNCTION_WINDOW_LINES if request.whole_function else self.settings.window_lines
        return lines, min(self.settings.slide_lines, lines)

    async def _retrieve(
        self, query: str, hidden: Span, unfinished: UnfinishedCode, request: Request, first: bool = True
    ) -> list[Hit]:
        if request.mode is Mode.IN_FILE:
            return []
        retriever = self.function_retriever if request.whole_function else self.retriever
        if isinstance(retriever, Prepared):
            patience_s = None if request.time_budget_ms is None else PATIENCE_S
            await retriever.prepare(query, patience_s)
        hits = retriever.retrieve(
            Query(query, unfinished.path, hidden, unfinished.prefix), self.settings.max_snippets
        )
        if first and self.settings.shift_lines and request.mode is not Mode.ORACLE:
            return [_shifted(hit, self.settings.shift_lines, unfinished, hidden) for hit in hits]
        return hits

    def _sound(self, hits: Sequence[Hit]) -> list[Window]:
        """The windows that may enter a prompt, nearest first."""
        return [window for window in map(window_of, hits) if not self.policy.holds_secret(window.text)]

    async def _arrange(
        self, hits: Sequence[Hit], ground: Ground, request: Request
    ) -> tuple[tuple[Window, ...], Mapping[WindowKey, str]]:
        """The snippets in the prompt's order, and what became of each hit."""
        ranked, budget = self._sound(hits), ground.snippet_tokens
        found = [hit.snippet for hit in (*ground.guides.hits, *hits)]
        fates = {key_of(one): "secret" if self.policy.holds_secret(one.text) else "budget" for one in found}
        epoch = self._epoch if request.editor else None
        tokens = await ground.layout.count_ranked(ranked, budget)
        if epoch is not None:
            tokens |= await ground.layout.count(epoch.windows)
        if request.editor and request.mode is not Mode.IN_FILE:
            epoch = continue_epoch(epoch, ground.place, ranked, tokens, budget)
            windows = epoch.windows
            if not request.speculative:
                self._epoch = epoch
        else:
            windows = pack(ranked, tokens, budget)
        fates |= dict.fromkeys(map(key_of, (*ground.guides.shown, *windows)), "prompt")
        return windows, fates

    async def _predict(
        self,
        prompt: Prompt,
        prediction: Prediction,
        foresee: Foresight | None = None,
        wrote: Callable[[str], None] | None = None,
    ) -> None:
        """Fill `prediction` token by token, so that a time-out finds what there is."""
        beside: asyncio.Task[None] | None = None
        left = prompt.max_new_tokens // 2
        try:
            async with aclosing(self.model.generate(prompt)) as stream:
                async for token in stream:
                    prediction.text += token.text
                    if wrote is not None and token.text:
                        wrote(prediction.text)
                    if token.usage is not None:
                        prediction.usage = token.usage
                        prediction.stopped = token.usage.stopped
                    left -= token.count
                    if left <= 0 and foresee is not None and beside is None:
                        beside = asyncio.create_task(foresee(prediction.text))
        finally:
            if beside is not None:
                beside.cancel()
                await asyncio.gather(beside, return_exceptions=True)  # whoever counts next meets the error


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
    window = window_of(hit)
    down = max(0, min(lines, len(window.source.lines) - window.span.end))
    span = Span(window.span.first + down, window.span.end + down)
    if window.path == unfinished.path and span.overlaps(hidden):
        return hit
    return replace(hit, snippet=replace(window, span=span))
