"""What a document defines, as an editor shows it: every definition, those of a single line too.

`entities` has those of several lines, which are what windows need.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import tree_sitter

from bowerbird.syntax.parser import Tree, parse
from bowerbird.syntax.places import Places
from bowerbird.syntax.tags import tags_of
from bowerbird.text import Range

MOST_SYMBOLS = 10_000
QUOTED = '#"'


@dataclass(frozen=True, slots=True)
class Symbol:
    """Something defined."""

    name: str
    """As code writes it, but without quotes: ``unit price`` for ``#"unit price"``."""
    kind: str
    """As in ``tags.scm``: ``function``, ``class``, ``method``, ``variable``, ..."""
    range: Range
    name_range: Range
    children: list[Symbol] = field(default_factory=list)


def symbols_of(text: str, language: str | None) -> list[Symbol]:
    """The outermost definitions in order, each with those inside it; none without a grammar. Never raises."""
    tree = parse(text, language)
    return [] if tree is None else _symbols(tree)


def flat(symbols: list[Symbol]) -> list[Symbol]:
    """These and all inside them, in order."""
    found: list[Symbol] = []
    pending = list(reversed(symbols))
    while pending:
        symbol = pending.pop()
        found.append(symbol)
        pending += reversed(symbol.children)
    return found


def _symbols(tree: Tree) -> list[Symbol]:
    places, tags = Places(tree), tags_of(tree.language)
    cursor = tree_sitter.QueryCursor(tags.query)
    cursor.set_max_start_depth(0)  # match at the node that it is given
    roots: list[Symbol] = []
    pending: list[tuple[tree_sitter.Node, list[Symbol]]] = [(tree.root, roots)]
    named: set[int] = set()
    while pending:
        node, siblings = pending.pop()
        if node.kind_id in tags.definitions and len(named) < MOST_SYMBOLS:
            captures = cursor.captures(node)
            name = min(captures.pop("name", ()), key=lambda one: one.start_byte, default=None)
            captures.pop("scope", None)
            if name is not None and name.start_byte < name.end_byte and name.start_byte not in named:
                named.add(name.start_byte)
                # A function is also a variable where it is given a name; the more telling kind sorts first.
                kind = min(captures).removeprefix("definition.")
                symbol = Symbol(_plain(places.text(name)), kind, places.range(node), places.range(name))
                siblings.append(symbol)
                siblings = symbol.children
        pending += [(child, siblings) for child in reversed(node.named_children)]
    return roots


def _plain(name: str) -> str:
    return (
        name[2:].removesuffix('"').replace('""', '"') if name.startswith(QUOTED) else " ".join(name.split())
    )
