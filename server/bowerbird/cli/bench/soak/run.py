"""Rounds of work on the real server with the real model, and what both processes hold meanwhile."""

from __future__ import annotations

import asyncio
import random
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bowerbird.cli.bench.soak.trend import Trend, trend_of
from bowerbird.cli.bench.soak.watched import HOLDINGS, PROGRAM
from bowerbird.lsp.convert import uri_of
from bowerbird.lsp.session import LspSession
from bowerbird.text import Position

KEYS = 12
"""Typed in a round, one request each."""

KEY_S = 0.03
GENERATE_EVERY = 5
"""Rounds from one generation to the next."""

ANSWER_S = 180.0
"""What is not answered by then is counted as not answered."""

QUESTIONS = ("window/showMessageRequest", "window/workDoneProgress/create")
"""What the server asks the user, who says nothing: no example is put in."""

GENERATE = "bowerbird.generate"
REQUEST = "\n\n# sum of the prices in a list\n"


@dataclass(frozen=True, slots=True)
class Sample:
    """What was held at one moment."""

    seconds: float
    """Since the start."""
    rounds: int
    server_bytes: int
    """Memory of the server's process that no file stands behind."""
    server_resident_bytes: int
    """All of it that is resident, mapped files included."""
    model_bytes: int
    """As `server_bytes`, of the server's children: the model's process."""
    model_resident_bytes: int
    children: int
    tasks: int
    threads: int
    files: int


@dataclass(frozen=True, slots=True)
class Soaked:
    """What came of it."""

    seconds: float
    rounds: int
    asked: int
    answered: int
    shown: int
    """Answers with something in them."""
    refused: int
    """Requests answered by an error: they were superseded."""
    samples: tuple[Sample, ...]

    def trend(self, value: Callable[[Sample], float]) -> Trend:
        """How a figure of the samples went when all was warm."""
        times = [one.seconds for one in self.samples]
        return trend_of(times, [value(one) for one in self.samples], self.seconds)


async def soak(
    folder: Path,
    options: Mapping[str, Any],
    minutes: float,
    sample_s: float,
    seed: int,
    tell: Callable[[Sample], None],
) -> Soaked:
    """Type, complete, hover and generate in the Python files of `folder` until the time is over."""
    chance = random.Random(seed)
    files = sorted(folder.rglob("*.py"))  # noqa: ASYNC240 - nothing else runs yet
    work = _Work(folder, chance)
    samples: list[Sample] = []
    command = (sys.executable, *PROGRAM)
    async with LspSession(folder, options, command=command) as session:
        for question in QUESTIONS:
            session.editor.feature(question)(lambda _: None)
        await session.indexed()
        began, next_sample, rounds = time.monotonic(), 0.0, 0
        while (seconds := time.monotonic() - began) < minutes * 60:
            if seconds >= next_sample:
                samples.append(await _sample(session, seconds, rounds))
                tell(samples[-1])
                next_sample = seconds + sample_s
            await work.round(session, chance.choice(files), generate=rounds % GENERATE_EVERY == 0)
            rounds += 1
        seconds = time.monotonic() - began
        samples.append(await _sample(session, seconds, rounds))
        tell(samples[-1])
    return Soaked(seconds, rounds, work.asked, work.answered, work.shown, work.refused, tuple(samples))


class _Work:
    """Counts what is asked."""

    def __init__(self, folder: Path, chance: random.Random) -> None:
        self.folder = folder
        self.chance = chance
        self.asked = self.answered = self.shown = self.refused = 0

    async def round(self, session: LspSession, path: Path, generate: bool) -> None:
        """Open a file, type into it, ask by hand, hover, perhaps generate; then close it."""
        text = (await asyncio.to_thread(path.read_text, errors="replace")).replace("\r\n", "\n")
        lines = text.split("\n")
        line = self.chance.randrange(len(lines))
        await session.open(path, text, "python")
        uri, requests = uri_of(path), []
        typed = "".join(lines[line].split())[:KEYS]
        for column in range(len(typed) + 1):
            if column:
                session.editor.type_into(
                    uri, Position(line, column - 1), Position(line, column - 1), typed[column - 1]
                )
            place = Position(line, column)
            requests.append(asyncio.ensure_future(session.inline_completion(path, place, invoked=False)))
            await asyncio.sleep(KEY_S)
        place = Position(line, len(typed))
        requests.append(asyncio.ensure_future(session.inline_completion(path, place)))
        await self._count(requests)
        await self._count([asyncio.ensure_future(session.hover(path, place))])
        if generate:
            await session.change(path, text + REQUEST)
            await self._count([asyncio.ensure_future(session.execute(GENERATE, uri, len(lines) + 1))])
        await session.close(path)

    async def _count(self, requests: Sequence[asyncio.Future[Any]]) -> None:
        self.asked += len(requests)
        done, late = await asyncio.wait(requests, timeout=ANSWER_S)
        for request in late:
            request.cancel()
        self.answered += len(done)
        for request in done:
            if request.exception() is not None:
                self.refused += 1
            elif request.result():
                self.shown += 1


async def _sample(session: LspSession, seconds: float, rounds: int) -> Sample:
    try:
        held = await session.editor.protocol.send_request_async(HOLDINGS, None)
    except Exception:
        print("".join(session.log))
        raise
    children = held["children"]
    return Sample(
        round(seconds, 1),
        rounds,
        held["server_bytes"],
        held["server_resident_bytes"],
        sum(own for own, _ in children.values()),
        sum(resident for _, resident in children.values()),
        len(children),
        held["tasks"],
        held["threads"],
        held["files"],
    )
