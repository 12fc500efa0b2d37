"""Recall, precision and length of what each method finds, with intervals of confidence."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from bowerbird.cli.bench.rar.cases import Case, Suite
from bowerbird.knowledge.snippet import GrammarEntity
from bowerbird.retrieval.bm25 import Floats
from bowerbird.retrieval.documentation import Documentation
from bowerbird.retrieval.rar import AMOUNTS, METHODS, Amounts, Context, retrieve_context

RESAMPLES = 2000
CONFIDENCE_PERCENT = 95
CHARACTERS_A_TOKEN = 4
LAMBDAS = (1.0, 3.0, 10.0, 30.0, 100.0)
PAPER_NEGATIVES = 10
"""How many negatively dependent entities the paper takes (section 6.2.1)."""


@dataclass(frozen=True, slots=True)
class Interval:
    """A mean in percent, and where it would lie if other cases of the kind had been asked."""

    mean: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Row:
    """One method on one suite; all means are over its cases."""

    method: str
    recall: Interval
    """Share of the wanted entities that are shown, or used by an example that is shown."""
    gain: Interval | None
    """Recall less that of the method that chooses the same independently; None for those themselves."""
    precision: float
    """Share in percent of the shown entities, or of those used by the shown examples, that are wanted."""
    tokens: float
    """Length of all that is shown, four characters a token."""


@dataclass(frozen=True, slots=True)
class Sweep:
    """RAR_D with one lambda."""

    lambda_: float
    recall: float
    overlap: float
    """Share in percent of the ten first of the negative list that are also among the ten first of Ret_D."""


@dataclass(frozen=True, slots=True)
class Result:
    """What a suite gave."""

    suite: str
    half: str
    cases: int
    wanted: float
    """Entities a case, in the mean."""
    unknown: tuple[str, ...]
    rows: tuple[Row, ...]
    sweep: tuple[Sweep, ...]
    """On development cases only."""


INDEPENDENT = {"RAR_D": "Ret_D", "RAR_E": "Ret_E", "RAR_E->D": "Ret_E_D", "RAR_D->E": "Ret_E_D"}


def measure(suite: Suite, methods: Sequence[str] = tuple(METHODS), seed: int = 0) -> Result:
    """Ask every case of every method. `seed` chooses the resamples of the bootstrap."""
    scores = {method: np.zeros((len(suite.cases), 3)) for method in methods}
    sweep = np.zeros((len(suite.cases), len(LAMBDAS), 2))
    for at, case in enumerate(suite.cases):
        documentation = suite.documentation
        if case.left_out:
            documentation = documentation.without(case.left_out)
        for method in methods:
            scores[method][at] = _score(
                case, retrieve_context(documentation, case.text, method), documentation
            )
        if suite.half == "development":
            sweep[at] = [_swept(case, documentation, one) for one in LAMBDAS]
    rows = tuple(_row(method, scores, seed) for method in methods)
    swept = 100 * sweep.mean(axis=0) if len(suite.cases) else sweep
    lambdas = zip(LAMBDAS, swept.tolist(), strict=True) if suite.half == "development" else ()
    return Result(
        suite.name,
        suite.half,
        len(suite.cases),
        float(np.mean([len(case.wanted) for case in suite.cases])) if suite.cases else 0.0,
        suite.unknown,
        rows,
        tuple(Sweep(lambda_, *means) for lambda_, means in lambdas),
    )


def bootstrap(values: Floats, seed: int) -> Interval:
    """The mean of shares in percent, and the percentiles of the means of as many values drawn from them."""
    if not values.size:
        return Interval(0.0, 0.0, 0.0)
    drawn = np.random.default_rng(seed).integers(0, values.size, (RESAMPLES, values.size))
    tail = (100 - CONFIDENCE_PERCENT) / 2
    low, high = np.percentile(values[drawn].mean(axis=1), (tail, 100 - tail))
    return Interval(100 * float(values.mean()), 100 * float(low), 100 * float(high))


def _row(method: str, scores: dict[str, Floats], seed: int) -> Row:
    recalls, precisions, tokens = scores[method].T
    other = INDEPENDENT.get(method)
    gain = bootstrap(recalls - scores[other][:, 0], seed) if other in scores else None
    few = not recalls.size
    return Row(
        method,
        bootstrap(recalls, seed),
        gain,
        0.0 if few else 100 * float(precisions.mean()),
        0.0 if few else float(tokens.mean()),
    )


def _score(case: Case, context: Context, documentation: Documentation) -> tuple[float, float, float]:
    shown = _shown(context, documentation)
    right = len(case.wanted & shown)
    hits = (*context.entities, *context.examples)
    tokens = sum(len(hit.snippet.text) for hit in hits) / CHARACTERS_A_TOKEN
    return right / len(case.wanted), right / max(1, len(shown)), tokens


def _shown(context: Context, documentation: Documentation) -> set[str]:
    """Symbols of the entities that a reader of the context sees, documented or used."""
    places = (
        {id(example): at for at, example in enumerate(documentation.examples)} if context.examples else {}
    )
    shown = {hit.snippet.symbol for hit in context.entities if isinstance(hit.snippet, GrammarEntity)}
    for hit in context.examples:
        shown |= {documentation.entities[at].symbol for at in documentation.used[places[id(hit.snippet)]]}
    return shown


def _swept(case: Case, documentation: Documentation, lambda_: float) -> tuple[float, float]:
    amounts = replace(AMOUNTS, lambda_entities=lambda_)
    recall, _, _ = _score(case, retrieve_context(documentation, case.text, "RAR_D", amounts), documentation)
    alone = Amounts(entities=PAPER_NEGATIVES, positive_entities=0.0, lambda_entities=lambda_)
    negative = retrieve_context(documentation, case.text, "RAR_D", alone).entities
    plain = {id(hit.snippet) for hit in retrieve_context(documentation, case.text, "Ret_D", alone).entities}
    return recall, sum(id(hit.snippet) in plain for hit in negative) / max(1, len(plain))
