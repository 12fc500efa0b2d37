"""What Markdown, RST and docstrings have in common: a document is a row of blocks."""

from __future__ import annotations

import html
import re
from dataclasses import dataclass

MAX_SENTENCE = 160

_IMAGE = re.compile(r"!\[[^\[\]\n]*\]\([^()\n]*\)")
_LINK = re.compile(r"\[([^\[\]\n]*)\](?:\([^()\s]*(?:[ \t]+\"[^\"\n]*\")?\)|\[[^\[\]\n]*\])")
_TAG = re.compile(r"</?[A-Za-z][^<>\n]{0,200}>")
_ATTRIBUTES = re.compile(r"\{[:.#][^{}\n]*\}")
_CODE_SPAN = re.compile(r"(`+[^`\n]+`+)")
_STRONG = re.compile(r"(\*\*|__)(?=\S)([^*_\n]+)\1")
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+(?=[A-Z`\"'(])")


@dataclass(frozen=True, slots=True)
class Title:
    """A heading."""

    line: int
    level: int
    text: str


@dataclass(frozen=True, slots=True)
class Prose:
    """Paragraphs, lists, notes."""

    line: int
    text: str
    """Markdown."""


@dataclass(frozen=True, slots=True)
class Code:
    """A block of code, or of what code gives."""

    line: int
    tag: str
    """The language as it is written there; empty where it is not."""
    text: str
    flags: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Table:
    """Cells, row by row; the first row holds the headers."""

    line: int
    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class Html:
    """A block of HTML."""

    line: int
    text: str


@dataclass(frozen=True, slots=True)
class Described:
    """A name whose meaning the markup itself tells, as ``.. function::`` does."""

    line: int
    kind: str
    signatures: tuple[str, ...]
    body: tuple[Block, ...]
    fields: tuple[tuple[str, str], ...] = ()
    """Such as ``param count`` and what is said of it."""


Block = Title | Prose | Code | Table | Html | Described


def plain(text: str) -> str:
    """Markdown without links, images, HTML and attributes, which lead nowhere in a pack. Code stays."""
    if "[" not in text and "<" not in text and "&" not in text and "{" not in text:
        return text
    pieces = _CODE_SPAN.split(text)
    for at in range(0, len(pieces), 2):
        pieces[at] = html.unescape(_ATTRIBUTES.sub("", _TAG.sub("", pieces[at]))).replace("\xa0", " ")
    return _LINK.sub(r"\1", _IMAGE.sub("", "".join(pieces)))


def sentences(text: str) -> list[str]:
    """The sentences of a paragraph, on one line each."""
    return [one for one in _SENTENCE_END.split(" ".join(_STRONG.sub(r"\2", text).split())) if one]


def shortened(text: str, limit: int) -> str:
    """The text's first paragraphs, as many as fit; at least the beginning of the first."""
    kept = ""
    for paragraph in re.split(r"\n[ \t]*\n", text):
        longer = f"{kept}\n\n{paragraph}" if kept else paragraph
        if len(longer) > limit:
            break
        kept = longer
    return kept or text[:limit].rstrip()
