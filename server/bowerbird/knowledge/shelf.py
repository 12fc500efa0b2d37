"""The sources of a workspace by path, in order, so that those below a folder are found at once."""

from __future__ import annotations

import os
import threading
from bisect import bisect_left, insort

from bowerbird.knowledge.snippet import Source

BEHIND_SEPARATOR = chr(ord(os.sep) + 1)
"""What stands before it in order, and behind a folder's path and separator, is below the folder."""


class Shelf:
    """Holds one source for each path. Any thread may use it; each call sees a whole state."""

    def __init__(self) -> None:
        self._sources: dict[str, Source] = {}
        self._paths: list[str] = []
        self._lock = threading.Lock()
        self.text_bytes = 0
        """Of all sources."""
        self.lines = 0
        """Of all sources."""

    def __len__(self) -> int:
        return len(self._sources)

    def get(self, path: str) -> Source | None:
        """The source at `path`."""
        return self._sources.get(path)

    def put(self, path: str, source: Source) -> None:
        """Add a source, or replace the one at its path."""
        with self._lock:
            if (before := self._sources.get(path)) is None:
                insort(self._paths, path)
            else:
                self._count(before, -1)
            self._sources[path] = source
            self._count(source, 1)

    def remove(self, path: str) -> None:
        """Take a source away, where there is one."""
        with self._lock:
            if (before := self._sources.pop(path, None)) is not None:
                self._count(before, -1)
                del self._paths[bisect_left(self._paths, path)]

    def sources(self) -> list[Source]:
        """All, by path."""
        with self._lock:
            return [self._sources[path] for path in self._paths]

    def paths(self) -> list[str]:
        """All paths, in order."""
        with self._lock:
            return self._paths.copy()

    def below(self, folder: str) -> list[str]:
        """The paths in a folder, at any depth."""
        with self._lock:
            first = bisect_left(self._paths, f"{folder}{os.sep}")
            return self._paths[first : bisect_left(self._paths, f"{folder}{BEHIND_SEPARATOR}", first)]

    def _count(self, source: Source, times: int) -> None:
        self.text_bytes += times * len(source.body)
        self.lines += times * source.line_count
