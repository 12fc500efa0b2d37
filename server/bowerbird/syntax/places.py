"""Where the nodes of a tree stand, as the rest of the program counts: in code points, not in bytes."""

from __future__ import annotations

from functools import cached_property

import tree_sitter

from bowerbird.syntax.parser import Tree
from bowerbird.text import Position, Range


class Places:
    """Positions <-> points of one tree."""

    def __init__(self, tree: Tree) -> None:
        self.tree = tree

    @cached_property
    def _lines(self) -> list[bytes]:
        return self.tree.data.split(b"\n")

    def position(self, point: tuple[int, int]) -> Position:
        """The place of a tree's point (row, bytes)."""
        row, column = point
        before = self._lines[row][:column]
        return Position(row, column if before.isascii() else len(before.decode("utf-8", "replace")))

    def point(self, position: Position) -> tuple[int, int]:
        """The tree's point (row, bytes) of a place."""
        line = self._lines[position.line]
        if line.isascii():
            return position.line, position.column
        return position.line, len(line.decode("utf-8", "replace")[: position.column].encode())

    def range(self, node: tree_sitter.Node) -> Range:
        """From a node's first character to behind its last; a line end that it takes with it is left out."""
        start, end = self.position(node.start_point), self.position(node.end_point)
        if end.column == 0 and end.line > start.line:
            last = self._lines[end.line - 1].decode("utf-8", "replace")
            end = Position(end.line - 1, len(last))
        return Range(start, end)

    def text(self, node: tree_sitter.Node) -> str:
        """What a node spans."""
        return self.tree.data[node.start_byte : node.end_byte].decode("utf-8", "replace")


def position_of(tree: Tree, byte: int) -> Position:
    """A single place in `tree.data` as lines and code points."""
    start = tree.data.rfind(b"\n", 0, byte) + 1
    return Position(tree.data.count(b"\n", 0, byte), len(tree.data[start:byte].decode("utf-8", "replace")))
