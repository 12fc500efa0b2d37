"""Which words code uses: those of its tree's leaves, never those in comments or texts.

Where a language has no grammar, a scanner that knows comments and texts serves.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

import tree_sitter

from bowerbird.syntax.languages import LANGUAGES
from bowerbird.syntax.parser import Tree, parse

LONGEST_WORD = 200  # characters; what is longer is data
MOST_DOTS = 8


@dataclass(frozen=True, slots=True)
class Mention:
    """A word that code uses."""

    text: str
    """The word itself: ``push``, ``for``, ``+``."""
    path: str
    """With what stands before it, parted by dots: ``items.push``."""
    called: bool
    """A round bracket follows."""
    member: bool
    """A dot precedes."""
    identifier: bool
    """The grammar takes it for a name of the program's, so it is no keyword."""
    declared: bool
    """Here it is declared, not used."""


@dataclass(frozen=True, slots=True)
class _Leaf:
    text: str
    identifier: bool = False


def mentions(code: str, language: str | None) -> list[Mention]:
    """The words of `code` in order. Never raises; broken code has words, too."""
    tree = parse(code, language)
    leaves = list(_scanned(code, language) if tree is None else _leaves(tree))
    found: list[Mention] = []
    path: list[str] = []
    previous = ""
    for at, leaf in enumerate(leaves):
        text = leaf.text
        if text == ".":
            previous = text
            continue
        member = previous == "."
        path = [*path[-MOST_DOTS:], text] if member and path else [text]
        following = leaves[at + 1].text if at + 1 < len(leaves) else ""
        found.append(
            Mention(
                text=text,
                path=".".join(path),
                called=following.startswith("("),
                member=member,
                identifier=leaf.identifier,
                declared=previous.lower() in _DECLARING,
            )
        )
        previous = text
        if not (text[-1].isalnum() or text[-1] == "_"):
            path = []  # what a call or an index gives has no name
    return found


_DECLARING = frozenset({"def", "fun", "func", "function", "fn", "new", "be", "class", "sub"})
"""The word behind one of these is a name of the program's own."""

_OPAQUE = re.compile(
    r"(?:^|_)(?:comment|string|str|char|character|rune|heredoc|regex|template_string|text_literal)(?:_|$)"
)
"""Kinds of nodes whose words are no code."""

_CODE_INSIDE = re.compile(r"interpol|substitution")
"""Kinds of nodes inside those, whose words are code again."""


def _leaves(tree: Tree) -> Iterator[_Leaf]:
    """The tree's leaves; what the parser skipped, for want of sense, goes through the scanner."""
    data = tree.data
    broken = tree.root.has_error
    behind = 0
    pending: list[tuple[tree_sitter.Node, bool, bool]] = [(tree.root, False, False)]
    while pending:
        node, in_type, in_error = pending.pop()
        kind = node.type
        opaque = node.is_named and _is_opaque(kind)
        if in_error and kind.endswith("_content"):
            continue  # a text without its marks: a scanner of the grammar's took code for one
        if broken and (opaque or not node.child_count):
            skipped = data[behind : node.start_byte].strip()
            if skipped:
                yield from _scanned(skipped.decode("utf-8", "replace"), tree.language)
            behind = max(behind, node.end_byte)
        if opaque:
            inside = [child for child in node.named_children if _CODE_INSIDE.search(child.type)]
            pending += [(child, False, node.is_error) for child in reversed(inside)]
            continue
        if not node.child_count:
            text = data[node.start_byte : min(node.end_byte, node.start_byte + LONGEST_WORD)]
            word = text.decode("utf-8", "replace").strip()
            if word and word[0] not in "\"'`":
                yield _Leaf(word, node.is_named and "identifier" in kind and not in_type)
            continue
        in_type = "type" in kind and "definition" not in kind
        pending += [(child, in_type, node.is_error) for child in reversed(node.children)]
    if broken:
        yield from _scanned(data[behind:].decode("utf-8", "replace"), tree.language)


@cache
def _is_opaque(kind: str) -> bool:
    return _OPAQUE.search(kind) is not None


BACKSLASH_IS_TEXT = frozenset({"powerquery", "ring", "sql"})
"""Languages in whose texts a backslash escapes nothing."""


@cache
def _scanner(language: str | None) -> re.Pattern[str]:
    row = LANGUAGES.get(language or "")
    comment = row.comment if row else "#"
    comments = [rf"{re.escape(comment)}[^\n]*"] if comment else []
    if comment in ("//", "#"):
        comments.append(r"//[^\n]*")
    comments.append(r"/\*.*?(?:\*/|\Z)")
    inside = r"[^{0}]" if language in BACKSLASH_IS_TEXT else r"(?:\\.|[^{0}\\])"
    # An M name in quotes, `#"unit price"`, is a name and of no interest here.
    texts = [f"{mark}{inside.format(mark)}*(?:{mark}|\\Z)" for mark in "\"'`"]
    return re.compile(
        rf"(?P<skip>{'|'.join([*comments, *texts])})|(?P<leaf>#?\w+|\.(?!\.)|[-+*/%=<>!&|^~?:@.]+|[^\s\w])",
        re.DOTALL,
    )


def _scanned(code: str, language: str | None) -> Iterator[_Leaf]:
    for match in _scanner(language).finditer(code):
        if match["leaf"]:
            yield _Leaf(match["leaf"][:LONGEST_WORD])
