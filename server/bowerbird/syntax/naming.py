"""Where code uses names that a library may have: what it calls, with how many arguments, and which types."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

import tree_sitter

from bowerbird.syntax.parser import Tree
from bowerbird.syntax.places import position_of
from bowerbird.text import Position


@dataclass(frozen=True, slots=True)
class Use:
    """A name that is used."""

    name: str
    position: Position
    called: bool = False
    arguments: int | None = None
    """How many it is called with; None where it is not called, or where that cannot be told."""
    member: bool = False
    """Of a value: what stands before the dot is not known."""
    type: bool = False
    """It stands where a type must stand."""


@dataclass(frozen=True, slots=True)
class Names:
    """The names of a text."""

    used: tuple[Use, ...]
    """In order."""
    declared: frozenset[str]
    """By the text itself."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Row:
    """Kinds of nodes in a grammar."""

    declaring: frozenset[str]
    """Parents of a name that is declared: its field ``name``, else its first name."""
    calls: Mapping[str, str]
    """Calls, and the field that holds what is called."""
    arguments: str
    named_arguments: str = ""
    """Among the arguments: then their number says nothing."""
    members: frozenset[str] = frozenset()
    """Parents whose last name is a member's."""
    types: frozenset[str] = frozenset()
    """Parents whose last name is a type's."""
    wrappers: frozenset[str] = frozenset()
    """Stand between a name and its call."""
    passed_over: frozenset[str] = frozenset()
    """Parents of names, or of their calls, that no library has."""
    capital_is_type: bool = False
    """A name with a capital letter is a type's wherever it stands."""
    comments: frozenset[str] = field(
        default_factory=lambda: frozenset({"comment", "line_comment", "block_comment"})
    )


_Above: TypeAlias = "tuple[tree_sitter.Node, _Above] | None"
"""A node's parent and what is above that; asked itself, a node looks for its parent from the root down."""


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


ROWS = {
    "powerquery": _Row(
        declaring=_words(
            "variable section_member parameter optional_parameter section_document catch_function"
        ),
        calls={"invoke_expression": "function"},
        arguments="argument_list",
        wrappers=_words("inclusive_identifier_reference"),
    ),
    "ring": _Row(
        declaring=_words("function_definition method_definition class_definition parameter"),
        calls={"call_expression": "function"},
        arguments="arguments",
        members=_words("member_expression"),
        types=_words("qualified_name"),
        passed_over=_words("import_statement package_definition indirect_call"),
    ),
    "pony": _Row(
        declaring=_words(
            "class_definition actor_definition primitive_definition struct_definition trait_definition "
            "interface_definition type_alias method constructor behavior generic_parameter parameter field "
            "variable_declaration lambda_parameter with_elem use_statement ffi_method"
        ),
        calls={"call_expression": "callee"},
        arguments="arguments",
        named_arguments="named_arguments",
        members=_words("member_expression partial_application chain_expression"),
        types=_words("base_type"),
        wrappers=_words("generic_expression"),
        passed_over=_words("ffi_identifier ffi_method named_argument"),
        capital_is_type=True,
    ),
}
"""Languages whose library a pack of ours documents."""


def names_of(tree: Tree) -> Names:
    """The names in `tree`; none for languages that no row knows. What stands in a fault does not count."""
    row = ROWS.get(tree.language)
    used: list[Use] = []
    declared: set[str] = set()
    pending: list[tuple[tree_sitter.Node, _Above]] = [(tree.root, None)] if row else []
    while pending:
        node, above = pending.pop()
        if node.is_error or row is None:
            continue
        if node.type != "identifier":
            pending += ((child, (node, above)) for child in reversed(node.named_children))
        elif not node.is_missing and above is not None:
            name = tree.data[node.start_byte : node.end_byte].decode("utf-8", "replace")
            if _is_declared(node, above[0], row):
                declared.add(name)
            elif (use := _use(tree, node, above, name, row)) is not None:
                used.append(use)
    return Names(tuple(used), frozenset(declared))


def _is_declared(node: tree_sitter.Node, parent: tree_sitter.Node, row: _Row) -> bool:
    if parent.type not in row.declaring:
        return False
    named = parent.child_by_field_name("name")
    first = next((child for child in parent.named_children if child.type == "identifier"), None)
    return node == (named or first)


def _up(above: _Above) -> tuple[tree_sitter.Node | None, _Above]:
    """A node's parent, and what is above that."""
    return (None, None) if above is None else above


def _use(tree: Tree, node: tree_sitter.Node, above: _Above, name: str, row: _Row) -> Use | None:
    holder = node
    parent, above = _up(above)
    while parent is not None and parent.type in row.wrappers and parent.named_children[0] == holder:
        holder = parent
        parent, above = _up(above)
    if parent is None or parent.type in row.passed_over:
        return None
    position = position_of(tree, node.start_byte)
    if parent.type in row.types:
        if above is not None and above[0].type in row.passed_over:
            return None
        last = [child for child in parent.named_children if child.type == "identifier"][-1:] == [node]
        return Use(name, position, type=True) if last else None
    member = parent.type in row.members and parent.named_children[-1] == holder
    if member:
        holder = parent
        parent, above = _up(above)
        while parent is not None and parent.type in row.wrappers:
            holder = parent
            parent, above = _up(above)
    called = parent is not None and parent.child_by_field_name(row.calls.get(parent.type, "-")) == holder
    if called and above is not None:
        if above[0].type in row.passed_over:
            return None
        chained = above[0].type in row.members and above[0].named_children[0] != parent
        member = member or chained
    arguments = _count(parent, row) if called and parent is not None else None
    is_type = row.capital_is_type and name[:1].isupper() and not member
    return Use(name, position, called, arguments, member, is_type)


def _count(call: tree_sitter.Node, row: _Row) -> int | None:
    arguments = next((child for child in call.named_children if child.type == row.arguments), None)
    if arguments is None or arguments.has_error:
        return None
    given = [child for child in arguments.named_children if child.type not in row.comments]
    return None if any(child.type == row.named_arguments for child in given) else len(given)
