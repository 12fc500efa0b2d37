"""RAR, retrieval-augmented retrieval: which entities and examples are shown for a request (section 4).

The driver retriever looks for one kind by the request alone. What it found steers the influenced retriever,
which looks for the other kind: for what goes with it, and, as it may have been wrong, for what does not.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

from bowerbird.knowledge.snippet import Snippet
from bowerbird.retrieval.bm25 import Floats
from bowerbird.retrieval.documentation import Documentation
from bowerbird.retrieval.influenced import (
    best,
    negative_entities,
    negative_examples,
    positive_entities,
    positive_examples,
)
from bowerbird.retrieval.retriever import Hit
from bowerbird.retrieval.similarity import normalized


class Way(StrEnum):
    """How one kind of documentation is chosen."""

    ABSENT = "absent"
    """It is not shown."""
    INDEPENDENT = "independent"
    """By the request alone."""
    INFLUENCED = "influenced"
    """By the request, and by what was found of the other kind."""


@dataclass(frozen=True, slots=True)
class Method:
    """What is shown, and how it is chosen."""

    entities: Way
    examples: Way


METHODS = {
    "Ret_D": Method(Way.INDEPENDENT, Way.ABSENT),
    "Ret_E": Method(Way.ABSENT, Way.INDEPENDENT),
    "Ret_E_D": Method(Way.INDEPENDENT, Way.INDEPENDENT),
    "RAR_D": Method(Way.INFLUENCED, Way.ABSENT),
    "RAR_E": Method(Way.ABSENT, Way.INFLUENCED),
    "RAR_E->D": Method(Way.INFLUENCED, Way.INDEPENDENT),
    "RAR_D->E": Method(Way.INDEPENDENT, Way.INFLUENCED),
}
"""Section 5.3, by the paper's names."""


@dataclass(frozen=True, slots=True)
class Amounts:
    """How much of what (section 6.2.1 has, for M, n = 20, k = 10, half of each kind, lambda 100 and 10)."""

    entities: int = 20
    """n, of D_n."""
    examples: int = 10
    """k, of E_k."""
    positive_entities: float = 0.6
    """Share of the entities that is positively dependent, if there are as many. This and lambda were chosen
    by `bench rar` on its development halves."""
    independent_entities: float = 0.0
    """Share that is chosen by the request alone; with a large lambda the negative ones are nearly these."""
    positive_examples: float = 0.5
    """Share of the examples that is positively dependent."""
    lambda_entities: float = 30.0
    """Lambda of E -> D: how much likeness to the request counts beside unlikeness to the examples found. From
    10 on little changes: the negative list is nearly that of Ret_D."""
    lambda_examples: float = 10.0
    """Lambda of D -> E: how much likeness to the request counts beside what the code uses."""


AMOUNTS = Amounts()


@dataclass(frozen=True, slots=True)
class Context:
    """What was found for a request. An origin is the method and the list, such as ``RAR_D positive``."""

    entities: tuple[Hit, ...] = ()
    """The positively dependent before the independent and the negatively dependent; each list best first."""
    examples: tuple[Hit, ...] = ()


class _Near(NamedTuple):
    """How alike the request and everything documented are."""

    entities: Floats
    """S(u, g)."""
    examples: Floats
    """S(u, u')."""


@dataclass(frozen=True, slots=True)
class _List:
    """One list that a method makes."""

    name: str
    scores: Floats
    """In [0, 1]; what has 0 is not in the list."""
    share: float = 1.0
    """Of what is shown, at most, with the lists before it."""


def retrieve_context(
    documentation: Documentation, utterance: str, method: str = "RAR_E->D", amounts: Amounts = AMOUNTS
) -> Context:
    """The entities and examples that the method, a key of `METHODS`, finds for what the user says."""
    ways = METHODS[method]
    near = _Near(
        documentation.entity_similarity.to(utterance), documentation.example_similarity.to(utterance)
    )
    entity_lists = _entity_lists(ways.entities, documentation, near, amounts)
    example_lists = _example_lists(ways.examples, documentation, near, amounts)
    return Context(
        _hits(entity_lists, documentation.entities, documentation.entity_names, amounts.entities, method),
        _hits(example_lists, documentation.examples, documentation.example_names, amounts.examples, method),
    )


def _entity_lists(way: Way, documentation: Documentation, near: _Near, amounts: Amounts) -> tuple[_List, ...]:
    """Section 4.2: examples -> grammar."""
    if way is not Way.INFLUENCED:
        return (_List("independent", near.entities),) if way is Way.INDEPENDENT else ()
    found = best(near.examples, amounts.examples, documentation.example_names)
    rows = [documentation.entity_similarity.to(documentation.examples[one].purpose) for one in found]
    positive = normalized(positive_entities(found, documentation.usage, near.examples, documentation.idf))
    negative = negative_entities(rows, near.entities, amounts.lambda_entities)
    share = amounts.positive_entities
    return (
        _List("positive", positive, share),
        _List("independent", near.entities, share + amounts.independent_entities),
        _List("negative", negative / (1 + 2 * amounts.lambda_entities)),
        _List("positive", positive),
    )


def _example_lists(
    way: Way, documentation: Documentation, near: _Near, amounts: Amounts
) -> tuple[_List, ...]:
    """Section 4.3: grammar -> examples."""
    if way is not Way.INFLUENCED:
        return (_List("independent", near.examples),) if way is Way.INDEPENDENT else ()
    found = best(near.entities, amounts.entities, documentation.entity_names)
    usage, idf = documentation.usage, documentation.idf
    positive = normalized(positive_examples(found, usage, near.entities, idf))
    negative = negative_examples(found, usage, near.entities, idf, near.examples, amounts.lambda_examples)
    return (
        _List("positive", positive, amounts.positive_examples),
        _List("negative", normalized(negative)),
        _List("positive", positive),
    )


def _hits(
    lists: Sequence[_List], snippets: Sequence[Snippet], names: Sequence[Hashable], most: int, method: str
) -> tuple[Hit, ...]:
    """The lists one after the other, without repetition; the last ones fill what is left."""
    hits: list[Hit] = []
    taken: list[int] = []
    for one in lists:
        for index in best(one.scores, round(one.share * most) - len(taken), names, taken):
            taken.append(index)
            hits.append(Hit(snippets[index], float(one.scores[index]), f"{method} {one.name}"))
    return tuple(hits)
