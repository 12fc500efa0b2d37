"""An engine that writes what the test says, when the test says."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from bowerbird.completion.course import Watch
from bowerbird.completion.query import UnfinishedCode
from bowerbird.completion.request import Completion, Request
from bowerbird.trace import Reason, Trace

LIVENESS_S = 10


def place(prefix: str, suffix: str = "\n", name: str = "main.py") -> UnfinishedCode:
    """A cursor in a document."""
    return UnfinishedCode(Path("/w") / name, name, "w", "python", prefix, suffix)


def answered(unfinished: UnfinishedCode, text: str, reason: Reason = Reason.OK) -> Completion:
    """A completion as the engine gives it."""
    trace = Trace(unfinished.name, unfinished.line + 1, unfinished.column + 1, "rag", "scripted", reason)
    return Completion(text, text, reason, trace)


@dataclass
class ScriptedEngine:
    """Enters by the completion engine's door. Each flight writes its text as the test lets it."""

    says: Callable[[UnfinishedCode], str] = lambda _: "abc = 1"
    refines: Callable[[UnfinishedCode], str] = lambda _: ""
    """What the second iteration says; empty where there is none."""
    writes: asyncio.Event = field(default_factory=asyncio.Event)
    """Set, everything is written at once."""
    may_refine: asyncio.Event = field(default_factory=asyncio.Event)
    pen: asyncio.Event = field(default_factory=asyncio.Event)
    letters: int = 0
    """May be written while `writes` is not set."""
    fault: Exception | None = None
    reason: Reason = Reason.OK
    asked: list[tuple[UnfinishedCode, Request]] = field(default_factory=list)
    prefilled: list[UnfinishedCode] = field(default_factory=list)
    running: int = 0
    most_running: int = 0
    cancelled: int = 0

    def __post_init__(self) -> None:
        self.writes.set()
        self.may_refine.set()

    @property
    def demanded(self) -> list[str]:
        """The prefixes that somebody asked about."""
        return [unfinished.prefix for unfinished, request in self.asked if not request.speculative]

    @property
    def foreseen(self) -> list[str]:
        """The prefixes that were completed ahead."""
        return [unfinished.prefix for unfinished, request in self.asked if request.speculative]

    def write(self, letters: int) -> None:
        """Let the model write so many characters."""
        self.letters = letters
        self.pen.set()

    async def complete(
        self, unfinished: UnfinishedCode, request: Request, watch: Watch | None = None
    ) -> Completion:
        self.asked.append((unfinished, request))
        async with _Working(self):
            if self.fault is not None:
                raise self.fault
            text = self.says(unfinished)
            written = 0
            while not self.writes.is_set():
                if written < min(self.letters, len(text)):
                    written = min(self.letters, len(text))
                    if watch is not None:
                        watch.wrote(text[:written])
                self.pen.clear()
                waiting = [asyncio.create_task(event.wait()) for event in (self.pen, self.writes)]
                try:
                    await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
                finally:
                    for task in waiting:
                        task.cancel()
            await asyncio.sleep(0)
            more = "" if request.speculative else self.refines(unfinished)
            if more:
                if watch is not None:
                    watch.drafted(answered(unfinished, text, self.reason))
                await self.may_refine.wait()
                text = more
            return answered(unfinished, text, self.reason)

    async def prefill(self, unfinished: UnfinishedCode, request: Request) -> None:
        del request
        async with _Working(self):
            self.prefilled.append(unfinished)
            await asyncio.sleep(0)


class _Working:
    """One decode; when cancelled it ends as a model does: soon, not at once."""

    def __init__(self, engine: ScriptedEngine) -> None:
        self.engine = engine

    async def __aenter__(self) -> None:
        self.engine.running += 1
        self.engine.most_running = max(self.engine.most_running, self.engine.running)

    async def __aexit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is asyncio.CancelledError:
            self.engine.cancelled += 1
            for _ in range(3):
                await asyncio.sleep(0)
        self.engine.running -= 1


async def until(arrived: Callable[[], object]) -> None:
    """Wait for something that happens in other tasks."""
    async with asyncio.timeout(LIVENESS_S):
        while not arrived():  # noqa: ASYNC110 - there is no event for each thing that a test may ask
            await asyncio.sleep(0.001)
