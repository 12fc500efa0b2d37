"""What completions were worth: how many were shown, taken and kept, by language and by source of context.

Only counts, lengths, times and the names of languages: nothing that anybody wrote.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass, field
from typing import Any

from bowerbird.structure import structure
from bowerbird.trace import IN_PROMPT, IterationTrace, Trace

SOURCES = {"window": "workspace", "entity": "docs", "example": "docs"}
"""Where each kind of snippet comes from."""

IN_FILE = "in-file"
UNKNOWN = "unknown"
WRITTEN = "written"
WHOLE, LINE, WORD = "whole", "line", "word"
PERCENTILES = (50, 90, 99)


@dataclass(frozen=True, slots=True)
class Shown:
    """A suggestion that was shown, and what became of it."""

    at: float
    """When it was shown, in seconds since 1970."""
    language: str
    source: str
    """See `source_of`."""
    carried: str
    """As in `Trace`, or ``written``."""
    latency_ms: float
    characters: int
    lines: int
    tokens_reused: int = 0
    tokens_evaluated: int = 0
    tokens_generated: int = 0
    accepted: str = ""
    """How it was first taken: ``whole``, by the ``line`` or by the ``word``; empty where it was not."""
    accepted_characters: int = 0
    accepts: int = 0
    """In how many pieces it was taken: a key each."""


@dataclass(frozen=True, slots=True)
class Survived:
    """How much of something that was taken still stood some time later."""

    at: float
    language: str
    source: str
    carried: str
    after: str
    """``30s``, ``2m`` or ``save``."""
    characters: int
    """Of what was taken, white space not counted."""
    kept: int


@dataclass(frozen=True, slots=True)
class Nothing:
    """Answers without a suggestion, for one reason."""

    at: float
    language: str
    reason: str
    count: int


Event = Shown | Survived | Nothing
KINDS: dict[str, type[Event]] = {"shown": Shown, "survived": Survived, "nothing": Nothing}
NAMES = {kind: name for name, kind in KINDS.items()}


def as_line(event: Event) -> dict[str, Any]:
    """`event` as it is kept."""
    return {"event": NAMES[type(event)], **asdict(event)}


def from_line(line: dict[str, Any]) -> Event:
    """The event in a line; `ValueError` where there is none."""
    kind = KINDS.get(str(line.get("event")))
    if kind is None:
        raise ValueError("not an event")
    return structure(kind, line)


def shown_of(trace: Trace) -> Shown:
    """The suggestion that `trace` ended with."""
    written = () if trace.carried else trace.iterations
    return Shown(
        at=trace.asked_at,
        language=trace.language,
        source=source_of(trace),
        carried=trace.carried or WRITTEN,
        latency_ms=trace.latency_ms,
        characters=len(trace.text),
        lines=trace.text.count("\n") + 1,
        tokens_reused=sum(iteration.tokens_reused for iteration in written),
        tokens_evaluated=sum(iteration.tokens_evaluated for iteration in written),
        tokens_generated=sum(iteration.tokens_generated for iteration in written),
    )


def source_of(trace: Trace) -> str:
    """Where the last prompt's snippets came from: ``in-file`` (none), ``workspace``, ``docs``, or both."""
    if not trace.iterations:
        return UNKNOWN
    sources = {SOURCES.get(kind, kind) for kind in _kinds(trace.iterations[-1])}
    return "+".join(sorted(sources, reverse=True)) or IN_FILE


def _kinds(iteration: IterationTrace) -> set[str]:
    shown = {snippet.kind for snippet in iteration.snippets}
    return shown or {hit.kind for hit in iteration.hits if hit.fate == IN_PROMPT}


@dataclass(slots=True)
class Tally:
    """What some suggestions were worth together."""

    shown: int = 0
    accepted: Counter[str] = field(default_factory=Counter)
    """By `Shown.accepted`."""
    keys_saved: int = 0
    """Characters that were taken, less a key for each time."""
    tokens_reused: int = 0
    tokens_evaluated: int = 0
    tokens_generated: int = 0
    latencies_ms: list[float] = field(default_factory=list)
    kept: Counter[str] = field(default_factory=Counter)
    """Characters that survived, by `Survived.after`; `taken` has those that could have."""
    taken: Counter[str] = field(default_factory=Counter)

    def add(self, event: Shown | Survived) -> None:
        """Count `event`."""
        if isinstance(event, Survived):
            self.kept[event.after] += event.kept
            self.taken[event.after] += event.characters
            return
        self.shown += 1
        if event.accepted:
            self.accepted[event.accepted] += 1
        self.keys_saved += event.accepted_characters - event.accepts
        self.tokens_reused += event.tokens_reused
        self.tokens_evaluated += event.tokens_evaluated
        self.tokens_generated += event.tokens_generated
        self.latencies_ms.append(event.latency_ms)

    def as_json(self) -> dict[str, Any]:
        """Shares in [0, 1]; null where nothing was counted."""
        return {
            "shown": self.shown,
            "accepted": self.accepted.total(),
            "accepted_share": _share(self.accepted.total(), self.shown),
            **{how: self.accepted[how] for how in (WHOLE, LINE, WORD)},
            "survived_share": {after: _share(self.kept[after], self.taken[after]) for after in self.taken},
            "keys_saved": self.keys_saved,
            "tokens_reused": self.tokens_reused,
            "tokens_evaluated": self.tokens_evaluated,
            "tokens_generated": self.tokens_generated,
            "latency_ms": {f"p{percent}": percentile(self.latencies_ms, percent) for percent in PERCENTILES},
        }


@dataclass(slots=True)
class Summary:
    """All that was counted, as a whole and in parts."""

    total: Tally = field(default_factory=Tally)
    by_language: dict[str, Tally] = field(default_factory=lambda: defaultdict(Tally))
    by_source: dict[str, Tally] = field(default_factory=lambda: defaultdict(Tally))
    by_origin: dict[str, Tally] = field(default_factory=lambda: defaultdict(Tally))
    """Written for the request, or carried, and from where."""
    nothing: Counter[str] = field(default_factory=Counter)
    """Answers without a suggestion, by reason."""
    first: float = 0.0
    last: float = 0.0
    """When the first and the last event happened."""

    def as_json(self) -> dict[str, Any]:
        """For ``--json``."""
        parts = {name: getattr(self, name) for name in PARTS}
        return {
            "first": self.first,
            "last": self.last,
            "total": self.total.as_json(),
            **{
                name: {key: tally.as_json() for key, tally in _most_first(part)}
                for name, part in parts.items()
            },
            "nothing": dict(self.nothing.most_common()),
        }


PARTS: dict[str, Callable[[Shown | Survived], str]] = {
    "by_language": lambda event: event.language or UNKNOWN,
    "by_source": lambda event: event.source,
    "by_origin": lambda event: event.carried,
}
"""Each part of a `Summary`, and where in it an event counts."""


def summarize(events: Iterable[Event], since: float = 0.0) -> Summary:
    """Count all that happened since a time."""
    summary = Summary()
    for event in events:
        if event.at < since:
            continue
        summary.first = min(summary.first or event.at, event.at)
        summary.last = max(summary.last, event.at)
        if isinstance(event, Nothing):
            summary.nothing[event.reason] += event.count
            continue
        summary.total.add(event)
        for name, key_of in PARTS.items():
            getattr(summary, name)[key_of(event)].add(event)
    return summary


def percentile(values: Iterable[float], percent: int) -> float | None:
    """The nearest rank: the smallest of `values` that so many in a hundred do not exceed."""
    ordered = sorted(values)
    return ordered[max(0, -(-len(ordered) * percent // 100) - 1)] if ordered else None


def _most_first(part: dict[str, Tally]) -> list[tuple[str, Tally]]:
    return sorted(part.items(), key=lambda item: (-item[1].shown, item[0]))


def _share(part: int, whole: int) -> float | None:
    return round(part / whole, 4) if whole else None
