"""`bowerbird complete FILE:LINE:COL`: one completion, from the shell."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from bowerbird.cli.errors import ModelProblem, NothingDone, UsageError
from bowerbird.completion.request import Completion, Mode, Request
from bowerbird.settings import CompletionSettings, Settings
from bowerbird.trace import Reason

if TYPE_CHECKING:
    from rich.console import Console

    from bowerbird.cli.place import Place

DEFAULTS = CompletionSettings()
MODEL_REASONS = {
    Reason.MODEL_MISSING,
    Reason.MODEL_CORRUPT,
    Reason.MODEL_LOADING,
    Reason.MODEL_CRASHED,
    Reason.ENGINE_MISSING,
    Reason.SERVER_UNREACHABLE,
}


def complete_command(
    place: Annotated[
        str, typer.Argument(metavar="FILE:LINE:COL", help="Where the cursor stands; both count from 1.")
    ],
    workspace: Annotated[
        Path | None,
        typer.Option(
            help="The folder to learn from. Default: the checkout around the file, else its folder."
        ),
    ] = None,
    mode: Annotated[
        Mode, typer.Option(help="How much retrieval. The oracle queries with what stands behind the cursor.")
    ] = Mode.REPOCODER,
    iterations: Annotated[
        int, typer.Option(min=1, help="Rounds of retrieval and generation in mode repocoder.")
    ] = DEFAULTS.iterations,
    max_new_tokens: Annotated[
        int, typer.Option(min=1, help="Tokens that the model may write.")
    ] = DEFAULTS.max_new_tokens,
    whole_function: Annotated[
        bool, typer.Option(help="Look for windows of 50 lines, as for the body of a function.")
    ] = False,
    model: Annotated[
        str, typer.Option(help="A GGUF file or a server's URL; empty takes the built-in model.")
    ] = "",
    as_json: Annotated[
        bool, typer.Option("--json", help="Print the completion and its trace as JSON.")
    ] = False,
    explain: Annotated[bool, typer.Option("--explain", help="Print the trace below the completion.")] = False,
) -> None:
    """Complete the code at a place in a file.

    On a terminal the lines before the cursor are shown too; into a pipe goes the completion alone.
    """
    from rich.console import Console

    from bowerbird.cli.place import existing_folder, read_place, workspace_of

    found = read_place(place)
    if found.note:
        typer.echo(f"bowerbird: {found.note}", err=True)
    folder = existing_folder(workspace) if workspace else workspace_of(found.path)
    if not found.path.is_relative_to(folder):
        raise UsageError(f"{found.path} does not lie in the workspace {folder}.")
    settings = Settings(completion=CompletionSettings(model=model))
    request = Request(
        mode=mode, iterations=iterations, max_new_tokens=max_new_tokens, whole_function=whole_function
    )
    completion = asyncio.run(_complete(settings, folder, found, request))
    if as_json:
        told = {"text": completion.text, "prediction": completion.prediction, "message": completion.message}
        typer.echo(json.dumps({**told, **completion.trace.as_json()}, indent=1))
    else:
        _show(Console(), completion, found, explain)
    _exit(completion)


async def _complete(settings: Settings, folder: Path, place: Place, request: Request) -> Completion:
    """Index the workspace, then complete."""
    from dataclasses import replace

    from bowerbird.assembly import assemble
    from bowerbird.cli.progress import scan
    from bowerbird.completion.query import UnfinishedCode
    from bowerbird.syntax.languages import language_of
    from bowerbird.text import split_at

    prefix, suffix = split_at(place.text, place.position)
    assembly = assemble(settings, [folder])
    try:
        if request.mode is not Mode.IN_FILE:
            await asyncio.to_thread(scan, assembly.repository)
        name = assembly.repository.name_of(place.path)
        language = language_of(place.path)
        unfinished = UnfinishedCode(place.path, name, folder.name, language, prefix, suffix)
        if request.mode is Mode.ORACLE:
            request = replace(request, truth=suffix)
        return await assembly.completion.complete(unfinished, request)
    finally:
        await assembly.close()


def _show(console: Console, completion: Completion, place: Place, explain: bool) -> None:
    from bowerbird.cli.code_view import code_view
    from bowerbird.cli.trace_view import trace_view

    if completion.text and console.is_terminal:
        console.print(code_view(place.text, place.position, completion.text))
    elif completion.text:
        typer.echo(completion.text)
    if explain:
        console.print(trace_view(completion.trace.as_json(), full=True))


def _exit(completion: Completion) -> None:
    """Nothing was completed: say why, with the exit code that says it to programs."""
    if completion.text:
        return
    told = completion.message or completion.trace.sentence
    raise (ModelProblem if completion.reason in MODEL_REASONS else NothingDone)(told)
