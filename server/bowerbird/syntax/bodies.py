"""Does the cursor stand in the body of a function that is still empty?"""

from __future__ import annotations

from itertools import pairwise

import tree_sitter

from bowerbird.syntax.descent import path_to
from bowerbird.syntax.parser import parse

FILLER = "x()"  # a statement in nearly every language; without one an empty body is often no body
MAX_CHARACTERS = 200_000
FUNCTIONS = ("function", "method", "constructor", "lambda", "closure", "func_", "behavior")


def in_empty_body(prefix: str, suffix: str, language: str | None) -> bool:
    """Is the cursor's line blank, and the only thing that a function's body lacks?"""
    line = prefix[prefix.rfind("\n") + 1 :]
    if line.strip() or suffix.partition("\n")[0].strip(" \t)}];") or "\n" not in prefix:
        return False
    if len(prefix) + len(suffix) > MAX_CHARACTERS:
        return False
    tree = parse(f"{prefix}{FILLER}{suffix}", language)
    if tree is None:
        return False
    at = len(prefix.encode())
    for parent, node in reversed(list(pairwise(path_to(tree.root, at, at + 1)))):
        # Pony's methods name no field for their block.
        if node.type == "block" or node == parent.child_by_field_name("body"):
            return any(kind in parent.type for kind in FUNCTIONS) and _holds_nothing(node, at)
    return False


def _holds_nothing(body: tree_sitter.Node, at: int) -> bool:
    """Has `body` no code but the filler at byte `at`, perhaps within something such as Go's statements?"""
    pending = list(body.named_children)
    while pending:
        node = pending.pop()
        if _is_no_code(node):
            continue
        if node.start_byte != at:
            return False
        if node.end_byte > at + len(FILLER) + 1:
            if not node.named_children:
                return False
            pending += node.named_children
    return True


def _is_no_code(node: tree_sitter.Node) -> bool:
    if node.type == "expression_statement":  # a docstring
        return [child.type for child in node.named_children] == ["string"]
    return "comment" in node.type or node.type == "string"
