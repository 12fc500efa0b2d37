"""Documentation, ready to be searched: D and E of RAR (section 3), and what is known of both."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from bowerbird.knowledge.packs.pack import Pack
from bowerbird.knowledge.snippet import Example, GrammarEntity
from bowerbird.retrieval.bm25 import Floats
from bowerbird.retrieval.similarity import EntitySimilarity, ExampleSimilarity, Similarity

Indices = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Usage:
    """Which examples' code uses which entities: g(c) for all c at once, as pairs of indices."""

    examples: NDArray[np.intp]
    entities: NDArray[np.intp]
    """Used by the example at the same place."""
    sizes: NDArray[np.intp]
    """``|g(c)|``, for each example."""


def usage_of(used: Sequence[Indices]) -> Usage:
    """Of a row for each example, of the entities that its code uses, each once."""
    sizes = np.array([len(indices) for indices in used], np.intp)
    entities = np.fromiter((index for indices in used for index in indices), np.intp, sizes.sum())
    return Usage(np.repeat(np.arange(sizes.size), sizes), entities, sizes)


@dataclass(frozen=True, eq=False)
class Documentation:
    """The entities (D) and examples (E) of one or several packs. Neighbours are in one fixed order."""

    entities: tuple[GrammarEntity, ...]
    examples: tuple[Example, ...]
    usage: Usage
    """Which examples use which entities."""
    entity_similarity: Similarity
    """S(u, g)."""
    example_similarity: Similarity
    """S(u, u')."""
    idf: Floats
    """idf(g) with respect to E, for each entity."""

    @cached_property
    def used(self) -> tuple[Indices, ...]:
        """For each example the entities that its code uses."""
        parts = np.split(self.usage.entities, np.cumsum(self.usage.sizes))
        return tuple(tuple(part.tolist()) for part in parts[:-1])

    @cached_property
    def entity_names(self) -> tuple[str, ...]:
        """What each goes by: a keyword and a statement of one name are one to whoever reads."""
        return tuple(entity.name for entity in self.entities)

    @cached_property
    def example_names(self) -> tuple[tuple[str, str], ...]:
        """What tells one from another."""
        return tuple((example.purpose, example.code) for example in self.examples)

    def without(self, examples: Collection[int]) -> Documentation:
        """The same as if these examples, given as indices, had never been written."""
        left = [index for index in range(len(self.examples)) if index not in examples]
        kept = tuple(self.examples[index] for index in left)
        usage = usage_of([self.used[index] for index in left])
        return replace(
            self,
            examples=kept,
            usage=usage,
            example_similarity=ExampleSimilarity(kept),
            idf=_idf(usage, len(self.entities)),
        )


def index_packs(packs: Iterable[Pack]) -> Documentation:
    """The documentation of these packs, each entity and example once. Counter-examples are left out: their
    code must fail."""
    entities: list[tuple[GrammarEntity, int]] = []
    shown: list[tuple[Example, Indices]] = []
    for pack in packs:
        begin = len(entities)
        entities += ((entity, begin + index) for index, entity in enumerate(pack.entities))
        for example, used in zip(pack.examples, pack.used, strict=True):
            if not example.counter_example:
                shown.append((example, tuple(begin + index for index in used)))
    entities.sort(key=lambda one: _entity_key(one[0]))
    place = {index: at for at, (_, index) in enumerate(entities)}
    shown.sort(key=lambda one: _example_key(one[0]))
    return index_documentation(
        [entity for entity, _ in entities],
        [example for example, _ in shown],
        [tuple(sorted(place[index] for index in used)) for _, used in shown],
    )


def index_documentation(
    entities: Sequence[GrammarEntity], examples: Sequence[Example], used: Sequence[Indices]
) -> Documentation:
    """Documentation in the order given: where scores tie, what stands first wins."""
    usage = usage_of(used)
    return Documentation(
        tuple(entities),
        tuple(examples),
        usage,
        EntitySimilarity(entities),
        ExampleSimilarity(examples),
        _idf(usage, len(entities)),
    )


def _idf(usage: Usage, entities: int) -> Floats:
    """``log((|E| + 1) / |{c : g in g(c)}|)``; an entity that no example uses counts as used by one."""
    having = np.bincount(usage.entities, minlength=entities)
    idf: Floats = np.log((usage.sizes.size + 1) / np.maximum(having, 1))
    return idf


def _entity_key(entity: GrammarEntity) -> tuple[str, ...]:
    return entity.symbol, entity.kind, entity.pack, entity.page, f"{entity.span.first:9}"


def _example_key(example: Example) -> tuple[str, ...]:
    return example.pack, example.page, f"{example.span.first:9}", example.purpose, example.code
