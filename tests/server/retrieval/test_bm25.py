"""BM25 on arrays gives the scores of `rank-bm25`."""

from __future__ import annotations

import random
from collections import Counter

import numpy as np
import pytest
from rank_bm25 import BM25Plus  # type: ignore[import-untyped]

from bowerbird.retrieval.bm25 import BM25


def made_up(documents: int, seed: int = 0) -> list[list[str]]:
    """Documents of up to 30 words, the first words of the alphabet the most frequent; some are empty."""
    rng = random.Random(seed)
    return [
        [chr(97 + int(rng.expovariate(0.2)) % 26) for _ in range(rng.randrange(30))] for _ in range(documents)
    ]


@pytest.mark.parametrize("query", ["a", "a z", "q r s t a b", "b b b a"])
def test_scores_are_those_of_rank_bm25(query: str) -> None:
    """The reference scans all documents; ours reads postings, and gives the same numbers."""
    documents = made_up(60)
    words = query.split()
    reference = BM25Plus(documents, delta=0).get_scores(words)
    assert reference.max() > 0
    ours = BM25([Counter(document) for document in documents]).scores(Counter(words))
    np.testing.assert_allclose(ours, reference)


def test_a_weight_of_two_is_a_word_said_twice() -> None:
    """Words of important fields count as if they stood there more often."""
    said_twice = BM25([Counter(["sort", "sort", "list"]), Counter(["list"]), Counter(["map"])])
    weighed = BM25([{"sort": 2.0, "list": 1.0}, {"list": 1.0}, {"map": 1.0}])
    query = {"sort": 1.0, "list": 1.0}
    np.testing.assert_allclose(weighed.scores(query), said_twice.scores(query))


def test_half_a_weight_in_the_query_is_half_the_score() -> None:
    """What only stands for a word of the query counts less than the word."""
    index = BM25([{"sort": 1.0}, {"list": 1.0}])
    np.testing.assert_allclose(index.scores({"sort": 0.5}), 0.5 * index.scores({"sort": 1.0}))


def test_a_document_that_shares_no_word_has_no_score() -> None:
    """Unknown words, an empty query and empty documents score 0, and nothing is divided by zero."""
    index = BM25([{"sort": 1.0}, {}, {"list": 1.0}])
    assert index.scores({"unheard": 1.0}).tolist() == [0, 0, 0]
    assert index.scores({}).tolist() == [0, 0, 0]
    assert index.scores({"sort": 1.0})[1] == 0
    assert BM25([{}, {}]).scores({"sort": 1.0}).tolist() == [0, 0]


def test_there_may_be_nothing_to_search() -> None:
    """No documents, no scores."""
    assert len(BM25([])) == 0
    assert BM25([]).scores({"sort": 1.0}).size == 0


def test_scores_do_not_depend_on_order() -> None:
    """Neither the order of documents nor that of words in the query moves the last bit of a score."""
    documents = [Counter(document) for document in made_up(40, seed=3)]
    query = {"a": 1.0, "b": 0.4, "h": 1.0, "q": 2.0}
    scores = BM25(documents).scores(query)
    turned = BM25(documents[::-1]).scores(dict(reversed(query.items())))
    assert turned[::-1].tolist() == scores.tolist()
