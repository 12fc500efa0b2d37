"""Progress bars; always on stderr, so that stdout can be piped."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)

if TYPE_CHECKING:
    from bowerbird.knowledge import report
    from bowerbird.knowledge.repository import Repository


@contextmanager
def bar(title: str, total: int) -> Iterator[Callable[[int], None]]:
    """A bar over `total` steps; what it yields is called with the steps just done."""
    with _progress() as progress:
        task = progress.add_task(title, total=total)
        yield lambda steps: progress.advance(task, steps)


def scan(repository: Repository) -> report.ScanReport:
    """Read the workspace, with a bar over its files."""
    with _progress() as progress:
        task = progress.add_task("Reading the workspace", total=None)

        def told(now: report.Progress) -> None:
            total = now.files_found if now.files_done else None  # unknown while folders are walked
            progress.update(task, completed=now.files_done, total=total)

        return repository.scan(told)


def _progress() -> Progress:
    return Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn("left:"),
        TimeRemainingColumn(),
        console=Console(stderr=True),
        transient=True,
    )
