"""Measures the tasks of a plan, those that are not measured yet."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from bowerbird.assembly import assemble
from bowerbird.cli.bench.overheard import Overheard
from bowerbird.cli.bench.repoeval.journal import Journal
from bowerbird.cli.bench.repoeval.measure import Stage, measure_modes
from bowerbird.cli.bench.repoeval.options import Options, Table, settings_of
from bowerbird.cli.bench.repoeval.outcome import Outcome
from bowerbird.cli.bench.repoeval.plan import Plan
from bowerbird.cli.bench.repoeval.replay import measure_replay
from bowerbird.cli.bench.repoeval.tasks import LineTask, Sources, read_python
from bowerbird.cli.errors import ModelProblem
from bowerbird.settings import CompletionSettings


async def run(plan: Plan, journal: Journal, advance: Callable[[int], None]) -> list[Outcome]:
    """Measure what `journal` does not hold; returns all outcomes. `advance` hears how many units are done."""
    stage: Stage | None = None
    try:
        for sources, tasks in zip(plan.sources, plan.tasks, strict=True):
            for variant, completion in plan.options.variants().items():
                units = list(_units(plan.options, tasks))
                todo = [
                    (table, task)
                    for table, task in units
                    if (variant, table, task.id) not in journal.finished
                ]
                advance(len(units) - len(todo))
                if todo:
                    stage = await _stage(plan.options, sources, completion, stage)
                for table, task in todo:
                    assert stage is not None
                    journal.add(await _measure(stage, plan.options, variant, table, task))
                    advance(1)
    finally:
        if stage is not None:
            await stage.assembly.close()
    return [
        journal.finished[variant, table, task.id]
        for variant in plan.options.variants()
        for tasks in plan.tasks
        for table, task in _units(plan.options, tasks)
    ]


def _units(options: Options, tasks: Sequence[LineTask]) -> Iterator[tuple[Table, LineTask]]:
    """Table by table."""
    for table in options.tables:
        for task in tasks:
            yield table, task


async def _stage(
    options: Options, sources: Sources, completion: CompletionSettings, before: Stage | None
) -> Stage:
    """Index one repository under one setting; the model of the stage `before` serves on if it is the same."""
    settings = settings_of(completion)
    assembly = assemble(settings, [sources.folder], before.assembly if before else None)
    if before is not None:
        await before.assembly.close(assembly)
    assembly.repository.scan()
    if assembly.dense is not None:
        await assembly.dense.complete()
        if assembly.dense.problem:
            raise ModelProblem(assembly.dense.problem)
    return Stage(assembly, Overheard(assembly.model), options.traces)


async def _measure(stage: Stage, options: Options, variant: str, table: Table, task: LineTask) -> Outcome:
    text = read_python(task.path) or ""
    if table is Table.REPLAY:
        columns = await measure_replay(stage, task, text, options.replay_keys)
    else:
        suffix = table is Table.SUFFIX
        columns = await measure_modes(stage, task, text, suffix, options.modes, options.iterations)
    return Outcome(variant, table, task.repository, task.id, task.truth, columns)
