"""Ranks what packs hold by the words of a query (BM25).

One function, so that a better ranking can take its place.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from rank_bm25 import BM25Plus  # type: ignore[import-untyped]

from bowerbird.knowledge.packs.pack import Pack
from bowerbird.knowledge.snippet import Example, GrammarEntity

NAME_WEIGHT = 3  # a word in a name counts as often
PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+|[^\W\d_]+|[^\w\s]+")
_COMMON = "a an and are as at be by for from how i in into is it its of on or that the this to with"
COMMON = frozenset(_COMMON.split())
ENDINGS = ("ing", "es", "ed", "s")


@dataclass(frozen=True, slots=True)
class Found:
    """Something that a pack holds, and how well it fits."""

    pack: Pack
    snippet: GrammarEntity | Example
    score: float


def rank(packs: Sequence[Pack], query: str, k: int) -> list[Found]:
    """The `k` entities and examples that share words with the query, the best first."""
    wanted = set(words_of(query)) - COMMON or set(words_of(query))
    candidates: list[tuple[Pack, GrammarEntity | Example]] = []
    for pack in packs:
        candidates += ((pack, entity) for entity in pack.entities)
        candidates += ((pack, example) for example in pack.examples)
    documents = [_words(one) for _, one in candidates]
    if not wanted or not documents:
        return []
    scores = BM25Plus(documents).get_scores(sorted(wanted))
    found = [
        Found(pack, snippet, float(score))
        for (pack, snippet), words, score in zip(candidates, documents, scores, strict=True)
        if not wanted.isdisjoint(words)
    ]
    found.sort(key=lambda one: (-one.score, one.snippet.name))
    return found[:k]


def words_of(text: str) -> list[str]:
    """Words and the parts of names, in lower case, without the commonest endings."""
    return [_stem(part.lower()) for part in PART.findall(text)]


def _words(snippet: GrammarEntity | Example) -> list[str]:
    if isinstance(snippet, Example):
        return words_of(snippet.purpose) * NAME_WEIGHT + words_of(snippet.code)
    names = " ".join((snippet.symbol, *snippet.aliases))
    notes = " ".join(parameter.note for parameter in snippet.parameters)
    return words_of(names) * NAME_WEIGHT + words_of(f"{snippet.description} {snippet.result} {notes}")


def _stem(word: str) -> str:
    for ending in ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) > 2:
            return word[: -len(ending)]
    return word
