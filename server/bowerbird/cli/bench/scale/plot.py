"""Growth as a drawing: a few panels on logarithmic scales, written as SVG without any library."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from html import escape

from bowerbird.cli.bench.scale.growth import Step

WIDTH, HEIGHT, MARGIN = 460, 300, 56
COLOURS = ("#0072b2", "#56b4e9", "#d55e00", "#009e73", "#cc79a7", "#e69f00")  # told apart by all eyes


@dataclass(frozen=True, slots=True)
class Line:
    """One measure over the sizes."""

    name: str
    points: tuple[tuple[float, float], ...]


@dataclass(frozen=True, slots=True)
class Panel:
    """Some lines with one unit, and the limit that is wanted at the right end, if any."""

    title: str
    lines: tuple[Line, ...]
    limit: float | None = None


def draw(steps: Sequence[Step]) -> str:
    """The growth as one SVG."""
    panels = _panels(steps)
    rows = -(-len(panels) // 2)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{2 * WIDTH}" height="{rows * HEIGHT}" '
        'font-family="sans-serif" font-size="11">',
        '<rect width="100%" height="100%" fill="white"/>',
    ]
    for at, panel in enumerate(panels):
        parts.append(f'<g transform="translate({at % 2 * WIDTH},{at // 2 * HEIGHT})">{_drawn(panel)}</g>')
    return "\n".join((*parts, "</svg>\n"))


def _panels(steps: Sequence[Step]) -> list[Panel]:
    def line(name: str, value: Callable[[Step], float]) -> Line:
        return Line(name, tuple((step.lines, value(step)) for step in steps if value(step) > 0))

    names = dict.fromkeys(peer["name"] for step in steps for peer in step.peers)

    def peer_line(name: str) -> Line:
        found = ((step.lines, peer) for step in steps for peer in step.peers if peer["name"] == name)
        return Line(name, tuple((lines, peer["median_ms"]) for lines, peer in found))

    query = (line("median", lambda s: s.warm["median_ms"]), line("95 %", lambda s: s.warm["p95_ms"]))
    return [
        Panel("one query, ms", (*query, *map(peer_line, names)), 10),
        Panel(
            "start, s",
            (
                line("cold, all", lambda s: s.cold["index_s"]),
                line("cold, first hits", lambda s: s.cold["first_hit_s"]),
                line("warm, all", lambda s: s.warm["index_s"]),
            ),
            240,
        ),
        Panel(
            "resident memory, bytes a line",
            (
                line("cold, asked", lambda s: s.cold["asked_rss_bytes"] / s.lines),
                line("warm, asked", lambda s: s.warm["asked_rss_bytes"] / s.lines),
                line("on disk", lambda s: s.cold["disk_bytes"] / s.lines),
            ),
            120,
        ),
        Panel(
            "a file of 1,000 lines changed, ms",
            (line("median", lambda s: s.warm["update_ms"]), line("95 %", lambda s: s.warm["update_p95_ms"])),
            10,
        ),
    ]


def _drawn(panel: Panel) -> str:
    points = [point for line in panel.lines for point in line.points]
    if not points:
        return ""
    x = _scale([point[0] for point in points], MARGIN, WIDTH - 16)
    wanted = [] if panel.limit is None else [panel.limit]
    y = _scale([*(point[1] for point in points), *wanted], HEIGHT - 34, 34)
    parts = [f'<text x="{MARGIN}" y="18" font-weight="bold">{escape(panel.title)}</text>']
    parts += [_tick(x(at), HEIGHT - 34, f"{at:,.0f}", True) for at in sorted({point[0] for point in points})]
    decades = range(*_decades([*(point[1] for point in points), *wanted]))
    parts += [_tick(MARGIN, y(10.0**power), f"{10.0**power:g}", False) for power in decades]
    if panel.limit is not None:
        parts.append(
            f'<line x1="{MARGIN}" x2="{WIDTH - 16}" y1="{y(panel.limit):.1f}" y2="{y(panel.limit):.1f}" '
            'stroke="#888" stroke-dasharray="4 3"/>'
        )
    for at, line in enumerate(panel.lines):
        colour = COLOURS[at % len(COLOURS)]
        way = " ".join(f"{x(first):.1f},{y(second):.1f}" for first, second in line.points)
        parts.append(f'<polyline points="{way}" fill="none" stroke="{colour}" stroke-width="2"/>')
        parts.append(f'<text x="{MARGIN + 8}" y="{40 + 13 * at}" fill="{colour}">{escape(line.name)}</text>')
    return "".join(parts)


def _scale(values: Sequence[float], start: float, end: float) -> Callable[[float], float]:
    """A logarithmic scale from the least to the greatest value."""
    low, high = math.log10(min(values)), math.log10(max(values))
    reach = (high - low) or 1.0
    return lambda value: start + (math.log10(value) - low) / reach * (end - start)


def _decades(values: Sequence[float]) -> tuple[int, int]:
    return math.ceil(math.log10(min(values))), math.floor(math.log10(max(values))) + 1


def _tick(x: float, y: float, text: str, below: bool) -> str:
    if below:
        return f'<text x="{x:.1f}" y="{y + 16:.1f}" text-anchor="middle">{text}</text>'
    return (
        f'<line x1="{x}" x2="{WIDTH - 16}" y1="{y:.1f}" y2="{y:.1f}" stroke="#eee"/>'
        f'<text x="{x - 6}" y="{y + 4:.1f}" text-anchor="end">{text}</text>'
    )
