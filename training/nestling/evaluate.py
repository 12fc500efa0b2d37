"""Scores GGUF models on held-out requests by Bowerbird's own engine, each in its own prompt and tokens."""

from __future__ import annotations

import asyncio
import json
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

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


def evaluate(
    models: Sequence[Path], requests: Path, out: Path | None, limit: int, threads: int, say: Say
) -> dict[str, Figures]:
    """Measure each model on the same requests; raises `ValueError` where one cannot be loaded."""
    chosen = list(_limited(read_requests(requests), limit))
    found: dict[str, Figures] = {}
    for path in models:
        try:
            found[path.name] = asyncio.run(_score(path, chosen, threads))
        except InferenceError as error:
            raise ValueError(str(error)) from error
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


async def _score(path: Path, requests: Sequence[Request], threads: int) -> Figures:
    """Sums by language, then means for each character."""
    engine = LlamaEngine(path, InferenceSettings(threads=threads))
    sums: dict[str, dict[str, float]] = defaultdict(lambda: defaultdict(float))
    try:
        await engine.load()
        for request in requests:
            alone = -sum(await _scores(engine, request, with_snippets=False))
            beside = -sum(await _scores(engine, request, with_snippets=True)) if request.snippets else alone
            for key in (request.language, ALL):
                sums[key]["characters"] += len(request.middle)
                sums[key]["requests"] += 1
                sums[key]["with windows"] += beside
                sums[key]["in-file"] += alone
    finally:
        await engine.close()
    return {
        key: {
            "with windows": one["with windows"] / one["characters"],
            "in-file": one["in-file"] / one["characters"],
            "requests": one["requests"],
        }
        for key, one in sorted(sums.items())
    }


async def _scores(engine: LlamaEngine, request: Request, with_snippets: bool) -> list[float]:
    """Log-probabilities of the middle's tokens; windows that do not fit are left out, farthest first."""
    loaded = await engine.load()
    template = loaded.template
    snippets = [template.snippet(name, text, "#") for name, text in request.snippets]
    own = template.prompt(request.repository, (), request.name, request.prefix, request.suffix)
    used = await _count(engine, own)
    room = loaded.context_tokens - BESIDE_TOKENS - used - len((await engine.encode([request.middle]))[0])
    kept: list[Pieces] = []
    for snippet in reversed(snippets if with_snippets else []):
        size = await _count(engine, snippet)
        if size <= room:
            kept.insert(0, snippet)
            room -= size
    pieces = template.prompt(request.repository, kept, request.name, request.prefix, request.suffix)
    encoded = iter(await engine.encode([piece for piece in pieces if isinstance(piece, str)]))
    tokens = [token for piece in pieces for token in (next(encoded) if isinstance(piece, str) else [piece])]
    return await engine.score(Prompt(tuple(tokens), "", 0), request.middle)


async def _count(engine: LlamaEngine, pieces: Pieces) -> int:
    texts = [piece for piece in pieces if isinstance(piece, str)]
    return sum(map(len, await engine.encode(texts))) + len(pieces) - len(texts)
