"""Where a name of M's is bound: steps of a `let`, parameters, fields of a record, members of a section."""

from __future__ import annotations

import tree_sitter

from bowerbird.syntax.descent import path_to
from bowerbird.syntax.parser import parse
from bowerbird.syntax.places import Places
from bowerbird.text import Position, Range

LANGUAGE = "powerquery"
NAMES = ("identifier", "quoted_identifier")
BINDERS = {
    "let_expression": ("variable",),
    "record_expression": ("field",),
    "section_document": ("section_member",),
    "ERROR": ("variable", "field", "section_member"),
    "parameter_list": ("parameter", "optional_parameter"),
}
"""Kinds that hold bindings, and the kinds of these. A record's fields see one another."""


def binding_of(text: str, position: Position) -> Range | None:
    """Where the name at `position` is bound in this document; None where it is not, or is no name."""
    tree = parse(text, LANGUAGE)
    if tree is None:
        return None
    places = Places(tree)
    name = _name_at(tree.root, places.point(position))
    if name is None:
        return None
    wanted = _plain(places.text(name))
    for around in reversed(path_to(tree.root, name.start_byte, name.end_byte)):
        if around == name:
            continue
        for node in _bindings(around):
            if _plain(places.text(node)) == wanted:
                return places.range(node)
    return None


def _name_at(root: tree_sitter.Node, point: tuple[int, int]) -> tree_sitter.Node | None:
    """The name at a point, or ending there."""
    for column in (point[1], point[1] - 1):
        if column >= 0:
            node = root.descendant_for_point_range((point[0], column), (point[0], column + 1))
            if node is not None and node.type in NAMES:
                return node
    return None


def _bindings(node: tree_sitter.Node) -> list[tree_sitter.Node]:
    """The names that `node` binds for what is inside it."""
    if node.type == "function_expression":
        holder = node.child_by_field_name("parameters")
        return [] if holder is None else _bindings(holder)
    if node.type == "catch_function":
        parameter = node.child_by_field_name("parameter")
        return [] if parameter is None else [parameter]
    found = []
    for child in node.named_children:
        if child.type not in BINDERS.get(node.type, ()):
            continue
        inner = (
            child.named_children[0] if child.type == "optional_parameter" and child.named_children else child
        )
        name = inner.child_by_field_name("name")
        if name is not None:
            found.append(name)
    return found


def _plain(name: str) -> str:
    """A name without its quotes: ``#"a"`` is ``a``."""
    return name[2:].removesuffix('"').replace('""', '"') if name.startswith('#"') else name
