"""The dense retriever (RepoCoder, appendix B): windows by the cosine of their vectors.

The vectors come from outside, by an `Embedder`. They are computed in the background, file after file, and
kept in memory only. A query's vector is fetched before the query is asked (`prepare`); one whose vector is
not there in time finds nothing, and whoever else retrieves answers alone.
"""

from __future__ import annotations

import asyncio
import logging
import threading
from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Protocol

import numpy as np

from bowerbird.knowledge.snippet import Source, Window
from bowerbird.knowledge.window import slide_windows
from bowerbird.retrieval.retriever import Hit, Query
from bowerbird.retrieval.vectors import Bytes, Floats, Part, VectorIndex, digest, part_of
from bowerbird.retrieval.workspace import WindowShape

logger = logging.getLogger(__name__)

BATCH_TEXTS = 4  # between two of which a query gets its turn
MAX_BYTES = 256 << 20  # of vectors and window records; half a million windows with 384 numbers each
MAX_QUERIES = 32  # whose vectors are remembered


class Embedder(Protocol):
    """Turns texts into vectors."""

    problem: str
    """A sentence, while it cannot."""

    async def embed(self, texts: Sequence[str]) -> Floats:
        """A row of unit length for each text; raises an exception whose `str()` is a sentence."""
        ...

    async def close(self) -> None:
        """End what it started."""
        ...


class DenseRetriever:
    """Windows of one shape and their vectors; follows a repository as its listener."""

    def __init__(
        self,
        shape: WindowShape,
        sources: Callable[[], Iterable[Source]],
        embedder: Embedder,
        max_bytes: int = MAX_BYTES,
    ) -> None:
        """Computes nothing yet; `sources` are all that there are at the moment."""
        self.shape = shape
        self.embedder = embedder
        self.index = VectorIndex()
        self.max_bytes = max_bytes
        self.files_left_out = 0
        """For which there was no room when they were last looked at."""
        self._sources = sources
        self._held: dict[Path, Source] = {}
        self._former: dict[Path, Mapping[bytes, tuple[Bytes, np.float32]]] = {}
        """Vectors of changed files' texts, which may come again."""
        self._queries: OrderedDict[str, Floats] = OrderedDict()
        self._asking: dict[str, asyncio.Task[None]] = {}
        self._filling: asyncio.Task[None] | None = None
        self._changing = threading.Lock()
        """Changes come from any thread."""
        self._told = ""

    @property
    def problem(self) -> str:
        """A sentence, while nothing can be computed."""
        return self.embedder.problem

    def progress(self, windows: int) -> str:
        """How many of all the `windows` have vectors, or why they have none."""
        if self.problem:
            return self.problem
        told = f"{len(self.index):,} of {windows:,} windows have vectors"
        if self.files_left_out:
            return f"{told}; {self.files_left_out:,} files found no room"
        filling = self._filling is not None and not self._filling.done()
        return f"{told}; more are being computed" if filling and len(self.index) < windows else told

    def retrieve(self, query: Query, k: int) -> list[Hit]:
        """The `k` nearest windows, if the query was prepared."""
        vector = self._queries.get(query.text)
        return [] if vector is None or k <= 0 else self.index.nearest(vector, query, k)

    async def prepare(self, text: str, patience_s: float | None) -> None:
        """Fetch the vector of a query's text; and go on with the windows."""
        if text not in self._queries and text.strip():
            if text not in self._asking:
                task = self._asking[text] = asyncio.create_task(self._ask(text))
                task.add_done_callback(lambda _: self._asking.pop(text, None))
            await asyncio.wait({self._asking[text]}, timeout=patience_s)
        self._fill_on()

    async def complete(self) -> None:
        """Wait until the vectors of all windows are there, or until it is known that they cannot be."""
        await self._fill_on()

    async def close(self) -> None:
        """Stop. Can be called twice."""
        tasks = [*self._asking.values(), *([self._filling] if self._filling else [])]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await self.embedder.close()

    def replaced(self, source: Source) -> None:
        """A source is new or changed: its vectors are computed anew but for texts that it had before."""
        with self._changing:
            if former := self.index.remove(source.path):
                self._former[source.path] = former
            self._held.pop(source.path, None)

    def removed(self, path: Path) -> None:
        """A source is gone."""
        with self._changing:
            self.index.remove(path)
            self._former.pop(path, None)
            self._held.pop(path, None)

    def _fill_on(self) -> asyncio.Task[None]:
        if self._filling is None or self._filling.done():
            self._filling = asyncio.create_task(self._fill())
        return self._filling

    async def _ask(self, text: str) -> None:
        vectors = await self._embed([text])
        if vectors is not None:
            self._queries[text] = vectors[0]
            if len(self._queries) > MAX_QUERIES:
                self._queries.popitem(last=False)

    async def _fill(self) -> None:
        """Compute what is missing until nothing is."""
        while True:
            sources = await asyncio.to_thread(lambda: list(self._sources()))
            missing = [source for source in sources if self._held.get(source.path) is not source]
            self.files_left_out = 0
            for source in missing:
                if self.index.memory_bytes >= self.max_bytes:
                    self.files_left_out += 1
                elif not await self._add(source):
                    return
            if len(missing) == self.files_left_out:
                return

    async def _add(self, source: Source) -> bool:
        """Compute the vectors of one file; False where that is impossible."""
        self._held[source.path] = source
        shape = self.shape
        windows = await asyncio.to_thread(
            slide_windows, source, shape.window_lines, shape.slide_lines, shape.snap
        )
        windows = [window for window in windows if window.text.strip()]
        former = self._former.get(source.path, {})
        digests = [digest(window.text) for window in windows]
        fresh = [at for at, name in enumerate(digests) if name not in former]
        computed: list[Floats] = []
        for start in range(0, len(fresh), BATCH_TEXTS):
            vectors = await self._embed([windows[at].text for at in fresh[start : start + BATCH_TEXTS]])
            if vectors is None:
                self._held.pop(source.path, None)
                return False
            computed.append(vectors)
        part = _joined(windows, digests, fresh, computed, former)
        with self._changing:
            if self._held.get(source.path) is source:  # it may have changed meanwhile
                self.index.replace(source.path, part)
                self._former.pop(source.path, None)
        return True

    async def _embed(self, texts: Sequence[str]) -> Floats | None:
        """Vectors, or None where there is a problem, which is told once."""
        try:
            return await self.embedder.embed(texts)
        except Exception as error:
            if str(error) != self._told:
                self._told = str(error)
                logger.warning("Windows are found by their words alone: %s", error)
            return None


def _joined(
    windows: Sequence[Window],
    digests: Sequence[bytes],
    fresh: Sequence[int],
    computed: Sequence[Floats],
    former: Mapping[bytes, tuple[Bytes, np.float32]],
) -> Part:
    """Former and computed vectors in the order of the windows."""
    if computed:
        new = part_of([windows[at] for at in fresh], np.concatenate(computed))
        rows = dict(zip(fresh, zip(new.vectors, new.scales, strict=True), strict=True))
    else:
        rows = {}
    both = [rows[at] if at in rows else former[name] for at, name in enumerate(digests)]
    if not both:
        return Part((), np.zeros((0, 0), dtype=np.int8), np.zeros(0, dtype=np.float32))
    return Part(
        tuple(windows), np.stack([vector for vector, _ in both]), np.array([scale for _, scale in both])
    )
