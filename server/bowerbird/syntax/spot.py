"""What stands at a place of a document: a name, an operator, a word of a comment.

The tree tells code from comments and texts, and the program's own names from the language's words. Where it
makes no sense of a place, the letters around it serve.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

import tree_sitter

from bowerbird.syntax.descent import path_to
from bowerbird.syntax.lexis import place_of
from bowerbird.syntax.parser import parse
from bowerbird.syntax.places import Places
from bowerbird.syntax.receivers import receivers
from bowerbird.text import Position, Range, split_at

NAME = re.compile(r"#?[\w$@]+(?:\.\w+)*")
WORD = re.compile(r"#?[\w$@]+")
OPERATOR = re.compile(r"[-+*/%=<>!&|^~?:@.,#]+")
QUOTE_MARKS = ("`", "(")
"""What marks a name in a comment as one: backticks around it, or a bracket behind it."""


@dataclass(frozen=True, slots=True)
class Spot:
    """Something that a reader may ask about."""

    text: str
    """The word itself: ``push``, ``Table.AddColumn``, ``for``, ``=>``."""
    range: Range
    place: Literal["code", "comment"]
    receivers: tuple[str, ...] = ()
    """What stands before it, parted by dots: ``env`` and ``out`` of ``env.out.print``."""
    identifier: bool = False
    """The grammar takes it for a name of the program's."""
    called: bool = False
    """A round bracket follows."""
    declared: bool = False
    """Here it gets its name, so it is the program's own."""
    marked: bool = False
    """In a comment: it is written as a name, in backticks or with a bracket behind it."""
    word_before: str = ""
    """Such as ``new``."""


def spot_at(text: str, position: Position, language: str | None) -> Spot | None:
    """The spot at `position` of `text`, whose line ends are ``\\n``; None in texts and between words.

    A place behind the last letter of a word belongs to the word. Never raises.
    """
    prefix, suffix = split_at(text, position)
    line = prefix[prefix.rfind("\n") + 1 :]
    column = len(line)
    line += suffix.partition("\n")[0]
    here = Position(prefix.count("\n"), column)
    found = _at(NAME, line, column) or _at(OPERATOR, line, column)
    if found is None:
        return None
    inside = Position(here.line, min(column, found.end() - 1))
    leaf = _Leaf.at(text, inside, language)
    place = leaf.place if leaf else place_of(prefix[: len(prefix) - (column - inside.column)], language)
    if place == "comment":
        return _in_comment(line, column, here.line)
    if place != "code":
        return None
    start, end = (leaf.start, leaf.end) if leaf and leaf.word else _word(line, inside.column)
    if start == end:
        return None
    before, behind = prefix[: len(prefix) - column] + line[:start], line[end:].lstrip()
    word_before = re.search(r"(\w+)\s+$", before)
    return Spot(
        text=line[start:end],
        range=Range(Position(here.line, start), Position(here.line, end)),
        place="code",
        receivers=receivers(before),
        identifier=leaf.identifier if leaf and leaf.word else line[start].isalpha(),
        called=behind.startswith("("),
        declared=leaf.declared if leaf else False,
        word_before=word_before[1] if word_before else "",
    )


def _at(pattern: re.Pattern[str], line: str, column: int) -> re.Match[str] | None:
    """The match around `column`, or ending there."""
    best = None
    for match in pattern.finditer(line):
        if match.start() <= column <= match.end():
            best = match
        if match.start() > column:
            break
    return best


def _word(line: str, column: int) -> tuple[int, int]:
    found = _at(WORD, line, column) or _at(OPERATOR, line, column)
    return found.span() if found else (column, column)


def _in_comment(line: str, column: int, row: int) -> Spot | None:
    found = _at(NAME, line, column)
    if found is None:
        return None
    before, behind = line[: found.start()], line[found.end() :]
    return Spot(
        text=found[0],
        range=Range(Position(row, found.start()), Position(row, found.end())),
        place="comment",
        marked=behind.startswith(QUOTE_MARKS) and (before.endswith("`") or behind.startswith("(")),
    )


_DECLARERS = frozenset(
    {
        "variable",
        "parameter",
        "section_member",
        "function_definition",
        "method_definition",
        "class_definition",
    }
    | {"constructor", "method", "behavior", "field", "actor_definition", "primitive_definition"}
    | {"struct_definition", "trait_definition", "interface_definition", "type_alias", "field_specification"}
)
"""Kinds of nodes whose first name is being declared."""

_OWN_NAMES = frozenset({"generalized_identifier", "quoted_identifier", "verbatim_literal", "symbol", "name"})
"""Kinds of nodes that hold names of the program's data: nothing of a library's."""

_OPAQUE = re.compile(r"comment|string|text_literal|char|rune|regex|heredoc")
"""Kinds of nodes whose words are no code."""

_TOKENS = frozenset({"predefined_identifier"})
"""Named kinds that the language itself spells."""


@dataclass(frozen=True, slots=True)
class _Leaf:
    """The leaf of a tree at a place."""

    place: Literal["code", "comment", "string"]
    word: bool
    """Its borders are a word's; else the tree made no sense of it."""
    start: int
    end: int
    identifier: bool
    declared: bool

    @classmethod
    def at(cls, text: str, position: Position, language: str | None) -> _Leaf | None:
        tree = parse(text, language)
        if tree is None:
            return None
        places = Places(tree)
        point = places.point(position)
        node = tree.root.descendant_for_point_range(point, (point[0], point[1] + 1))
        if node is None:
            return None
        opaque = _opaque(tree.root, node)
        if opaque is not None:
            return cls("comment" if "comment" in opaque.type else "string", True, 0, 0, False, False)
        if node.is_error or node.child_count or node.start_point[0] != node.end_point[0]:
            return None  # the letters tell more than such a node
        if node.type in _OWN_NAMES:
            return cls("string", True, 0, 0, False, False)
        span = places.range(node)
        path = path_to(tree.root, node.start_byte, node.end_byte)
        parent = next((above for above, below in pairwise(path) if below == node), None)
        return cls(
            "code",
            True,
            span.start.column,
            span.end.column,
            node.is_named and "identifier" in node.type and node.type not in _TOKENS,
            parent is not None and _declares(parent, node),
        )


def _opaque(root: tree_sitter.Node, node: tree_sitter.Node) -> tree_sitter.Node | None:
    """The comment or text that `node` is, or stands in."""
    for around in (node, *reversed(path_to(root, node.start_byte, node.end_byte))):
        if around.is_named and _OPAQUE.search(around.type):
            return around
        if "interpol" in around.type:
            return None
    return None


def _declares(parent: tree_sitter.Node, node: tree_sitter.Node) -> bool:
    if parent.type not in _DECLARERS:
        return False
    name = parent.child_by_field_name("name")
    if name is None:
        name = next((one for one in parent.named_children if "identifier" in one.type), None)
    return name is not None and name.start_byte == node.start_byte
