"""From a tree's root down to a place.

The way up, by `Node.parent`, begins at the root for each step: from the bottom of code that is nested some
ten thousand levels deep it takes minutes. And from an empty node, such as one that is missing, it goes down
by recursion in C, and ends the process where that is too deep (tree-sitter 0.26). So nothing here asks a
node for its parent.
"""

from __future__ import annotations

import tree_sitter


def path_to(root: tree_sitter.Node, start: int, end: int) -> list[tree_sitter.Node]:
    """`root` and all that span the bytes from `start` to `end`, the smallest last."""
    path = [root]
    cursor = root.walk()
    while cursor.goto_first_child_for_byte(start) is not None:
        node = cursor.node
        if node is None or node.start_byte > start or node.end_byte < end:
            break
        path.append(node)
    return path
