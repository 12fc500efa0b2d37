"""`bowerbird bench generate`: the command line, the table, the file."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from bowerbird.synthesis.mode import Mode

if TYPE_CHECKING:
    from bowerbird.cli.bench.generate.measure import Result
    from bowerbird.cli.bench.generate.tasks import Task
    from bowerbird.synthesis.options import Options

BUILT_IN, REFERENCE = "built-in", "reference"
BY_GRAMMAR = "+grammar"


def generate_bench_command(
    models: Annotated[
        list[str] | None,
        typer.Option("--model", help="built-in, reference (knows the solutions), a GGUF file, or a URL."),
    ] = None,
    modes: Annotated[list[Mode] | None, typer.Option("--mode", help="Default: all.")] = None,
    languages: Annotated[list[str] | None, typer.Option("--language", help="Default: all four.")] = None,
    tasks: Annotated[int, typer.Option(min=0, help="So many of each language; 0 takes all.")] = 0,
    rounds: Annotated[int, typer.Option(min=1, max=30, help="Programs at most, in mode evor.")] = 4,
    run: Annotated[bool, typer.Option("--run", help="Run what was written, in a sandbox.")] = False,
    examples: Annotated[
        bool, typer.Option("--examples", help="Count the examples that stand in for small models, too.")
    ] = False,
    hostile: Annotated[
        bool, typer.Option("--hostile/--no-hostile", help="Try hostile comments, files and answers, too.")
    ] = True,
    constrained: Annotated[
        bool, typer.Option("--constrained", help="Each mode once more by a grammar, in M, Pony and Ring.")
    ] = False,
    judge: Annotated[
        Path | None,
        typer.Option(
            help="Folder with Microsoft's packages for M; default: of bowerbird setup or make parts."
        ),
    ] = None,
    json_file: Annotated[Path | None, typer.Option("--json", help="Write all that was written here.")] = None,
) -> None:
    """Have code written for 60 comments in Power Query M, Pony, Ring and Python, and look at it."""
    from bowerbird.cli.bench.generate.hostile import suffer_all
    from bowerbird.cli.bench.generate.tasks import LANGUAGES, read_tasks
    from bowerbird.cli.bench.generate.view import hostile_table, results_table
    from bowerbird.cli.bench.printing import output
    from bowerbird.cli.errors import UsageError
    from bowerbird.synthesis.options import Options

    wrong = set(languages or ()) - set(LANGUAGES)
    if wrong:
        raise UsageError(
            f"There are no tasks for {', '.join(sorted(wrong))}; only for {', '.join(LANGUAGES)}."
        )
    chosen = [task for one in languages or LANGUAGES for task in read_tasks(one)[: tasks or None]]
    ways = [
        Options(mode=mode, rounds=rounds, run=run, example_instead=examples, constrained=by_grammar)
        for mode in modes or list(Mode)
        for by_grammar in ((False, True) if constrained else (False,))
    ]
    told: dict[str, dict[str, list[Result]]] = {}
    for model in models or [BUILT_IN, REFERENCE]:
        told[model] = asyncio.run(_measure(model, chosen, ways, judge))
    console = output()
    console.print(results_table(told))
    verdicts = asyncio.run(suffer_all()) if hostile else []
    if verdicts:
        console.print(hostile_table(verdicts))
        console.print(f"{sum(not one.harm for one in verdicts)} of {len(verdicts)} attacks came to nothing.")
    if json_file is not None:
        rows = [
            {"model": model, "mode": mode, **asdict(result)}
            for model, by_mode in told.items()
            for mode, results in by_mode.items()
            for result in results
        ]
        attacks = list(map(asdict, verdicts))
        bench = {"bench": "generate", "results": rows, "attacks": attacks}
        json_file.write_text(json.dumps(bench, indent=1) + "\n")


async def _measure(
    model: str, tasks: Sequence[Task], ways: Sequence[Options], folder: Path | None
) -> dict[str, list[Result]]:
    """One model in each mode; with a grammar, the tasks of languages that have one."""
    from bowerbird.assembly import assemble
    from bowerbird.cli.bench.generate.measure import Judge, measure
    from bowerbird.cli.bench.generate.reference import Reference
    from bowerbird.cli.bench.generate.services import services_folder
    from bowerbird.cli.progress import bar
    from bowerbird.execution.engine import ExecutionEngine
    from bowerbird.execution.executor import Permission
    from bowerbird.inference.models import built_in_model
    from bowerbird.settings import GenerationSettings, Settings
    from bowerbird.syntax.gbnf.constraint import PLACES
    from bowerbird.synthesis.writer import Writer

    named = {BUILT_IN: str(built_in_model()), REFERENCE: ""}.get(model, model)
    assembly = assemble(
        Settings(
            generation=GenerationSettings(
                model=named, run_programs=("/",) if ways[0].run else (), learn=False
            )
        ),
        [],
    )
    engine = assembly.synthesis
    if model == REFERENCE:
        engine.writer = Writer(Reference(tasks))
    library = assembly.lookup.library
    permission = Permission.RUN if ways[0].run else Permission.CHECK
    execution = ExecutionEngine(lambda: library.packs, permission, powerquery_folder=services_folder(folder))
    engine.executor = execution
    judge = Judge(execution, library)
    try:
        found = {}
        for options in ways:
            mode = f"{options.mode.value}{BY_GRAMMAR if options.constrained else ''}"
            some = [one for one in tasks if one.language in PLACES or not options.constrained]
            with bar(f"{model}, {mode}", len(some)) as tell:
                found[mode] = await measure(engine, judge, some, options, tell)
        return found
    finally:
        await execution.close()
        await assembly.close()
