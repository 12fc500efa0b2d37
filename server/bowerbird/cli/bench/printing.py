"""How benches print figures: a number is never cut short, on a screen or in a file."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table

SCREEN_COLUMNS = 80
"""A narrower terminal breaks the lines itself."""
MOST_APART = 8
"""More columns than that stand closer together."""
FILE_COLUMNS = 500
"""Where no terminal is: the lines of a file or a pipe may be long."""


def output() -> Console:
    """Standard output, wide enough for every table."""
    console = Console()
    wanted = SCREEN_COLUMNS if console.is_terminal else FILE_COLUMNS
    return Console(width=max(console.width, wanted))


def figures(title: str, headings: Sequence[str], words: Collection[str] = ()) -> Table:
    """An empty table. The first column and those in `words` hold words, all others figures.

    What has no room goes on below, so that no end is lost.
    """
    table = Table(
        title=title or None,
        title_justify="left",
        box=SIMPLE_HEAD,
        pad_edge=False,
        padding=(0, int(len(headings) <= MOST_APART), 0, 0),
    )
    for at, heading in enumerate(headings):
        is_figure = at > 0 and heading not in words
        table.add_column(heading, justify="right" if is_figure else "left", overflow="fold")
    return table
