"""`bowerbird bench hover`: how soon a hover is answered, how long the packs take to load, what they weigh."""

from __future__ import annotations

import asyncio
import json
import statistics
import sys
import tempfile
import time
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from bowerbird.cli.errors import NothingDone

if TYPE_CHECKING:
    from bowerbird.knowledge.packs.pack import Pack

SUFFIXES = {"powerquery": ".pq", "pony": ".pony", "ring": ".ring"}
EXAMPLES = 40  # of a pack's, in one document: some hundred lines
LOAD = """
import time, psutil
from bowerbird.knowledge.packs import store
memory = psutil.Process().memory_info
before, began = memory().rss, time.perf_counter()
packs = store.load_packs().packs
print((time.perf_counter() - began) * 1000, memory().rss - before, len(packs))
"""
"""Loads all packs in a process of its own: milliseconds, bytes, packs."""


@dataclass(slots=True)
class Hovers:
    """What was measured; times as the editor sees them, through the protocol."""

    load_ms: float
    """All packs, from their built form."""
    build_ms: float
    """The same from their pages, as after an update."""
    packs: int
    packs_bytes: int
    """By how much loading them made a process grow."""
    server_bytes: int
    """The server's process behind all hovers."""
    first_ms: float
    """The first hover, for which the packs are loaded."""
    answered: int = 0
    times_ms: dict[str, list[float]] = field(default_factory=dict)
    """Of every other hover, by language."""


def run(count: int) -> Hovers:
    """Hover over `count` words of a document of each language; raises `NothingDone` where no pack is."""
    from bowerbird.knowledge.packs.store import find_packs, load_packs

    packs = [pack for pack in load_packs().packs if pack.manifest.language in SUFFIXES]
    if not packs or not find_packs():
        raise NothingDone("There is no documentation pack.")
    with tempfile.TemporaryDirectory() as folder:
        build_ms, _, _ = _load(Path(folder))
        load_ms, grown, number = min(_load(Path(folder)) for _ in range(3))
        hovers = Hovers(load_ms, build_ms, int(number), int(grown), 0, 0.0)
        asyncio.run(_hover(Path(folder), packs, count, hovers))
    return hovers


def document_of(pack: Pack) -> str:
    """A document of the pack's language that is made of its examples."""
    codes = [one.code for one in pack.examples if not one.counter_example][:EXAMPLES]
    if pack.manifest.language != "powerquery":
        return "\n".join(codes) + "\n"
    members = [f"shared Example{number} =\n{code};\n" for number, code in enumerate(codes)]
    return "\n".join(["section Examples;\n", *members])


def _load(cache: Path) -> tuple[float, float, float]:
    import os
    import subprocess

    environment = {**os.environ, "XDG_CACHE_HOME": str(cache)}
    command = [sys.executable, "-P", "-c", LOAD]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    milliseconds, grown, packs = map(float, done.stdout.split())
    return milliseconds, grown, packs


async def _hover(folder: Path, packs: list[Pack], count: int, hovers: Hovers) -> None:
    """Put the words' places to a server of our own, one after the other."""
    import psutil  # type: ignore[import-untyped]

    from bowerbird.lsp.session import LspSession
    from bowerbird.text import Position

    async with LspSession(folder, {"completion": {"enabled": False}}) as session:
        await session.indexed()
        for pack in packs:
            language = pack.manifest.language
            path, text = folder / f"examples{SUFFIXES[language]}", document_of(pack)
            await session.open(path, text, language)
            for line, column in _places(text, count):
                began = time.perf_counter()
                answer = await session.hover(path, Position(line, column))
                took = (time.perf_counter() - began) * 1000
                hovers.answered += answer is not None
                if hovers.first_ms:
                    hovers.times_ms.setdefault(language, []).append(took)
                else:
                    hovers.first_ms = took
        hovers.server_bytes = psutil.Process(session.process.pid).memory_info().rss


def _places(text: str, count: int) -> list[tuple[int, int]]:
    """Places within `count` words, evenly over the text."""
    import re

    words = [
        (number, match.start() + 1)
        for number, line in enumerate(text.split("\n"))
        for match in re.finditer(r"\w{2,}", line)
    ]
    return words[:: max(1, len(words) // count)][:count]


def hover_command(
    count: Annotated[int, typer.Option("--count", "-n", min=1, help="Hovers in each language.")] = 300,
    json_file: Annotated[Path | None, typer.Option("--json", help="Write the figures here.")] = None,
) -> None:
    """Time hovers over documents of real code through the protocol, with all packs loaded."""
    from rich.console import Console

    with Console(stderr=True).status("Hovering ..."):
        hovers = run(count)
    _print(hovers)
    if json_file is not None:
        json_file.write_text(json.dumps({"bench": "hover", **asdict(hovers)}, indent=1) + "\n")


def _print(hovers: Hovers) -> None:
    from bowerbird.cli.bench.printing import figures, output

    console = output()
    everything = [one for times in hovers.times_ms.values() for one in times]
    title = f"{len(everything):,} hovers, {hovers.answered:,} with a card"
    table = figures(title, ("", "median ms", "95 % ms", "longest ms"))
    for name, times in (*hovers.times_ms.items(), ("all", everything)):
        table.add_row(name, *_figures(times))
    console.print(table)
    console.print(
        f"{hovers.packs} packs load in {hovers.load_ms:.0f} ms ({hovers.build_ms:.0f} ms when they are new) "
        f"and take {hovers.packs_bytes / 1e6:.0f} MB; the first hover, which waits for them, took "
        f"{hovers.first_ms:.0f} ms. The server's process takes {hovers.server_bytes / 1e6:.0f} MB in all."
    )


def _figures(times: list[float]) -> tuple[Any, ...]:
    ordered = sorted(times)
    last = len(ordered) - 1
    figures = (statistics.median(ordered), ordered[round(0.95 * last)], ordered[-1])
    return tuple(f"{one:.2f}" for one in figures)
