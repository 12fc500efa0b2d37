"""What it costs and saves when several editors share one model: memory, waiting, and what the cache keeps."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import aclosing, asynccontextmanager, suppress
from dataclasses import dataclass, replace

import psutil  # type: ignore[import-untyped]

from bowerbird.cli.bench.own import OWN
from bowerbird.inference.engine import Engine, choose_engine
from bowerbird.inference.generator import Prompt, Usage
from bowerbird.inference.turns import Priority

MODEL_PROCESSES = ("bowerbird.inference.child", "bowerbird.inference.broker")
KEYS = 8
"""Tokens by which a prompt grows, one after the other, as if somebody typed."""
GENERATED_TOKENS = 200


@dataclass(frozen=True, slots=True)
class Sharing:
    """What `clients` editors see, with one model for all or with one each."""

    clients: int
    shared: bool
    processes: int
    memory_bytes: int
    """Of all processes beside the editors; pages that several have in common count once (PSS) on Linux."""
    alone_ms: list[float]
    """Completions of the first editor, while the others rest."""
    beside_ms: list[float]
    """The same, while all others write long texts from comments."""
    reused_share: float
    """Of the prompt tokens while all type by turns, those that the cache had."""


async def measure_sharing(
    prompts: Sequence[Prompt], model: str, clients: int, shared: bool, advance: Callable[[int], None]
) -> Sharing:
    """Complete for each of `prompts`, alone and beside others; `clients` type by turns."""
    async with _engines(model, clients, shared) as engines:
        for engine in engines:
            await _complete(engine, prompts[-1])
        reused, asked = 0, 0
        for key in range(KEYS, -1, -1):
            for index, engine in enumerate(engines):
                prompt = prompts[index % len(prompts)]
                usage, _ = await _complete(
                    engine, replace(prompt, tokens=prompt.tokens[: len(prompt.tokens) - key])
                )
                if key < KEYS:
                    reused += usage.tokens_reused
                    asked += usage.tokens_reused + usage.tokens_evaluated
        processes = _processes()
        memory_bytes = sum(_memory_bytes(process) for process in processes)
        first, *others = engines
        alone_ms: list[float] = []
        beside_ms: list[float] = []
        for number, prompt in enumerate(prompts):
            alone, beside = (_unread(prompt, 2 * number + n) for n in (0, 1))
            alone_ms.append((await _complete(first, alone))[1])
            writing = [asyncio.create_task(_keep_writing(engine, prompt)) for engine in others]
            await asyncio.sleep(0.05)
            beside_ms.append((await _complete(first, beside))[1])
            for task in writing:
                task.cancel()
                with suppress(asyncio.CancelledError):
                    await task
            advance(1)
    return Sharing(
        clients, shared, len(processes), memory_bytes, alone_ms, beside_ms, reused / asked if asked else 0.0
    )


@asynccontextmanager
async def _engines(model: str, clients: int, shared: bool) -> AsyncIterator[list[Engine]]:
    settings = replace(OWN, shared="always" if shared else "never")
    engines = [choose_engine(model, settings) for _ in range(clients)]
    try:
        await asyncio.gather(*(engine.load() for engine in engines))
        yield engines
    finally:
        for engine in engines:
            await engine.close()


async def _complete(engine: Engine, prompt: Prompt) -> tuple[Usage, float]:
    began = time.perf_counter()
    async with aclosing(engine.generate(prompt)) as stream:
        tokens = [token async for token in stream]
    usage = tokens[-1].usage
    assert usage is not None
    return usage, (time.perf_counter() - began) * 1000


async def _keep_writing(engine: Engine, prompt: Prompt) -> None:
    """As code from a comment does, until cancelled."""
    loaded = await engine.load()
    room = max(1, loaded.context_tokens - len(prompt.tokens))
    long = replace(prompt, max_new_tokens=min(GENERATED_TOKENS, room), priority=Priority.GENERATION)
    while True:
        await _complete(engine, long)


def _unread(prompt: Prompt, number: int) -> Prompt:
    """The prompt with a token of its own in front, so that no cache knows it."""
    return replace(prompt, tokens=(number, *prompt.tokens[1:]))


def _processes() -> list[psutil.Process]:
    """Models and brokers that we started; not a broker of the same model that others had started before."""
    found = []
    for process in psutil.Process().children(recursive=True):
        with suppress(psutil.Error):
            if not set(MODEL_PROCESSES).isdisjoint(process.cmdline()):
                found.append(process)
    return found


def _memory_bytes(process: psutil.Process) -> int:
    told = process.memory_full_info()
    return int(getattr(told, "pss", 0) or told.uss)
