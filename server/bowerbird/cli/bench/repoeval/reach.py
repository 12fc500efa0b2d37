"""What retrieval brings within the model's reach, measured without a model.

A window helps where it holds a line like the one that is to be written (section 6.1). So each task asks as
in the first iteration, and the line in the windows that is most like the truth counts. Where windows lie is
told by section 6.2's places.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from statistics import fmean
from typing import Any

from rapidfuzz.distance import Levenshtein
from rich.console import Console

from bowerbird.assembly import Assembly, assemble
from bowerbird.cli.bench.printing import figures
from bowerbird.cli.bench.repoeval.measure import unfinished_line
from bowerbird.cli.bench.repoeval.metrics import Interval, paired_difference
from bowerbird.cli.bench.repoeval.options import settings_of
from bowerbird.cli.bench.repoeval.plan import Plan
from bowerbird.cli.bench.repoeval.tasks import LineTask, read_python
from bowerbird.cli.errors import ModelProblem
from bowerbird.completion.query import formulate_query
from bowerbird.knowledge.snippet import Window
from bowerbird.retrieval.nearness import PRIORS, Place
from bowerbird.retrieval.retriever import Prepared, Query
from bowerbird.settings import CompletionSettings
from bowerbird.text import Span

LAST_LINE = 2**31
WORD = re.compile(r"\w{2,}")
USEFUL = 0.8  # edit similarity of a window's best line to the truth
PLACES = tuple(name for name in PRIORS if name != "open")


@dataclass(frozen=True, slots=True)
class Reach:
    """One task under one setting."""

    variant: str
    task: str
    line: float
    """Edit similarity of the most similar line in all windows, 0 to 1."""
    words: float
    """Share of the truth's words that stand in the windows."""
    places: Mapping[str, tuple[int, int]]
    """Windows in each place, and useful ones among them."""
    windows: tuple[int, int]
    """All of them, and useful ones."""


MEASURES: Mapping[str, Callable[[Reach], float]] = {
    "most similar line, %": lambda reach: 100 * reach.line,
    "the line itself, % of tasks": lambda reach: 100.0 * (reach.line == 1),
    "words of the line, %": lambda reach: 100 * reach.words,
}


async def measure_reach(plan: Plan, advance: Callable[[int], None]) -> list[Reach]:
    """All tasks under all settings; the files' own text from a window above the line on is not found."""
    reached: list[Reach] = []
    assembly: Assembly | None = None
    try:
        for sources, tasks in zip(plan.sources, plan.tasks, strict=True):
            for variant, completion in plan.options.variants().items():
                before = assembly
                assembly = assemble(settings_of(completion), [sources.folder], before)
                if before is not None:
                    await before.close(assembly)
                assembly.repository.scan()
                if assembly.dense is not None:
                    await assembly.dense.complete()
                    if assembly.dense.problem:
                        raise ModelProblem(assembly.dense.problem)
                for task in tasks:
                    reached.append(await _reach(assembly, completion, variant, task))
                    advance(1)
    finally:
        if assembly is not None:
            await assembly.close()
    return reached


def print_reach(console: Console, plan: Plan, reached: Sequence[Reach]) -> None:
    """Means, differences to the first setting, and where windows lie."""
    tasks = sum(map(len, plan.tasks))
    console.print(
        f"{tasks:,} tasks of {len(plan.sources)} repositories, first iteration, no model. "
        "Differences are means over tasks, with their 95 % interval by bootstrap.",
        highlight=False,
        soft_wrap=True,
    )
    grid = figures("", ("", "mean", "difference", "95 % interval"))
    for measure, rows in _compared(plan, reached).items():
        grid.add_row(measure, style="bold")
        for variant, (mean, interval) in rows.items():
            cells = (
                (f"{interval.mean:+.2f}", f"{interval.low:+.2f} to {interval.high:+.2f}") if interval else ()
            )
            grid.add_row(f"  {variant or 'all'}", f"{mean:.2f}", *cells)
        grid.add_section()
    console.print(grid)
    places = figures("Where windows lie (section 6.2), %", ("", *PLACES))
    for variant, shares in _places(plan, reached).items():
        for kind, row in shares.items():
            places.add_row(f"{variant} {kind}".strip(), *(f"{100 * row[name]:.1f}" for name in PLACES))
    console.print(places)


def reach_json(plan: Plan, reached: Sequence[Reach]) -> dict[str, Any]:
    """The same, and every task."""
    return {
        "bench": "repoeval --reach",
        "options": asdict(plan.options),
        "measures": {
            measure: {
                variant: {"mean": mean, "difference": asdict(interval) if interval else None}
                for variant, (mean, interval) in rows.items()
            }
            for measure, rows in _compared(plan, reached).items()
        },
        "places": _places(plan, reached),
        "tasks": [asdict(one) for one in reached],
    }


async def _reach(assembly: Assembly, completion: CompletionSettings, variant: str, task: LineTask) -> Reach:
    unfinished = unfinished_line(task, read_python(task.path) or "", suffix=False)
    text = formulate_query(unfinished, completion.window_lines)
    hidden = Span(max(0, task.line - completion.window_lines), LAST_LINE)
    query = Query(text, task.path, hidden, unfinished.prefix)
    retriever = assembly.completion.retriever
    if isinstance(retriever, Prepared):
        await retriever.prepare(text, None)
    hits = retriever.retrieve(query, completion.max_snippets)
    windows = [hit.snippet for hit in hits if isinstance(hit.snippet, Window)]
    likeness = [_most_similar(task.truth.strip(), window.text) for window in windows]
    words = set(WORD.findall(task.truth))
    seen = {word for window in windows for word in WORD.findall(window.text)}
    place = Place.of(query)
    assert place is not None
    useful = [like >= USEFUL for like in likeness]
    # By degrees: the folder next to it still counts as near.
    within = {name: [PRIORS[name](place, window) >= 0.5 for window in windows] for name in PLACES}
    return Reach(
        variant,
        task.id,
        max(likeness, default=0.0),
        len(words & seen) / len(words) if words else 1.0,
        {name: (sum(row), sum(map(all, zip(row, useful, strict=True)))) for name, row in within.items()},
        (len(windows), sum(useful)),
    )


def _most_similar(line: str, text: str) -> float:
    others = {stripped for other in text.split("\n") if (stripped := other.strip())}
    return max((Levenshtein.normalized_similarity(line, other) for other in others), default=0.0)


def _compared(plan: Plan, reached: Sequence[Reach]) -> dict[str, dict[str, tuple[float, Interval | None]]]:
    """Measure -> setting -> mean, and the difference to the first setting."""
    parts = _by_variant(plan, reached)
    first = next(iter(parts.values()))
    compared: dict[str, dict[str, tuple[float, Interval | None]]] = {}
    for name, value in MEASURES.items():
        base = [value(one) for one in first]
        compared[name] = {
            variant: (
                fmean(map(value, part)),
                None if part is first else paired_difference([value(one) for one in part], base),
            )
            for variant, part in parts.items()
        }
    return compared


def _places(plan: Plan, reached: Sequence[Reach]) -> dict[str, dict[str, dict[str, float]]]:
    """Setting -> all or useful windows -> place -> share of these windows."""
    return {
        variant: {
            kind: {
                name: sum(one.places[name][at] for one in part) / max(1, sum(one.windows[at] for one in part))
                for name in PLACES
            }
            for at, kind in enumerate(("found", "useful"))
        }
        for variant, part in _by_variant(plan, reached).items()
    }


def _by_variant(plan: Plan, reached: Sequence[Reach]) -> dict[str, list[Reach]]:
    return {
        variant: [one for one in reached if one.variant == variant] for variant in plan.options.variants()
    }
