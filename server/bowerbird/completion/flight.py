"""A completion on its way, which later requests may join as long as the user types what the model writes."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from enum import Enum

from bowerbird.completion.cache import below, same_below
from bowerbird.completion.engine import CompletionEngine
from bowerbird.completion.query import UnfinishedCode
from bowerbird.completion.request import Completion, Request


class Course(Enum):
    """Whether a later place lies on a flight's way."""

    ALONG = "along"
    """What was typed since is what the model wrote."""
    AHEAD = "ahead"
    """More was typed than the model has written; so far it fits."""
    SHORT = "short"
    """It lies before the place where a speculative flight began, and on the way to it."""
    OFF = "off"


class Flight:
    """One run of the engine. Requests come and go; the flight ends when it is done or stopped."""

    def __init__(
        self,
        engine: CompletionEngine,
        unfinished: UnfinishedCode,
        request: Request,
        refined: Callable[[Completion], None],
        shown_at: int | None = None,
    ) -> None:
        """Starts at once. `refined` is called when a later iteration has said something else.

        `shown_at` is the length of the prefix from which a speculative flight was foreseen.
        """
        self.unfinished = unfinished
        self.request = request
        self.first: asyncio.Future[Completion] = asyncio.get_running_loop().create_future()
        self.first.add_done_callback(lambda first: first.cancelled() or first.exception())  # nobody may ask
        """The first iteration's answer."""
        self._refined = refined
        self._written = ""
        self._below = below(unfinished.suffix)
        self._shown_at = len(unfinished.prefix) if shown_at is None else shown_at
        self._news = asyncio.Event()
        self._task = asyncio.create_task(self._run(engine))

    @property
    def landed(self) -> bool:
        """Is everything done, background iterations too?"""
        return self._task.done()

    def wrote(self, text: str) -> None:
        """The engine tells what the first iteration has written so far."""
        self._written = text
        self._tell()

    def drafted(self, completion: Completion) -> None:
        """The engine has the first iteration's answer, and goes on."""
        if not self.first.done():
            self.first.set_result(completion)
        self._tell()

    def course_of(self, unfinished: UnfinishedCode) -> Course:
        """Where `unfinished` lies, as far as the model has written."""
        began = self.unfinished
        if unfinished.path != began.path or self.first.cancelled():
            return Course.OFF
        if self._shown_at <= len(unfinished.prefix) < len(began.prefix):
            return Course.SHORT if began.prefix.startswith(unfinished.prefix) else Course.OFF
        if not unfinished.prefix.startswith(began.prefix):
            return Course.OFF
        typed = unfinished.prefix[len(began.prefix) :]
        if not same_below(self._below, below(unfinished.suffix), typed):
            return Course.OFF
        if self.first.done():
            return Course.ALONG if self.first.result().text.startswith(typed) else Course.OFF
        if self._written.startswith(typed):
            return Course.ALONG
        return Course.AHEAD if typed.startswith(self._written) else Course.OFF

    async def answer(self, unfinished: UnfinishedCode) -> Completion | None:
        """The first iteration's answer, as soon as it is there; None once `unfinished` lies off the way."""
        while self.course_of(unfinished) in (Course.ALONG, Course.AHEAD):
            if self.first.done():
                return self.first.result()
            self._news.clear()
            await self._news.wait()
        return None

    async def stop(self) -> None:
        """Stop the model, and wait until it has stopped. Can be called twice."""
        self.abandon()
        await ended(self._task)

    def abandon(self) -> None:
        """Stop the model, and wait for nothing; nobody can join any more."""
        if not self.first.done():
            self.first.cancel()
        cancel_once(self._task)
        self._tell()

    async def landing(self) -> None:
        """Wait for the last iteration."""
        await asyncio.wait([self._task])

    async def _run(self, engine: CompletionEngine) -> None:
        try:
            completion = await engine.complete(self.unfinished, self.request, self)
            if self.first.done():
                if completion.text and completion.text != self.first.result().text:
                    self._refined(completion)
            else:
                self.first.set_result(completion)
        except Exception as error:
            if not self.first.done():
                self.first.set_exception(error)
            else:
                raise
        finally:
            if not self.first.done():
                self.first.cancel()
            self._tell()

    def _tell(self) -> None:
        self._news.set()


def cancel_once(task: asyncio.Task[None]) -> None:
    """A second cancellation would break off the clean-up after the first, which waits for the model."""
    if not task.cancelling():
        task.cancel()


async def ended(task: asyncio.Task[None]) -> None:
    """Cancel `task` and wait for its end, even if we are cancelled meanwhile: it may hold the model."""
    cancel_once(task)
    withdrawn: asyncio.CancelledError | None = None
    while not task.done():
        try:
            await asyncio.wait([task])
        except asyncio.CancelledError as error:
            withdrawn = error
    if withdrawn is not None:
        raise withdrawn
