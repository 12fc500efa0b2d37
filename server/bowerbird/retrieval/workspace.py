"""Keeps the windows of a workspace's sources findable, in each window length that is asked for."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from bowerbird.knowledge.snippet import Source
from bowerbird.knowledge.window import slide_windows
from bowerbird.retrieval.jaccard import JaccardIndex
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
        self._sources = sources
        self._built = not lazy
        self._changing = threading.Lock()

    def retrieve(self, query: Query, k: int) -> list[Hit]:
        """The `k` nearest windows (section 4.2: Jaccard index of the token sets)."""
        self.build()
        return self.index.retrieve(query, k)

    def replaced(self, source: Source) -> None:
        """A source is new or changed."""
        with self._changing:
            if self._built:
                self._cut(source)

    def removed(self, path: Path) -> None:
        """A source is gone."""
        with self._changing:
            if self._built:
                self.index.remove(path)

    def build(self) -> None:
        """Cut the windows, if that is still to be done: a second and more. Any thread may call it."""
        if self._built:
            return
        with self._changing:  # a change that comes meanwhile waits, and is made upon what is read here
            if not self._built:
                for source in self._sources():
                    self._cut(source)
                self._built = True

    def _cut(self, source: Source) -> None:
        shape = self.shape
        windows = slide_windows(source, shape.window_lines, shape.slide_lines, shape.snap)
        self.index.replace(source.path, windows)
