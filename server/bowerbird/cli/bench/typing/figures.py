"""What a replay says about the speed that is felt."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from statistics import median

import numpy as np

from bowerbird.cli.bench.typing.editor import Asked
from bowerbird.cli.bench.typing.replay import Run

CARRIED = ("cache", "speculative")


@dataclass(frozen=True, slots=True)
class Spread:
    """How long some requests took."""

    count: int
    median_ms: float
    high_ms: float
    """95th percentile."""
    highest_ms: float
    """99th percentile."""


@dataclass(frozen=True, slots=True)
class Costs:
    """Where the time of fresh answers goes, each the median."""

    editor_ms: float
    """Its own debounce."""
    debounce_ms: float
    """The server's."""
    wait_ms: float
    """For the request before and for the index."""
    model_ms: float
    """Evaluating and generating for the first answer."""
    search_ms: float
    """Retrieving and packing."""
    else_ms: float
    """The protocol, the pipe, the filters, and whatever else ran on this machine."""


@dataclass(frozen=True, slots=True)
class Figures:
    """Of one run."""

    seconds: float
    keys: int
    requests: int
    answered: int
    shown: int
    """Answers with something to show."""
    carried: Spread | None
    """Typed along or foreseen: no model."""
    joined: Spread | None
    """Of a decode that was on its way when the key was pressed."""
    fresh: Spread | None
    """Decoded for this request; from the key, the editor's debounce and the server's included."""
    fresh_later: Spread | None
    """The same without the first of each document, whose prompt is all new."""
    costs: Costs | None
    coverage: float | None
    """Share of pauses at whose end something is on show."""
    pauses: int
    keys_saved: float
    accepted: int
    tested: int
    evaluated_share: float | None
    """Tokens of a request's first prompt that the model had to read, the median; none if carried."""
    evaluated_share_fresh: float | None
    """The same of fresh answers only."""
    flights: dict[str, int]
    flights_per_shown: float | None
    """Decodes begun for requests, per answer with something to show."""
    flights_per_written: float | None
    """The same without answers that were carried: how many decodes make one that is shown."""
    resting_share: float
    tokens_read_per_s: float | None
    """The model's speed while it was at it."""
    tokens_written_per_s: float | None


def figures(run: Run) -> Figures:
    """Everything that is asked of a run."""
    asked = [one for replayed in run.replayed for one in replayed.asked]
    answered = [one for one in asked if one.answered_s and one.trace is not None]
    fresh = [one for one in answered if _decoded(one)]
    firsts = {id(next(iter(filter(_decoded, replayed.asked)), None)) for replayed in run.replayed}
    own = [one for one in answered if _carried(one) in ("", "running") and _iterations(one)]
    shown = sum(1 for one in answered if one.text)
    recorded = sum(replayed.keys_recorded for replayed in run.replayed)
    pressed = sum(replayed.keys_pressed for replayed in run.replayed)
    pauses = sum(replayed.pauses for replayed in run.replayed)
    iterations = [one for request in own for one in _iterations(request)]
    return Figures(
        seconds=run.seconds,
        keys=pressed,
        requests=len(asked),
        answered=len(answered),
        shown=shown,
        carried=_spread(one.wall_ms for one in answered if _carried(one) in CARRIED),
        joined=_spread(one.wall_ms for one in answered if _carried(one) == "running"),
        fresh=_spread(one.felt_ms for one in fresh),
        fresh_later=_spread(one.felt_ms for one in fresh if id(one) not in firsts),
        costs=_costs(fresh),
        coverage=_share(sum(replayed.covered for replayed in run.replayed), pauses),
        pauses=pauses,
        keys_saved=1 - pressed / recorded,
        accepted=sum(replayed.accepted for replayed in run.replayed),
        tested=sum(replayed.tested for replayed in run.replayed),
        evaluated_share=_median(_evaluated(one) for one in answered if _iterations(one)),
        evaluated_share_fresh=_median(map(_evaluated, fresh)),
        flights=run.flights,
        flights_per_shown=_share(run.flights["demanded"], shown),
        flights_per_written=_share(run.flights["demanded"], sum(1 for one in own if one.text)),
        resting_share=run.resting_share,
        tokens_read_per_s=_speed(iterations, "tokens_evaluated", "evaluate_ms"),
        tokens_written_per_s=_speed(iterations, "tokens_generated", "generate_ms"),
    )


def _trace(asked: Asked) -> dict[str, object]:
    return asked.trace or {}


def _carried(asked: Asked) -> object:
    return _trace(asked).get("carried")


def _iterations(asked: Asked) -> Sequence[dict[str, float]]:
    iterations: Sequence[dict[str, float]] = _trace(asked).get("iterations", ())  # type: ignore[assignment]
    return iterations


def _evaluated(asked: Asked) -> float:
    """The share of its first prompt that the model had to read for this answer."""
    first = _iterations(asked)[0]
    if _carried(asked) in CARRIED or not first["prompt_tokens"]:
        return 0.0
    return first["tokens_evaluated"] / first["prompt_tokens"]


def _decoded(asked: Asked) -> bool:
    return bool(asked.answered_s) and _carried(asked) == "" and bool(_iterations(asked))


def _spread(values: Iterable[float]) -> Spread | None:
    taken = list(values)
    if not taken:
        return None
    return Spread(len(taken), *(float(one) for one in np.quantile(taken, [0.5, 0.95, 0.99])))


def _costs(fresh: Sequence[Asked]) -> Costs | None:
    if not fresh:
        return None

    def each(ms: Callable[[Asked], float]) -> float:
        return median(map(ms, fresh))

    def debounce(one: Asked) -> float:
        return float(str(_trace(one)["debounce_ms"]))

    def wait(one: Asked) -> float:
        return float(str(_trace(one)["wait_ms"]))

    def model(one: Asked) -> float:
        return _iterations(one)[0]["evaluate_ms"] + _iterations(one)[0]["generate_ms"]

    def search(one: Asked) -> float:
        return _iterations(one)[0]["retrieve_ms"] + _iterations(one)[0]["pack_ms"]

    def rest(one: Asked) -> float:
        return one.wall_ms - debounce(one) - wait(one) - model(one) - search(one)

    def editor(one: Asked) -> float:
        return one.felt_ms - one.wall_ms

    return Costs(*map(each, (editor, debounce, wait, model, search, rest)))


def _median(values: Iterable[float]) -> float | None:
    taken = list(values)
    return median(taken) if taken else None


def _share(part: float, whole: float) -> float | None:
    return part / whole if whole else None


def _speed(iterations: Sequence[dict[str, float]], tokens: str, ms: str) -> float | None:
    """Tokens per second over all that took a measurable time."""
    counted = [one for one in iterations if one[tokens] and one[ms] > 0]
    return _share(1000 * sum(one[tokens] for one in counted), sum(one[ms] for one in counted))
