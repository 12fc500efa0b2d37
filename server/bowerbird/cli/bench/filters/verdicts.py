"""Did a filter help? What is shown with it and without it, each beside as many true lines.

Of a text that is all wrong a shorter beginning is now more, now less like the truth. Hence a second
measure beside similarity: what is shown is worth its lines, each by how much more alike it is than unlike.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field

from bowerbird.cli.bench.filters.predictions import Written
from bowerbird.cli.bench.repoeval.metrics import edit_similarity, visible_lines
from bowerbird.completion.finish import DEFAULT, FILTERS, Finished, finished

HALF = 0.5  # so much is nothing worth: what is more alike than unlike saves work, what is less so costs some
NEGLIGIBLE = 0.05  # a difference in similarity that nobody would see


@dataclass(slots=True)
class Tally:
    """The firings of a filter: how often it changed what is shown, and to what end."""

    fired: int = 0
    helped: int = 0
    harmed: int = 0
    difference: float = 0.0
    """Sum over the firings: edit similarity with the filter, less without it."""
    lines_gained: float = 0.0
    """Sum over the firings: what is shown with the filter is `worth`, less without it."""
    true_lines_lost: int = 0
    """Lines just as they were in the truth, shown without the filter and not with it."""

    @property
    def neutral(self) -> int:
        """Firings after which the text was neither more nor less like the truth."""
        return self.fired - self.helped - self.harmed

    @property
    def mean(self) -> float:
        """Mean difference of a firing; 0 without any."""
        return self.difference / self.fired if self.fired else 0.0

    def add(self, one: Finished, other: Finished, written: Written) -> None:
        """Count the text `one`, which the filter had a part in, against `other`."""
        if one.edit == other.edit:
            return
        difference = similarity(one, written) - similarity(other, written)
        self.fired += 1
        self.helped += difference > NEGLIGIBLE
        self.harmed += difference < -NEGLIGIBLE
        self.difference += difference
        self.lines_gained += worth(one, written) - worth(other, written)
        self.true_lines_lost += max(0, _true_lines(other, written) - _true_lines(one, written))


@dataclass(slots=True)
class Record:
    """One filter, over all predictions."""

    name: str
    alone: Tally = field(default_factory=Tally)
    """The filter against none at all."""
    among: Tally = field(default_factory=Tally)
    """The filter and all others that are on by default, against those others."""
    spoiled: int = 0
    """Holes whose very truth would be shown, were it not for the filter."""


def similarity(shown: Finished, written: Written) -> float:
    """Edit similarity of what stands there after accepting, beside as many lines of the truth."""
    if not shown.text.strip():
        return HALF
    return edit_similarity(written.hole.truth, _accepted(shown, written))  # the truth is cut to the shown


def worth(shown: Finished, written: Written) -> float:
    """Lines gained for the user by showing this, negative where they are mostly wrong."""
    return (similarity(shown, written) - HALF) * len(visible_lines(shown.text))


def judge(predictions: Sequence[Written]) -> tuple[list[Record], dict[str, float]]:
    """A record for each filter, and the mean similarity without any, with the default ones, and with all."""
    records = [Record(name) for name in FILTERS]
    sets = {"none": (), "default": DEFAULT, "all": tuple(FILTERS)}
    means = dict.fromkeys(sets, 0.0)
    for written in predictions:
        for name, names in sets.items():
            means[name] += similarity(_shown(written, names), written) / len(predictions)
        nothing = _shown(written, ())
        for record in records:
            others = [name for name in DEFAULT if name != record.name]
            record.alone.add(_shown(written, [record.name]), nothing, written)
            record.spoiled += _spoils(record.name, others, written)
            record.among.add(_shown(written, [*others, record.name]), _shown(written, others), written)
    return records, means


def _shown(written: Written, names: Collection[str]) -> Finished:
    return finished(written.prediction, written.draft, names)


def _spoils(name: str, others: Collection[str], written: Written) -> bool:
    """Would the truth be shown as it is by the `others`, and not with this filter?"""
    truth = Written(written.hole, written.hole.truth, "end")
    return _passes(truth, others) and not _passes(truth, [*others, name])


def _passes(written: Written, names: Collection[str]) -> bool:
    shown = _shown(written, names)
    return written.prediction.rstrip() in (shown.text.rstrip(), _accepted(shown, written).rstrip())


def _accepted(shown: Finished, written: Written) -> str:
    """The text in the hole, with what is left of the editor's closers."""
    return shown.text + written.hole.closers[shown.replaces_behind :]


def _true_lines(shown: Finished, written: Written) -> int:
    if not shown.text:
        return 0
    pairs = zip(visible_lines(_accepted(shown, written)), visible_lines(written.hole.truth), strict=False)
    return sum(one == other for one, other in pairs)
