"""Pieces of the page: bars, tables, and the prompt with its snippets marked."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from html import escape

from bowerbird.explanation.look import COLOURS, STEP_COLOURS
from bowerbird.explanation.visible import visible
from bowerbird.trace import IN_PROMPT, HitTrace, IterationTrace, PlacedTrace

BOX = '<pre tabindex="0">\n'
"""Begins a box that scrolls, by keyboard too; a browser drops the line end, and so none of the text's own."""
EARLIER = "kept from an earlier completion"


def text(raw: str) -> str:
    """Any text, as HTML that shows it and does nothing else."""
    return escape(visible(raw))


def bar(label: str, unit: str, parts: Sequence[tuple[str, str, float]]) -> Iterator[str]:
    """A bar of (what, name of its colour, how much), with its figures below."""
    told = [f"{what} {_figure(amount)} {unit}" for what, _, amount in parts]
    figures = text(f"{label}: " + "; ".join(told))
    yield f'<div class="bar" role="img" aria-label="{figures}">'
    for (_, colour, amount), title in zip(parts, told, strict=True):
        style = f"flex-grow:{amount:.2f};background:{STEP_COLOURS[colour]}"
        yield f'<span style="{style}" title="{text(title)}"></span>'
    yield "</div>"
    yield '<p class="legend">'
    for (_, colour, _), title in zip(parts, told, strict=True):
        yield f'<span><i style="background:{STEP_COLOURS[colour]}"></i>{text(title)}</span>'
    yield "</p>"


def hit_table(hits: Iterable[HitTrace], number: int) -> Iterator[str]:
    """What a round found, and what became of it."""
    yield f"<table><caption hidden>Found in round {number}</caption>"
    yield '<thead><tr><th class="number" scope="col">score</th>'
    yield "".join(f'<th scope="col">{head}</th>' for head in ("where", "lines", "found by", "became"))
    yield "</tr></thead><tbody>"
    for hit in hits:
        dim = "" if hit.fate == IN_PROMPT else ' class="out"'
        cells = "".join(f"<td>{text(cell)}</td>" for cell in (hit.name, hit.lines, hit.origin, hit.fate))
        yield f'<tr{dim}><td class="number">{hit.score:.3f}</td>{cells}</tr>'
    yield "</tbody></table>"


def prompt_view(iteration: IterationTrace, colours: Mapping[str, str]) -> str:
    """The prompt, its snippets marked by who found them, and when."""
    prompt, behind, parts = iteration.prompt, 0, [BOX]
    for snippet in sorted(iteration.snippets, key=lambda snippet: snippet.start):
        if not behind <= snippet.start < snippet.end <= len(prompt):
            continue
        parts.append(text(prompt[behind : snippet.start]))
        colour = f' style="--colour:{colours[snippet.origin]}"' if snippet.origin in colours else ""
        style = f"round-{min(max(snippet.round, 0), 3)}"
        parts.append(f'<mark class="{style}" data-label="{text(_label(snippet))}"{colour}>')
        parts.append(text(prompt[snippet.start : snippet.end]) + "</mark>")
        behind = snippet.end
    parts.append(text(prompt[behind:]) + "</pre>")
    return "".join(parts)


def origin_colours(iterations: Iterable[IterationTrace]) -> dict[str, str]:
    """A colour for each retriever, the same in all rounds."""
    origins: dict[str, None] = {}
    for iteration in iterations:
        origins |= dict.fromkeys(hit.origin for hit in iteration.hits)
        origins |= dict.fromkeys(snippet.origin for snippet in iteration.snippets)
    origins.pop("", None)
    return {origin: COLOURS[number % len(COLOURS)] for number, origin in enumerate(origins)}


def folded(summary: str, inside: Iterable[str], is_open: bool = False) -> Iterator[str]:
    """Something that opens on demand, by mouse or keyboard."""
    yield f"<details{' open' if is_open else ''}><summary>{text(summary)}</summary>"
    yield from inside
    yield "</details>"


def code(raw: str) -> str:
    """Some code in a box."""
    return f"{BOX}{text(raw)}</pre>"


def _label(snippet: PlacedTrace) -> str:
    when = f"{snippet.origin}, round {snippet.round}" if snippet.round > 0 else EARLIER
    lines = f":{snippet.lines}" if snippet.lines else ""
    return f"{snippet.name}{lines}, {when}"


def _figure(amount: float) -> str:
    return f"{amount:,.0f}" if amount >= 10 or amount == int(amount) else f"{amount:.1f}"
