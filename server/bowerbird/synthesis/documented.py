"""What the workspace and the packs give for a language, made ready when somebody first asks."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable

from bowerbird.knowledge.examples import Demonstration, WorkspaceExamples, pack_examples
from bowerbird.knowledge.library import Library
from bowerbird.knowledge.snippet import Source
from bowerbird.retrieval.documentation import Documentation, index_packs
from bowerbird.synthesis.sources import Sources


class Documented:
    """The packs' side of `Sources`. Any thread may ask."""

    def __init__(self, library: Library) -> None:
        self._library = library
        self._lock = threading.Lock()
        self._examples: dict[str, list[Demonstration]] = {}
        self._documentation: dict[str, Documentation | None] = {}

    def examples(self, language: str) -> list[Demonstration]:
        """What the packs of a language show."""
        with self._lock:
            if language not in self._examples:
                self._examples[language] = pack_examples(self._library.of(language))
            return self._examples[language]

    def documentation(self, language: str) -> Documentation | None:
        """Entities and examples of a language, ready for RAR; None where no pack documents it."""
        with self._lock:
            if language not in self._documentation:
                packs = self._library.of(language)
                self._documentation[language] = index_packs(packs) if packs else None
            return self._documentation[language]


def join_sources(
    files: Callable[[], Iterable[Source]], documented: Documented, holds_secret: Callable[[str], bool]
) -> Sources:
    """All that a request may draw from: `files` are those that the policy lets in."""
    bank = WorkspaceExamples()
    return Sources(
        workspace=lambda language: bank.of(files(), language),
        packs=documented.examples,
        documentation=documented.documentation,
        tests=lambda language, name: bank.tests(files(), language).get(name, ()),
        holds_secret=holds_secret,
    )
