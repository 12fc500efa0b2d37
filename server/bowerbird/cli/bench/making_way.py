"""How long a completion waits for a model that is writing code from a comment."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Sequence
from contextlib import aclosing
from dataclasses import dataclass, replace

from bowerbird.cli.bench.own import OWN
from bowerbird.inference.engine import Engine, choose_engine
from bowerbird.inference.generator import Prompt
from bowerbird.inference.turns import Priority


@dataclass(frozen=True, slots=True)
class MadeWay:
    """One completion, to its first token, with a prompt that the model had not read."""

    alone_ms: float
    beside_ms: float
    """While a generation ran, which stopped for it and went on."""
    went_on: bool
    """The generation's text was the one that it is without an interruption."""


async def measure_making_way(
    prompts: Sequence[Prompt], model: str, advance: Callable[[int], None]
) -> list[MadeWay]:
    """Ask for each prompt's first token alone, and while the next prompt is being written on at length."""
    engine = choose_engine(model, OWN)
    try:
        loaded = await engine.load()
        measured: list[MadeWay] = []
        for index, prompt in enumerate(prompts):
            # Tokens of its own in front: the cache must not know the prompt.
            alone, beside = (
                replace(prompt, tokens=(*(n % loaded.vocabulary_tokens for _ in range(4)), *prompt.tokens))
                for n in (2 * index, 2 * index + 1)
            )
            other = prompts[(index + 1) % len(prompts)]
            room = max(1, loaded.context_tokens - len(other.tokens))
            long = replace(other, max_new_tokens=min(200, room), priority=Priority.GENERATION)
            expected = await _text(engine, long)
            alone_ms = await _first_ms(engine, alone)
            generating = asyncio.create_task(_text(engine, long))
            await asyncio.sleep(0.03)
            beside_ms = await _first_ms(engine, beside)
            measured.append(MadeWay(alone_ms, beside_ms, await generating == expected))
            advance(1)
        return measured
    finally:
        await engine.close()


async def _text(engine: Engine, prompt: Prompt) -> str:
    async with aclosing(engine.generate(prompt)) as stream:
        return "".join([token.text async for token in stream])


async def _first_ms(engine: Engine, prompt: Prompt) -> float:
    began = time.perf_counter()
    async with aclosing(engine.generate(replace(prompt, max_new_tokens=1))) as stream:
        await anext(stream)
        return (time.perf_counter() - began) * 1000
