"""Traces -> one HTML page that stands alone: no script, nothing fetched, all that is quoted escaped."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime

from bowerbird.explanation.look import STYLE
from bowerbird.explanation.parts import bar, code, folded, hit_table, origin_colours, prompt_view, text
from bowerbird.trace import IterationTrace, Trace

TITLE = "Why Bowerbird answered as it did"
POLICY = "default-src 'none'; style-src 'unsafe-inline'"
"""Should anything of the quoted text ever become more than text, the browser still loads and runs nothing."""

CARRIED = {
    "cache": "carried over from an earlier answer",
    "speculative": "written ahead, before it was asked for",
    "running": "taken over from the request before, which was still being written",
}


def page(traces: Sequence[Trace]) -> str:
    """The page, in the order of `traces`."""
    return "\n".join(_page(traces)) + "\n"


def clock_time(seconds: float) -> str:
    """A moment as people write it, in this machine's time zone; empty where nobody knows it."""
    try:
        return datetime.fromtimestamp(seconds).astimezone().strftime("%Y-%m-%d %H:%M:%S") if seconds else ""
    except (OverflowError, OSError, ValueError):
        return ""


def _page(traces: Sequence[Trace]) -> Iterator[str]:
    yield '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">'
    yield f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">'
    yield '<meta name="viewport" content="width=device-width, initial-scale=1">'
    yield f"<title>{TITLE}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n<main>\n<h1>{TITLE}</h1>"
    if not traces:
        yield "<p>Nothing has been completed yet.</p>"
    if len(traces) > 1:
        yield '<nav aria-label="Completions"><ol>'
        for number, trace in enumerate(traces, start=1):
            yield f'<li><a href="#completion-{number}">{text(_place(trace))}</a> {_outcome(trace)}</li>'
        yield "</ol></nav>"
    for number, trace in enumerate(traces, start=1):
        yield from _article(trace, number)
    yield "</main>\n</body>\n</html>"


def _article(trace: Trace, number: int) -> Iterator[str]:
    name = f"completion-{number}"
    yield f'<article id="{name}" aria-labelledby="{name}-title">'
    yield f'<h2 id="{name}-title">{text(_place(trace))}</h2>'
    yield f"<p>{_outcome(trace)}: {text(trace.sentence)}</p>"
    yield f'<p class="facts">{text(" · ".join(_facts(trace)))}</p>'
    if trace.text:
        yield f"<h3>Shown</h3>{code(trace.text)}"
    if trace.trimmed:
        yield "<h3>Taken away by filters</h3><ul>"
        yield from (f"<li><code>{text(taken)}</code></li>" for taken in trace.trimmed)
        yield "</ul>"
    if steps := trace.steps:
        yield "<h3>Time</h3>"
        parts = [(_step_name(step.name, step.iteration), step.name, step.ms) for step in steps]
        yield from bar("Time", "ms", parts)
    colours = origin_colours(trace.iterations)
    for round_number, iteration in enumerate(trace.iterations, start=1):
        yield from _round(iteration, round_number, colours)
    yield "</article>"


def _round(iteration: IterationTrace, number: int, colours: dict[str, str]) -> Iterator[str]:
    yield f"<section><h3>Round {number}</h3>"
    lines = iteration.query.count("\n") + 1
    yield from folded(f"Query, {lines} lines", [code(iteration.query)])
    if iteration.hits:
        yield from hit_table(iteration.hits, number)
    else:
        yield "<p>Nothing was found, or nothing was looked for.</p>"
    tokens = {
        "reused": iteration.tokens_reused,
        "evaluated": iteration.tokens_evaluated,
        "generated": iteration.tokens_generated,
    }
    yield from bar("Tokens", "tokens", [(name, name, count) for name, count in tokens.items()])
    yield from folded(f"Prompt, {iteration.prompt_tokens:,} tokens", [prompt_view(iteration, colours)])
    written = f"Prediction, stopped by {iteration.stopped}"
    yield from folded(written, [code(iteration.prediction)], is_open=True)
    yield "</section>"


def _outcome(trace: Trace) -> str:
    shown = " shown" if trace.text else ""
    told = f"{trace.total_ms:.0f} ms" if trace.total_ms else "at once"
    return f'<span class="reason{shown}">{text(trace.reason.value)}</span>, {told}'


def _place(trace: Trace) -> str:
    return f"{trace.name}:{trace.line}:{trace.column}"


def _facts(trace: Trace) -> Iterator[str]:
    """What else is known, where it is."""
    yield from filter(None, (clock_time(trace.asked_at), trace.language, trace.mode))
    yield trace.model or "no model"
    yield "asked for by a key" if trace.invoked else "asked for by the editor"
    if trace.carried:
        yield CARRIED.get(trace.carried, trace.carried)


def _step_name(name: str, iteration: int) -> str:
    return f"{name} (round {iteration})" if iteration else name
