"""Scores GGUF models on held-out requests by Bowerbird's own engine, each in its own prompt and tokens."""

from __future__ import annotations

import asyncio
import json
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from bowerbird.inference.fim import Pieces
from bowerbird.inference.generator import InferenceError, Prompt
from bowerbird.inference.llama import LlamaEngine
from bowerbird.settings import InferenceSettings
from nestling.examples import Request

Say = Callable[[str], None]
Figures = dict[str, dict[str, float]]
"""Language -> nats per character of the middles, with and without what retrieval brought; requests."""

ALL = "all"
BESIDE_TOKENS = 64  # of the context: room for names and marks
MIDDLE_CHARACTERS = 200  # of what was to be written: about the 64 tokens that an editor asks for


class Scores(NamedTuple):
    """Nats of one request's middle."""

    with_windows: float
    in_file: float


def evaluate(
    models: Sequence[Path], requests: Path, out: Path | None, limit: int, threads: int, say: Say
) -> dict[str, Figures]:
    """Measure each model on the same requests; raises `ValueError` where one cannot be loaded.

    Models differ in their tokens: a request that is too long for one of them counts for none.
    """
    chosen = [_cut(one) for one in _limited(read_requests(requests), limit)]
    scores: list[list[Scores | None]] = []
    for path in models:
        try:
            scores.append(asyncio.run(_score(path, chosen, threads)))
        except InferenceError as error:
            raise ValueError(str(error)) from error
    fitting = [at for at in range(len(chosen)) if all(one[at] for one in scores)]
    if len(fitting) < len(chosen):
        say(f"{len(chosen) - len(fitting)} of {len(chosen)} requests are too long for one of the models")
    found: dict[str, Figures] = {}
    for path, one in zip(models, scores, strict=True):
        found[path.name] = _figures([(chosen[at], some) for at in fitting if (some := one[at])])
        for language, figures in found[path.name].items():
            told = ", ".join(f"{name} {value:.4g}" for name, value in figures.items())
            say(f"{path.name}, {language}: {told}")
    if out is not None:
        out.write_text(json.dumps(found, indent=1) + "\n")
    return found


def read_requests(path: Path) -> list[Request]:
    """What `prepare` held out."""
    with path.open(encoding="utf-8") as lines:
        return [_request(json.loads(line)) for line in lines]


def _request(told: Mapping[str, Any]) -> Request:
    snippets = tuple((name, text) for name, text in told["snippets"])
    return Request(**{**told, "snippets": snippets})


def _limited(requests: Iterable[Request], limit: int) -> Iterable[Request]:
    seen: dict[str, int] = defaultdict(int)
    for request in requests:
        seen[request.language] += 1
        if not limit or seen[request.language] <= limit:
            yield request


def _cut(request: Request) -> Request:
    """As much of its middle as an editor would ask for."""
    return replace(request, middle=request.middle[:MIDDLE_CHARACTERS])


async def _score(path: Path, requests: Sequence[Request], threads: int) -> list[Scores | None]:
    """Those of each request; None where it is too long."""
    engine = LlamaEngine(path, InferenceSettings(threads=threads))
    found: list[Scores | None] = []
    try:
        await engine.load()
        for request in requests:
            alone = await _nats(engine, request, with_snippets=False)
            beside = await _nats(engine, request, with_snippets=True) if request.snippets else alone
            found.append(None if alone is None or beside is None else Scores(beside, alone))
    finally:
        await engine.close()
    return found


def _figures(scored: Iterable[tuple[Request, Scores]]) -> Figures:
    """Sums by language, then means for each character."""
    sums: dict[str, dict[str, float]] = defaultdict(lambda: defaultdict(float))
    for request, scores in scored:
        for key in (request.language, ALL):
            sums[key]["characters"] += len(request.middle)
            sums[key]["requests"] += 1
            sums[key]["with windows"] += scores.with_windows
            sums[key]["in-file"] += scores.in_file
    return {
        key: {
            "with windows": one["with windows"] / one["characters"],
            "in-file": one["in-file"] / one["characters"],
            "requests": one["requests"],
        }
        for key, one in sorted(sums.items())
    }


async def _nats(engine: LlamaEngine, request: Request, with_snippets: bool) -> float | None:
    """Of the middle; windows that do not fit are left out, farthest first. None where it is all too long."""
    loaded = await engine.load()
    template = loaded.template
    snippets = [template.snippet(name, text, "#") for name, text in request.snippets]
    own = template.prompt(request.repository, (), request.name, request.prefix, request.suffix)
    used = await _count(engine, own)
    room = loaded.context_tokens - BESIDE_TOKENS - used - len((await engine.encode([request.middle]))[0])
    if room < 0:
        return None
    kept: list[Pieces] = []
    for snippet in reversed(snippets if with_snippets else []):
        size = await _count(engine, snippet)
        if size <= room:
            kept.insert(0, snippet)
            room -= size
    pieces = template.prompt(request.repository, kept, request.name, request.prefix, request.suffix)
    encoded = iter(await engine.encode([piece for piece in pieces if isinstance(piece, str)]))
    tokens = [token for piece in pieces for token in (next(encoded) if isinstance(piece, str) else [piece])]
    return -sum(await engine.score(Prompt(tuple(tokens), "", 0), request.middle))


async def _count(engine: LlamaEngine, pieces: Pieces) -> int:
    texts = [piece for piece in pieces if isinstance(piece, str)]
    return sum(map(len, await engine.encode(texts))) + len(pieces) - len(texts)
