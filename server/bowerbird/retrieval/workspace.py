"""Keeps the windows of a workspace's sources findable, in each window length that is asked for."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from bowerbird.knowledge.snippet import Source, Window
from bowerbird.knowledge.window import slide_windows
from bowerbird.retrieval.jaccard import JaccardIndex
from bowerbird.retrieval.kept import Array, arrays_of, form, segment_from
from bowerbird.retrieval.merging import merge, segment_of
from bowerbird.retrieval.retriever import Hit, Query


@dataclass(frozen=True, slots=True)
class WindowShape:
    """How files are cut into windows (section 2.2)."""

    window_lines: int
    slide_lines: int
    snap: bool


class WindowRetriever:
    """Jaccard over the windows of one shape; follows a repository as its listener.

    `lazy` builds nothing until the first query: then the windows of all `sources()` are cut.
    """

    def __init__(
        self, shape: WindowShape, sources: Callable[[], Iterable[Source]], lazy: bool = False
    ) -> None:
        self.shape = shape
        self.index = JaccardIndex()
        self.built = not lazy
        """Are the windows of all sources here?"""
        self._sources = sources
        self._changed: set[Path] | None = None
        """Paths that changed since building began; None before and after."""
        self._changing = threading.Lock()
        self._building = threading.Lock()
        self._stopped = False

    def retrieve(self, query: Query, k: int) -> list[Hit]:
        """The `k` nearest windows (section 4.2: Jaccard index of the token sets)."""
        self.build()
        return self.index.retrieve(query, k)

    @property
    def key(self) -> str:
        """Names the windows' shape and the postings' form: what is kept under one key can be used again."""
        shape = self.shape
        return f"{shape.window_lines}-{shape.slide_lines}-{'snapped' if shape.snap else 'plain'}-{form()}"

    @property
    def wanted(self) -> bool:
        """Are the windows of all sources here, or about to be?"""
        return self.built or self._changed is not None

    def replaced(self, source: Source) -> None:
        """A source is new or changed."""
        with self._changing:
            self._note(source.path)
            if self.wanted:
                self._cut(source)
            else:
                self.index.remove(source.path)

    def removed(self, path: Path) -> None:
        """A source is gone."""
        with self._changing:
            self._note(path)
            self.index.remove(path)

    def build(self) -> None:
        """Cut the windows, if that is still to be done: a second and more. Any thread may call it.

        Changes that come meanwhile do not wait for it.
        """
        if not self.built:
            with self._building:
                self._build()

    def stop(self) -> None:
        """Let building end early, for good."""
        self._stopped = True

    def export(self, sources: Sequence[Source]) -> Mapping[str, Array]:
        """The postings of these sources, ascending by path; those that are not here are cut for it."""
        found = self.index.gather(frozenset(sources))
        held = frozenset() if found is None else frozenset(found.files.sources)
        others = [source for source in sources if source not in held]
        cut = [(source.posix, windows) for source in others if (windows := self._windows(source))]
        parts = [segment_of(name, windows) for name, windows in cut]
        if parts:
            found = merge([*parts, found] if found is not None else parts)
        return arrays_of(found, sources)

    def adopt(
        self,
        names: Sequence[str],
        sources: Sequence[Source | None],
        arrays: Mapping[str, Array],
        is_current: Callable[[Source], bool],
    ) -> None:
        """Use exported postings for those sources that are there and current, in place of any others."""
        segment = segment_from(names, sources, arrays)
        if segment is not None:
            self.index.adopt(segment, is_current)

    def _build(self) -> None:
        if self.built:
            return
        with self._changing:
            self._changed = set()
        for source in self._sources():
            with self._changing:
                if self._stopped:
                    break
                if source.path not in self._changed and not self.index.holds(source):
                    self._cut(source)
        with self._changing:
            self.built, self._changed = not self._stopped, None

    def _note(self, path: Path) -> None:
        if self._changed is not None:
            self._changed.add(path)

    def _cut(self, source: Source) -> None:
        self.index.replace(source.path, self._windows(source))

    def _windows(self, source: Source) -> list[Window]:
        shape = self.shape
        return slide_windows(source, shape.window_lines, shape.slide_lines, shape.snap)
