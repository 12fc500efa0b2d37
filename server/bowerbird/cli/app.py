"""The `bowerbird` command: its commands, and how their errors reach people.

Every command's heavy imports stand inside its function, so that ``bowerbird --help`` answers at once and the
server loads no more than it needs.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from bowerbird import __version__
from bowerbird.cli.complete import complete_command
from bowerbird.cli.docs.app import docs
from bowerbird.cli.doctor import doctor_command
from bowerbird.cli.errors import EXIT_CODES, CliError, ExitCode
from bowerbird.cli.explain import explain_command
from bowerbird.cli.generate import generate_command
from bowerbird.cli.index import index_command
from bowerbird.cli.model.app import model
from bowerbird.cli.serve import serve_command
from bowerbird.cli.setup import setup
from bowerbird.cli.soup import soup_command
from bowerbird.cli.stats import stats_command
from bowerbird.cli.try_ import try_command
from bowerbird.inference.generator import InferenceError

DEBUG_VARIABLE = "BOWERBIRD_DEBUG"
BENCH = "bench"


class Shell(TyperGroup):
    """Tells an error in one sentence on stderr and exits with its code; loads benches only if asked for."""

    def list_commands(self, ctx: Any) -> list[str]:
        return [*super().list_commands(ctx), BENCH]

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        if cmd_name != BENCH:
            return super().get_command(ctx, cmd_name)
        from bowerbird.cli.bench.app import bench

        command = typer.main.get_command(bench)
        command.name = BENCH
        return command

    def invoke(self, ctx: Any) -> Any:
        try:
            return super().invoke(ctx)
        except (CliError, InferenceError) as error:
            if debugging():
                raise
            typer.echo(f"bowerbird: {error}", err=True)
            raise typer.Exit(error.exit_code if isinstance(error, CliError) else ExitCode.MODEL) from None


app = typer.Typer(
    name="bowerbird",
    cls=Shell,
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    help="Completes code from what the workspace already holds, on your own machine.",
    epilog=EXIT_CODES,
)


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"bowerbird {__version__}")
        raise typer.Exit


@app.callback()
def _root(
    debug: Annotated[
        bool, typer.Option("--debug", help=f"Show tracebacks. The variable {DEBUG_VARIABLE}=1 does so too.")
    ] = False,
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version and exit.")
    ] = False,
) -> None:
    del version  # its callback has answered
    if debug:
        os.environ[DEBUG_VARIABLE] = "1"  # child processes shall know


def debugging() -> bool:
    """Does the user want tracebacks?"""
    return os.environ.get(DEBUG_VARIABLE, "") not in ("", "0")


COMMANDS: dict[str, Callable[..., None]] = {
    "serve": serve_command,
    "complete": complete_command,
    "generate": generate_command,
    "soup": soup_command,
    "try": try_command,
    "explain": explain_command,
    "stats": stats_command,
    "index": index_command,
    "doctor": doctor_command,
}

for name, command in COMMANDS.items():
    app.command(name, epilog=EXIT_CODES)(command)
app.add_typer(docs, name="docs")
app.add_typer(model, name="model")
app.add_typer(setup, name="setup")


def main() -> None:
    """The console script."""
    try:
        app()
    except BrokenPipeError:  # such as `bowerbird complete ... | head`
        sys.stderr.close()
        sys.exit(ExitCode.DONE)
    except Exception as fault:
        if debugging():
            raise
        typer.echo(
            f"bowerbird: a mistake of Bowerbird's own: {type(fault).__name__}: {fault} "
            "(run it again with --debug for the details)",
            err=True,
        )
        sys.exit(ExitCode.FAULT)
