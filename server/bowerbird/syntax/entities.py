"""Tree to entities: what is defined where, and where a reader may well begin.

A tree of 100,000 lines has a million nodes, and a query over all of them takes a third of the time that
parsing took. Hence only nodes of several lines are looked into, and patterns are tried only at nodes of
the kind that they begin with. What is defined in the midst of a single line goes by what is around it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from operator import attrgetter
from typing import NamedTuple

import tree_sitter

from bowerbird.syntax.parser import Tree
from bowerbird.syntax.tags import tags_of
from bowerbird.text import Span

LONGEST_NAME = 100  # bytes
MOST_DOTS = 20  # what is defined deeper goes by what is around it: its dotted names would fill the memory


@dataclass(frozen=True, slots=True)
class Definition:
    """A function, class or the like."""

    name: str
    """Dotted, from the outermost definition down: ``Shop.total``."""
    kind: str
    """As in ``tags.scm``: ``function``, ``method``, ``class``, ``struct``, ``interface``, ``enum``, ..."""
    span: Span
    """Its lines, with its decorators and the comment directly above."""


@dataclass(frozen=True, slots=True)
class Outline:
    """What of a text could stand by itself."""

    definitions: tuple[Definition, ...] = ()
    """In order of their beginnings, outer before inner."""
    beginnings: frozenset[int] = frozenset()
    """Lines that begin with a statement, a definition, or the comment above one."""


class _Found(NamedTuple):
    """A definition before the comments above it are known; sorts by place, outer before inner."""

    start_byte: int
    minus_end_byte: int
    name_byte: int
    name: str
    kind: str
    first: int
    last: int


def outline(tree: Tree) -> Outline:
    """The definitions and beginnings in `tree`."""
    tags = tags_of(tree.language)
    definition_kinds, statement_kinds, lead_kinds = tags.definitions, tags.statements, tags.leads
    cursor = tree_sitter.QueryCursor(tags.query)
    cursor.set_max_start_depth(0)  # match at the node that it is given
    beginnings: set[int] = set()
    leads: dict[int, int] = {}  # comments and attributes with lines of their own: first line -> last
    found: list[_Found] = []
    pending: list[tuple[tree_sitter.Node, bool, _Found | None]] = [(tree.root, True, None)]
    while pending:
        node, begins_line, outer = pending.pop()
        holds_statements = node.kind_id in statement_kinds
        start = node.start_point
        line_before = start[0]
        for child in node.named_children:
            child_start = child.start_point
            first = child_start[0]
            last, column = child.end_point
            if not column:
                last -= 1  # some nodes take the line end with them
            child_begins_line = first > line_before or (begins_line and child_start == start)
            line_before = last
            if last <= first and not holds_statements:
                if child_begins_line and child.kind_id in statement_kinds:
                    beginnings.add(first)  # a block of one statement
                continue
            kind = child.kind_id
            inner = outer
            if kind in definition_kinds:
                inner = _definition_at(child, tree.data, cursor, outer) or outer
                if inner is not None and inner is not outer:
                    found.append(inner)
            if child_begins_line:
                if holds_statements and kind in lead_kinds:
                    leads[first] = last
                elif holds_statements or inner is not outer:
                    beginnings.add(first)
            if last > first:
                pending.append((child, child_begins_line, inner))
    runs: dict[int, int] = {}  # of leads on consecutive lines: last line -> first
    for first in sorted(leads):
        runs[leads[first]] = runs.get(first - 1, first)
    beginnings.update(runs.values())
    return Outline(
        tuple(
            Definition(one.name, one.kind, Span(runs.get(one.first - 1, one.first), one.last + 1))
            for one in sorted(found)
        ),
        frozenset(beginnings),
    )


def definitions(tree: Tree) -> tuple[Definition, ...]:
    """What is defined in `tree`, in order of beginnings, outer before inner."""
    return outline(tree).definitions


def enclosing_definitions(
    definitions: Iterable[Definition], lines: Iterable[int]
) -> Iterator[Definition | None]:
    """For each of `lines`, which ascend, the innermost of `definitions` (in order) around it."""
    coming = iter(definitions)
    following = next(coming, None)
    around: list[Definition] = []
    for line in lines:
        while following is not None and following.span.first <= line:
            around.append(following)
            following = next(coming, None)
        while around and around[-1].span.end <= line:
            around.pop()
        yield around[-1] if around else None


def enclosing_definition(definitions: Iterable[Definition], line: int) -> Definition | None:
    """The innermost of `definitions` (in order) around `line`, or None."""
    return next(enclosing_definitions(definitions, [line]))


def _definition_at(
    node: tree_sitter.Node, data: bytes, cursor: tree_sitter.QueryCursor, outer: _Found | None
) -> _Found | None:
    """What `node` defines, if a pattern matches it and `outer` is not the same thing with its decorators."""
    captures = cursor.captures(node)
    names = captures.pop("name", ())
    name = min(names, key=attrgetter("start_byte"), default=None)  # captures come in no order
    if name is None or name.start_byte == name.end_byte:  # the parser supplies names that broken code lacks
        return None
    if outer is not None and (name.start_byte == outer.name_byte or outer.name.count(".") >= MOST_DOTS):
        return None
    scopes = captures.pop("scope", ())
    parts = [outer.name] if outer else []
    parts += [_text(one, data) for one in (*scopes[:1], name)]
    last, column = node.end_point
    return _Found(
        start_byte=node.start_byte,
        minus_end_byte=-node.end_byte,
        name_byte=name.start_byte,
        name=".".join(parts),
        kind=min(captures).removeprefix("definition."),
        first=node.start_point[0],
        last=last if column else last - 1,
    )


def _text(name: tree_sitter.Node, data: bytes) -> str:
    """A name on one line; what parts it (``::``, ``:``, ``\\``) becomes a dot."""
    text = data[name.start_byte : name.end_byte][:LONGEST_NAME].decode("utf-8", "replace")
    return text if text.isidentifier() else _PARTING.sub(".", " ".join(text.split()))


_PARTING = re.compile(r"(?<=[\w>])(?:::|[:\\])(?=[\w~])")
