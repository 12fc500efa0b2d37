"""A real llama-server, as its users start it, and llama.vim's way of asking it."""

from __future__ import annotations

import asyncio
import random
import socket
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil  # type: ignore[import-untyped]

from bowerbird.cli.errors import ModelProblem
from bowerbird.cli.spots import Spot
from bowerbird.inference.child import NICENESS
from bowerbird.inference.generator import InferenceError, Prompt
from bowerbird.inference.llama_http import LlamaHttp
from bowerbird.knowledge.snippet import Source
from bowerbird.text import split_at

READY_SECONDS = 120.0
PREFIX_LINES = 256
SUFFIX_LINES = 64
CHUNKS = 16
CHUNK_LINES = 64
SAMPLERS = ["top_k", "top_p", "infill"]


@dataclass(frozen=True, slots=True)
class Peer:
    """A running llama-server. Made by `started`."""

    http: LlamaHttp

    async def complete(self, prompt: Prompt) -> tuple[str, float]:
        """The greedy continuation of the same tokens, and how many milliseconds it took."""
        body = {
            "prompt": list(prompt.tokens),
            "n_predict": prompt.max_new_tokens,
            "temperature": 0,
            "cache_prompt": True,
        }
        return await self._ask("/completion", body)

    async def infill(
        self, spot: Spot, chunks: Sequence[dict[str, str]], max_new_tokens: int
    ) -> tuple[str, float]:
        """What llama.vim's request at `spot` brings, and how many milliseconds it took."""
        prefix, suffix = split_at(spot.text, spot.position)
        *before, line = prefix.split("\n")
        behind = suffix.split("\n")
        body = {
            "input_prefix": "".join(f"{one}\n" for one in before[-PREFIX_LINES:]),
            "prompt": line,
            "input_suffix": "\n".join(behind[: SUFFIX_LINES + 1]) + "\n",
            "input_extra": list(chunks),
            "n_predict": max_new_tokens,
            "n_indent": len(line) - len(line.lstrip()),
            "top_k": 40,
            "top_p": 0.9,
            "samplers": SAMPLERS,
            "seed": 0,
            "cache_prompt": True,
        }
        return await self._ask("/infill", body)

    async def _ask(self, path: str, body: dict[str, Any]) -> tuple[str, float]:
        began = time.perf_counter()
        try:
            answer = await self.http.ask("POST", path, body)
        except InferenceError as error:
            raise ModelProblem(str(error)) from error
        return str(answer["content"]), (time.perf_counter() - began) * 1000


@asynccontextmanager
async def started(
    command: Sequence[str], model: Path, threads: int, context_tokens: int, max_new_tokens: int
) -> AsyncIterator[Peer]:
    """Start it with one slot, our threads and priority, and batches of half the context.

    `/infill` gives three quarters of a batch to the prefix, one to the suffix, and the rest of the context to
    chunks, so that half a context makes its budgets those of our prompts.
    """
    port = _free_port()
    batch = str(max(64, context_tokens // 2))
    options = {
        "--model": str(model),
        "--host": "127.0.0.1",
        "--port": str(port),
        "--parallel": "1",
        "--threads": str(threads),
        "--ctx-size": str(context_tokens),
        "--predict": str(max_new_tokens),  # `/infill` keeps room for so many, whatever a request asks for
        "--batch-size": batch,
        "--ubatch-size": batch,
    }
    process = await asyncio.create_subprocess_exec(
        *command,
        *(word for option in options.items() for word in option),
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.DEVNULL,
    )
    psutil.Process(process.pid).nice(psutil.Process().nice() + NICENESS)  # as our own model's process has
    http = LlamaHttp(f"http://127.0.0.1:{port}")
    try:
        await _wait_until_ready(http, process)
        yield Peer(http)
    finally:
        await http.close()
        if process.returncode is None:
            process.kill()
            await process.wait()


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


async def _wait_until_ready(http: LlamaHttp, process: asyncio.subprocess.Process) -> None:
    deadline = time.monotonic() + READY_SECONDS
    while process.returncode is None and time.monotonic() < deadline:
        if await http.healthy():
            return
        await asyncio.sleep(0.1)
    raise ModelProblem("The llama-server does not start, or not with this model.")


def ring(sources: Sequence[Source], spot: Spot, seed: int) -> list[dict[str, str]]:
    """The chunks that llama.vim would have: pieces of the files where somebody was lately.

    Nobody types here, so these are the files nearest to the spot's own in the tree, one place in each.
    """
    chance = random.Random(f"{seed} {spot.source.name}")
    others = [one for one in sources if one.path != spot.source.path and one.lines]
    others.sort(key=lambda one: (-_shared_folders(one.name, spot.source.name), one.name))
    chunks = []
    for source in reversed(others[:CHUNKS]):
        first = chance.randrange(max(1, len(source.lines) - CHUNK_LINES + 1))
        text = "".join(f"{line}\n" for line in source.lines[first : first + CHUNK_LINES])
        chunks.append({"filename": source.name, "text": text})
    return chunks


def _shared_folders(one: str, other: str) -> int:
    """How many leading folders two paths share."""
    shared = 0
    for folder, its in zip(one.split("/")[:-1], other.split("/")[:-1], strict=False):
        if folder != its:
            break
        shared += 1
    return shared
