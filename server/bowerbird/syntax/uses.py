"""Names in a document that must be a library's or the workspace's: M's dotted names, functions that Ring calls."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import tree_sitter

from bowerbird.syntax.parser import Tree, parse
from bowerbird.syntax.places import Places
from bowerbird.text import Range

CHANGES_SYNTAX = "scanner_command"


@dataclass(frozen=True, slots=True)
class Use:
    """A name where it is used."""

    name: str
    range: Range


def library_uses(text: str, language: str | None) -> Iterator[Use]:
    """Those names in order, without what the document binds itself; none for other languages."""
    tree = parse(text, language)
    if tree is not None and tree.language in _USES:
        yield from _USES[tree.language](tree)


def _powerquery(tree: Tree) -> Iterator[Use]:
    places = Places(tree)
    bound: set[str] = set()
    uses: list[tree_sitter.Node] = []
    for node in _nodes(tree):
        parent = node.parent
        if node.type != "identifier" or "." not in (name := places.text(node)):
            continue
        if parent is not None and parent.child_by_field_name("name") == node:
            bound.add(name)
        elif parent is not None and not parent.is_error:
            uses.append(node)
    for node in uses:
        if (name := places.text(node)) not in bound:
            yield Use(name, places.range(node))


def _ring(tree: Tree) -> Iterator[Use]:
    """Calls of functions by their bare names, outside classes: there a bare call may be one of a method."""
    places = Places(tree)
    nodes = list(_nodes(tree))
    if any(node.type in (CHANGES_SYNTAX, "class_definition", "braces_expression") for node in nodes):
        return
    for node in nodes:
        function = node.child_by_field_name("function") if node.type == "call_expression" else None
        if function is not None and function.type == "identifier":
            yield Use(places.text(function), places.range(function))


_USES = {"powerquery": _powerquery, "ring": _ring}


def _nodes(tree: Tree) -> Iterator[tree_sitter.Node]:
    pending = [tree.root]
    while pending:
        node = pending.pop()
        yield node
        pending += reversed(node.named_children)
