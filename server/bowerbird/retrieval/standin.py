"""Windows of whole functions, found by those of lines as long as their own index is being made."""

from __future__ import annotations

import asyncio

from bowerbird.retrieval.retriever import Hit, Query, Retriever
from bowerbird.retrieval.workspace import WindowRetriever


class StandIn:
    """A retriever that is built on first use, and the one that answers until then."""

    def __init__(self, retriever: WindowRetriever, meanwhile: Retriever) -> None:
        self._retriever = retriever
        self._meanwhile = meanwhile
        self._building: asyncio.Task[None] | None = None

    async def prepare(self, text: str, patience_s: float | None) -> None:
        """Begin to build, if nobody has, beside the event loop. Only the first one waits with a limit."""
        del text
        if self._retriever.built:
            return
        begins = self._building is None or self._building.done()
        if begins:
            self._building = asyncio.create_task(asyncio.to_thread(self._retriever.build))
        if self._building is not None and (begins or patience_s is None):
            await asyncio.wait({self._building}, timeout=patience_s)

    def retrieve(self, query: Query, k: int) -> list[Hit]:
        """At most `k` hits, all by one of the two."""
        return (self._retriever if self._retriever.built else self._meanwhile).retrieve(query, k)
