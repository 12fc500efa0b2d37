"""Questions in plain words, answered from the packs: entities and examples in one list."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from bowerbird.knowledge.packs.pack import Pack
from bowerbird.knowledge.snippet import Example, GrammarEntity
from bowerbird.retrieval.documentation import Documentation, index_packs
from bowerbird.retrieval.rar import AMOUNTS, retrieve_context

METHOD = "Ret_E_D"
"""A question is answered by what is like it; what goes with that is for writing code."""
LONGEST_QUESTION = 2_000  # characters


@dataclass(frozen=True, slots=True)
class Found:
    """Something that a pack holds, and how well it answers."""

    pack: Pack
    snippet: GrammarEntity | Example
    score: float
    """In [0, 1]."""


def search(question: str, packs: Sequence[Pack], k: int) -> list[Found]:
    """The `k` entities and examples that are most like the question."""
    if not packs or not question.strip():
        return []
    amounts = replace(AMOUNTS, entities=k, examples=k)
    context = retrieve_context(_index(tuple(packs)), question[:LONGEST_QUESTION], METHOD, amounts)
    by_name = {pack.name: pack for pack in packs}
    found = [
        Found(by_name[hit.snippet.pack], hit.snippet, float(hit.score))
        for hit in (*context.entities, *context.examples)
        if isinstance(hit.snippet, GrammarEntity | Example)
    ]
    found.sort(key=lambda one: (-one.score, one.snippet.name))
    return found[:k]


@lru_cache(maxsize=4)
def _index(packs: tuple[Pack, ...]) -> Documentation:
    """Made at the first question about these packs."""
    return index_packs(packs)
