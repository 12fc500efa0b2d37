"""JSON as frozen dataclasses: what fits comes back as it was, what does not is a `ValueError`."""

from __future__ import annotations

import json
from typing import Any

import pytest

from bowerbird.structure import structure
from bowerbird.trace import HitTrace, IterationTrace, PlacedTrace, Reason, Trace

MISFITS = "^not a|is not a valid|has a|is an object"
HIT = HitTrace("a.py", "1-2", 1.0, "jaccard", "prompt")
ITERATION = IterationTrace(
    "q", (HIT, HIT), "p", 1, 2, 3, 4, "x", "end", 1.0, 2.0, 3.0, 4.0, (PlacedTrace("a", "1"),)
)
TRACE = Trace("a.py", 1, 2, "rag", "m", Reason.TIME, (ITERATION,), ("looping: 'x'",), "text", 3.5)
DATA = json.loads(json.dumps(TRACE.as_json()))


def test_a_trace_comes_back_as_it_was() -> None:
    """Through JSON and back; what `as_json` adds is left out again."""
    assert structure(Trace, DATA) == TRACE


def test_what_an_older_server_did_not_know_has_its_default() -> None:
    """Fields with a default may be missing, and whole numbers are numbers."""
    data = {
        "name": "a",
        "line": 1,
        "column": 1,
        "mode": "",
        "model": "",
        "reason": "ok",
        "total_ms": 3,
        "new": 1,
    }

    assert structure(Trace, data) == Trace("a", 1, 1, "", "", Reason.OK, total_ms=3.0)


@pytest.mark.parametrize(
    ("name", "wrong"),
    [
        ("line", "1"),
        ("line", True),
        ("line", 1.5),
        ("name", None),
        ("reason", "boredom"),
        ("reason", ["ok"]),
        ("total_ms", float("nan")),
        ("total_ms", float("inf")),
        ("total_ms", True),
        ("total_ms", 10**400),
        ("total_ms", 1e300),
        ("line", -(10**400)),
        ("iterations", {}),
        ("iterations", [1]),
        ("iterations", [{}]),
        ("trimmed", "text"),
        ("trimmed", [1]),
    ],
)
def test_what_does_not_fit_is_an_error(name: str, wrong: Any) -> None:
    """Nothing is guessed: a view would stumble over it later."""
    with pytest.raises(ValueError, match=MISFITS):
        structure(Trace, {**DATA, name: wrong})


@pytest.mark.parametrize("wrong", [None, 1, "x", [], {}])
def test_other_things_are_errors(wrong: Any) -> None:
    """A line of a damaged file may hold any JSON."""
    with pytest.raises(ValueError, match=MISFITS):
        structure(Trace, wrong)
