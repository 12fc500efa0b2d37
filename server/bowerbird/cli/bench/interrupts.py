"""How soon a cancelled request lets go of the model, and what is left behind of fast typing."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from bowerbird.cli.bench.counted import DECODES
from bowerbird.cli.bench.own import OWN
from bowerbird.cli.bench.roundtrip import server_options
from bowerbird.cli.spots import Spot
from bowerbird.inference.engine import Engine, choose_engine
from bowerbird.inference.generator import Prompt, Token
from bowerbird.lsp.session import LspSession
from bowerbird.text import Position, split_at

COUNTED = ("-P", "-m", "bowerbird.cli.bench.counted")
LONG_TOKENS = 100_000  # as many as the context holds
KEYS = 100
KEY_SECONDS = 0.01  # ten times as fast as a quick typist
REFINING_SECONDS = 2.0  # behind the last answer a second iteration may go on for so long


@dataclass(frozen=True, slots=True)
class Cancelled:
    """One generation that was cancelled while it ran."""

    during: str
    """``evaluating`` the prompt or ``generating``."""
    freed_ms: float
    """From the cancellation until the model was free."""
    served_ms: float
    """From the cancellation until the model had written the first token for the next request."""


async def measure_cancellations(
    prompts: Sequence[Prompt], model: str, advance: Callable[[int], None]
) -> list[Cancelled]:
    """Cancel a long generation of each prompt, by turns within the prompt and after its first tokens."""
    engine = choose_engine(model, OWN)
    try:
        loaded = await engine.load()
        cancelled: list[Cancelled] = []
        for index, prompt in enumerate(prompts):
            # Tokens of its own in front: the cache must not know the prompt, or there is nothing to evaluate.
            fresh = (*(index % loaded.vocabulary_tokens for _ in range(4)), *prompt.tokens)
            room = loaded.context_tokens - len(fresh)
            long = replace(prompt, tokens=fresh, max_new_tokens=min(LONG_TOKENS, max(1, room)))
            cancelled.append(await _cancel(engine, long, generating=bool(index % 2)))
            advance(1)
        return cancelled
    finally:
        await engine.close()


async def _cancel(engine: Engine, prompt: Prompt, generating: bool) -> Cancelled:
    writing = asyncio.Event()

    async def write() -> None:
        stream = engine.generate(prompt)
        try:
            async for _ in stream:
                writing.set()
        finally:
            await stream.aclose()

    task = asyncio.create_task(write())
    if generating:
        await writing.wait()
    else:
        await asyncio.sleep(0.005)  # the request has arrived, and the prompt takes longer
    during = "generating" if writing.is_set() else "evaluating"
    began = time.perf_counter()
    task.cancel()
    await asyncio.wait([task])
    freed_ms = (time.perf_counter() - began) * 1000
    following = engine.generate(Prompt(prompt.tokens[:1], "", 1))
    await _first(following)
    served_ms = (time.perf_counter() - began) * 1000
    await following.aclose()
    return Cancelled(during, freed_ms, served_ms)


async def _first(stream: AsyncIterator[Token]) -> None:
    async for _ in stream:
        return


@dataclass(frozen=True, slots=True)
class Typing:
    """What became of a request at each of many fast keys."""

    keys: int
    completed: int
    """Requests that were answered, if only by saying that there is nothing."""
    superseded: int
    """Requests that were withdrawn, as a newer one had come."""
    decodes: int
    """Generations that were begun."""
    most_at_once: int
    left_behind: int
    """Generations that still ran when the last request's second iteration had its time."""


async def measure_typing(folder: Path, spot: Spot, model: str, python: str) -> Typing:
    """Type what follows a spot in its file, one request a key, none of them awaited."""
    before, behind = split_at(spot.source.text, Position(spot.position.line, 0))
    keys = behind[:KEYS]
    async with LspSession(folder, server_options(model), command=(python, *COUNTED)) as session:
        await session.indexed()
        path = spot.source.path
        await session.open(path, before)
        await session.inline_completion(path, _end(before))  # the model is loaded
        first = await _decodes(session)
        requests: list[asyncio.Task[Sequence[Any]]] = []
        for count in range(1, len(keys) + 1):
            typed = before + keys[:count]
            await session.change(path, typed)
            requests.append(asyncio.create_task(session.inline_completion(path, _end(typed), invoked=False)))
            await asyncio.sleep(KEY_SECONDS)
        answers = await asyncio.gather(*requests, return_exceptions=True)
        await asyncio.sleep(REFINING_SECONDS)
        last = await _decodes(session)
    completed = sum(1 for answer in answers if not isinstance(answer, BaseException))
    return Typing(
        keys=len(keys),
        completed=completed,
        superseded=len(answers) - completed,
        decodes=last["started"] - first["started"],
        most_at_once=last["most_at_once"],
        left_behind=last["running"],
    )


async def _decodes(session: LspSession) -> dict[str, int]:
    counts: dict[str, int] = await session.editor.protocol.send_request_async(DECODES, None)
    return counts


def _end(text: str) -> Position:
    return Position(text.count("\n"), len(text) - (text.rfind("\n") + 1))
