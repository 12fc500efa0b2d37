"""Traces and completions as people see them on a terminal."""

from __future__ import annotations

from io import StringIO

from rich.console import Console, RenderableType

from bowerbird.cli.code_view import code_view
from bowerbird.cli.trace_view import trace_view
from bowerbird.text import Position
from bowerbird.trace import HitTrace, IterationTrace, Reason, Trace

HITS = (
    HitTrace("shop/prices.py", "1-20", 0.41666, "jaccard", "prompt"),
    HitTrace("shop/[odd].py", "11-30", 0.25, "jaccard", "budget"),
)
ITERATION = IterationTrace(
    query="one\ntwo\nthree\nfour\nfive",
    hits=HITS,
    prompt="<|repo_name|>shop\n[bold]not markup[/bold]",
    prompt_tokens=900,
    tokens_reused=800,
    tokens_evaluated=100,
    tokens_generated=64,
    prediction="total()\n",
    stopped="length",
    retrieve_ms=0.31,
    pack_ms=1.2,
    evaluate_ms=23.4,
    generate_ms=40.6,
)
TRACE = Trace(
    name="shop/cart.py",
    line=12,
    column=9,
    mode="repocoder",
    model="nestling",
    reason=Reason.OK,
    iterations=(ITERATION, ITERATION),
    trimmed=("repeated-suffix: ')'",),
    text="total()",
    total_ms=84.2,
)


def rendered(view: RenderableType) -> str:
    console = Console(width=120, file=StringIO())
    console.print(view)
    output = console.file
    assert isinstance(output, StringIO)
    return output.getvalue()


def test_a_trace_in_short_has_windows_tokens_and_times() -> None:
    """Where, what was found and what became of it, tokens reused and evaluated, times, what was trimmed."""
    text = rendered(trace_view(TRACE.as_json()))

    for told in (
        "shop/cart.py:12:9",
        "repocoder, nestling, 84 ms: A completion was shown. [ok]",
        "iteration 2",
        "0.417",
        "shop/prices.py:1-20",
        "left out: 1 by budget",
        "900 tokens, 800 reused, 100 evaluated in 23 ms",
        "64 tokens in 41 ms, stopped by length; retrieval 0.3 ms, packing 1.2 ms",
        "repeated-suffix: ')'",
    ):
        assert told in text
    assert "five" in text
    assert "two" not in text
    assert "<|repo_name|>" not in text


def test_a_full_trace_has_the_exact_prompt() -> None:
    """The whole query, prompt and prediction; what looks like markup stays as it is."""
    text = rendered(trace_view(TRACE.as_json(), full=True))

    for told in ("shop/[odd].py:11-30", "two", "<|repo_name|>shop", "[bold]not markup[/bold]", "total()"):
        assert told in text


def test_a_trace_without_iterations_says_why() -> None:
    """An empty answer has its reason, in words and as a code."""
    text = rendered(trace_view(Trace("a.py", 1, 1, "in-file", "", Reason.ENGINE_MISSING).as_json()))

    assert "no model" in text
    assert "Neither llama-cpp-python nor a llama-server was found. [engine-missing]" in text


def test_a_completion_stands_in_its_code() -> None:
    """Lines before with their numbers, the completion at the cursor, a little behind it."""
    code = "\n".join(f"line {number}" for number in range(1, 21))

    text = rendered(code_view(code, Position(14, 4), "[x]\nmore"))

    assert text.splitlines() == [
        *(f"{number:>2}  line {number}" for number in range(7, 15)),
        "15  line[x]",
        "    more 15",
        "16  line 16",
        "17  line 17",
    ]


def test_code_at_the_edges_of_a_file() -> None:
    """The first and only line has nothing around it; an empty file is no reason to fail."""
    assert rendered(code_view("", Position(0, 0), "x")).splitlines() == ["1  x"]
