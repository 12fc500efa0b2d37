"""`bowerbird try`: real completions of real code, from the real language server."""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from bowerbird.cli.errors import InputNotFound, ModelProblem, NothingDone
from bowerbird.trace import Reason

if TYPE_CHECKING:
    from rich.console import Console

    from bowerbird.cli.spots import Spot
    from bowerbird.lsp.session import LspSession

FILES_LOOKED_AT = 2_000  # enough to find places in; the server reads them all
PATIENCE_MS = 60_000  # nobody types here, so a large model may take its time
NOTHING_WRITTEN = "(nothing)"


def try_command(
    folder: Annotated[Path, typer.Argument(metavar="[DIR]", help="Code to try it on.")] = Path(),
    places: Annotated[int, typer.Option(min=1, help="How many places to complete.")] = 5,
    seed: Annotated[int, typer.Option(help="Which places.")] = 0,
    model: Annotated[str, typer.Option(help="A GGUF file; empty takes the built-in model.")] = "",
) -> None:
    """Start the language server on a folder, and complete lines of its code whose ends were taken away."""
    from rich.console import Console

    from bowerbird.cli.place import existing_folder

    workspace = existing_folder(folder)
    asyncio.run(_try(Console(), workspace, places, seed, model))


@dataclass(frozen=True, slots=True)
class Answer:
    """What the server said about one spot."""

    text: str
    """What would be written at the cursor; empty if nothing."""
    trace: dict[str, Any]
    wall_ms: float
    """From the request to its answer, as an editor sees it."""


async def _try(console: Console, folder: Path, places: int, seed: int, model: str) -> None:
    from bowerbird.cli.model.option import model_file
    from bowerbird.lsp.session import LspSession, ServerEndedError

    spots = await asyncio.to_thread(find_spots, folder, places, seed)
    options: dict[str, Any] = {"completion": {"timeBudgetMs": PATIENCE_MS}}
    if model:
        options["completion"]["model"] = str(model_file(model))
    began = time.perf_counter()
    completed = 0
    trace: dict[str, Any] = {}
    try:
        async with LspSession(folder, options) as session:
            status = await session.indexed()
            console.print(f"The server has read {status['files']:,} files of {folder}.", highlight=False)
            for number, spot in enumerate(spots, start=1):
                answer = await complete_spot(session, spot)
                trace = answer.trace
                completed += bool(answer.text)
                _show(console, f"{number} of {len(spots)}", spot, answer)
        if trace["reason"] == Reason.INTERNAL:
            typer.echo("".join(session.log), err=True)
    except ServerEndedError as error:
        raise ModelProblem(str(error)) from error
    if not completed:
        raise NothingDone(f"Nothing was completed at any of {len(spots)} places: {trace['sentence']}")
    console.rule()
    console.print(
        f"Completed {completed} of {len(spots)} places over the Language Server Protocol "
        f"with {trace['model']}, on this machine alone, in {time.perf_counter() - began:.1f} s."
    )


def find_spots(folder: Path, places: int, seed: int) -> list[Spot]:
    """At most `places` spots in the code of `folder`; raises `InputNotFound` where there are none."""
    from bowerbird.assembly import assemble
    from bowerbird.cli.spots import choose_spots
    from bowerbird.settings import IndexSettings, Settings

    index = IndexSettings(max_files=FILES_LOOKED_AT, store=False)
    repository = assemble(Settings(index=index), [folder]).repository
    repository.scan()
    spots = choose_spots(repository.sources(), places, seed)
    if not spots:
        raise InputNotFound(f"{folder} holds no functions of five lines or so, in a language with a grammar.")
    return spots


async def complete_spot(session: LspSession, spot: Spot) -> Answer:
    """Open the file without the end of the spot's line, and complete there."""
    path = spot.source.path
    await session.open(path, spot.text)
    began = time.perf_counter()
    items = await session.inline_completion(path, spot.position)
    wall_ms = (time.perf_counter() - began) * 1000
    trace = await session.explain()
    assert trace is not None, "there was a request"
    if not items:
        return Answer("", trace, wall_ms)
    item = items[0]
    begin = item.range.start.character if item.range else spot.position.column
    insertion = item.insert_text if isinstance(item.insert_text, str) else item.insert_text.value
    return Answer(insertion[spot.position.column - begin :], trace, wall_ms)


def _show(console: Console, number: str, spot: Spot, answer: Answer) -> None:
    from rich.text import Text

    from bowerbird.cli.code_view import code_view
    from bowerbird.cli.trace_view import trace_view

    place = f"{spot.source.name}:{spot.position.line + 1}:{spot.position.column + 1}"
    console.rule(Text(f"{number}: {place}", style="bold"), align="left")
    console.print(code_view(spot.text, spot.position, answer.text or NOTHING_WRITTEN))
    console.print(Text.assemble(("truth: ", "dim"), spot.truth))
    console.print(trace_view(answer.trace))
