"""`bowerbird generate LANGUAGE "comment"`: code for a comment, from the shell."""

from __future__ import annotations

import asyncio
import json
import re
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from bowerbird.cli.errors import InputNotFound, ModelProblem, NothingDone, UsageError
from bowerbird.explanation.visible import visible
from bowerbird.settings import GenerationSettings, Settings
from bowerbird.synthesis.mode import Mode

if TYPE_CHECKING:
    from bowerbird.synthesis.outcome import Outcome, Stage
    from bowerbird.synthesis.request import Request

ROUNDS = 30  # EVOR's m; the budget of seconds mostly ends it before
EVERYWHERE = ("/",)
LINE = re.compile(r"(?P<file>.+):(?P<line>\d+)", re.DOTALL)


def generate_command(
    language: Annotated[str, typer.Argument(help="Such as powerquery, pony, ring, python.")],
    comment: Annotated[
        str, typer.Argument(help="What the code shall do. With --file it may be left out.")
    ] = "",
    file: Annotated[
        str,
        typer.Option(
            "--file", metavar="FILE:LINE", help="Where the code goes; a comment that stands there will do."
        ),
    ] = "",
    workspace: Annotated[
        Path | None,
        typer.Option(help="The folder to learn from. Default: the checkout around the file; else none."),
    ] = None,
    mode: Annotated[Mode, typer.Option(help="What is retrieved, and how often.")] = Mode.EVOR,
    rounds: Annotated[int, typer.Option(min=1, max=ROUNDS, help="Programs at most, in mode evor.")] = ROUNDS,
    model: Annotated[
        str, typer.Option(help="A GGUF file or a server's URL; empty takes the usual model.")
    ] = "",
    run: Annotated[
        bool, typer.Option("--run", help="Run what was written, in a sandbox; else it is only checked.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print everything about it as JSON.")] = False,
    explain: Annotated[
        bool, typer.Option("--explain", help="Print below the code how it came about.")
    ] = False,
) -> None:
    """Write code for a comment, have it checked, and write again with what the checker said.

    The code alone goes to stdout; how far it was looked at, to stderr. Exit code 1: nothing passed.
    """
    from bowerbird.synthesis.outcome import End

    request, folder, path = _request(language, comment, file, workspace)
    settings = Settings(
        generation=GenerationSettings(
            mode=mode.value, rounds=rounds, model=model, run_programs=EVERYWHERE if run else ()
        )
    )
    outcome = asyncio.run(_generate(settings, request, folder, path, run))
    if model and outcome.end is End.MODEL and not outcome.rounds:  # an example is not what was asked for
        raise ModelProblem(visible(outcome.problem))
    if as_json:
        typer.echo(json.dumps(outcome.as_json(), indent=1, default=str))
    elif outcome.code:
        typer.echo(visible(outcome.code))
    if explain and not as_json:
        from rich.console import Console

        from bowerbird.cli.outcome_view import outcome_view

        Console().print(outcome_view(outcome))
    _exit(outcome)


def _request(
    language: str, comment: str, file: str, workspace: Path | None
) -> tuple[Request, Path | None, Path | None]:
    """What is asked for, the workspace, and the file; raises `UsageError` and `InputNotFound`."""
    from bowerbird.cli.place import existing_folder, read_text, workspace_of
    from bowerbird.syntax.languages import LANGUAGES, language_of
    from bowerbird.synthesis.prompt import commented
    from bowerbird.synthesis.request import request_at, request_for

    key = language.lower() if language.lower() in LANGUAGES else language_of(Path(f"a.{language}"), language)
    if key is None:
        raise UsageError(f"{language!r} is no language known here, such as powerquery, pony, ring, python.")
    folder = existing_folder(workspace) if workspace else None
    if not file:
        if not comment.strip():
            raise UsageError("There is nothing to generate: say what the code shall do, or name a --file.")
        return request_for(key, comment), folder, None
    match = LINE.fullmatch(file)
    if match is None:
        raise UsageError(f"{file!r} names no line: write FILE:LINE, such as shop/cart.py:12.")
    path = Path(match["file"])
    text, line = read_text(path), int(match["line"]) - 1
    if comment.strip():
        rows = text.split("\n")
        line = max(0, min(line, len(rows) - 1))
        lead = rows[line][: len(rows[line]) - len(rows[line].lstrip())]
        rows.insert(line, "\n".join(lead + row for row in commented(comment.strip(), key).split("\n")))
        text = "\n".join(rows)
    request = request_at(text, key, line)
    if request is None:
        raise InputNotFound(f"Nothing at {file} asks for code: no comment, no head of an empty function.")
    return request, folder or workspace_of(path.resolve()), path.resolve()


async def _generate(
    settings: Settings, request: Request, folder: Path | None, path: Path | None, run: bool
) -> Outcome:
    """Index the workspace, then generate."""
    from pathlib import PurePosixPath

    from rich.console import Console

    from bowerbird.assembly import assemble
    from bowerbird.cli.progress import scan
    from bowerbird.synthesis.options import options_of

    assembly = assemble(settings, [folder] if folder else [])
    try:
        if path is not None and assembly.policy.excluded(path) is not None:
            raise InputNotFound(f"{path} is kept out by an ignore rule or because it may hold secrets.")
        if folder is not None:
            await asyncio.to_thread(scan, assembly.repository)
        name = assembly.repository.name_of(path) if path is not None else ""
        with Console(stderr=True).status("") as status:

            def tell(stage: Stage, number: int) -> None:
                status.update(f"round {number}: {stage.value}")

            options = replace(options_of(settings.generation), run=run)
            return await assembly.synthesis.generate(request, options, tell, PurePosixPath(name))
    finally:
        await assembly.close()


def _exit(outcome: Outcome) -> None:
    """Say how far the code was looked at; what did not pass has an exit code of its own."""
    from bowerbird.synthesis.outcome import End

    verdict = visible(outcome.verdict)
    if not outcome.code:
        raise (ModelProblem if outcome.end is End.MODEL else NothingDone)(verdict)
    if not outcome.passed or outcome.example is not None:
        raise NothingDone(verdict)
    typer.echo(f"bowerbird: {verdict}", err=True)
