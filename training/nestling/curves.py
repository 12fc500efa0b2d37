"""The curves of a run as a picture."""

from __future__ import annotations

from pathlib import Path

import matplotlib

matplotlib.use("agg")
from matplotlib import pyplot

from nestling.checkpoint import read_log

PICTURE = "curves.png"
PANELS = {
    "loss, nats per token": {
        "loss": "training",
        "held_out": "held out",
        "middle": "held out, middles",
    },
    "copying, nats per token": {
        "code_first": "code, first copy",
        "code_again": "code, second copy",
        "random_again": "random tokens, second copy",
    },
    "learning rate, of its full size": {"factor": "factor"},
    "tokens per second": {"rate": "rate"},
}
"""Title -> what the log calls a curve, and what it is called here."""


def draw_curves(folder: Path) -> Path:
    """Draw the run's log; returns the picture."""
    rows = read_log(folder)
    figure, axes = pyplot.subplots(2, 2, figsize=(11, 7), layout="constrained")
    for axis, (title, curves) in zip(axes.flat, PANELS.items(), strict=True):
        axis.set_title(title, loc="left", fontsize=10)
        axis.set_xlabel("million tokens", fontsize=8)
        axis.grid(alpha=0.3)
        for key, label in curves.items():
            points = [(row["tokens"] / 1e6, row[key]) for row in rows if key in row]
            if points:
                axis.plot(*zip(*points, strict=True), label=label, linewidth=1)
        if axis.lines:
            axis.legend(fontsize=8)
    picture = folder / PICTURE
    figure.savefig(picture, dpi=110)
    pyplot.close(figure)
    return picture
