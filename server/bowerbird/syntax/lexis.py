"""Strings, comments, brackets and block words of a text, read without a grammar.

At the cursor code is unfinished, and there a tree guesses most. What is open at a place follows from the
text before it alone; so it is read off from there, in languages with a grammar and without one alike.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache, lru_cache
from typing import Literal, NamedTuple

from bowerbird.syntax.lexes import Lexis, lexis_of

BRACKETS = {"(": ")", "[": "]", "{": "}"}


class Token(NamedTuple):
    """Something that counts."""

    kind: Literal["comment", "string", "open", "close"]
    start: int
    end: int
    text: str
    """Of ``close`` the word, in lower case where the language has no cases."""
    closes: tuple[str, ...]
    """Of ``open`` what may end it."""


def tokens(text: str, language: str | None) -> Iterator[Token]:
    """Strings, comments and what opens and closes blocks, in order. Never raises."""
    lexis = lexis_of(language)
    if lexis is None:
        return
    for match in _pattern(lexis).finditer(text):
        kind, word = match.lastgroup, match[0]
        if kind == "word" or kind == "skipped":
            continue
        if kind == "comment" or kind == "string":
            yield Token(kind, match.start(), match.end(), "", ())  # type: ignore[arg-type]
        elif kind == "close":
            yield Token("close", *match.span(), word.lower() if lexis.ignore_case else word, ())
        elif kind == "open":
            yield Token("open", *match.span(), word, (BRACKETS[word],))
        else:
            assert kind is not None
            start = match.end() - len(word.lstrip())
            yield Token("open", start, match.end(), word.strip(), lexis.blocks[int(kind[1:])].closes)


@lru_cache(maxsize=2)  # many ask about the same prefix
def tokens_before(prefix: str, language: str | None) -> tuple[Token, ...]:
    """The tokens of `prefix`; the last one's end lies behind it where that token has not ended yet."""
    return tuple(tokens(prefix + _END, language))


def unfinished_token(prefix: str, language: str | None) -> Token | None:
    """The comment or string that has not ended at the end of `prefix`, or None."""
    found = tokens_before(prefix, language)
    if not found or found[-1].kind not in ("comment", "string") or found[-1].end <= len(prefix):
        return None
    return found[-1]


def place_of(prefix: str, language: str | None) -> Literal["comment", "string", "code in string", "code"]:
    """What a cursor behind `prefix` stands in."""
    token = unfinished_token(prefix, language)
    if token is None:
        return "code"
    if token.kind == "comment":
        return "comment"
    lexis = lexis_of(language)
    if lexis is not None and lexis.code_in_strings is not None:
        begins, opens, closes = lexis.code_in_strings
        begun = re.compile(begins).match(prefix, token.start)
        if begun and prefix.rfind(opens, token.start) > prefix.rfind(closes, token.start):
            return "code in string"
    return "string"


def inside_comment_or_string(
    prefix: str,
    suffix: str,  # noqa: ARG001 - what stands behind the cursor cannot change what it stands in
    language: str | None,
) -> Literal["comment", "string"] | None:
    """Does the cursor behind `prefix` stand in a comment, or in a string but not in code within it?"""
    place = place_of(prefix, language)
    return place if place in ("comment", "string") else None


_END = "\ue000"  # of the private area: it stands in no code


@cache
def _pattern(lexis: Lexis) -> re.Pattern[str]:
    """One expression for all; words are passed over whole, which is faster than letter by letter."""
    words = {word for block in lexis.blocks for word in block.closes}
    closing = "".join(re.escape(BRACKETS[bracket]) for bracket in lexis.brackets)
    alternatives = {
        "skipped": "|".join(lexis.skipped),
        "comment": "|".join(lexis.comments),
        "string": "|".join(lexis.strings),
        **{f"b{number}": block.opens for number, block in enumerate(lexis.blocks)},
        "close": "|".join([rf"[{closing}]", *(rf"\b{word}\b" for word in sorted(words))]),
        "open": f"[{re.escape(lexis.brackets)}]",
        "word": r"\w+",
    }
    return re.compile(
        "|".join(f"(?P<{name}>{expression})" for name, expression in alternatives.items() if expression),
        re.MULTILINE | (re.IGNORECASE if lexis.ignore_case else 0),
    )
