"""`bowerbird bench examples`: do the chosen examples hold the names that the wanted code needs?

AceCoder's decay is chosen by this: it needs no model. Requests are the bench's tasks, and the purpose of each
of a pack's examples in turn, with that example left out.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from rich.console import Console

    from bowerbird.cli.bench.rar.measure import Interval
    from bowerbird.knowledge.examples import Demonstration
    from bowerbird.knowledge.library import Library

LANGUAGES = ("powerquery", "pony", "ring")
DECAYS = (0.0, 0.1, 0.25, 0.5, 0.75, 1.0)
UNSELECTED = "BM25 alone"

Choose = Callable[[str, Sequence[str]], Sequence[int]]
"""A request and the similar requirements, by rank -> the indices of those that are shown."""


@dataclass(frozen=True, slots=True)
class Case:
    """A request and what retrieval found for it."""

    language: str
    request: str
    similar: tuple[str, ...]
    """Requirements, by BM25's rank."""
    shares: tuple[frozenset[str], ...]
    """Of the names that the wanted code uses, those that each similar one's code has."""
    wanted: int
    """Names that the wanted code uses."""


@dataclass(frozen=True, slots=True)
class Row:
    """One way to choose."""

    way: str
    coverage: dict[str, float]
    """Percent, for each language and for ``all``."""
    gain: Interval
    """Over the default decay, in points, case by case."""


def measure(cases: Sequence[Case], seed: int = 0) -> list[Row]:
    """Every way to choose on every case; `seed` chooses the resamples of the bootstrap."""
    import numpy as np

    from bowerbird.cli.bench.rar.measure import bootstrap
    from bowerbird.retrieval.selector import DECAY, EXAMPLES, select

    ways: dict[str, Choose] = {UNSELECTED: lambda _, similar: range(min(EXAMPLES, len(similar)))}
    ways |= {f"decay {decay:g}": partial(select, k=EXAMPLES, decay=decay) for decay in DECAYS}
    found = {way: np.array([_coverage(case, choose) for case in cases]) for way, choose in ways.items()}
    languages = np.array([case.language for case in cases])
    rows = []
    for way, values in found.items():
        coverage = {one: 100 * float(values[languages == one].mean()) for one in dict.fromkeys(languages)}
        coverage["all"] = 100 * float(values.mean())
        rows.append(Row(way, coverage, bootstrap(values - found[f"decay {DECAY:g}"], seed)))
    return rows


def cases_of(language: str, library: Library) -> Iterator[Case]:
    """The tasks of a language, and its packs' examples, each without itself."""
    from bowerbird.cli.bench.generate.tasks import read_tasks
    from bowerbird.knowledge.examples import pack_examples

    examples = pack_examples(library.of(language))
    asked = [(task.text, task.solution) for task in read_tasks(language)]
    asked += [(one.requirement, one.code) for one in examples]
    for request, code in asked:
        others = [one for one in examples if one.code != code and one.requirement != request]
        case = _case(language, request, code, others)
        if case.wanted:
            yield case


def _case(language: str, request: str, code: str, others: Sequence[Demonstration]) -> Case:
    from bowerbird.retrieval.selector import similar

    wanted = _names(code, language)
    near = [others[at] for at in similar(request, [one.requirement for one in others])]
    return Case(
        language,
        request,
        tuple(one.requirement for one in near),
        tuple(wanted & _names(one.code, language) for one in near),
        len(wanted),
    )


def _names(code: str, language: str) -> frozenset[str]:
    from bowerbird.syntax.mentions import mentions

    return frozenset(one.path for one in mentions(code, language) if not one.declared)


def _coverage(case: Case, choose: Choose) -> float:
    shown = frozenset[str]().union(*(case.shares[at] for at in choose(case.request, case.similar)))
    return len(shown) / case.wanted


def examples_command(
    seed: Annotated[int, typer.Option(help="Of the bootstrap.")] = 0,
    json_file: Annotated[Path | None, typer.Option("--json", help="Write the figures here.")] = None,
) -> None:
    """Count how many of the names that code needs are in the examples chosen for it, by AceCoder's decay."""
    from bowerbird.cli.bench.printing import output
    from bowerbird.cli.progress import bar
    from bowerbird.knowledge.library import Library

    library = Library()
    cases: list[Case] = []
    with bar("Finding examples", len(LANGUAGES)) as tell:
        for language in LANGUAGES:
            cases += cases_of(language, library)
            tell(1)
    rows = measure(cases, seed)
    _print(output(), cases, rows)
    if json_file is not None:
        told = {"bench": "examples", "cases": len(cases), "rows": list(map(asdict, rows))}
        json_file.write_text(json.dumps(told, indent=1) + "\n")


def _print(console: Console, cases: Sequence[Case], rows: Sequence[Row]) -> None:
    from bowerbird.cli.bench.printing import figures

    title = f"Names of the wanted code that are in the examples shown, %; {len(cases):,} requests"
    table = figures(title, ("chosen by", *rows[0].coverage, "gain over the default, points"))
    for row in rows:
        shares = (f"{share:.1f}" for share in row.coverage.values())
        gain = row.gain
        table.add_row(row.way, *shares, f"{gain.mean:+.2f} [{gain.low:+.2f}, {gain.high:+.2f}]")
    console.print(table)
    console.print(
        "In brackets 95 % of the bootstrap's means. Examples that differ cover more names by nature, so this "
        "tells that a decay helps rather than how strong it should be."
    )
