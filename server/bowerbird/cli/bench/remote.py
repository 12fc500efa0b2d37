"""`bowerbird bench remote`: what a model server adds to the same model in our own process."""

from __future__ import annotations

import asyncio
import json
import os
import time
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from bowerbird.cli.errors import ModelProblem

if TYPE_CHECKING:
    from rich.console import Console

    from bowerbird.assembly import Assembly
    from bowerbird.cli.spots import Spot

KEY_VARIABLE = "BOWERBIRD_BENCH_KEY"
READY_SECONDS = 60.0
POLL_SECONDS = 0.1


@dataclass(frozen=True, slots=True)
class Pair:
    """One place, completed by both."""

    built_in_ms: float
    remote_ms: float
    built_in_model_ms: float
    """Of these, what the model was at work, as it says itself."""
    remote_model_ms: float
    same_prompt: bool
    """In the first iteration; the second one's is made of the first one's text."""
    same: bool
    """The same text?"""

    @property
    def added_ms(self) -> float:
        return self.remote_ms - self.built_in_ms

    @property
    def added_beside_the_model_ms(self) -> float:
        """HTTP, and asking the server for the tokens of texts."""
        theirs, ours = self.remote_ms - self.remote_model_ms, self.built_in_ms - self.built_in_model_ms
        return theirs - ours


def remote_command(
    workspace: Annotated[Path, typer.Option(help="Code to complete in.")] = Path(),
    requests: Annotated[int, typer.Option(min=2, help="Places to complete at.")] = 30,
    seed: Annotated[int, typer.Option(help="Which places.")] = 0,
    model: Annotated[str, typer.Option(help="A GGUF file; empty takes the built-in model.")] = "",
    llama_server: Annotated[str, typer.Option(help="A llama-server; empty looks on the PATH.")] = "",
    json_file: Annotated[Path | None, typer.Option("--json", help="Write every measurement here.")] = None,
) -> None:
    """Complete at the same places by a llama-server over HTTP and in our own process, by turns.

    Both have the same file and threads, and neither looks words up in the prompt.
    """
    from bowerbird.cli.bench.printing import output
    from bowerbird.cli.model.option import model_file
    from bowerbird.cli.place import existing_folder
    from bowerbird.inference.engine import find_llama_server, has_llama_cpp

    path, executable = model_file(model), find_llama_server(llama_server)
    if executable is None or not has_llama_cpp():
        raise ModelProblem("This compares two engines, and needs llama-cpp-python and a llama-server.")
    pairs = asyncio.run(_measure(existing_folder(workspace), requests, seed, path, executable))
    _print(output(), pairs)
    if json_file is not None:
        rows = [
            {**asdict(one), "added_ms": one.added_ms, "beside_ms": one.added_beside_the_model_ms}
            for one in pairs
        ]
        json_file.write_text(json.dumps({"bench": "remote", "pairs": rows}, indent=1) + "\n")


async def _measure(folder: Path, requests: int, seed: int, model: Path, executable: Path) -> list[Pair]:
    from bowerbird.cli.progress import bar
    from bowerbird.cli.try_ import find_spots

    spots = await asyncio.to_thread(find_spots, folder, requests + 1, seed)
    async with _served(executable, model) as url:
        ours, theirs = _assembled(folder, str(model)), _assembled(folder, url)
        try:
            await _until_ready(theirs)
            with bar("remote", len(spots)) as advance:
                return await _pairs(ours, theirs, spots, advance)
        finally:
            await ours.close()
            await theirs.close()


@asynccontextmanager
async def _served(executable: Path, model: Path) -> AsyncIterator[str]:
    """The URL of a llama-server that lives as long as the measurement."""
    from bowerbird.inference.hosting import start_server
    from bowerbird.settings import InferenceSettings

    server = await start_server(executable, model, InferenceSettings())
    os.environ[KEY_VARIABLE] = server.key
    try:
        yield server.url
    finally:
        await server.close()


def _assembled(folder: Path, model: str) -> Assembly:
    from bowerbird.assembly import assemble
    from bowerbird.cli.bench.own import OWN
    from bowerbird.settings import CompletionSettings, RemoteSettings, Settings

    assembly = assemble(
        Settings(
            completion=CompletionSettings(model=model),
            inference=replace(OWN, draft_tokens=0),
            remote=RemoteSettings(api_key_env=KEY_VARIABLE),
        ),
        [folder],
    )
    assembly.repository.scan()
    return assembly


async def _until_ready(assembly: Assembly) -> None:
    """Until the server has loaded its model, and nothing stands in."""
    deadline = time.monotonic() + READY_SECONDS
    await assembly.model.load()
    while assembly.model.problem:
        if time.monotonic() > deadline:
            raise ModelProblem(assembly.model.problem)
        await asyncio.sleep(POLL_SECONDS)
        await assembly.model.load()


async def _pairs(
    ours: Assembly, theirs: Assembly, spots: Sequence[Spot], advance: Callable[[int], None]
) -> list[Pair]:
    """Complete at each place by both; who is first changes. The first place only warms both up."""
    pairs: list[Pair] = []
    for number, spot in enumerate(spots):
        order = (ours, theirs) if number % 2 else (theirs, ours)
        told = {id(one): await _completed(one, spot) for one in order}
        (wall, at_work, prompt, text) = told[id(ours)]
        (their_wall, their_work, their_prompt, their_text) = told[id(theirs)]
        same = prompt == their_prompt, text == their_text
        pairs.append(Pair(wall, their_wall, at_work, their_work, *same))
        advance(1)
    return pairs[1:]


async def _completed(assembly: Assembly, spot: Spot) -> tuple[float, float, str, str]:
    """Milliseconds, those of the model, the first prompt, and the text."""
    from bowerbird.cli.bench.roundtrip import unfinished_at_spot
    from bowerbird.completion.request import Request

    settings = assembly.settings.completion
    request = Request(iterations=settings.iterations, max_new_tokens=settings.max_new_tokens)
    unfinished = unfinished_at_spot(assembly, spot)
    began = time.perf_counter()
    completion = await assembly.completion.complete(unfinished, request)
    wall_ms = (time.perf_counter() - began) * 1000
    if not completion.trace.iterations:
        raise ModelProblem(completion.message or completion.trace.sentence)
    at_work_ms = sum(one.evaluate_ms + one.generate_ms for one in completion.trace.iterations)
    return wall_ms, at_work_ms, completion.trace.iterations[0].prompt, completion.text


def _print(console: Console, pairs: Sequence[Pair]) -> None:
    import numpy as np

    from bowerbird.cli.bench.printing import figures

    title = f"{len(pairs)} places, each completed by both"
    table = figures(title, ("ms", "median", "95 %"))
    rows = (
        ("a completion by a process of our own", [one.built_in_ms for one in pairs]),
        ("  of these, in the model", [one.built_in_model_ms for one in pairs]),
        ("a completion by a llama-server over HTTP", [one.remote_ms for one in pairs]),
        ("  of these, in the model", [one.remote_model_ms for one in pairs]),
        ("the server's less our own, place by place", [one.added_ms for one in pairs]),
        ("  of these, beside the model", [one.added_beside_the_model_ms for one in pairs]),
    )
    for name, values in rows:
        median, high = np.quantile(values, [0.5, 0.95])
        table.add_row(name, f"{median:.1f}", f"{high:.1f}")
    console.print(table)
    prompts, texts = sum(one.same_prompt for one in pairs), sum(one.same for one in pairs)
    console.print(
        f"{prompts} of {len(pairs)} first prompts are the same, and {texts} of {len(pairs)} texts to their "
        "end: where two words are nearly as likely, rounding decides, and from there on texts differ."
    )
