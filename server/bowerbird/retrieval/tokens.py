"""What Jaccard compares: the set of words, and parts of words, in a text.

RepoCoder compares sets of tokens (section 4.2). Ours are words and the parts that names are made of: code
about one matter shares parts of names where it shares no name. On RepoEval's projects the ten nearest
windows so hold more of a line's rare names than with words alone; with punctuation, which is everywhere,
or with a language model's tokens they hold fewer.
"""

from __future__ import annotations

import re
from hashlib import blake2b
from itertools import chain

import numpy as np
from numpy.typing import NDArray

SEPARATORS_BEYOND_ASCII = re.compile(r"[^\w\x00-\x7f]")
ASCII_PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
ANY_PART = re.compile(r"[^\W\d_]+|\d+")  # `re` cannot tell the case of letters beyond ASCII

LINE_END = b"\0"  # among words; no word holds it
SPACED_OUT = bytes(
    byte if byte >= 128 or chr(byte).isalnum() or chr(byte) in "_\n" else ord(" ") for byte in range(256)
)
ID_BYTES = 8
MAX_WORDS_KEPT = 1 << 15  # a file's words return in its neighbours; these take about 10 MB


def tokens_of(text: str) -> frozenset[str]:
    """The token set of `text`: its words (``\\w+``) and, in lower case, the parts of each.

    ``HTTPServer.max_size2`` has the words ``HTTPServer`` and ``max_size2``, and the parts ``http``,
    ``server``, ``max``, ``size`` and ``2``. Words with letters beyond ASCII are parted at ``_`` and at
    digits only. No token spans two lines: a text's set is the union of its lines' sets.
    """
    words = {word.decode() for word in _words(text) if word != LINE_END}
    return frozenset(words.union(*map(_parts, words)))


def token_ids(text: str) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The tokens of `text` as ids, line after line, repeated as they come: ``ids[N], starts[lines + 1]``.

    Line `i` holds ``ids[starts[i]:starts[i + 1]]``; after a final line end comes one more line, empty.

    A token's id is 64 bits of its BLAKE2b hash, the same in each process, so that postings can be kept on
    disk. Among a million tokens two share an id once in thirty million sets of names, and then some scores
    count one token too few. A numbered vocabulary would take more memory than all postings, and would keep
    every word that was ever typed.
    """
    ids = np.fromiter(chain.from_iterable(map(_ids_of.__getitem__, _words(text))), np.int64)
    line_ends = np.flatnonzero(ids == LINE_END_ID)
    starts = np.zeros(line_ends.size + 2, np.int64)
    starts[1:-1] = line_ends - np.arange(line_ends.size)
    starts[-1] = ids.size - line_ends.size
    return ids[ids != LINE_END_ID], starts


def _words(text: str) -> list[bytes]:
    """The words of `text` in UTF-8, and a `LINE_END` for each line end; faster than ``re.findall``."""
    if not text.isascii():
        text = SEPARATORS_BEYOND_ASCII.sub(" ", text)
    return text.encode().translate(SPACED_OUT).replace(b"\n", b" " + LINE_END + b" ").split()


def _parts(word: str) -> list[str]:
    return [part.lower() for part in (ASCII_PART if word.isascii() else ANY_PART).findall(word)]


def id_of(token: bytes) -> int:
    """The id of a token, given in UTF-8."""
    return int.from_bytes(blake2b(token, digest_size=ID_BYTES).digest(), "little", signed=True)


class _WordIds(dict[bytes, tuple[int, ...]]):
    """For each word the ids of its tokens, for a line end its own. Faster than a `functools.lru_cache`."""

    def __missing__(self, word: bytes) -> tuple[int, ...]:
        if len(self) >= MAX_WORDS_KEPT:
            self.clear()
        parts = {part.encode() for part in _parts(word.decode())}
        parts.discard(word)
        self[word] = ids = (id_of(word), *map(_part_ids.__getitem__, parts))
        return ids


class _PartIds(dict[bytes, int]):
    """For each part of a word its id: few parts make many words."""

    def __missing__(self, part: bytes) -> int:
        if len(self) >= MAX_WORDS_KEPT:
            self.clear()
        self[part] = number = id_of(part)
        return number


LINE_END_ID = id_of(LINE_END)
_part_ids = _PartIds()
_ids_of = _WordIds()
