"""Beside llama-server: the same tokens through both engines, and each with its own context."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from statistics import median

from bowerbird.assembly import Assembly
from bowerbird.cli.bench.decoding.peer import Peer, ring
from bowerbird.cli.bench.decoding.places import unfinished_at
from bowerbird.cli.spots import Spot
from bowerbird.completion.request import Request
from bowerbird.inference.engine import Engine
from bowerbird.inference.generator import Prompt


@dataclass(frozen=True, slots=True)
class SameTokens:
    """One prompt, token for token the same, through both engines."""

    prompt_tokens: int
    ours_ms: float
    theirs_ms: float
    same: bool
    """The same text?"""


@dataclass(frozen=True, slots=True)
class Answer:
    """What one of the two wrote at a place."""

    text: str
    """The first line."""
    milliseconds: float
    truth: str

    @property
    def exact(self) -> bool:
        """Is it the line's true end?"""
        return self.text.strip() == self.truth.strip()

    @property
    def saved(self) -> int:
        """Characters that need not be typed: those before the first wrong one."""
        pairs = zip(self.text, self.truth, strict=False)
        return next(
            (at for at, (own, true) in enumerate(pairs) if own != true), min(len(self.text), len(self.truth))
        )


@dataclass(frozen=True, slots=True)
class OwnContext:
    """One place, completed by both, each in its own way."""

    ours: Answer
    theirs: Answer


@dataclass(frozen=True, slots=True)
class Side:
    """One of the two, over all places."""

    median_ms: float
    exact: float
    """Share of the places whose line was right."""
    saved: float
    """Share of the characters that need not be typed."""


async def same_tokens(
    engine: Engine, peer: Peer, prompts: Sequence[Prompt], advance: Callable[[int], None]
) -> list[SameTokens]:
    """Put each prompt to both, by turns. The first one only warms both up."""
    results: list[SameTokens] = []
    for prompt in (prompts[0], *prompts):
        asked = replace(prompt, visible_first=False)  # a llama-server refuses ends always or never
        began = time.perf_counter()
        ours = "".join([token.text async for token in engine.generate(asked)])
        ours_ms = (time.perf_counter() - began) * 1000
        theirs, theirs_ms = await peer.complete(asked)
        results.append(SameTokens(len(asked.tokens), ours_ms, theirs_ms, ours == theirs))
        advance(1)
    return results[1:]


async def own_context(
    assembly: Assembly, peer: Peer, spots: Sequence[Spot], seed: int, advance: Callable[[int], None]
) -> list[OwnContext]:
    """Complete each spot by both with equal budgets, by turns. The first one only warms both up."""
    settings = assembly.settings.completion
    request = Request(
        iterations=settings.iterations,
        max_new_tokens=settings.max_new_tokens,
        time_budget_ms=settings.time_budget_ms,
    )
    sources = list(assembly.repository.sources())
    results: list[OwnContext] = []
    for spot in (spots[0], *spots):
        unfinished = unfinished_at(assembly, spot)
        began = time.perf_counter()
        completion = await assembly.completion.complete(unfinished, request)
        ours_ms = (time.perf_counter() - began) * 1000
        theirs, theirs_ms = await peer.infill(spot, ring(sources, spot, seed), settings.max_new_tokens)
        ours_answer = Answer(completion.text.split("\n")[0], ours_ms, spot.truth)
        results.append(OwnContext(ours_answer, Answer(theirs.split("\n")[0], theirs_ms, spot.truth)))
        advance(1)
    return results[1:]


def side(answers: Sequence[Answer]) -> Side:
    """The figures of `answers`."""
    return Side(
        median_ms=median(one.milliseconds for one in answers),
        exact=sum(one.exact for one in answers) / len(answers),
        saved=sum(one.saved for one in answers) / max(1, sum(len(one.truth) for one in answers)),
    )
