"""Traces: where the time went, where snippets stand, what must not be kept."""

from __future__ import annotations

from dataclasses import replace

from bowerbird.trace import HitTrace, IterationTrace, PlacedTrace, Reason, Step, Trace, locate, masked

ITERATION = IterationTrace(
    query="password = 'hunter2'",
    hits=(HitTrace("a.py", "1-2", 0.5, "jaccard", "prompt"),),
    prompt="the prompt",
    prompt_tokens=9,
    tokens_reused=4,
    tokens_evaluated=5,
    tokens_generated=2,
    prediction="x",
    stopped="end",
    retrieve_ms=1.0,
    pack_ms=0.0,
    evaluate_ms=20.0,
    generate_ms=10.0,
)
TRACE = Trace("a.py", 1, 1, "rag", "nestling", Reason.OK, (ITERATION,), total_ms=35.0, debounce_ms=75.0)


def test_the_steps_are_the_whole_time() -> None:
    """In order, without those that took none; what no step accounts for is said too."""
    assert TRACE.steps == (
        Step("debounce", 0, 75.0),
        Step("retrieve", 1, 1.0),
        Step("evaluate", 1, 20.0),
        Step("generate", 1, 10.0),
        Step("other", 0, 4.0),
    )


def test_an_earlier_answer_took_no_steps_now() -> None:
    """Its iterations ran for another request."""
    assert replace(TRACE, carried="cache", debounce_ms=0.0, total_ms=0.4).steps == (Step("other", 0, 0.4),)


def test_a_message_says_more_than_the_reason() -> None:
    """And the reason's own sentence stands in where there is none."""
    assert TRACE.sentence == "A completion was shown."
    assert replace(TRACE, message="It went well.").as_json()["sentence"] == "It went well."


def test_snippets_are_found_in_order() -> None:
    """Two alike stand one behind the other; one that the prompt shows otherwise has no place."""
    snippets = [PlacedTrace(name, "1-2") for name in "abc"]

    placed = locate("<a>\nx = 1\n<b>\nx = 1\n", zip(snippets, ["x = 1", "x = 1", "# y"], strict=True))

    assert [(snippet.name, snippet.start, snippet.end) for snippet in placed] == [
        ("a", 4, 9),
        ("b", 14, 19),
        ("c", 0, 0),
    ]


def test_a_kept_trace_has_no_secrets() -> None:
    """Queries are the code as it is; prompts were masked when they were made."""
    kept = masked(TRACE, lambda text: text.replace("hunter2", "*******"))

    assert "hunter2" not in str(kept)
    assert kept.iterations[0].prompt == "the prompt"
