"""RAR's formulas: what a driver retriever found decides what the influenced retriever looks for.

D are the grammar entities and E the examples, both given by their indices; a row of scores has one number
for each of them. The sections are those of "RAR: Retrieval-augmented retrieval" (Dutta et al.).
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Sequence

import numpy as np
from numpy.typing import NDArray

from bowerbird.retrieval.bm25 import Floats
from bowerbird.retrieval.documentation import Usage


def positive_entities(found: Sequence[int], usage: Usage, similarity: Floats, idf: Floats) -> Floats:
    """Section 4.2, positively dependent: all entities used in E_k, the examples `found`, are above 0.

    The paper takes them as a set. We rank them, as there may be too many: by ``idf(g)`` times the sum of
    ``S(u, u')``, the row `similarity`, over the examples of E_k whose code uses g.
    """
    weight = np.zeros(usage.sizes.size)
    weight[list(found)] = similarity[list(found)]
    return np.bincount(usage.entities, weight[usage.examples], idf.size) * idf


def negative_entities(found: Sequence[Floats], similarity: Floats, lambda_: float) -> Floats:
    """Section 4.2, negatively dependent: ``(1 - max S(u', g)) + lambda (1 + S(u, g))``, the maximum over the
    examples of E_k, for each of which `found` holds the row ``S(u', .)``; `similarity` is ``S(u, .)``.

    The paper makes a list for each u' and joins them; the maximum makes one. An entity that has nothing in
    common with the request gets 0, as its similarity is not high.
    """
    nearest = np.max(found, axis=0) if len(found) else np.zeros(similarity.size)
    return np.where(similarity > 0, (1 - nearest) + lambda_ * (1 + similarity), 0.0)


def positive_examples(found: Collection[int], usage: Usage, similarity: Floats, idf: Floats) -> Floats:
    """Section 4.3, positively dependent: ``1 / |g(c)|`` times the sum of ``idf(g) S(u, g)`` over the g of
    ``g(c)`` that are in D_n, the entities `found`; `similarity` is ``S(u, .)``."""
    return _mean_over_code(usage, np.where(_inside(found, idf.size), idf * similarity, 0.0))


def negative_examples(
    found: Collection[int], usage: Usage, similarity: Floats, idf: Floats, examples: Floats, lambda_: float
) -> Floats:
    """Section 4.3, negatively dependent: ``S_b + lambda S(u, u')``, where S_b is the same as
    `positive_examples` but over those g of ``g(c)`` that are not in D_n, and `examples` is ``S(u, u')``."""
    outside = np.where(_inside(found, idf.size), 0.0, idf * similarity)
    return _mean_over_code(usage, outside) + lambda_ * examples


def best(scores: Floats, k: int, names: Sequence[Hashable], besides: Collection[int] = ()) -> list[int]:
    """The `k` with the highest scores above 0, of equal ones the first; each name once, none of `besides`."""
    seen = {names[index] for index in besides}
    found: list[int] = []
    above = np.flatnonzero(scores > 0)
    for index in above[np.argsort(-scores[above], kind="stable")].tolist():
        if len(found) >= k:
            break
        if names[index] not in seen:
            seen.add(names[index])
            found.append(index)
    return found


def _inside(found: Collection[int], size: int) -> NDArray[np.bool_]:
    inside = np.zeros(size, np.bool_)
    inside[list(found)] = True
    return inside


def _mean_over_code(usage: Usage, values: Floats) -> Floats:
    """The mean of the entities' values over each example's code; 0 for code that uses none."""
    sums = np.bincount(usage.examples, values[usage.entities], usage.sizes.size)
    return sums / np.maximum(usage.sizes, 1)
