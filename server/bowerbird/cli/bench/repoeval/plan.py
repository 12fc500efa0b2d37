"""Which tasks of which repositories a run has."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path

from bowerbird.cli.bench.repoeval.options import Options, settings_of
from bowerbird.cli.bench.repoeval.tasks import LineTask, Sources, find_sources, line_tasks
from bowerbird.cli.errors import UsageError
from bowerbird.knowledge.policy import Policy
from bowerbird.settings import IndexSettings


@dataclass(frozen=True, slots=True)
class Plan:
    """All tasks of a run."""

    options: Options
    sources: tuple[Sources, ...]
    tasks: tuple[tuple[LineTask, ...], ...]
    """Those of each of `sources`."""

    @property
    def units(self) -> int:
        """Tasks times tables times settings."""
        each = len(self.options.variants()) * len(self.options.tables)
        return each * sum(map(len, self.tasks))

    def digest(self) -> str:
        """Changes with any task: its place or its text."""
        lines = [f"{task.id}\t{task.truth}\n" for tasks in self.tasks for task in tasks]
        return hashlib.sha256("".join(lines).encode()).hexdigest()


def make_plan(options: Options, folder: Path) -> Plan:
    """Draw the tasks from the projects in `folder`; none of a file that the index leaves out."""
    found = find_sources(folder)
    names = {sources.name for sources in found}
    if unknown := sorted(set(options.repositories) - names):
        raise UsageError(f"No repository {unknown[0]!r} was found; there are {', '.join(sorted(names))}.")
    chosen = [
        sources for sources in found if not options.repositories or sources.name in options.repositories
    ]
    index = settings_of(options.completion).index
    tasks = tuple(tuple(_draw(options, sources, index)) for sources in chosen)
    return Plan(options, tuple(chosen), tasks)


def _draw(options: Options, sources: Sources, index: IndexSettings) -> list[LineTask]:
    policy = Policy([sources.folder], index)

    def admits(path: Path) -> bool:
        return policy.excluded(path) is None

    return line_tasks(sources, options.per_repository, options.seed, admits)
