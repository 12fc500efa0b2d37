"""Completing while somebody types: what is remembered first, then what is on its way, then the model.

At most one flight is in the air. It goes on while the user types what it writes and is stopped when not;
behind it, once an answer is shown, there is at most one speculative flight ("as if accepted") and one
prefill, and then nothing runs until the next key.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import replace

from bowerbird.completion.cache import CompletionCache
from bowerbird.completion.carried import as_if_accepted, checked_again
from bowerbird.completion.course import unanswered
from bowerbird.completion.engine import CompletionEngine
from bowerbird.completion.flight import Course, Flight, cancel_once, ended
from bowerbird.completion.pacing import Rhythm, debounce_ms
from bowerbird.completion.query import UnfinishedCode
from bowerbird.completion.request import Completion, Request
from bowerbird.trace import Reason

WITHDRAWN_S = 0.03  # a flight whose request was withdrawn flies on for so long: the next key's may want it,
TYPED_ALONG_S = 0.6  # and for so long where a key was pressed just then and the text still fits
JUST_S = 0.1
FIRST_COST_MS = 200.0
COST_MEMORY = 0.7  # share of the old estimate in the new one


async def _nothing_to_prepare(unfinished: UnfinishedCode, request: Request) -> None:
    """The index needs nothing before the model is asked."""


class LiveCompletion:
    """One editor's completions, the newest request first. It is handed its engine, clock and power."""

    def __init__(
        self,
        engine: CompletionEngine,
        prepare: Callable[[UnfinishedCode, Request], Awaitable[None]] = _nothing_to_prepare,
        refined: Callable[[UnfinishedCode], None] = lambda _unfinished: None,
        on_battery: Callable[[], bool] = lambda: False,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """`prepare` is awaited before the model is asked.

        `refined` hears of each place whose answer a later iteration has changed.
        """
        self.engine = engine
        self.rhythm = Rhythm()
        self.decodes = 0
        """Flights begun, speculative ones too."""
        self._prepare = prepare
        self._refined = refined
        self._on_battery = on_battery
        self._clock = clock
        self._cache = CompletionCache()
        self._flight: Flight | None = None
        self._following: set[asyncio.Task[None]] = set()
        """What follows an answer; the newest, and older ones that are about to end."""
        self._grace: asyncio.TimerHandle | None = None
        self._turn = asyncio.Lock()
        self._cost_ms = FIRST_COST_MS
        self._dropped = False

    async def suggest(self, unfinished: UnfinishedCode, request: Request) -> Completion:
        """The completion for this place. Cancelling it leaves the flight to the next request for a moment."""
        began = self._clock()
        if not request.invoked and (carried := self._carried(unfinished)) is not None:
            if not self._following:
                self._follow_up(unfinished, request, carried)
            return carried
        try:
            async with self._turn:
                self._keep()
                completion = await self._joined(unfinished, request)
                if completion is None:
                    completion = await self._fresh(unfinished, request, began)
                return completion
        except asyncio.CancelledError:
            self._withdrawn()
            raise

    def edited(self, unfinished: UnfinishedCode | None) -> None:
        """Somebody typed; the document is now `unfinished` around the cursor, None where that is unknown.

        What no longer fits is stopped.
        """
        self.rhythm.key(self._clock())
        flight = self._flight
        if flight is not None and not flight.landed:
            if unfinished is None or flight.course_of(unfinished) is Course.OFF:
                self._let_go()
            elif self._grace is not None:
                self._withdrawn()

    @property
    def flying(self) -> bool:
        """Is the model at work for a request? Then `edited` wants to know the text."""
        return self._flight is not None and not self._flight.landed

    async def stop(self) -> None:
        """Nothing runs any more when this returns."""
        self._keep()
        while self._following or self._flight is not None:
            for following in tuple(self._following):
                await ended(following)
                self._following.discard(following)
            if (flight := self._flight) is not None:
                await flight.stop()
                if self._flight is flight:
                    self._flight = None

    async def rest(self) -> None:
        """Wait until all that follows the last answer is done."""
        while self._following:
            await asyncio.wait(self._following)

    def drop(self) -> None:
        """Stop what runs, for good, and wait for nothing: the settings or the model are others."""
        self._dropped = True
        for following in self._following:
            cancel_once(following)
        self._let_go()
        self._cache.clear()

    def _carried(self, unfinished: UnfinishedCode) -> Completion | None:
        """What is remembered for this place, checked against what stands around it now."""
        carried = self._cache.find(unfinished)
        return None if carried is None else checked_again(carried, unfinished)

    async def _joined(self, unfinished: UnfinishedCode, request: Request) -> Completion | None:
        """The answer of the flight in the air, or what it just gave, if this place lies on its way."""
        if request.invoked:
            return None
        flight = self._flight
        if flight is None or flight.first.done():
            return self._carried(unfinished)
        completion = await flight.answer(unfinished)
        if completion is None:
            return None
        self._follow_up(flight.unfinished, request, completion, flight)
        joined = self._carried(unfinished)
        return joined and replace(joined, trace=replace(joined.trace, carried="running"))

    async def _fresh(self, unfinished: UnfinishedCode, request: Request, asked: float) -> Completion:
        await self.stop()
        waited = self._clock()
        if not request.invoked:
            await asyncio.sleep(self._pause_s(unfinished))
        await self._prepare(unfinished, request)
        await self.stop()  # what a carried answer elsewhere has begun meanwhile
        if self._dropped:
            return unanswered(unfinished, request, Reason.CHANGED)
        began = self._clock()
        flight = self._start(unfinished, request, lambda completion: self._refine(unfinished, completion))
        await asyncio.wait([flight.first])
        if flight.first.cancelled():
            return unanswered(unfinished, request, Reason.CHANGED)
        completion = flight.first.result()
        self._cost_ms += (1 - COST_MEMORY) * ((self._clock() - began) * 1000 - self._cost_ms)
        self._follow_up(unfinished, request, completion, flight)
        trace = replace(
            completion.trace, wait_ms=(waited - asked) * 1000, debounce_ms=(began - waited) * 1000
        )
        return replace(completion, trace=trace)

    def _start(
        self,
        unfinished: UnfinishedCode,
        request: Request,
        refined: Callable[[Completion], None] = lambda _completion: None,
        shown_at: int | None = None,
    ) -> Flight:
        """Begin a flight; its answer is remembered, whoever still waits for it by then."""
        self._keep()  # the grace was another's
        self.decodes += 1
        flight = self._flight = Flight(self.engine, unfinished, request, refined, shown_at)
        flight.first.add_done_callback(lambda first: self._remember(flight, first))
        return flight

    def _remember(self, flight: Flight, first: asyncio.Future[Completion]) -> None:
        if first.cancelled() or first.exception() is not None or self._dropped:
            return
        completion = first.result()
        if flight.request.speculative:
            completion = replace(completion, trace=replace(completion.trace, carried="speculative"))
        if completion.text or completion.reason is Reason.EMPTY:
            self._cache.put(flight.unfinished, completion)

    def _follow_up(
        self,
        unfinished: UnfinishedCode,
        request: Request,
        completion: Completion,
        flight: Flight | None = None,
    ) -> None:
        """Let follow what may, in place of what still follows an earlier answer."""
        if not self._dropped:
            older = tuple(self._following)
            task = asyncio.create_task(self._follow(unfinished, request, completion, flight, older))
            self._following.add(task)
            task.add_done_callback(self._following.discard)

    async def _follow(
        self,
        unfinished: UnfinishedCode,
        request: Request,
        completion: Completion,
        flight: Flight | None,
        older: Iterable[asyncio.Task[None]],
    ) -> None:
        """Let the flight refine its answer, then speculate once, then prepare the prompt of the next key."""
        for following in older:
            await ended(following)
        if flight is not None:
            await flight.landing()
            if (best := self._carried(unfinished)) is not None:
                completion = best
        if not completion.text or not request.speculate or self._on_battery():
            return
        ahead = as_if_accepted(unfinished, completion)
        if self._cache.find(ahead) is not None:
            return
        while self._flight is not None and not self._flight.landed:
            await self._flight.stop()  # it was on its way to a place that the cursor has left
        speculative = replace(request, iterations=1, candidates=1, invoked=False, speculative=True)
        foreseen = self._start(ahead, speculative, shown_at=len(unfinished.prefix))
        await asyncio.wait([foreseen.first])
        if not foreseen.first.cancelled() and foreseen.first.exception() is None:
            await self.engine.prefill(unfinished, request)

    def _refine(self, unfinished: UnfinishedCode, completion: Completion) -> None:
        self._cache.put(unfinished, completion)
        self._refined(unfinished)

    def _pause_s(self, unfinished: UnfinishedCode) -> float:
        """What is left of the debounce; an editor that waited by itself has spent it already."""
        wanted_ms = debounce_ms(self.rhythm, unfinished.prefix, unfinished.suffix, self._cost_ms)
        return max(0.0, wanted_ms - self.rhythm.since_key_ms(self._clock())) / 1000

    def _withdrawn(self) -> None:
        """Nobody waits for the flight; the request for the next key may come and want it."""
        self._keep()
        if self._flight is not None and not self._flight.first.done():
            typed = self.rhythm.since_key_ms(self._clock()) < JUST_S * 1000
            grace_s = TYPED_ALONG_S if typed else WITHDRAWN_S
            self._grace = asyncio.get_running_loop().call_later(grace_s, self._let_go)

    def _let_go(self) -> None:
        self._keep()
        if self._flight is not None:
            self._flight.abandon()

    def _keep(self) -> None:
        if self._grace is not None:
            self._grace.cancel()
            self._grace = None
