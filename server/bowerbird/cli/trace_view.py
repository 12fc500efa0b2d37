"""A trace for people: what was asked, what was found, what the model was given, and what all that took."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from bowerbird.explanation.page import clock_time
from bowerbird.explanation.visible import visible
from bowerbird.trace import IN_PROMPT

QUERY_LINES_SHOWN = 3
BAR_COLUMNS = 60
NO_BREAK = "\N{NO-BREAK SPACE}"
STEP_STYLES = {
    "debounce": "bright_black",
    "wait": "white",
    "retrieve": "green",
    "pack": "yellow",
    "evaluate": "blue",
    "generate": "magenta",
    "other": "bright_black",
}


def trace_view(trace: Mapping[str, Any], full: bool = False) -> RenderableType:
    """`trace` as `Trace.as_json` gives it; with `full` the whole queries, prompts and predictions."""
    parts: list[RenderableType] = [_headline(trace), *_circumstances(trace)]
    for number, iteration in enumerate(trace["iterations"], start=1):
        parts.append(Text(f"iteration {number}", style="bold"))
        parts += (Padding(part, (0, 0, 0, 2)) for part in _iteration(iteration, full))
    parts += (Text(f"trimmed by {visible(taken)}", style="dim") for taken in trace["trimmed"])
    if trace.get("steps"):
        parts.append(_bar(trace["steps"]))
    return Group(*parts)


def _headline(trace: Mapping[str, Any]) -> Text:
    place = visible(f"{trace['name']}:{trace['line']}:{trace['column']}")
    told = f"{trace['mode']}, {trace['model'] or 'no model'}, {trace['total_ms']:.0f} ms: {trace['sentence']}"
    return Text.assemble((place, "bold"), f"  {told}", f" [{trace['reason']}]")


def _circumstances(trace: Mapping[str, Any]) -> Iterator[Text]:
    """When it was asked for, and whether the answer is an earlier one."""
    told = [clock_time(trace.get("asked_at", 0.0)), trace.get("language", "")]
    if trace.get("carried"):
        told.append(f"carried: {trace['carried']}")
    told.append(trace.get("vectors", ""))
    if any(told):
        yield Text(", ".join(filter(None, told)), style="dim")


def _bar(steps: Sequence[Mapping[str, Any]]) -> Text:
    """Where the time went: a bar, and what its parts are."""
    total_ms = sum(step["ms"] for step in steps)
    bar, legend = Text("time "), Text("     ")
    for step in steps:
        style = STEP_STYLES.get(step["name"], "")
        bar.append("█" * max(1, round(BAR_COLUMNS * step["ms"] / total_ms)), style=style)
        number = f" {step['iteration']}" if step["iteration"] else ""
        told = f" {step['name']}{number} {step['ms']:.1f}"
        legend.append("■", style=style).append(told.replace(" ", NO_BREAK)).append("  ")
    return Text.assemble(bar, f" {total_ms:.0f} ms\n", legend)


def _iteration(iteration: Mapping[str, Any], full: bool) -> Iterator[RenderableType]:
    yield _lines("query", iteration["query"], full)
    hits = iteration["hits"]
    shown = [hit for hit in hits if full or hit["fate"] == IN_PROMPT]
    if shown:
        yield _windows(shown)
    if len(shown) < len(hits):
        fates = Counter(hit["fate"] for hit in hits if hit["fate"] != IN_PROMPT)
        left_out = ", ".join(f"{count} by {fate}" for fate, count in fates.items())
        yield Text(f"left out: {left_out}", style="dim")
    yield Text(
        f"prompt: {iteration['prompt_tokens']} tokens, {iteration['tokens_reused']} reused, "
        f"{iteration['tokens_evaluated']} evaluated in {iteration['evaluate_ms']:.0f} ms"
    )
    if full:
        yield Padding(Text(visible(iteration["prompt"]), style="dim"), (0, 0, 0, 2))
    yield Text(
        f"prediction: {iteration['tokens_generated']} tokens in {iteration['generate_ms']:.0f} ms, "
        f"stopped by {iteration['stopped']}; retrieval {iteration['retrieve_ms']:.1f} ms, "
        f"packing {iteration['pack_ms']:.1f} ms"
    )
    if full:
        yield Padding(Text(visible(iteration["prediction"]), style="green"), (0, 0, 0, 2))


def _lines(label: str, text: str, full: bool) -> Text:
    """The text's last lines, or all of them."""
    lines = visible(text).split("\n")
    shown = lines if full else lines[-QUERY_LINES_SHOWN:]
    left_out = len(lines) - len(shown)
    head = f"{label}: {len(lines)} lines" + (f", the last {len(shown)}:" if left_out else ":")
    return Text.assemble(head, ("".join(f"\n  {line}" for line in shown), "dim"))


def _windows(hits: list[Mapping[str, Any]]) -> Table:
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim")
    for header, justify in (("score", "right"), ("window", "left"), ("found by", "left"), ("became", "left")):
        table.add_column(header, justify="right" if justify == "right" else "left")
    for hit in hits:
        style = "" if hit["fate"] == IN_PROMPT else "dim"
        place = f"{hit['name']}:{hit['lines']}"
        table.add_row(f"{hit['score']:.3f}", Text(visible(place)), hit["origin"], hit["fate"], style=style)
    return table
