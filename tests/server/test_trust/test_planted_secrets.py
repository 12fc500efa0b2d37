"""A secret in any source of context is never sent, logged or kept."""

from __future__ import annotations

import asyncio

import pytest
from planted import MARKS, SECRETS, Left, session

SINKS = ("remote", "prompts", "log", "cache", "state", "data")
BY_INTENT = {
    ("environment", "remote"): "the key of the very server",
    ("pack", "data"): "where it was planted",
    ("soup", "data"): "where it was planted",
}


@pytest.fixture(scope="module")
def left(tmp_path_factory: pytest.TempPathFactory) -> Left:
    """What one session with all of them left."""
    return asyncio.run(session(tmp_path_factory.mktemp("home").resolve()))


@pytest.mark.parametrize("sink", SINKS)
@pytest.mark.parametrize("source", SECRETS)
def test_it_stays_where_it_is(left: Left, source: str, sink: str) -> None:
    """Neither whole nor in the half before a cursor in its midst."""
    if (source, sink) in BY_INTENT:
        return
    secret, text = SECRETS[source].encode(), left.sinks[sink]
    assert secret not in text
    if source == "cut by the cursor":
        assert secret[:20] not in text


@pytest.mark.parametrize("source", MARKS)
def test_the_source_was_drawn_upon(left: Left, source: str) -> None:
    """What stands beside the secret did reach the model, so the silence above means something."""
    assert MARKS[source].encode() in left.sinks["remote"]


def test_every_sink_was_written_to(left: Left) -> None:
    """An empty sink would hold no secret either."""
    for sink in ("remote", "prompts", "log", "cache", "state"):
        assert left.sinks[sink], sink
