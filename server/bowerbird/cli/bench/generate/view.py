"""The tables that `bowerbird bench generate` prints."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from rich.box import SIMPLE_HEAD
from rich.table import Table

from bowerbird.cli.bench.generate.hostile import Verdict
from bowerbird.cli.bench.generate.measure import Result
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
    table = _table(
        "Code from comments, %: parses, has real names, is found sound, passes tests, is an example"
    )
    everything = [results for by_mode in told.values() for results in by_mode.values()]
    known = {
        name: max((len(_known(results, of)) for results in everything), default=0)
        for name, of in COLUMNS.items()
    }
    table.add_column("model", no_wrap=True)
    table.add_column("mode", no_wrap=True)
    for name, count in known.items():
        table.add_column(f"{name}\nof {count}", justify="right", no_wrap=True)
    table.add_column("tokens", justify="right", no_wrap=True)
    for model, by_mode in told.items():
        for mode, results in by_mode.items():
            tokens = sum(one.tokens for one in results) / max(1, len(results))
            shares = (_share(_known(results, of), known[name]) for name, of in COLUMNS.items())
            name = visible(model.rstrip("/").rpartition("/")[2])[:LONGEST_NAME]
            table.add_row(name, mode, *shares, f"{tokens:,.0f}")
    return table


def hostile_table(verdicts: Sequence[Verdict]) -> Table:
    """What was tried, how far it came, and what it did."""
    table = _table("Hostile comments, files and answers")
    for heading in ("who", "what", "language", "came to be", "harm"):
        table.add_column(heading)
    for one in verdicts:
        table.add_row(one.by, one.what, one.language, one.level, "; ".join(one.harm) or "none")
    return table


def _table(title: str) -> Table:
    return Table(title=title, title_justify="left", box=SIMPLE_HEAD, pad_edge=False)


def _known(results: Sequence[Result], of: Callable[[Result], bool | None]) -> list[bool]:
    return [answer for one in results if (answer := of(one)) is not None]


def _share(known: Sequence[bool], most: int) -> str:
    """In percent; with the number of tasks where it is not the column's."""
    share = f"{100 * sum(known) / len(known):.0f}" if known else ""
    return share if len(known) in (0, most) else f"{share} of {len(known)}"
