"""What completions were worth: events come back from their lines, and are counted."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from bowerbird.meter import (
    Event,
    Nothing,
    Shown,
    Survived,
    as_line,
    from_line,
    percentile,
    shown_of,
    source_of,
    summarize,
)
from bowerbird.trace import HitTrace, IterationTrace, PlacedTrace, Reason, Trace

ITERATION = IterationTrace("the query", (), "the prompt", 100, 60, 40, 7, "x\ny", "end", 1.0, 2.0, 3.0, 4.0)
TRACE = Trace(
    "secret/name.py",
    3,
    4,
    "rag",
    "nestling",
    Reason.OK,
    (ITERATION, ITERATION),
    text="x\ny",
    total_ms=50.0,
    asked_at=900.0,
    language="python",
    debounce_ms=20.0,
    wait_ms=5.0,
)
SHOWN = Shown(1000.0, "python", "workspace", "written", 80.0, 20, 1, 60, 40, 7)
EVENTS: list[Event] = [
    SHOWN,
    replace(SHOWN, at=1100.0, accepted="whole", accepted_characters=20, accepts=1, latency_ms=100.0),
    replace(
        SHOWN, accepted="word", accepted_characters=9, accepts=2, source="workspace+docs", latency_ms=10.0
    ),
    replace(SHOWN, language="ring", carried="cache", latency_ms=1.0, tokens_reused=0, tokens_evaluated=0),
    Survived(1130.0, "python", "workspace", "written", "30s", 18, 18),
    Survived(1130.0, "python", "workspace+docs", "written", "30s", 6, 0),
    Survived(1220.0, "python", "workspace", "written", "2m", 18, 9),
    Nothing(1300.0, "python", "empty", 3),
    Nothing(1310.0, "ring", "empty", 1),
    Nothing(1310.0, "ring", "time", 2),
]


def test_a_suggestion_is_measured_by_its_trace() -> None:
    """All the time that the user waited, the tokens of all rounds, and no word of the code."""
    shown = shown_of(TRACE)

    assert shown == Shown(900.0, "python", "in-file", "written", 75.0, 3, 2, 120, 80, 14)
    assert not {"secret", "query", "prompt", "x\ny"} & set(
        json.dumps(as_line(shown)).replace("/", '"').split('"')
    )


def test_a_carried_answer_cost_no_tokens() -> None:
    """The request that it was written for has them."""
    shown = shown_of(replace(TRACE, carried="speculative"))

    assert (shown.carried, shown.source) == ("speculative", "in-file")
    assert (shown.tokens_reused, shown.tokens_evaluated, shown.tokens_generated) == (0, 0, 0)


@pytest.mark.parametrize(
    ("hits", "placed", "source"),
    [
        ([], [], "in-file"),
        ([("window", "budget")], [], "in-file"),
        ([("window", "prompt")], [], "workspace"),
        ([("entity", "prompt"), ("window", "budget")], [], "docs"),
        ([("entity", "prompt"), ("window", "prompt")], [], "workspace+docs"),
        ([("entity", "prompt")], ["window", "example"], "workspace+docs"),
        ([("window", "secret")], ["window"], "workspace"),
        ([("message", "prompt")], [], "message"),
    ],
)
def test_sources_of_context(hits: list[tuple[str, str]], placed: list[str], source: str) -> None:
    """What the last prompt showed beside the file; what stayed from an earlier completion counts."""
    found = tuple(HitTrace("a", "1-2", 0.5, "jaccard", fate, kind) for kind, fate in hits)
    snippets = tuple(PlacedTrace("a", "1-2", kind=kind) for kind in placed)
    last = replace(ITERATION, hits=found, snippets=snippets)

    assert source_of(replace(TRACE, iterations=(ITERATION, last))) == source


def test_an_answer_without_iterations_has_no_known_source() -> None:
    """Such as one of a server that does not say."""
    assert source_of(replace(TRACE, iterations=())) == "unknown"


@pytest.mark.parametrize("event", EVENTS)
def test_events_come_back_from_their_lines(event: Event) -> None:
    """Through JSON."""
    assert from_line(json.loads(json.dumps(as_line(event)))) == event


@pytest.mark.parametrize("line", [{}, {"event": "shown"}, {"event": "hidden"}, {"event": ["shown"]}])
def test_other_lines_are_no_events(line: dict[str, object]) -> None:
    """Damaged, or of another time."""
    with pytest.raises(ValueError, match=r"not an event|has a"):
        from_line(line)


def test_all_is_counted() -> None:
    """As a whole, and by language, source and origin, the most shown first."""
    told = summarize(EVENTS).as_json()

    assert (told["first"], told["last"]) == (1000.0, 1310.0)
    assert told["total"] == {
        "shown": 4,
        "accepted": 2,
        "accepted_share": 0.5,
        "whole": 1,
        "line": 0,
        "word": 1,
        "survived_share": {"30s": 0.75, "2m": 0.5},
        "keys_saved": 26,
        "tokens_reused": 180,
        "tokens_evaluated": 120,
        "tokens_generated": 28,
        "latency_ms": {"p50": 10.0, "p90": 100.0, "p99": 100.0},
    }
    assert {name: tally["shown"] for name, tally in told["by_language"].items()} == {"python": 3, "ring": 1}
    assert list(told["by_source"]) == ["workspace", "workspace+docs"]
    assert told["by_source"]["workspace+docs"]["survived_share"] == {"30s": 0.0}
    assert told["by_origin"]["cache"]["latency_ms"]["p50"] == 1.0
    assert told["nothing"] == {"empty": 4, "time": 2}


def test_only_what_happened_since() -> None:
    """A time in between leaves the older events out."""
    summary = summarize(EVENTS, since=1100.0)

    assert (summary.total.shown, summary.total.accepted.total()) == (1, 1)
    assert summary.nothing.total() == 6


def test_nothing_counted_has_no_shares() -> None:
    """Nor percentiles; nothing is divided by zero."""
    total = summarize([]).as_json()["total"]

    assert (total["shown"], total["accepted_share"], total["survived_share"]) == (0, None, {})
    assert total["latency_ms"] == {"p50": None, "p90": None, "p99": None}


@pytest.mark.parametrize(
    ("count", "percent", "expected"),
    [(1, 50, 1), (1, 99, 1), (2, 50, 1), (100, 90, 90), (1000, 99, 990), (3, 50, 2)],
)
def test_percentiles_are_of_the_nearest_rank(count: int, percent: int, expected: int) -> None:
    """Always one of the values."""
    assert percentile([float(n) for n in range(count, 0, -1)], percent) == expected
