"""`bowerbird index DIR`: what completions would learn from, and what they would not."""

from __future__ import annotations

import json
import time
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from bowerbird.cli.errors import NothingDone

if TYPE_CHECKING:
    from bowerbird.knowledge.report import ScanReport
    from bowerbird.knowledge.repository import Repository

EXAMPLES_SHOWN = 3


def index_command(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="A workspace.")],
    as_json: Annotated[bool, typer.Option("--json", help="Print the figures as JSON.")] = False,
    clear: Annotated[bool, typer.Option("--clear", help="Forget what is kept of it on disk.")] = False,
) -> None:
    """Read a workspace as the server does, and say what was read and what was left out, and why.

    What was read is kept in your cache folder, so that the server has it at once when it starts.
    """
    from bowerbird.assembly import assemble
    from bowerbird.cli.place import existing_folder
    from bowerbird.cli.progress import scan
    from bowerbird.settings import Settings

    workspace = existing_folder(folder)
    assembly = assemble(Settings(), [workspace])
    if clear:
        _clear(assembly.repository, workspace)
        return
    report = scan(assembly.repository)
    told = {
        **_as_json(workspace, report, len(assembly.retriever.index)),
        "memory_bytes": assembly.repository.memory_bytes,
        "store": _store_as_json(assembly.repository),
    }
    assembly.repository.close()
    if as_json:
        typer.echo(json.dumps(told, indent=1))
    else:
        _show(told)
    if not report.files:
        raise NothingDone(f"{workspace} holds no text that may be read.")


def _clear(repository: Repository, workspace: Path) -> None:
    kept = repository.archive
    if kept is None:
        return
    kept.open([str(workspace)])
    freed = kept.figures.bytes
    try:
        kept.clear()
    except OSError as error:
        raise NothingDone(f"The index of {workspace} cannot be cleared: {error.strerror or error}") from error
    repository.close()
    typer.echo(f"Forgot what was kept of {workspace}: {freed:,} bytes.")


def _store_as_json(repository: Repository) -> dict[str, Any]:
    from bowerbird.knowledge.store.place import store_folder

    figures = repository.archive.figures if repository.archive is not None else None
    if figures is None:
        return {}
    folders = repository.folders
    return {
        "folder": str(store_folder(str(folders[0]))) if folders else "",
        **asdict(figures),
        "age": None if figures.saved_at is None else round(max(0.0, time.time() - figures.saved_at)),
    }


def _as_json(workspace: Path, report: ScanReport, windows: int) -> dict[str, Any]:
    from bowerbird.knowledge.exclusion import SENTENCES, Exclusion

    return {
        "folder": str(workspace),
        "files": report.files,
        "lines": report.lines,
        "windows": windows,
        "bytes": report.bytes,
        "seconds": round(report.seconds, 3),
        "skipped": {
            reason: {
                "count": count,
                "why": SENTENCES[Exclusion(reason)],
                "examples": [_below(path, workspace) for path in report.examples.get(reason, ())],
            }
            for reason, count in report.skipped.items()
        },
    }


def _show(told: dict[str, Any]) -> None:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    console = Console()
    console.print(
        f"{told['files']:,} files, {told['lines']:,} lines, {told['windows']:,} windows, "
        f"{told['bytes']:,} bytes in {told['seconds']:.2f} s",
        highlight=False,
    )
    console.print(f"Texts and indexes take {told['memory_bytes']:,} bytes of memory.", highlight=False)
    console.print(_store_sentence(told["store"]), highlight=False)
    if not told["skipped"]:
        return
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim")
    for header in ("left out", "count", "why", "such as"):
        table.add_column(header, justify="right" if header == "count" else "left")
    for reason, one in told["skipped"].items():
        examples = ", ".join(one["examples"][:EXAMPLES_SHOWN])
        table.add_row(reason, f"{one['count']:,}", one["why"], Text(examples))
    console.print(table)
    console.print("A folder counts once, for all that is in it.", style="dim")


def _store_sentence(store: dict[str, Any]) -> str:
    if store.get("fault"):
        return str(store["fault"])
    if not store.get("segments"):
        return "Nothing of it is kept on disk."
    return (
        f"Kept on disk: {store['files']:,} files, {store['lines']:,} lines, {store['bytes']:,} bytes in "
        f"{store['segments']:,} segments, written {store['age']:,} s ago, in {store['folder']}"
    )


def _below(path: Path, workspace: Path) -> str:
    """Relative to the workspace, where the path lies in it."""
    return path.relative_to(workspace).as_posix() if path.is_relative_to(workspace) else str(path)
