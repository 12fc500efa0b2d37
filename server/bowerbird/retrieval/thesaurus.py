"""Words that people use for one another when they speak of programs.

A request says "glue" or "total" where documentation says ``Combine`` or ``Sum``. Words of one line stand for
one another, at a discount; a word may stand in several lines, and no further steps are taken.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from functools import cache
from itertools import pairwise

from bowerbird.retrieval.words import PAIR_WEIGHT, stem_of, words_of

SYNONYM_WEIGHT = 0.4
"""Of a word that the query does not hold, beside 1 for one that it holds."""

GROUPS = """
combine join merge append concatenate stack glue union attach together
remove delete drop discard erase eliminate
replace substitute change exchange
add insert append put
first top front beginning start leading
last bottom end final trailing
highest largest biggest greatest maximum max most descending
lowest smallest least minimum min fewest ascending
sort order rank arrange
descending decreasing reverse
total sum
average mean
count often occurrences size length
group per category aggregate summarize
pivot spread
unpivot melt
transpose flip rotate
split break divide cut separate
separator delimiter comma semicolon tab
text string word
text characters letters
whole integer
column field attribute
row line record
heading header title
empty blank missing null
blank space whitespace
trim whitespace
duplicate distinct unique repeated once
select keep filter only
find search position locate index lookup
convert turn transform change cast parse
upper capital uppercase
lower small lowercase
proper capital title
case ignore
today now current
calendar dates
weekday day
time clock
duration elapsed between difference age
random dice chance
round ceiling floor
remainder modulo rest
power square exponent
root sqrt
download web url http internet fetch request
open read load import
write save store export
file document contents
folder directory
error fail failure exception catch invalid
default otherwise fallback
loop repeat iterate each every
sequence series range
running cumulative accumulate
pad fill leading
both common intersect shared
without except anti difference
exist contain
check test whether determine
compare equal same
print show display output
input ask
wait delay sleep pause
run execute evaluate
neighbouring consecutive adjacent local
"""


def expanded(text: str) -> Mapping[str, float]:
    """The query that `text` makes: its words and pairs of words, and what may stand for the words."""
    words = words_of(text)
    query: dict[str, float] = dict(Counter(words))
    for word in list(query):
        for other in _synonyms().get(word, ()):
            query.setdefault(other, SYNONYM_WEIGHT)
    query.update(dict.fromkeys(map(" ".join, pairwise(words)), PAIR_WEIGHT))
    return query


@cache
def _synonyms() -> Mapping[str, tuple[str, ...]]:
    found: dict[str, dict[str, None]] = {}
    for line in GROUPS.strip().splitlines():
        stems = [stem for word in line.split() if (stem := stem_of(word))]
        for stem in stems:
            found.setdefault(stem, {}).update((other, None) for other in stems if other != stem)
    return {stem: tuple(others) for stem, others in found.items()}
