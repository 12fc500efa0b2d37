"""`bowerbird model pull`: fetch a model from the hub, or from an https address."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from bowerbird.cli.errors import NothingDone, UsageError

if TYPE_CHECKING:
    from bowerbird.inference.hub import HubFile

NAMES = (
    "A name of `bowerbird model list`, OWNER/REPOSITORY/FILE.gguf on the hub, or a GGUF file's https address."
)


def pull_command(
    name: Annotated[str, typer.Argument(metavar="NAME", help=NAMES)],
    use: Annotated[bool, typer.Option("--use", help="Choose it for completion, too.")] = False,
) -> None:
    """Fetch a model into your model folder. A download that broke off goes on where it was.

    Its checksum is compared with the one that the hub has. Nothing else asks the network for models.
    """
    from bowerbird.inference.catalog import listed
    from bowerbird.inference.hub import sha256_of
    from bowerbird.inference.hub_errors import HubError
    from bowerbird.inference.models import model_folder

    if Path(name).expanduser().is_file():
        raise UsageError(f"{name} is a file of yours already: bowerbird model use {name}")
    row = listed(name)
    try:
        file = _find(f"{row.repo}/{row.file}" if row else name)
        path = _fetched(file)
    except HubError as error:
        raise NothingDone(str(error)) from error
    except OSError as error:
        raise NothingDone(f"{model_folder()} cannot be written: {error.strerror or error}.") from error
    except KeyboardInterrupt:
        raise NothingDone("Stopped. The next `bowerbird model pull` goes on from there.") from None
    if row is not None:
        typer.echo(f"Its licence is called {row.licence}; read it at https://huggingface.co/{row.repo}.")
    if not file.sha256:
        typer.echo(f"Nobody there says a checksum; what came has the SHA-256 {sha256_of(path)}.")
    if use:
        from bowerbird.cli.model.use import use_command

        use_command(path.name)
    else:
        typer.echo(f"bowerbird model use {row.name if row else path.stem}   chooses it.")


def _find(name: str) -> HubFile:
    from bowerbird.inference.hub import files_on_hub, find_at, find_on_hub, split_hub_path

    if "://" in name:
        return find_at(name)
    hub_path = split_hub_path(name)
    if hub_path is None:
        raise UsageError(f"{name!r} is no model that can be fetched. {NAMES}")
    repo, file = hub_path
    if not file:
        files = "\n".join(f"  {repo}/{one}" for one in files_on_hub(repo))
        raise UsageError(
            f"{repo} holds these; name one:\n{files}" if files else f"{repo} holds no GGUF file."
        )
    return find_on_hub(repo, file)


def _fetched(file: HubFile) -> Path:
    """The file in the model folder, fetched unless it is there."""
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        DownloadColumn,
        Progress,
        TextColumn,
        TimeRemainingColumn,
        TransferSpeedColumn,
    )

    from bowerbird.inference.hub import fetch, is_same
    from bowerbird.inference.models import model_folder

    path = model_folder() / file.name
    if path.is_file():
        if is_same(path, file):
            typer.echo(f"{path} is here already.")
            return path
        raise NothingDone(
            f"{path} is another file of that name; take it away first: bowerbird model remove {file.name}"
        )
    columns = (BarColumn(), DownloadColumn(), TransferSpeedColumn(), TimeRemainingColumn())
    with Progress(TextColumn("{task.description}"), *columns, console=Console(stderr=True)) as progress:
        task = progress.add_task(file.name, total=file.bytes)
        path = fetch(
            file, model_folder(), lambda done, total: progress.update(task, completed=done, total=total)
        )
    typer.echo(f"{path} is here{', and its checksum is right' if file.sha256 else ''}.")
    return path
