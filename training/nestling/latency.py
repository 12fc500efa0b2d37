"""How long a model of each size takes in Bowerbird's own engine; its weights may be random."""

from __future__ import annotations

import asyncio
import statistics
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from gguf import GGMLQuantizationType
from tokenizers import Tokenizer

from bowerbird.inference.generator import Prompt
from bowerbird.inference.llama import LlamaEngine
from bowerbird.settings import InferenceSettings
from nestling.export import export_gguf
from nestling.model import Llama
from nestling.sizes import shape_of
from nestling.tokenizer import SPECIALS

PROMPT_TOKENS = 1024
CHANGED_TOKENS = 64
NEW_TOKENS = 24


@dataclass(frozen=True, slots=True)
class Latency:
    """Milliseconds, medians; the lowest beside them, as other programs may have run."""

    size: str
    parameters: int
    file_bytes: int
    uncached_ms: float
    """A prompt of `PROMPT_TOKENS` that nothing of was known."""
    uncached_lowest_ms: float
    typed_ms: float
    """`NEW_TOKENS` new tokens after a prompt whose last `CHANGED_TOKENS` changed."""
    typed_lowest_ms: float


def measure_latencies(
    sizes: Sequence[str], tokenizer: Tokenizer, context: int, threads: int, rounds: int
) -> list[Latency]:
    """Of random models of these sizes as Q8_0."""
    found: list[Latency] = []
    with tempfile.TemporaryDirectory() as folder:
        for size in sizes:
            shape = shape_of(size, tokenizer.get_vocab_size(), context)
            model = Llama(shape)
            for weight in model.parameters():
                if weight.ndim == 2:
                    torch.nn.init.normal_(weight, std=0.05)
            path = Path(folder) / f"{size}.gguf"
            export_gguf(model, tokenizer, path, f"Nestling {size} random", GGMLQuantizationType.Q8_0)
            times = asyncio.run(_measure(path, shape.vocabulary, threads, rounds))
            found.append(Latency(size, shape.parameters, path.stat().st_size, *times))
    return found


async def _measure(path: Path, vocabulary: int, threads: int, rounds: int) -> tuple[float, ...]:
    engine = LlamaEngine(path, InferenceSettings(threads=threads))
    random = np.random.default_rng(0)
    uncached: list[float] = []
    typed: list[float] = []
    try:
        await engine.load()
        for _ in range(rounds):
            ids = random.integers(len(SPECIALS), vocabulary, PROMPT_TOKENS).tolist()
            uncached.append(await _time(engine, ids, 0))
            changed = random.integers(len(SPECIALS), vocabulary, CHANGED_TOKENS).tolist()
            typed.append(await _time(engine, ids[:-CHANGED_TOKENS] + changed, NEW_TOKENS))
    finally:
        await engine.close()
    return statistics.median(uncached), min(uncached), statistics.median(typed), min(typed)


async def _time(engine: LlamaEngine, ids: list[int], new_tokens: int) -> float:
    """Milliseconds of one request."""
    begin = time.perf_counter()
    written = 0
    async for token in engine.generate(Prompt(tuple(ids), "", new_tokens)):
        written += token.count
    took = (time.perf_counter() - begin) * 1000
    return took * new_tokens / written if 0 < written < new_tokens else took
