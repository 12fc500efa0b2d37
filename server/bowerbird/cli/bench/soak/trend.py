"""Growth told from noise: a slope with its error, what was held early and late, and a verdict by a limit."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from statistics import linear_regression, median

WARM_SHARE = 0.25
"""Of the time, in which caches fill; all figures are of what comes after."""

FLAT_SHARE = 0.05
"""Of what is held when warm: memory that grows by less in an hour is flat. At that rate a working day of
eight hours, begun warm, adds less than half."""

ERRORS = 2
"""Standard errors beyond the slope that growth is reckoned with: 95 % of even noise lies nearer."""

LEAST_MINUTES = 30.0
"""What takes less time may still be filling its caches, and a small step looks like a steep slope."""

HOUR_S = 3600.0


class Verdict(StrEnum):
    """Does it grow?"""

    FLAT = "flat"
    GROWS = "grows"
    """Or so noisy that growth cannot be ruled out."""
    TOO_SHORT = "too short"


@dataclass(frozen=True, slots=True)
class Trend:
    """How one figure went over the warm part of a run, in the figure's own unit."""

    held: float
    """The median of all."""
    early: float
    """The median of the first third of the warm part: of a run's second quarter."""
    late: float
    """The same of its last third: of a run's last quarter."""
    slope: float
    """Growth in an hour, by least squares."""
    error: float
    """The slope's standard error. Steps follow one another, so it says too little: see `most`."""
    stepped: float
    """Growth in an hour by the two medians: a step that lasts shows here, a peak does not."""

    @property
    def most(self) -> float:
        """Growth in an hour that cannot be ruled out."""
        return max(self.slope + ERRORS * self.error, self.stepped)

    @property
    def most_share(self) -> float:
        """The same as a share of what is held; 0 where nothing is."""
        return self.most / self.held if self.held else 0.0

    def verdict(self, seconds: float) -> Verdict:
        """By `FLAT_SHARE`, for a run of so many seconds."""
        if seconds < LEAST_MINUTES * 60:
            return Verdict.TOO_SHORT
        return Verdict.FLAT if self.most_share < FLAT_SHARE else Verdict.GROWS


def trend_of(times_s: Sequence[float], values: Sequence[float], seconds: float) -> Trend:
    """The trend of what was seen at these times of a run of so many seconds; no growth by too few samples."""
    begin = WARM_SHARE * seconds
    warm = [(at, value) for at, value in zip(times_s, values, strict=True) if at >= begin]
    third = (seconds - begin) / 3
    early = [(at, value) for at, value in warm if at < begin + third]
    late = [(at, value) for at, value in warm if at >= seconds - third]
    held = median([value for _, value in warm] or values or [0.0])
    if len({at for at, _ in warm}) < 2 or not early or not late:
        return Trend(held, held, held, 0.0, 0.0, 0.0)
    (began, first), (ended, last) = _middle(early), _middle(late)
    slope, intercept = linear_regression(*zip(*warm, strict=True))
    return Trend(
        held=held,
        early=first,
        late=last,
        slope=slope * HOUR_S,
        error=_error(warm, slope, intercept) * HOUR_S,
        stepped=(last - first) / (ended - began) * HOUR_S,
    )


def _middle(points: Sequence[tuple[float, float]]) -> tuple[float, float]:
    """Median time and median value."""
    return median(at for at, _ in points), median(value for _, value in points)


def _error(points: Sequence[tuple[float, float]], slope: float, intercept: float) -> float:
    """The standard error of a least-squares slope; 0 for a line through two points."""
    if len(points) < 3:
        return 0.0
    middle = sum(at for at, _ in points) / len(points)
    left = sum((value - intercept - slope * at) ** 2 for at, value in points)
    spread = sum((at - middle) ** 2 for at, _ in points)
    return math.sqrt(left / (len(points) - 2) / spread)
