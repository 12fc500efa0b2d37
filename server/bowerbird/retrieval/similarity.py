"""S of the papers: how alike what a user says and each of some texts are.

RAR takes the cosine of embeddings (section 4.1). Ours is BM25, which needs no model; embeddings can come in
by the same door.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Protocol

from bowerbird.knowledge.snippet import Example, GrammarEntity
from bowerbird.retrieval.bm25 import BM25, Floats
from bowerbird.retrieval.thesaurus import expanded
from bowerbird.retrieval.words import terms_of

NAME_WEIGHT = 3  # a word of a name counts as often
NAME_SHARE = 0.5  # of the score by names alone, where a short name that fits whole beats a long text


class Similarity(Protocol):
    """Compares utterances with a fixed row of texts."""

    def to(self, utterance: str) -> Floats:
        """S of the utterance and each text, in [0, 1]."""
        ...


class EntitySimilarity:
    """S(u, g): an utterance and what is documented of each entity."""

    def __init__(self, entities: Sequence[GrammarEntity]) -> None:
        names = [terms_of(" ".join((entity.symbol, *entity.aliases))) for entity in entities]
        self._names = BM25(names, b=1.0)
        self._texts = BM25([_text(*pair) for pair in zip(entities, names, strict=True)])

    def to(self, utterance: str) -> Floats:
        query = expanded(utterance)
        return normalized(self._texts.scores(query) + NAME_SHARE * self._names.scores(query))


class ExampleSimilarity:
    """S(u, u'): an utterance and what each example is for."""

    def __init__(self, examples: Sequence[Example]) -> None:
        self._purposes = BM25([terms_of(example.purpose) for example in examples])

    def to(self, utterance: str) -> Floats:
        return normalized(self._purposes.scores(expanded(utterance)))


def normalized(scores: Floats) -> Floats:
    """Divided by the largest, if any is above 0."""
    largest = scores.max(initial=0.0)
    return scores / largest if largest > 0 else scores


def _text(entity: GrammarEntity, name: Mapping[str, int]) -> Counter[str]:
    """The words of an entity's fields, with their weights."""
    text = Counter({term: NAME_WEIGHT * times for term, times in name.items()})
    text.update(terms_of(entity.description))
    text.update(terms_of(". ".join(parameter.note for parameter in entity.parameters)))
    return text
