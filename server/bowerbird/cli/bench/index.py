"""`bowerbird bench index DIR...`: how long until a workspace can be searched, and where the time goes."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from bowerbird.cli.errors import NothingDone

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from bowerbird.cli.bench.stages import Indexing


def run(folders: Sequence[Path], repeats: int = 3, tell: Callable[[str], None] = lambda _: None) -> Indexing:
    """Index the folders from nothing, whole and stage by stage, `repeats` times; the best of each counts.

    `tell` hears what is being done. Raises `NothingDone` where there is nothing to index.
    """
    from bowerbird.cli.bench.stages import measure

    indexing = measure(folders, repeats, tell)
    if indexing is None:
        raise NothingDone("These folders hold no text that may be read.")
    return indexing


def index_command(
    folders: Annotated[list[Path], typer.Argument(metavar="DIR...", help="Folders of one workspace.")],
    repeats: Annotated[int, typer.Option(min=1, help="Rounds; the best of each stage counts.")] = 3,
    json_file: Annotated[Path | None, typer.Option("--json", help="Write the figures here.")] = None,
) -> None:
    """Time the cold index: reading, parsing, windows, tokens, postings; and weigh it.

    The files lie in the system's cache from the second round on: the disk is not measured.
    """
    from rich.console import Console

    from bowerbird.cli.place import existing_folder

    with Console(stderr=True).status("") as status:
        indexing = run([existing_folder(folder) for folder in folders], repeats, status.update)
    _print(indexing)
    if json_file is not None:
        json_file.write_text(json.dumps({"bench": "index", **asdict(indexing)}, indent=1) + "\n")


def _print(indexing: Indexing) -> None:
    from bowerbird.cli.bench.printing import figures, output

    console = output()
    table = figures(
        f"{indexing.files:,} files, {indexing.lines:,} lines, {indexing.windows:,} windows, "
        f"{indexing.bytes / 1e6:.1f} MB",
        ("", "seconds", "per 100,000 lines", "MB/s"),
    )
    for name, seconds in indexing.stages.items():
        table.add_row(name, *_speeds(seconds, indexing))
    table.add_section()
    table.add_row("all, as the server does it", *_speeds(indexing.total_s, indexing))
    console.print(table)
    console.print(
        f"Against finding, reading and parsing the files alone: {indexing.ratio:.2f} times "
        f"({indexing.bare_ratio:.2f} times where finding them does not count)."
    )
    console.print(
        f"Memory: index {indexing.index_bytes / indexing.lines:.0f} B/line, "
        f"text {indexing.text_bytes / indexing.lines:.0f} B/line, "
        f"the process grew by {indexing.grown_bytes / indexing.lines:.0f} B/line."
    )


def _speeds(seconds: float, indexing: Indexing) -> tuple[str, str, str]:
    return (
        f"{seconds:.2f}",
        f"{seconds * 1e5 / indexing.lines:.2f} s",
        f"{indexing.bytes / 1e6 / max(seconds, 1e-9):.1f}",
    )
