"""`bowerbird bench fuzz`: the command line, what was found, the file."""

from __future__ import annotations

import asyncio
import json
import tempfile
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from bowerbird.cli.errors import NothingDone

FILES = {
    "a.py": "def total(items):\n    return sum(items)\n",
    "lib/b.py": "def largest(items):\n    return max(items)\n\n\nMOST = largest([1, 2])\n",
    "c.pq": "let\n    Source = 1\nin\n    Source\n",
}
"""Something to complete from."""


def fuzz_command(
    conversations: Annotated[int, typer.Option(min=1, help="How many.")] = 2000,
    seed: Annotated[int, typer.Option(help="The same seed makes the same conversations.")] = 0,
    first: Annotated[int, typer.Option(min=0, help="The number of the first one, to hold it again.")] = 0,
    per_server: Annotated[int, typer.Option(min=1, help="With each server's process.")] = 250,
    json_file: Annotated[Path | None, typer.Option("--json", help="Write what was found here.")] = None,
) -> None:
    """Hold random conversations with the real server: edits, cancels, garbage, crashes.

    Every request must have one answer, every document say what it must, nothing be left behind. Each fault is
    told with the command that holds its conversation again. The exit code tells whether there were any.
    """
    from bowerbird.cli.bench.fuzz.run import fuzz
    from bowerbird.cli.progress import bar

    with tempfile.TemporaryDirectory(prefix="bowerbird-fuzz-") as temporary:
        folder = Path(temporary).resolve()
        for name, text in FILES.items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        with bar("talking", conversations) as advance:
            found = asyncio.run(fuzz(folder, conversations, seed, per_server, advance, first=first))
    for fault in found.faults:
        print(f"fault: {fault}")
    print(
        f"{found.conversations} conversations, {found.moves} moves, {found.requests} requests, "
        f"{found.crashes} crashes of the model, {found.servers} servers, {found.seconds:.0f} s: "
        f"{len(found.faults)} faults"
    )
    if json_file is not None:
        told = {"bench": "fuzz", "seed": seed, "first": first, **asdict(found)}
        json_file.write_text(json.dumps(told, indent=1) + "\n")
    if found.faults:
        raise NothingDone("The server did not stand it; the faults are above.")
