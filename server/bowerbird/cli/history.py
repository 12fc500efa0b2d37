"""What servers on this machine have kept for the shell: their last traces, and their figures."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from bowerbird import journal, meter
from bowerbird.structure import structure
from bowerbird.trace import Trace


def last_traces(folder: Path, count: int) -> list[Trace]:
    """The last completions of all servers, the newest first. Damaged ones are left out."""
    traces = []
    for path in journal.files_in(folder / journal.TRACES):
        for line in journal.read_lines(path):
            with suppress(ValueError):
                traces.append(structure(Trace, line))
    traces.sort(key=lambda trace: trace.asked_at, reverse=True)
    return traces[:count]


def events(folder: Path) -> Iterator[meter.Event]:
    """All that was counted, month by month."""
    for path in journal.files_in(folder / journal.FIGURES):
        for line in journal.read_lines(path):
            with suppress(ValueError):
                yield meter.from_line(line)
