"""How long it takes to index a pack, and to ask it."""

from __future__ import annotations

import time
from dataclasses import dataclass

import numpy as np

from bowerbird.knowledge.packs.pack import Pack
from bowerbird.retrieval.documentation import index_packs
from bowerbird.retrieval.rar import retrieve_context

REPEATS = 5
QUERIES = 100
METHOD = "RAR_E->D"  # the one that does most


@dataclass(frozen=True, slots=True)
class Speed:
    """Times of one pack, by the clock."""

    pack: str
    entities: int
    examples: int
    index_ms: float
    """From a loaded pack; the fastest of some."""
    query_ms: float
    """Median over requests that are the pack's own examples' purposes."""
    query_p95_ms: float


def time_pack(pack: Pack) -> Speed:
    """Index a pack and ask it for entities and examples."""
    indexing = []
    for _ in range(REPEATS):
        began = time.perf_counter()
        documentation = index_packs([pack])
        indexing.append(time.perf_counter() - began)
    asking = []
    for example in documentation.examples[:QUERIES]:
        began = time.perf_counter()
        retrieve_context(documentation, example.purpose, METHOD)
        asking.append(time.perf_counter() - began)
    median, p95 = np.percentile(asking, (50, 95)) * 1000 if asking else (0.0, 0.0)
    counts = len(pack.entities), len(pack.examples)
    return Speed(pack.name, *counts, 1000 * min(indexing), float(median), float(p95))
