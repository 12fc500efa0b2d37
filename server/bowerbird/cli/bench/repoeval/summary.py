"""Outcomes -> means, differences with their confidence, and the share of the gap that is closed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean, median

from bowerbird.cli.bench.repoeval.metrics import Interval, gap_share, paired_difference
from bowerbird.cli.bench.repoeval.options import IN_FILE, ORACLE, PAPER, Table
from bowerbird.cli.bench.repoeval.outcome import Measured, Outcome


@dataclass(frozen=True, slots=True)
class Metric:
    """A figure that each task gives; the log-likelihood in nats per character of the true line."""

    name: str
    value: Callable[[Measured], float | None]
    decimals: int


METRICS = (
    Metric("exact match, %", lambda measured: 100 * measured.exact_match, 1),
    Metric("edit similarity, %", lambda measured: 100 * measured.edit_similarity, 1),
    Metric("log-likelihood", lambda measured: measured.log_likelihood, 3),
)


@dataclass(frozen=True, slots=True)
class Cost:
    """What one completion took in the mean of all tasks."""

    prompt_tokens: float
    tokens_reused: float
    tokens_evaluated: float
    median_ms: float


@dataclass(frozen=True, slots=True)
class Group:
    """The tasks of one repository, or all."""

    name: str
    tasks: int
    means: Mapping[str, Mapping[str, float | None]]
    """Metric -> column -> mean; None where no engine could tell."""


@dataclass(frozen=True, slots=True)
class Summary:
    """One table under one setting."""

    variant: str
    table: Table
    columns: tuple[str, ...]
    base: str | None
    """The column that `differences` are against."""
    overall: Group
    repositories: tuple[Group, ...]
    differences: Mapping[str, Mapping[str, Interval]]
    """Metric -> column -> difference to `base`."""
    gap_shares: Mapping[str, Mapping[str, float | None]]
    """Metric -> column -> share of the way from in-file to oracle; None where there is no gap above noise."""
    costs: Mapping[str, Cost]


def summarise(outcomes: Sequence[Outcome]) -> Summary:
    """All outcomes of one table under one setting."""
    first = outcomes[0]
    columns = tuple(first.columns)
    base = next((column for column in (IN_FILE, PAPER) if column in columns), None)
    repositories = dict.fromkeys(outcome.repository for outcome in outcomes)
    return Summary(
        variant=first.variant,
        table=first.table,
        columns=columns,
        base=base,
        overall=_group("all", outcomes, columns),
        repositories=tuple(_group(name, _of(name, outcomes), columns) for name in repositories),
        differences={metric.name: _differences(outcomes, columns, base, metric) for metric in METRICS},
        gap_shares={metric.name: _gap_shares(outcomes, columns, metric) for metric in METRICS},
        costs={column: _cost([outcome.columns[column] for outcome in outcomes]) for column in columns},
    )


def compare(ours: Sequence[Outcome], theirs: Sequence[Outcome]) -> dict[str, dict[str, Interval]]:
    """Metric -> column -> difference of the same tasks under two settings, `ours` - `theirs`."""
    other = {(outcome.table, outcome.task): outcome for outcome in theirs}
    pairs = [(outcome, other[outcome.table, outcome.task]) for outcome in ours]
    return {
        metric.name: {
            column: difference
            for column in ours[0].columns
            if (
                difference := _difference(
                    metric, ((mine.columns[column], yours.columns[column]) for mine, yours in pairs)
                )
            )
        }
        for metric in METRICS
    }


def split(outcomes: Iterable[Outcome]) -> dict[tuple[str, Table], list[Outcome]]:
    """By setting and table, in the order in which they come."""
    parts: dict[tuple[str, Table], list[Outcome]] = {}
    for outcome in outcomes:
        parts.setdefault((outcome.variant, outcome.table), []).append(outcome)
    return parts


def _of(repository: str, outcomes: Sequence[Outcome]) -> list[Outcome]:
    return [outcome for outcome in outcomes if outcome.repository == repository]


def _group(name: str, outcomes: Sequence[Outcome], columns: Sequence[str]) -> Group:
    means = {
        metric.name: {column: _mean(_values(outcomes, column, metric)) for column in columns}
        for metric in METRICS
    }
    return Group(name, len(outcomes), means)


def _values(outcomes: Sequence[Outcome], column: str, metric: Metric) -> list[float]:
    values = (metric.value(outcome.columns[column]) for outcome in outcomes)
    return [value for value in values if value is not None]


def _mean(values: Sequence[float]) -> float | None:
    return fmean(values) if values else None


def _differences(
    outcomes: Sequence[Outcome], columns: Sequence[str], base: str | None, metric: Metric
) -> dict[str, Interval]:
    differences: dict[str, Interval] = {}
    for column in columns:
        if base is not None and column != base:
            pairs = ((outcome.columns[column], outcome.columns[base]) for outcome in outcomes)
            if (difference := _difference(metric, pairs)) is not None:
                differences[column] = difference
    return differences


def _difference(metric: Metric, pairs: Iterable[tuple[Measured, Measured]]) -> Interval | None:
    """Only of tasks where both sides have a figure."""
    values = [(metric.value(ours), metric.value(theirs)) for ours, theirs in pairs]
    known = [(ours, theirs) for ours, theirs in values if ours is not None and theirs is not None]
    if not known:
        return None
    return paired_difference([ours for ours, _ in known], [theirs for _, theirs in known])


def _gap_shares(
    outcomes: Sequence[Outcome], columns: Sequence[str], metric: Metric
) -> dict[str, float | None]:
    if IN_FILE not in columns or ORACLE not in columns:
        return {}
    in_file = _values(outcomes, IN_FILE, metric)
    oracle = _values(outcomes, ORACLE, metric)
    return {
        column: gap_share(values, in_file, oracle) if (values := _values(outcomes, column, metric)) else None
        for column in columns
        if column not in (IN_FILE, ORACLE)
    }


def _cost(measured: Sequence[Measured]) -> Cost:
    return Cost(
        prompt_tokens=fmean(one.prompt_tokens for one in measured),
        tokens_reused=fmean(one.tokens_reused / max(1, one.requests) for one in measured),
        tokens_evaluated=fmean(one.tokens_evaluated / max(1, one.requests) for one in measured),
        median_ms=median(one.milliseconds for one in measured),
    )
