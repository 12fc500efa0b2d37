"""What a text is made of, for telling copies: hashes of runs of words."""

from __future__ import annotations

import re
import zlib
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

Hashes = NDArray[np.uint64]

WORD = re.compile(r"\w+")
COMMON_LINE = re.compile(
    r"""^\s*(?:\#|//|/?\*|--|;|%|\"\"\"|'''|<!--      # comments: licences are everywhere alike
        |(?:import|from|use|using|package|require|include|export\s+\{|module)\b|$)""",
    re.VERBOSE,
)
"""Lines that unrelated files share."""

MULTIPLIER = 0x9E3779B97F4A7C15
MAX_WORDS_KEPT = 1 << 18


class _WordHashes(dict[str, int]):
    def __missing__(self, word: str) -> int:
        if len(self) >= MAX_WORDS_KEPT:
            self.clear()
        data = word.encode()
        self[word] = value = zlib.crc32(data) << 32 | zlib.adler32(data)
        return value


_hash_of = _WordHashes()


@lru_cache(maxsize=2)  # copies and measured code are looked for in one file after the other
def word_hashes(text: str) -> Hashes:
    """A hash for each word, in order; without lines that unrelated files share."""
    lines = (line for line in text.split("\n") if not COMMON_LINE.match(line))
    words = WORD.findall("\n".join(lines))
    return np.fromiter(map(_hash_of.__getitem__, words), np.uint64, len(words))


def shingles(text: str, length: int) -> Hashes:
    """The distinct hashes of all runs of `length` words; of a shorter text none."""
    words = word_hashes(text)
    count = words.size - length + 1
    if count <= 0:
        return np.zeros(0, np.uint64)
    mixed = np.zeros(count, np.uint64)
    for at in range(length):  # unsigned arithmetic wraps, as a polynomial hash wants it
        mixed *= np.uint64(MULTIPLIER)
        mixed += words[at : at + count]
    mixed ^= mixed >> np.uint64(29)
    mixed *= np.uint64(MULTIPLIER)
    return np.unique(mixed)
