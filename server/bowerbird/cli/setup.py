"""`bowerbird setup powerquery`: bring a checker that is nobody's to ship, on request."""

from __future__ import annotations

import asyncio
import contextlib
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import typer

from bowerbird.cli.errors import EXIT_CODES, NothingDone, UsageError

setup = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    help="Bring checkers that are not a part of Bowerbird.",
    epilog=EXIT_CODES,
)

PATIENCE_S = 600
TOLD_LINES = 4  # of what npm says
NOISE = re.compile(
    r"npm (?:warn\b|(?:error|ERR!)(?:$| (?:code|syscall|errno) | {2,}| \}| A complete log| network$))"
)
"""Its warnings, and of its errors the stack and the fields."""


@setup.callback()
def _setup() -> None:
    """Keeps the name of a single command."""


@setup.command("powerquery", epilog=EXIT_CODES)
def powerquery_command(
    remove: Annotated[bool, typer.Option("--remove", help="Remove it again.")] = False,
) -> None:
    """Install Microsoft's parser and language services for Power Query M, which check generated code.

    They come from npm (7 MB) and are kept in your data folder. Needs Node and npm.
    """
    from bowerbird.execution.powerquery import packages_folder, why_missing

    folder = packages_folder()
    if remove:
        if not folder.is_dir():
            raise NothingDone(f"There is nothing in {folder}.")
        shutil.rmtree(folder)
        typer.echo(f"{folder} is removed.")
        return
    if not why_missing(folder):
        typer.echo(f"It is here already: {folder}")
        return
    missing = [name for name in ("node", "npm") if shutil.which(name) is None]
    if missing:
        raise UsageError(
            f"There is no {' and no '.join(missing)} on the PATH: install Node.js 20 or newer with npm, then "
            "try again. Until then Power Query M is only parsed."
        )
    with _fresh(folder) as new:
        _install(new)
        _prove(new)
    typer.echo(f"Power Query M is now checked by Microsoft's language services: {folder}")


@contextlib.contextmanager
def _fresh(folder: Path) -> Iterator[Path]:
    """A new folder that takes the old one's place if all goes well, and else leaves no trace."""
    new = folder.with_name(f"{folder.name}.new")
    shutil.rmtree(new, ignore_errors=True)
    try:
        new.mkdir(parents=True)
        yield new
        shutil.rmtree(folder, ignore_errors=True)
        new.rename(folder)
    except OSError as error:
        raise NothingDone(f"{new} cannot be written: {error.strerror or error}.") from error
    finally:
        shutil.rmtree(new, ignore_errors=True)


def _install(folder: Path) -> None:
    from rich.console import Console

    from bowerbird.execution.powerquery import PACKAGES, why_missing

    (folder / "package.json").write_text('{"private": true}\n')
    npm = shutil.which("npm") or "npm"
    command = [npm, "install", "--ignore-scripts", "--no-audit", "--no-fund", "--omit=dev", "--save-exact"]
    command += [
        "--fetch-retries=1",
        "--fetch-retry-mintimeout=2000",
    ]  # without a network: seconds, not minutes
    command += [f"{name}@{version}" for name, version in PACKAGES.items()]
    with Console(stderr=True).status("npm fetches the packages, 7 MB ..."):
        try:
            done = subprocess.run(
                command,
                cwd=folder,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                timeout=PATIENCE_S,
            )
        except subprocess.TimeoutExpired:
            raise NothingDone(f"npm was not done after {PATIENCE_S // 60} minutes.") from None
    if done.returncode:
        said = [line for line in (done.stderr or done.stdout).splitlines() if not NOISE.match(line)]
        told = "\n".join(said[:TOLD_LINES])
        raise NothingDone(f"npm could not install the packages:\n{told}")
    if missing := why_missing(folder):
        raise NothingDone(f"npm is done, but {missing}.")


def _prove(folder: Path) -> None:
    """The services must start, and tell a sound program from another."""
    from bowerbird.execution.executor import Feedback, Program
    from bowerbird.execution.powerquery import LANGUAGE, PowerQuery

    async def said() -> list[Feedback | str]:
        services = PowerQuery(None, folder)
        try:
            return [
                await services.check(Program(language=LANGUAGE, code=code), ()) for code in ("1 + 1", "1 +")
            ]
        finally:
            await services.close()

    sound, broken = asyncio.run(said())
    for answer in (sound, broken):
        if isinstance(answer, str):
            raise NothingDone(f"The packages are here, but they do not work: {answer}.")
    if not (isinstance(sound, Feedback) and sound.passed) or (isinstance(broken, Feedback) and broken.passed):
        raise NothingDone("The packages are here, but they do not tell sound code from broken code.")
