"""Memory over time as a drawing, written as SVG without any library."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from bowerbird.cli.bench.soak.run import Sample

WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 720, 320, 64, 20, 36, 40
LINES: tuple[tuple[str, str, str], ...] = (
    ("server", "server_bytes", "#0072b2"),
    ("server, files too", "server_resident_bytes", "#56b4e9"),
    ("model", "model_bytes", "#d55e00"),
    ("model, files too", "model_resident_bytes", "#e69f00"),
)
"""Name, field of a sample, colour."""

TICKS = 5


def draw(samples: Sequence[Sample]) -> str:
    """Memory of the server and of the model's process, in MB from 0, over minutes."""
    minutes = [one.seconds / 60 for one in samples]
    memory = {name: [getattr(one, field) / 1e6 for one in samples] for name, field, _ in LINES}
    wide = max(minutes, default=0) or 1.0
    high = max((value for line in memory.values() for value in line), default=0) * 1.1 or 1.0

    def x(value: float) -> float:
        return LEFT + value / wide * (WIDTH - LEFT - RIGHT)

    def y(value: float) -> float:
        return HEIGHT - BOTTOM - value / high * (HEIGHT - TOP - BOTTOM)

    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{HEIGHT}" '
        'font-family="sans-serif" font-size="11"><rect width="100%" height="100%" fill="white"/>',
        f'<text x="{LEFT}" y="18" font-weight="bold">memory, MB, over minutes</text>',
    ]
    for step in range(TICKS + 1):
        level, minute = high * step / TICKS, wide * step / TICKS
        parts.append(
            f'<line x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y(level):.1f}" y2="{y(level):.1f}" stroke="#eee"/>'
            f'<text x="{LEFT - 6}" y="{y(level) + 4:.1f}" text-anchor="end">{level:,.0f}</text>'
            f'<text x="{x(minute):.1f}" y="{HEIGHT - 20}" text-anchor="middle">{minute:.1f}</text>'
        )
    for place, (name, _, colour) in enumerate(LINES):
        pairs = zip(minutes, memory[name], strict=True)
        points = " ".join(f"{x(minute):.1f},{y(value):.1f}" for minute, value in pairs)
        parts.append(f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="2"/>')
        parts.append(
            f'<text x="{WIDTH - RIGHT - 100}" y="{TOP + 14 * place}" fill="{colour}">{escape(name)}</text>'
        )
    return "\n".join((*parts, "</svg>\n"))
