"""What of a document an editor can fold away."""

from __future__ import annotations

import re
from collections.abc import Iterator

import tree_sitter

from bowerbird.syntax.parser import parse
from bowerbird.text import Span

FOLDED = {
    "powerquery": frozenset(
        {"let_expression", "record_expression", "list_expression", "argument_list", "function_expression"}
        | {"parenthesized_expression", "if_expression", "record_type", "row_type", "section_member"}
    ),
    "ring": frozenset(
        {"function_definition", "method_definition", "class_definition", "package_definition", "list"}
        | {"if_statement", "elseif_clause", "else_clause", "for_statement", "for_in_statement"}
        | {
            "while_statement",
            "do_statement",
            "switch_statement",
            "case_clause",
            "try_statement",
            "catch_clause",
        }
        | {"anonymous_function", "braces_expression", "arguments"}
    ),
}
"""Kinds of nodes that may be folded, for each language that is served."""

OPEN_ENDED = frozenset(
    {"function_definition", "method_definition", "class_definition", "package_definition"}
    | {"elseif_clause", "else_clause", "case_clause", "catch_clause"}
)
"""Kinds that need no end of their own: a bracket on their last line closes something inside."""
CLOSING_LINE = re.compile(r"\s*[)\]};,]+\s*")
COMMENT = "comment"


def folds_of(text: str, language: str | None) -> list[tuple[Span, bool]]:
    """Lines that can be folded, and whether they are comments; at most one fold begins in a line.

    The line that closes what a fold opens stays to be seen.
    """
    kinds = FOLDED.get(language or "")
    tree = parse(text, language) if kinds else None
    if kinds is None or tree is None:
        return []
    lines = text.split("\n")
    folds: dict[int, tuple[Span, bool]] = {}
    for node in _nodes(tree.root):
        if node.type == COMMENT or node.type not in kinds:
            continue
        first, last = node.start_point[0], node.end_point[0]
        if not node.end_point[1]:
            last -= 1
        while last > first and not lines[last].strip():
            last -= 1
        closed = node.type not in OPEN_ENDED and CLOSING_LINE.fullmatch(lines[last])
        end = last if closed or _ends(node, last) else last + 1
        if end - first > 1 and first not in folds:
            folds[first] = (Span(first, end), False)
    for span in _comments(tree.root):
        folds.setdefault(span.first, (span, True))
    return [folds[first] for first in sorted(folds)]


def _nodes(root: tree_sitter.Node) -> Iterator[tree_sitter.Node]:
    pending = [root]
    while pending:
        node = pending.pop()
        if node.end_point[0] > node.start_point[0]:
            yield node
            pending += reversed(node.children)


def _ends(node: tree_sitter.Node, last: int) -> bool:
    """Does the last line begin with the word that ends the node, such as ``ok``?"""
    if node.child_count < 2:
        return False
    before, final = node.children[-2:]
    if final.is_named:
        return False
    return final.start_point[0] == last and before.end_point[0] < last


def _comments(root: tree_sitter.Node) -> Iterator[Span]:
    """Comments of several lines, and those that stand on lines one below the other."""
    run: Span | None = None
    pending = [root]
    while pending:
        node = pending.pop()
        if node.type != COMMENT:
            pending += reversed(node.children)
            continue
        first, end = node.start_point[0], node.end_point[0] + bool(node.end_point[1])
        if run is not None and run.end >= first:
            run = Span(run.first, end)
            continue
        if run is not None and len(run) > 1:
            yield run
        run = Span(first, end)
    if run is not None and len(run) > 1:
        yield run
