"""Is a literal a secret, or a word, a path, a placeholder, a digest?

What is decided here is decided by form alone. A password made of letters only is taken for a word: in code
that is nearly always right, and what it misses is seldom worth stealing.
"""

from __future__ import annotations

import base64
import math
import re
from collections import Counter
from itertools import pairwise

MIN_PASSWORD = 6
MIN_RANDOM = 12
MAX_LITERAL = 512
"""Longer literals are data."""
MIN_ENTROPY_BITS = 3.0
"""Per character, of something random; English words of the same length have less."""
MIN_WORDS_SHARE = 0.4
SURE_WORDS_SHARE = 0.75
CHARACTERS_PER_EDGE = 6
"""Where letters and digits meet more often than this, the letters are no words."""
SEQUENCE = 6
"""So many characters one after another in the alphabet are an alphabet."""

_WORD = re.compile(r"[A-Z]?[a-z]{3,}|[A-Z]{4,}")
_SPOKEN = re.compile(r"(?i)(?:[b-df-hj-np-tv-xz]{0,3}[aeiouy]{1,3})+[b-df-hj-np-tv-xz]{0,3}\Z")
_EDGE = re.compile(r"(?<=[A-Za-z])(?=[0-9])|(?<=[0-9])(?=[A-Za-z])")
_VOWEL = re.compile(r"(?i)[aeiouy]")
_LETTER = re.compile(r"[A-Za-z]")
_DIGIT_OR_SYMBOL = re.compile(r"[0-9!@#$%^&*+?~=|;,]")
_HEX = re.compile(r"(?i)[0-9a-f-]+\Z")

_PLACEHOLDER = re.compile(
    r"""(?ix)
    (?:(?:my|a|the|some|your|user|db|test|new|old|admin|super|top|not)[\W_]*)*
    (?:change[\W_]?me|changeit|pass(?:word|wd|phrase)?|pwd|secret|token|key|(?:api|access)[\W_]?key
      |credentials?|test(?:ing|er)?|demo|example|sample|dummy|fake|mock|foo|bar|baz|qux|placeholder|redacted|hidden
      |removed|masked|admin|root|user(?:name)?|guest|none|null|nil|true|false|undefined|default|string|value
      |abc|xyz|todo|tbd|fixme)
    (?:[\W_]*(?:here|value|string|key|token|secret|password|goes|\d{1,4}))*[\W_]*\Z
    |(.)\1*\Z
    |[\W\dxX_]*\Z"""
)
_HINT = re.compile(
    r"(?i)your[\W_]|example|placeholder|change[\W_]?me|dummy|fake|insert|replace|xxxx|\*\*\*\*|\.\.\.|…"
)
_TEMPLATE = re.compile(r"\$\{|\$\(|\{[^{}]*\}|%\(|%[sdrv]\b|<[^<>]+>|#\{|\Z(?<!.)|^\$[A-Za-z_]")
_EXPRESSION = re.compile(r"\\[A-Za-z.]|\[[^\]]+\]|\(\?|^\^|://")
_PARTS = re.compile(r"[A-Za-z]*\d{0,3}(?:[-_./:]+[A-Za-z]*\d{0,3})+\Z")
_ALGORITHM = re.compile(
    r"(?i)(?:sha|md|aes|rsa|dsa|ec|ed|utf|ucs|iso|base|rs|hs|es|ps|oauth|http|x|v|s|p|k|t|type|level)"
    r"[-_]?\d{1,5}\Z"
)
_DIGEST = re.compile(r"(?i)(?:sha\d{1,3}|md5)[-:]")
_UUID = re.compile(r"(?i)\{?[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\}?\Z")
_DATA = re.compile(
    r"iVBORw0KGgo|/9j/|R0lGOD|UklGR|JVBERi0|PHN2Zy|PD94bW|UEsDB|H4sI|d09GR|AAEAAAA|T2dnUw|SUQz|AAAAI?GZ0eX"
)
"""How base64 of images, documents, archives and fonts begins."""


def is_placeholder(literal: str) -> bool:
    """Does it stand for a secret that is elsewhere, or for none?"""
    return bool(_PLACEHOLDER.match(literal) or _HINT.search(literal) or _TEMPLATE.search(literal))


def is_password(literal: str) -> bool:
    """Could a person have chosen it as a password? Asked of what is assigned to something called so."""
    return (
        MIN_PASSWORD <= len(literal) <= MAX_LITERAL
        and not any(map(str.isspace, literal))
        and _LETTER.search(literal) is not None
        and _DIGIT_OR_SYMBOL.search(literal) is not None
        and not (_PARTS.match(literal) or _ALGORITHM.match(literal) or _EXPRESSION.search(literal))
        and not is_placeholder(literal)
    )


def is_random(literal: str) -> bool:
    """Does it look drawn by lot, be it of hexadecimal digits only? Asked of the values of tokens and keys."""
    return (
        MIN_RANDOM <= len(literal) <= MAX_LITERAL
        and any(map(str.isdigit, literal))
        and _LETTER.search(literal) is not None
        and entropy_bits(literal) >= MIN_ENTROPY_BITS
        and not (_UUID.match(literal) or _DIGEST.match(literal) or _DATA.match(literal))
        and not any(map(str.isspace, literal))
        and not _EXPRESSION.search(literal)
        and not is_placeholder(literal)
        and not is_alphabet(literal)
        and not is_words(literal)
    )


def is_hexadecimal(literal: str) -> bool:
    """Only such digits, and dashes: by itself a digest or an identifier."""
    return _HEX.match(literal) is not None


def is_encoded_text(literal: str) -> bool:
    """Is it base64 of readable text? Keys are not."""
    try:
        return base64.b64decode(literal, altchars=b"-_", validate=True).decode("ascii").isprintable()
    except ValueError:
        return False


def is_words(literal: str) -> bool:
    """Is it made of words, as names and paths are? Wrong about under 4 % of 20 random characters."""
    length = sum(map(str.isalnum, literal)) or 1
    words = (word for word in _WORD.findall(literal) if _SPOKEN.match(word))
    share = sum(len(word) for word in words if len(_VOWEL.findall(word)) * 5 >= len(word)) / length
    edges = len(_EDGE.findall(literal))
    return share >= SURE_WORDS_SHARE or (
        share > MIN_WORDS_SHARE and edges * CHARACTERS_PER_EDGE <= len(literal)
    )


def is_alphabet(literal: str) -> bool:
    """Does it hold a stretch of an alphabet, or of a keyboard's digits?"""
    run = 1
    for before, char in pairwise(literal):
        run = run + 1 if ord(char) - ord(before) == 1 else 1
        if run == SEQUENCE:
            return True
    return False


def entropy_bits(literal: str) -> float:
    """Shannon's entropy, in bits per character."""
    length = len(literal)
    return -sum(n / length * math.log2(n / length) for n in Counter(literal).values())
