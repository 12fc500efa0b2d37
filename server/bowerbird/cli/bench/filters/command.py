"""`bowerbird bench filters`: the command line, the table, the file."""

from __future__ import annotations

import asyncio
import json
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from bowerbird.cli.errors import InputNotFound, UsageError
from bowerbird.settings import CompletionSettings

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from rich.console import Console

    from bowerbird.cli.bench.filters.predictions import Written
    from bowerbird.cli.bench.filters.verdicts import Record

OWN_CODE = ("server", "tests")
"""Of a checkout: Bowerbird's own code and the small workspaces of its tests."""
NO_CODE = ("golden/",)  # unfinished documents, on purpose


def filters_command(
    sources: Annotated[
        list[Path] | None,
        typer.Option(help="Folder with code; may be given again. Else this checkout's own."),
    ] = None,
    completions: Annotated[int, typer.Option(min=1, help="Predictions of three lines and more.")] = 2000,
    iterations: Annotated[
        int, typer.Option(min=1, help="Rounds of retrieval for each prediction.")
    ] = CompletionSettings().iterations,
    seed: Annotated[int, typer.Option(help="Which places.")] = 0,
    model: Annotated[str, typer.Option(help="A GGUF file; empty takes the built-in model.")] = "",
    json_file: Annotated[Path | None, typer.Option("--json", help="Write the table here.")] = None,
    predictions: Annotated[
        Path | None,
        typer.Option(
            help="Keep what the model writes here; a broken-off run, or one that tries other "
            "filters, takes it from there."
        ),
    ] = None,
) -> None:
    """Judge each filter by the truth: lines are taken out of real code, and completed with and without it."""
    from bowerbird.cli.bench.printing import output
    from bowerbird.cli.model.option import model_file, model_setting
    from bowerbird.cli.place import existing_folder

    folders = [existing_folder(folder) for folder in sources or map(Path, OWN_CODE)]
    try:
        from bowerbird.cli.bench.filters.verdicts import judge
    except ModuleNotFoundError as error:
        if str(error.name).startswith("bowerbird"):
            raise
        raise UsageError(f"This bench needs {error.name}: pip install 'bowerbird[bench]'.") from error
    key = f"{seed} {iterations} {model_file(model).name} {' '.join(map(str, folders))}"
    written = asyncio.run(
        _write(folders, completions, iterations, seed, model_setting(model), predictions, key)
    )
    records, means = judge(written)
    _print(output(), written, records, means)
    if json_file is not None:
        rows = [asdict(one) for one in records]
        told = {"bench": "filters", "completions": len(written), "similarity": means, "filters": rows}
        json_file.write_text(json.dumps(told, indent=1) + "\n")


async def _write(
    folders: Sequence[Path],
    completions: int,
    iterations: int,
    seed: int,
    model: str,
    kept: Path | None,
    key: str,
) -> list[Written]:
    from bowerbird.assembly import assemble
    from bowerbird.cli.bench.filters.holes import choose_holes
    from bowerbird.cli.bench.filters.predictions import write_into
    from bowerbird.cli.progress import bar
    from bowerbird.completion.request import Request
    from bowerbird.settings import CompletionSettings, IndexSettings, Settings

    index = IndexSettings(exclude=NO_CODE, watch=False, store=False)
    settings = Settings(index=index, completion=CompletionSettings(model=model))
    assembly = assemble(settings, folders)
    try:
        await asyncio.to_thread(assembly.repository.scan)
        holes = choose_holes(assembly.repository.sources(), seed)
        if not holes:
            raise InputNotFound(f"There is no code to take lines out of in {', '.join(map(str, folders))}.")
        with bar("filters", min(completions, len(holes))) as advance:
            return await write_into(
                holes, completions, assembly, Request(iterations=iterations), kept, key, advance
            )
    finally:
        await assembly.close()


def _print(
    console: Console, written: Sequence[Written], records: Sequence[Record], means: Mapping[str, float]
) -> None:
    from collections import Counter

    from bowerbird.cli.bench.printing import figures
    from bowerbird.completion.finish import FILTERS

    languages = Counter(one.hole.source.language for one in written).most_common()
    named = ", ".join(f"{language} {count}" for language, count in languages)
    console.print(f"{len(written)} predictions of three lines and more ({named})\n")
    titles = {
        "alone": "Each filter alone, against none",
        "among": "Each filter with all others that are on, against those others",
    }
    for part, title in titles.items():
        counted = ("fired", "helped", "harmed", "neutral", "ES", "lines", "lost", "spoiled")
        table = figures(title, ("filter", "", *counted))
        for one in records:
            tally = getattr(one, part)
            counts = (tally.fired, tally.helped, tally.harmed, tally.neutral)
            on = "on" if FILTERS[one.name].on else "off"
            sums = (
                f"{tally.mean:+.2f}",
                f"{tally.lines_gained:+.1f}",
                str(tally.true_lines_lost),
                str(one.spoiled),
            )
            table.add_row(one.name, on, *map(str, counts), *sums)
        console.print(table)
    told = ", ".join(f"{value:.3f} ({name})" for name, value in means.items())
    console.print(
        "ES: edit similarity to as many true lines, mean difference of a firing, which helps or harms;\n"
        "lines: gained by all firings, each counted by how much more alike it is than unlike;\n"
        "lost: true lines that were not shown for it; spoiled: holes whose very truth it changes.\n"
        f"ES of what is shown, by filters: {told}."
    )
