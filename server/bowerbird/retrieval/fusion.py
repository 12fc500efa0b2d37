"""Several retrievers as one, fused by reciprocal rank."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from bowerbird.knowledge.snippet import Window
from bowerbird.retrieval.retriever import NO_LINES, Hit, Prepared, Query, Retriever
from bowerbird.text import Span

SMOOTHING = 60  # Cormack, Clarke and Büttcher, SIGIR 2009
CANDIDATES = 5  # times as many as are wanted are asked of each

Key = tuple[str, Path | None, Span]


def fuse(rankings: Sequence[Sequence[Hit]], k: int) -> list[Hit]:
    """The `k` snippets with the highest sum of ``1 / (60 + rank)`` over the rankings that have them.

    Scores are that sum divided by the highest that there could be; ties in the order of the rankings. A hit's
    origin names all who found it.
    """
    sums: dict[Key, float] = {}
    first: dict[Key, Hit] = {}
    origins: dict[Key, list[str]] = {}
    for ranking in rankings:
        for rank, hit in enumerate(ranking, start=1):
            key = _key(hit)
            sums[key] = sums.get(key, 0.0) + 1 / (SMOOTHING + rank)
            first.setdefault(key, hit)
            origins.setdefault(key, []).append(hit.origin)
    highest = len(rankings) / (SMOOTHING + 1)
    best = sorted(sums, key=lambda key: -sums[key])[:k]
    return [Hit(first[key].snippet, sums[key] / highest, " and ".join(origins[key])) for key in best]


class FusedRetriever:
    """Asks several; where only one has an answer, its own stands."""

    def __init__(self, retrievers: Sequence[Retriever]) -> None:
        self._retrievers = tuple(retrievers)

    async def prepare(self, text: str, patience_s: float | None) -> None:
        """See `Prepared.prepare`."""
        for retriever in self._retrievers:
            if isinstance(retriever, Prepared):
                await retriever.prepare(text, patience_s)

    def retrieve(self, query: Query, k: int) -> list[Hit]:
        """At most `k` hits, by reciprocal rank."""
        rankings = [retriever.retrieve(query, CANDIDATES * k) for retriever in self._retrievers]
        answered = [ranking for ranking in rankings if ranking]
        return (
            fuse(answered, k) if len(answered) > 1 else [hit for ranking in answered for hit in ranking[:k]]
        )


def _key(hit: Hit) -> Key:
    if isinstance(hit.snippet, Window):
        return "", hit.snippet.path, hit.snippet.span
    return hit.snippet.name, None, NO_LINES
