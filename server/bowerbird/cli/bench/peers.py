"""Who else finds windows: RepoCoder's scan and two BM25 libraries, each as its authors use it."""

from __future__ import annotations

import heapq
import sys
from collections.abc import Sequence
from importlib import import_module
from typing import Any, Protocol

import numpy as np

from bowerbird.knowledge.snippet import Window
from bowerbird.retrieval.jaccard import JaccardIndex
from bowerbird.retrieval.retriever import Query
from bowerbird.retrieval.tokens import tokens_of

Place = tuple[str, int]
"""A window's path and first line."""


class Peer(Protocol):
    """An index over windows."""

    name: str
    package: str
    """What must be installed for it; empty if nothing."""

    def build(self, files: Sequence[Sequence[Window]]) -> None:
        """From the windows' text to an index that answers."""
        ...

    def nearest(self, text: str, k: int) -> list[Place]:
        """The `k` best windows for a query, best first."""
        ...

    @property
    def memory_bytes(self) -> int:
        """What the index takes, without the text."""
        ...


class Bowerbird:
    """Our own."""

    name = "bowerbird"
    package = ""

    def __init__(self) -> None:
        self.index = JaccardIndex()

    def build(self, files: Sequence[Sequence[Window]]) -> None:
        for windows in files:
            self.index.replace(windows[0].path, windows)

    def nearest(self, text: str, k: int) -> list[Place]:
        return [_place(hit.snippet) for hit in self.index.retrieve(Query(text), k)]

    @property
    def memory_bytes(self) -> int:
        return self.index.memory_bytes


class SetScan:
    """RepoCoder's way: the query's set against every window's, one after the other."""

    name = "set scan (RepoCoder)"
    package = ""

    def build(self, files: Sequence[Sequence[Window]]) -> None:
        windows = [window for file in files for window in file]
        windows.sort(key=lambda window: (window.path.as_posix(), window.span))
        self.places = list(map(_place, windows))
        self.numbers: dict[str, int] = {}
        self.sets = [_numbered(window.text, self.numbers) for window in windows]

    def nearest(self, text: str, k: int) -> list[Place]:
        query = _numbered(text, self.numbers)
        size = len(query)
        scored = []
        for at, tokens in enumerate(self.sets):
            if shared := len(query & tokens):
                scored.append((-shared / (size + len(tokens) - shared), at))
        return [self.places[at] for _, at in heapq.nsmallest(k, scored)]

    @property
    def memory_bytes(self) -> int:
        return sum(map(sys.getsizeof, self.sets)) + sys.getsizeof(self.sets)


class RankBm25:
    """`rank_bm25.BM25Okapi` with its defaults."""

    name = "rank-bm25"
    package = "rank_bm25"

    def build(self, files: Sequence[Sequence[Window]]) -> None:
        windows = [window for file in files for window in file]
        self.places = list(map(_place, windows))
        self.model: Any = import_module(self.package).BM25Okapi([list(tokens_of(w.text)) for w in windows])

    def nearest(self, text: str, k: int) -> list[Place]:
        scores = self.model.get_scores(list(tokens_of(text)))
        best = np.argpartition(scores, -k)[-k:]  # its own `get_top_n` sorts all, which is slower still
        return [self.places[at] for at in best[np.argsort(-scores[best])].tolist()]

    @property
    def memory_bytes(self) -> int:
        return sum(map(sys.getsizeof, self.model.doc_freqs)) + sys.getsizeof(self.model.idf)


class Bm25s:
    """`bm25s.BM25` with its defaults."""

    name = "bm25s"
    package = "bm25s"

    def build(self, files: Sequence[Sequence[Window]]) -> None:
        windows = [window for file in files for window in file]
        self.places = list(map(_place, windows))
        self.model: Any = import_module(self.package).BM25()
        self.model.index([list(tokens_of(w.text)) for w in windows], show_progress=False)

    def nearest(self, text: str, k: int) -> list[Place]:
        found, _ = self.model.retrieve([list(tokens_of(text))], k=k, show_progress=False)
        return [self.places[at] for at in found[0].tolist()]

    @property
    def memory_bytes(self) -> int:
        arrays = (self.model.scores[name] for name in ("data", "indices", "indptr"))
        return sum(int(array.nbytes) for array in arrays) + sys.getsizeof(self.model.vocab_dict)


PEERS: tuple[type[Peer], ...] = (Bowerbird, SetScan, RankBm25, Bm25s)


def _place(window: Any) -> Place:
    return window.path.as_posix(), window.span.first


def _numbered(text: str, numbers: dict[str, int]) -> frozenset[int]:
    """The token set as numbers, which new tokens are given."""
    return frozenset(numbers.setdefault(token, len(numbers)) for token in tokens_of(text))
