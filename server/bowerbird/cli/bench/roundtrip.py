"""What the server adds to the time that llama.cpp itself needs for the same tokens."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bowerbird.assembly import Assembly, assemble
from bowerbird.cli.bench.overheard import Overheard, overheard_engine
from bowerbird.cli.bench.own import OWN, OWN_OPTIONS
from bowerbird.cli.errors import ModelProblem
from bowerbird.cli.spots import Spot
from bowerbird.cli.try_ import PATIENCE_MS, Answer, complete_spot
from bowerbird.completion.query import UnfinishedCode
from bowerbird.completion.request import Request
from bowerbird.inference.engine import Engine, choose_engine
from bowerbird.inference.generator import Prompt
from bowerbird.lsp.session import LspSession
from bowerbird.settings import CompletionSettings, IndexSettings, Settings
from bowerbird.text import split_at


@dataclass(frozen=True, slots=True)
class RoundTrip:
    """One request, from the editor and back."""

    wall_ms: float
    """As the editor sees it."""
    model_ms: float
    """Of these, what llama.cpp was at work, by the server's trace."""
    search_ms: float
    """Retrieving windows and packing prompts."""
    direct_ms: float
    """The same prompts put to a model in the same order without a server."""
    same_prompts: bool
    """Were they the same, character for character?"""

    @property
    def added_ms(self) -> float:
        """What all else took: the protocol, retrieval, tokens, the pipe to the model's process."""
        return self.wall_ms - self.model_ms

    @property
    def ratio(self) -> float:
        """Through the server against without it."""
        return self.wall_ms / self.direct_ms


def server_options(model: str) -> dict[str, Any]:
    """No request ends by its time budget, and the model writes only what the trace tells of."""
    completion = {
        "timeBudgetMs": PATIENCE_MS,
        "candidates": 1,
        "speculate": False,
        "inComments": True,
        "inStrings": True,
    }
    return {"completion": completion | ({"model": model} if model else {}), "inference": OWN_OPTIONS}


async def measure_round_trips(
    folder: Path,
    spots: Sequence[Spot],
    prompts: Sequence[Sequence[Prompt]],
    model: str,
    advance: Callable[[int], None],
) -> list[RoundTrip]:
    """Complete at each of `spots` over LSP and put its `prompts` to a model directly, by turns.

    The first spot only warms both up and is not among the results. The machine's load changes; what is
    compared is measured within a second.
    """
    engine = choose_engine(model, OWN)
    trips: list[RoundTrip] = []
    try:
        async with LspSession(folder, server_options(model)) as session:
            await session.indexed()
            for spot, asked in zip(spots, prompts, strict=True):
                answer = await complete_spot(session, spot)
                trips.append(_round_trip(answer, asked, await _directly(engine, asked)))
                advance(1)
    finally:
        await engine.close()
    return trips[1:]


def _round_trip(answer: Answer, asked: Sequence[Prompt], direct_ms: float) -> RoundTrip:
    iterations = answer.trace["iterations"]
    return RoundTrip(
        wall_ms=answer.wall_ms,
        model_ms=sum(one["evaluate_ms"] + one["generate_ms"] for one in iterations),
        search_ms=sum(one["retrieve_ms"] + one["pack_ms"] for one in iterations),
        direct_ms=direct_ms,
        same_prompts=[one["prompt"] for one in iterations] == [prompt.text for prompt in asked],
    )


async def _directly(engine: Engine, prompts: Sequence[Prompt]) -> float:
    """Milliseconds for all of `prompts`, one after the other."""
    began = time.perf_counter()
    for prompt in prompts:
        async for _ in engine.generate(prompt):
            pass
    return (time.perf_counter() - began) * 1000


async def prompts_of(folder: Path, spots: Sequence[Spot], model: str) -> list[list[Prompt]]:
    """The prompts that the same requests make without a server, spot by spot; raises `ModelProblem`."""
    settings = Settings(
        completion=CompletionSettings(model=model), index=IndexSettings(store=False), inference=OWN
    )
    assembly = assemble(settings, [folder])
    try:
        assembly.repository.scan()
        overheard = Overheard(assembly.model)
        engine = overheard_engine(assembly, overheard)
        request = Request(
            iterations=settings.completion.iterations, max_new_tokens=settings.completion.max_new_tokens
        )
        prompts: list[list[Prompt]] = []
        for spot in spots:
            overheard.prompts.clear()
            completion = await engine.complete(unfinished_at_spot(assembly, spot), request)
            if not overheard.prompts:
                raise ModelProblem(completion.message or completion.trace.sentence)
            prompts.append(list(overheard.prompts))
            source = spot.source
            assembly.repository.open_document(source.path, spot.text, source.language)
        return prompts
    finally:
        await assembly.close()


def unfinished_at_spot(assembly: Assembly, spot: Spot) -> UnfinishedCode:
    """The code around the place, without what stood there."""
    prefix, suffix = split_at(spot.text, spot.position)
    source = spot.source
    folder = assembly.repository.folder_of(source.path) or source.path.parent
    return UnfinishedCode(source.path, source.name, folder.name, source.language, prefix, suffix)
