"""What a parser made of a text: is it sound, what are its tokens, where do nodes of a kind stand."""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple

from bowerbird.syntax.parser import Tree


class Range(NamedTuple):
    """Some bytes of a text that belong together."""

    start: int
    end: int
    """Behind the last byte."""


def is_sound(tree: Tree) -> bool:
    """Nothing had to be skipped or made up to understand the text."""
    return not tree.root.has_error


def tokens(tree: Tree, whole: Collection[str] = (), without: Collection[str] = ()) -> list[Range]:
    """The tokens in their order; a node of the kinds `whole` is one, one of the kinds `without` none."""
    found = []
    pending = [tree.root]
    while pending:
        node = pending.pop()
        if node.type in without or node.start_byte == node.end_byte:  # the parser may make up what is missing
            continue
        if node.type in whole or not node.child_count:
            found.append(Range(node.start_byte, node.end_byte))
        else:
            pending.extend(reversed(node.children))
    return found


def nodes_of(tree: Tree, kinds: Collection[str]) -> set[Range]:
    """Where nodes of `kinds` stand."""
    found = set()
    pending = [tree.root]
    while pending:
        node = pending.pop()
        if node.type in kinds:
            found.add(Range(node.start_byte, node.end_byte))
        pending.extend(node.children)
    return found
