"""AceCoder's way to examples: BM25 finds similar ones, the selector drops what repeats (section 3.2).

Both compare requirements alone, never code.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

from bowerbird.retrieval.bm25 import BM25
from bowerbird.retrieval.words import terms_of, words_of

Ngram = tuple[str, ...]

SIMILAR = 20  # the paper's m
EXAMPLES = 3  # the paper's k
LONGEST_NGRAM = 4  # the paper's n
DECAY = 0.5
"""The paper's lambda, whose value it does not tell. `bowerbird bench examples`: what is chosen with it holds
more of the names that the wanted code needs than BM25's first three; a stronger one gains next to nothing."""
FLOOR = 1e-6  # of each R_n: else a single n without a match would make the whole score 0


def similar(requirement: str, others: Sequence[str], m: int = SIMILAR) -> list[int]:
    """The retriever: indices of the `m` of the other requirements with the best BM25 scores, best first.

    One that shares no word with the requirement is not similar; of equal scores the first wins.
    """
    scores = BM25([terms_of(other) for other in others]).scores(terms_of(requirement))
    ranked = sorted((-score, index) for index, score in enumerate(scores.tolist()) if score > 0)
    return [index for _, index in ranked[:m]]


def select(requirement: str, others: Sequence[str], k: int = EXAMPLES, decay: float = DECAY) -> list[int]:
    """Algorithm 1: indices of `k` of the similar requirements, in the order in which they are chosen.

    `others` come by BM25 rank, and of equal scores the first wins. Words are compared by their stems and
    without the commonest (the paper does not tell what its n-grams are made of): of "in a string" only
    "string" can be redundant. No n-gram is longer than the requirement itself; short examples are measured by
    the same ones, or one of a single word would beat all others.
    """
    words = words_of(requirement)
    orders = range(1, min(LONGEST_NGRAM, len(words)) + 1)
    weights = [dict[Ngram, float](_counted(words, n)) for n in orders]  # S
    found = [[frozenset(_counted(words_of(other), n)) for n in orders] for other in others]  # Q
    chosen: list[int] = []  # T
    left = list(range(len(others)))
    while left and len(chosen) < k:
        best = max(left, key=lambda index: (_score(weights, found[index]), -index))
        chosen.append(best)
        left.remove(best)
        for order, ngrams in zip(weights, found[best], strict=True):
            for ngram in ngrams & order.keys():
                order[ngram] *= decay
    return chosen


def _counted(words: Sequence[str], n: int) -> Counter[Ngram]:
    return Counter(_ngrams(words, n))


def _ngrams(words: Sequence[str], n: int) -> Iterator[Ngram]:
    return (tuple(words[start : start + n]) for start in range(len(words) - n + 1))


def _score(weights: Sequence[Mapping[Ngram, float]], found: Sequence[Iterable[Ngram]]) -> float:
    """``exp(mean of log R_n)``, formula 2; `weights` and `found` have a row for each n."""
    if not weights:
        return 0.0
    recalls = (_recall(order, ngrams) for order, ngrams in zip(weights, found, strict=True))
    return math.exp(sum(math.log(max(FLOOR, recall)) for recall in recalls) / len(weights))


def _recall(weights: Mapping[Ngram, float], found: Iterable[Ngram]) -> float:
    """R_n, formula 1: how much of the requirement's n-grams is in the other's, by what they still count."""
    total = sum(weights.values())
    return sum(weights.get(ngram, 0.0) for ngram in sorted(found)) / total if total else 0.0
