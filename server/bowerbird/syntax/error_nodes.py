"""What a parser had to skip or to make up: a tree's faults in words."""

from __future__ import annotations

from dataclasses import dataclass

import tree_sitter

from bowerbird.syntax.parser import Tree
from bowerbird.text import Position

MOST_FAULTS = 20  # one fault brings others with it
LONGEST_QUOTE = 40  # characters


@dataclass(frozen=True, slots=True)
class Fault:
    """One place at which a text is not of its language."""

    position: Position
    text: str


def faults(tree: Tree) -> list[Fault]:
    """The outermost faults in order; empty for a sound tree."""
    found: list[Fault] = []
    pending = [tree.root] if tree.root.has_error else []
    while pending and len(found) < MOST_FAULTS:
        node = pending.pop()
        if node.is_missing:
            found.append(Fault(position_of(tree, node.start_byte), f"`{node.type}` is missing"))
        elif node.is_error and (quote := _quote(tree, node)):
            found.append(Fault(position_of(tree, node.start_byte), f"`{quote}` does not fit here"))
        else:
            pending += [child for child in reversed(node.children) if child.has_error or child.is_missing]
    return found


def position_of(tree: Tree, byte: int) -> Position:
    """A place in `tree.data` as lines and code points."""
    start = tree.data.rfind(b"\n", 0, byte) + 1
    return Position(tree.data.count(b"\n", 0, byte), len(tree.data[start:byte].decode("utf-8", "replace")))


def _quote(tree: Tree, node: tree_sitter.Node) -> str:
    text = tree.data[node.start_byte : node.end_byte].decode("utf-8", "replace").strip()
    line = text.split("\n")[0].strip()
    return (
        line if len(line) <= LONGEST_QUOTE and line == text else f"{line[:LONGEST_QUOTE]} ..." if line else ""
    )
