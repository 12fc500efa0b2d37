"""Which example is shown: the one that is nearest to the code around the cursor.

The elements that this code uses are RAR's found entities, and the example is the one that its positively
dependent retrieval (section 4.3) ranks first among those that use the element asked about.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

import numpy as np

from bowerbird.knowledge.packs.pack import Pack
from bowerbird.knowledge.packs.usage import used_indices
from bowerbird.knowledge.snippet import Example
from bowerbird.retrieval.bm25 import Floats
from bowerbird.retrieval.documentation import Usage, usage_of
from bowerbird.retrieval.influenced import positive_examples

LINES_AROUND = 20
"""So many lines above and below the cursor are the code around it."""
LONGEST_LINE = 200  # characters
MOST_PACKS = 64
MOST_CODES = 16

ChooseExample = Callable[[Pack, int, str], Example | None]
"""Of a pack's entity, by its index, the example to show beside this code; None where there is none."""


def nearest_example(pack: Pack, entity: int, code: str) -> Example | None:
    """The example of an entity, by its index, that is nearest to `code`.

    Of equally near ones what stands below the entity, then the shorter; what must fail
    only where nothing else is.
    """
    symbol = pack.entities[entity].symbol
    own = [at for at, one in enumerate(pack.examples) if one.entity == symbol]
    candidates = dict.fromkeys((*own, *pack.using[entity]))
    if not candidates:
        return None
    around = {entity, *_used(pack, code)}
    usage, idf = _weights(pack)
    scores = positive_examples(around, usage, np.ones(idf.size), idf)

    def rank(at: int) -> tuple[bool, float, bool, int]:
        example = pack.examples[at]
        return example.counter_example, -scores[at], example.entity != symbol, len(example.code)

    return pack.examples[min(candidates, key=rank)]


def code_around(text: str, line: int) -> str:
    """The lines of `text` near `line`."""
    near = text.split("\n")[max(0, line - LINES_AROUND) : line + LINES_AROUND + 1]
    return "\n".join(one[:LONGEST_LINE] for one in near)


@lru_cache(MOST_CODES)
def _used(pack: Pack, code: str) -> tuple[int, ...]:
    """Who hovers over one line asks several times."""
    return used_indices(code, pack.manifest.language, pack.entities, pack.names)


@lru_cache(MOST_PACKS)
def _weights(pack: Pack) -> tuple[Usage, Floats]:
    """Which examples use which entities, and idf(g): what is used everywhere tells little."""
    usage = usage_of(pack.used)
    having = np.bincount(usage.entities, minlength=len(pack.entities))
    idf: Floats = np.log((usage.sizes.size + 1) / np.maximum(having, 1))
    return usage, idf
