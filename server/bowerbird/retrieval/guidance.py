"""Documentation for code that is being written in a language that has a pack (RAR, section 4.2)."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from itertools import chain, zip_longest

from bowerbird.knowledge.packs.pack import Pack
from bowerbird.retrieval.documentation import Documentation, index_packs
from bowerbird.retrieval.rar import AMOUNTS, retrieve_context
from bowerbird.retrieval.retriever import Hit

METHOD = "RAR_E->D"


class Guidance:
    """The packs of each language as one documentation, indexed when the language is first written."""

    def __init__(self, packs_of: Callable[[str | None], Sequence[Pack]]) -> None:
        """`packs_of` gives the packs of a language; it may take a while the first time."""
        self._packs_of = packs_of
        self._documentation: dict[str | None, Documentation | None] = {}
        self._lock = threading.Lock()

    def prepare(self, language: str | None) -> None:
        """Have the language's documentation ready; some 0.1 s once. Any thread may call it."""
        with self._lock:
            if language not in self._documentation:
                packs = self._packs_of(language)
                self._documentation[language] = index_packs(packs) if packs else None

    def guide(self, language: str | None, code: str, k: int) -> list[Hit]:
        """At most `k` hits for what the `code` says: by turns an entity and an example, the better first.

        None before `prepare`, and none for a language without a pack.
        """
        documentation = self._documentation.get(language)
        if documentation is None or not code.strip():
            return []
        context = retrieve_context(documentation, code, METHOD, AMOUNTS)
        turns = zip_longest(context.entities[:k], context.examples[: k // 2])
        return [hit for hit in chain.from_iterable(turns) if hit is not None][:k]
