"""All packs of a session, loaded when somebody first asks, so that the server's start waits for none."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path

from bowerbird.knowledge.packs.pack import Pack
from bowerbird.knowledge.packs.store import Loaded, load_packs


class Library:
    """The packs. Any thread may ask; the first one waits while they are read."""

    def __init__(self, load: Callable[[], Loaded] = load_packs) -> None:
        self._load = load
        self._lock = threading.Lock()
        self._loaded: Loaded | None = None
        self._told = False

    @property
    def ready(self) -> bool:
        """Have they been loaded?"""
        return self._loaded is not None

    @property
    def packs(self) -> tuple[Pack, ...]:
        """All that could be read."""
        return self._all().packs

    def of(self, language: str | None) -> tuple[Pack, ...]:
        """Those whose names code of this language may use."""
        return tuple(pack for pack in self.packs if pack.manifest.language == language)

    def untold_problems(self) -> list[str]:
        """A sentence for each pack that is left out, the first time that it is asked for."""
        loaded = self._all()
        with self._lock:
            told, self._told = self._told, True
        if told:
            return []
        return [
            f"The documentation pack in {Path(folder)} is left out: {problems[0].sentence}"
            for folder, problems in loaded.failures.items()
            if problems
        ]

    def _all(self) -> Loaded:
        with self._lock:
            if self._loaded is None:
                self._loaded = self._load()
            return self._loaded
