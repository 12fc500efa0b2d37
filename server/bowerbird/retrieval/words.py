"""What documentation is compared by: the stems of words, names split into the words they are made of."""

from __future__ import annotations

import re
from collections import Counter
from functools import lru_cache
from itertools import chain, pairwise

NUMBER = re.compile(r"(?<!\w)\d+(?:[.,:/-]\d+)*(?!\w)")
"""A number or a date that is no part of a name: its value tells nothing of the matter."""
WORD = re.compile(r"\w+")
ASCII_PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
"""``AddColumn`` has the parts ``Add`` and ``Column``, ``json_2_HTTPServer`` has ``json 2 HTTP Server``."""
ANY_PART = re.compile(r"[^\W\d_]+|\d+")  # `re` cannot tell the case of letters beyond ASCII

_COMMON = """
a an and are as at be by do does for from get give gives has have how i in into is it its me my of on or so
that the them then there these this those to want was what when where which who whose will with you
one two three four five six seven eight nine ten
"""
COMMON = frozenset(_COMMON.split())
"""Words that say how a request is made, and nothing of what is asked for."""

LONGEST_WORD = 40  # characters; what is longer is data
SHORTEST_STEM = 3
VOWEL = re.compile(r"[aeiouy]")
PAIR_WEIGHT = 0.3  # of two words that stand side by side as in the query, beside the words themselves
MAX_WORDS_KEPT = 1 << 14


def words_of(text: str) -> list[str]:
    """The stems of the words of `text`, in order, repeated as they come."""
    text = NUMBER.sub(" ", text)
    parts = (
        ASCII_PART.findall(text) if text.isascii() else chain.from_iterable(map(_parts, WORD.findall(text)))
    )
    return [stem for part in parts if (stem := stem_of(part[:LONGEST_WORD].lower()))]


def _parts(word: str) -> list[str]:
    return (ASCII_PART if word.isascii() else ANY_PART).findall(word)


def terms_of(text: str) -> Counter[str]:
    """What a text is found by: its words and its pairs of neighbouring words, and how often each comes."""
    words = words_of(text)
    return Counter((*words, *map(" ".join, pairwise(words))))


@lru_cache(MAX_WORDS_KEPT)
def stem_of(word: str) -> str:
    """A word without its inflection; empty for the commonest words.

    Not a linguist's stem: it is enough that ``splits``, ``splitting`` and ``Splitter`` meet in ``split``.
    """
    if word in COMMON:
        return ""
    for ending, instead in (("ies", "y"), ("s", "")):
        if word.endswith(ending) and not word.endswith(("ss", "us", "is")):
            word = _cut(word, ending, instead)
            break
    for ending in ("ing", "ed", "er", "ly"):
        if word.endswith(ending):
            word = _cut(word, ending)
            break
    if len(word) > SHORTEST_STEM and word.endswith("e"):
        word = word[:-1]
    if len(word) > SHORTEST_STEM and word[-1] == word[-2]:
        word = word[:-1]
    return word


def _cut(word: str, ending: str, instead: str = "") -> str:
    """Without the ending, unless what is left is hardly a word."""
    left = word[: -len(ending)]
    return left + instead if len(left) >= SHORTEST_STEM and VOWEL.search(left) else word
