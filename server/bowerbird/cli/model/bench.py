"""`bowerbird model bench`: how fast a model reads and writes here, and whether that is fast enough."""

from __future__ import annotations

import asyncio
import json
from contextlib import aclosing
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from bowerbird.cli.errors import NothingDone

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bowerbird.inference.advice import Speed
    from bowerbird.inference.engine import Engine
    from bowerbird.inference.generator import Usage

ROUNDS = 3
WRITTEN_TOKENS = 64
MOST_TOKENS = 2048


def bench_command(
    name: Annotated[str, typer.Argument(metavar="[NAME]", help="Empty takes the one that completes.")] = "",
    as_json: Annotated[bool, typer.Option("--json", help="Print it as JSON.")] = False,
) -> None:
    """Measure tokens a second of reading and of writing, and compare them with what the editor needs.

    The result is kept, so that `bowerbird model list` can estimate others.
    """
    from bowerbird.cli.model.naming import meant
    from bowerbird.inference.advice import as_json as told_as_json
    from bowerbird.inference.advice import remember
    from bowerbird.inference.loading import check_file
    from bowerbird.inference.models import find_model

    path = meant(name).path if name else find_model("").path
    size, _ = check_file(path)
    speed, prompt_tokens = asyncio.run(_measure(path, size))
    try:
        remember(speed)
    except OSError as error:
        typer.echo(f"The result could not be kept: {error.strerror or error}.", err=True)
    if as_json:
        typer.echo(json.dumps({"bench": "model", **told_as_json(speed, prompt_tokens)}, indent=1))
    else:
        _show(speed, prompt_tokens)


async def _measure(path: Path, size_bytes: int) -> tuple[Speed, int]:
    """Reads and writes this package's own source, without looking words up in the prompt."""
    from bowerbird.cli.bench.own import OWN
    from bowerbird.cli.progress import bar
    from bowerbird.inference.advice import Speed
    from bowerbird.inference.engine import choose_engine

    engine = choose_engine(str(path), replace(OWN, draft_tokens=0))
    try:
        loaded = await engine.load()
        (tokens,) = await engine.encode([await asyncio.to_thread(_code)])
        start = () if loaded.template.bos is None else (loaded.template.bos,)
        length = min(MOST_TOKENS, loaded.context_tokens - WRITTEN_TOKENS - len(start), len(tokens) // ROUNDS)
        costs = []
        with bar("bench", ROUNDS) as advance:
            for place in range(
                0, ROUNDS * length, length
            ):  # other words each time, so that none is remembered
                costs.append(await _written(engine, (*start, *tokens[place : place + length])))
                advance(1)
    finally:
        await engine.close()
    written = sum(cost.tokens_generated for cost in costs)
    if not written:
        raise NothingDone(f"{loaded.name} wrote nothing, so it cannot be measured.")
    return Speed(
        loaded.name,
        size_bytes,
        1000 * sum(cost.tokens_evaluated for cost in costs) / max(1e-3, sum(c.evaluate_ms for c in costs)),
        1000 * written / max(1e-3, sum(cost.generate_ms for cost in costs)),
    ), length


async def _written(engine: Engine, tokens: Sequence[int]) -> Usage:
    from bowerbird.inference.generator import Prompt, Usage

    usage = Usage(0, 0, 0, 0.0, 0.0, "")
    async with aclosing(engine.generate(Prompt(tuple(tokens), "", WRITTEN_TOKENS))) as stream:
        async for token in stream:
            usage = token.usage or usage
    return usage


def _code() -> str:
    folder = Path(__file__).parents[2]
    return "\n".join(path.read_text(encoding="utf-8") for path in sorted(folder.glob("completion/*.py")))


def _show(speed: Speed, prompt_tokens: int) -> None:
    from bowerbird.inference.advice import needs

    typer.echo(
        f"{speed.model}: reads {speed.read_tps:,.0f} tokens a second, writes {speed.write_tps:,.1f}; "
        f"{speed.bytes / 1e6:,.0f} MB."
    )
    for need in needs(prompt_tokens):
        ms = speed.completion_ms(need.read_tokens, need.written_tokens)
        typer.echo(
            f"{need.name}: {need.read_tokens:,} tokens read, {need.written_tokens} written, {ms:,.0f} ms: "
            f"{need.ratio(speed):.2f} of the {need.budget_ms:,} ms that there are."
        )
    typing_on, new_place = (need.ratio(speed) for need in needs(prompt_tokens))
    if new_place <= 1:
        typer.echo("Quick enough for the editor.")
    elif typing_on <= 1:
        typer.echo("Quick enough while typing on; at a new place only the lines written in time are shown.")
    else:
        typer.echo("Too slow for completion while typing: take a smaller one, a GPU, or a server.")
