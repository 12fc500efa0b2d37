"""`bowerbird docs`: one table of its commands."""

from __future__ import annotations

from collections.abc import Callable

import typer

from bowerbird.cli.docs.add import add_command
from bowerbird.cli.docs.build import build_command
from bowerbird.cli.docs.check import check_command
from bowerbird.cli.docs.list_ import list_command
from bowerbird.cli.docs.remove import remove_command
from bowerbird.cli.docs.search import search_command
from bowerbird.cli.docs.show import show_command
from bowerbird.cli.errors import EXIT_CODES

docs = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    help="Documentation packs: add, show, search, check.",
    epilog=EXIT_CODES,
)

COMMANDS: dict[str, Callable[..., None]] = {
    "list": list_command,
    "show": show_command,
    "search": search_command,
    "add": add_command,
    "build": build_command,
    "check": check_command,
    "remove": remove_command,
}

for name, command in COMMANDS.items():
    docs.command(name, epilog=EXIT_CODES)(command)
