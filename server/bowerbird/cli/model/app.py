"""`bowerbird model`: one table of its commands."""

from __future__ import annotations

from collections.abc import Callable

import typer

from bowerbird.cli.errors import EXIT_CODES
from bowerbird.cli.model.bench import bench_command
from bowerbird.cli.model.info import info_command
from bowerbird.cli.model.list_ import list_command
from bowerbird.cli.model.pull import pull_command
from bowerbird.cli.model.remove import remove_command
from bowerbird.cli.model.use import use_command

model = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    help="Models: list, pull, use, remove, info, bench.",
    epilog=EXIT_CODES,
)

COMMANDS: dict[str, Callable[..., None]] = {
    "list": list_command,
    "pull": pull_command,
    "use": use_command,
    "remove": remove_command,
    "info": info_command,
    "bench": bench_command,
}

for name, command in COMMANDS.items():
    model.command(name, epilog=EXIT_CODES)(command)
