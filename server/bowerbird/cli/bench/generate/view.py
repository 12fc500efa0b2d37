"""The tables that `bowerbird bench generate` prints."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from rich.table import Table

from bowerbird.cli.bench.generate.hostile import Verdict
from bowerbird.cli.bench.generate.measure import Result
from bowerbird.cli.bench.printing import figures
from bowerbird.explanation.visible import visible

LONGEST_NAME = 16  # characters


COLUMNS: dict[str, Callable[[Result], bool | None]] = {
    "parses": lambda one: one.parses,
    "names": lambda one: one.symbols,
    "checked": lambda one: one.checks,
    "tests": lambda one: one.tests,
    "example": lambda one: one.example,
}


def results_table(told: Mapping[str, Mapping[str, Sequence[Result]]]) -> Table:
    """Model -> mode -> results: the share of the tasks of which somebody here can tell, in percent."""
    everything = [results for by_mode in told.values() for results in by_mode.values()]
    known = {
        name: max((len(_known(results, of)) for results in everything), default=0)
        for name, of in COLUMNS.items()
    }
    title = "Code from comments, %: parses, has real names, is found sound, passes tests, is an example"
    counted = (f"{name}\nof {count}" for name, count in known.items())
    table = figures(title, ("model", "mode", *counted, "tokens"), words=("mode",))
    for model, by_mode in told.items():
        for mode, results in by_mode.items():
            tokens = sum(one.tokens for one in results) / max(1, len(results))
            shares = (_share(_known(results, of), known[name]) for name, of in COLUMNS.items())
            name = visible(model.rstrip("/").rpartition("/")[2])[:LONGEST_NAME]
            table.add_row(name, mode, *shares, f"{tokens:,.0f}")
    return table


def hostile_table(verdicts: Sequence[Verdict]) -> Table:
    """What was tried, how far it came, and what it did."""
    headings = ("who", "what", "language", "came to be", "harm")
    table = figures("Hostile comments, files and answers", headings, words=headings)
    for one in verdicts:
        table.add_row(one.by, one.what, one.language, one.level, "; ".join(one.harm) or "none")
    return table


def _known(results: Sequence[Result], of: Callable[[Result], bool | None]) -> list[bool]:
    return [answer for one in results if (answer := of(one)) is not None]


def _share(known: Sequence[bool], most: int) -> str:
    """In percent; with the number of tasks where it is not the column's."""
    share = f"{100 * sum(known) / len(known):.0f}" if known else ""
    return share if len(known) in (0, most) else f"{share} of {len(known)}"
