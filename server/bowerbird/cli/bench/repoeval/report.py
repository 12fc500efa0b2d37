"""Summaries as tables for people and as JSON for programs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from rich.console import Console
from rich.table import Table as Grid

from bowerbird.cli.bench.printing import figures
from bowerbird.cli.bench.repoeval.metrics import Interval
from bowerbird.cli.bench.repoeval.options import Options, Table
from bowerbird.cli.bench.repoeval.outcome import Outcome
from bowerbird.cli.bench.repoeval.plan import Plan
from bowerbird.cli.bench.repoeval.summary import METRICS, Summary, compare, split, summarise
from bowerbird.cli.bench.repoeval.tasks import RELEASES

TITLES = {
    Table.MAIN: "RepoEval lines, empty suffix",
    Table.SUFFIX: "RepoEval lines, with the suffix that an editor has",
    Table.REPLAY: "RepoEval lines, the code before each typed key by key",
}
NOTHING = "-"


def print_report(console: Console, plan: Plan, outcomes: Sequence[Outcome], model: str) -> None:
    """Everything that was measured."""
    console.print(_sources_line(plan), highlight=False, soft_wrap=True)
    console.print(
        f"Model: {model}. Differences are means over tasks, with their 95 % interval by bootstrap; "
        "log-likelihoods are in nats per character of the true line.",
        highlight=False,
        soft_wrap=True,
    )
    parts = split(outcomes)
    for part in parts.values():
        summary = summarise(part)
        console.print(_overall(summary))
        console.print(_costs(summary))
        if len(summary.repositories) > 1:
            console.print(_by_repository(summary))
    first = next(iter(plan.options.variants()))
    for table, variants in _comparisons(plan.options, parts).items():
        for variant, difference in variants.items():
            console.print(_comparison(f"{variant} against {first}", table, difference))


def report_json(plan: Plan, outcomes: Sequence[Outcome], model: Mapping[str, Any]) -> dict[str, Any]:
    """All that was measured, every task included."""
    parts = split(outcomes)
    return {
        "bench": "repoeval",
        "model": model,
        "options": asdict(plan.options),
        "sources": [
            {
                "name": sources.name,
                "release": asdict(sources.release) if sources.release else None,
                "tasks": len(tasks),
            }
            for sources, tasks in zip(plan.sources, plan.tasks, strict=True)
        ],
        "summaries": [asdict(summarise(part)) for part in parts.values()],
        "comparisons": {
            table.value: {
                variant: {
                    metric: {column: asdict(interval) for column, interval in columns.items()}
                    for metric, columns in difference.items()
                }
                for variant, difference in variants.items()
            }
            for table, variants in _comparisons(plan.options, parts).items()
        },
        "tasks": [outcome.as_json() for outcome in outcomes],
    }


def _sources_line(plan: Plan) -> str:
    found = [sources for sources in plan.sources if sources.release]
    others = [sources.name for sources in plan.sources if not sources.release]
    tasks = sum(map(len, plan.tasks))
    sentences = [f"{tasks:,} tasks of {len(plan.sources)} repositories."]
    present = {sources.release for sources in found}
    missing = [f"{one.distribution} {one.version}" for one in RELEASES if one not in present]
    if missing:
        sentences.append(f"Not among them: {', '.join(missing)}.")
    if others:
        sentences.append(f"Not RepoEval's: {', '.join(others)}.")
    return " ".join(sentences)


def _overall(summary: Summary) -> Grid:
    variant = f" ({summary.variant})" if summary.variant else ""
    title = f"{TITLES[summary.table]}{variant}: {summary.overall.tasks:,} tasks"
    against = f"against {summary.base}" if summary.base else "difference"
    grid = figures(title, ("", "mean", against, "95 % interval", "of the gap"))
    for metric in METRICS:
        grid.add_row(metric.name, style="bold")
        for column in summary.columns:
            difference = summary.differences[metric.name].get(column)
            shares = summary.gap_shares[metric.name]
            mean = _number(summary.overall.means[metric.name][column], metric.decimals)
            grid.add_row(
                f"  {column}",
                mean,
                *_interval(difference, metric.decimals),
                _share(shares[column]) if column in shares else "",
            )
        grid.add_section()
    return grid


def _costs(summary: Summary) -> Grid:
    grid = figures("", ("", "prompt tokens", "reused", "evaluated", "median ms"))
    for column, cost in summary.costs.items():
        numbers = (cost.prompt_tokens, cost.tokens_reused, cost.tokens_evaluated, cost.median_ms)
        grid.add_row(column, *(f"{number:,.0f}" for number in numbers))
    return grid


def _by_repository(summary: Summary) -> Grid:
    grid = figures("", ("repository", "tasks", *summary.columns))
    for metric in METRICS:
        grid.add_row(metric.name, style="bold")
        for group in summary.repositories:
            means = group.means[metric.name]
            cells = (_number(means[column], metric.decimals) for column in summary.columns)
            grid.add_row(f"  {group.name}", str(group.tasks), *cells)
        grid.add_section()
    return grid


Comparison = Mapping[str, Mapping[str, Interval]]


def _comparisons(
    options: Options, parts: Mapping[tuple[str, Table], list[Outcome]]
) -> dict[Table, dict[str, Comparison]]:
    """Each other setting against the first, table by table."""
    first, *others = options.variants()
    if not others:
        return {}
    return {
        table: {other: compare(parts[other, table], parts[first, table]) for other in others}
        for table in options.tables
        if (first, table) in parts
    }


def _comparison(pair: str, table: Table, difference: Comparison) -> Grid:
    title = f"{pair}, task by task: {TITLES[table]}"
    grid = figures(title, ("", "difference", "95 % interval"))
    for metric in METRICS:
        grid.add_row(metric.name, style="bold")
        for column, interval in difference[metric.name].items():
            grid.add_row(f"  {column}", *_interval(interval, metric.decimals))
        grid.add_section()
    return grid


def _number(value: float | None, decimals: int) -> str:
    return NOTHING if value is None else f"{value:.{decimals}f}"


def _share(value: float | None) -> str:
    return NOTHING if value is None else f"{value:.0%}"


def _interval(value: Interval | None, decimals: int) -> tuple[str, str]:
    """The mean, and its bounds."""
    if value is None:
        return "", ""
    return f"{value.mean:+.{decimals}f}", f"{value.low:+.{decimals}f} to {value.high:+.{decimals}f}"
