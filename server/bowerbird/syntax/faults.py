"""What is wrong with a document's syntax, in plain sentences; nothing where it parses."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import tree_sitter

from bowerbird.syntax.parser import Tree, parse
from bowerbird.syntax.places import Places
from bowerbird.text import Position, Range

MOST_FAULTS = 5  # one slip makes several, and the first is the one to mend
LONGEST_SHOWN = 30  # characters
SERVED = frozenset({"powerquery", "ring"})
CHANGES_SYNTAX = "scanner_command"
"""Ring's commands that change its own words: behind one of them nothing is certain."""

TOLD = {
    ("powerquery", "==", "="): "M compares with a single `=`.",
    ("powerquery", "!=", ""): "M writes `<>` for not equal.",
    ("ring", "==", "="): "Ring compares with a single `=`.",
    ("powerquery", "", "otherwise"): "`otherwise` belongs to a `try`.",
    ("powerquery", "", "let"): "Nothing may stand before this `let` that it does not belong to.",
}
"""Sentences for known slips: of a language, for a text that spans the fault's end, and for what does not fit."""

ENDS = {"end": "the word that ends it (such as `ok`, `next` or `end`)"}
OPENING = {"(": ")", "[": "]", "{": "}"}
QUOTES = ('"', "'", "`", '#"')
ABSENT = "missing"


@dataclass(frozen=True, slots=True)
class Fault:
    """Something that the parser could not make sense of."""

    range: Range
    sentence: str


def faults_of(text: str, language: str | None) -> list[Fault]:
    """The first few faults in order, at most one on a line; none where the language is not served."""
    if language not in SERVED:
        return []
    tree = parse(text, language)
    if tree is None or not tree.root.has_error:
        return []
    places = Places(tree)
    found: dict[int, Fault] = {}
    for node in _faulty(tree.root):
        if node is None:
            break
        fault = _fault(node, tree, places)
        found.setdefault(fault.range.start.line, fault)
        if len(found) == MOST_FAULTS:
            break
    return [found[line] for line in sorted(found)]


def _faulty(root: tree_sitter.Node) -> Iterator[tree_sitter.Node | None]:
    """The innermost nodes that are wrong, in order; None where the language itself is changed."""
    pending = [root]
    while pending:
        node = pending.pop()
        if node.type == CHANGES_SYNTAX:
            yield None
        inner = [one for one in node.children if one.has_error or one.is_missing or one.type == CHANGES_SYNTAX]
        if node.is_missing or node.type == ABSENT or (node.is_error and not inner):
            yield node
        else:
            pending += reversed(inner)


def _fault(node: tree_sitter.Node, tree: Tree, places: Places) -> Fault:
    if node.is_missing or node.type == ABSENT:
        return _missing(node, places)
    text = places.text(node).strip()
    start = places.position(node.start_point)
    first = text.partition("\n")[0]
    if text.startswith(QUOTES):
        sentence = f"This text is not closed: the quote {text[0] if text[0] != '#' else text[:2]} stands alone."
        return Fault(Range(start, Position(start.line, start.column + len(first))), sentence)
    around = tree.data[max(0, node.start_byte - 2) : node.end_byte].decode("utf-8", "replace")
    for (language, ending, exact), sentence in TOLD.items():
        if language == tree.language and exact in ("", text) and (exact or ending in text):
            if not ending or around.endswith(ending):
                return Fault(Range(start, Position(start.line, start.column + len(first))), sentence)
    last = node.children[-1].type if node.children else ""
    if last in OPENING:
        at = places.range(node.children[-1])
        return Fault(at, f"This `{last}` is never closed.")
    end = Position(start.line, start.column + max(1, len(first)))
    return Fault(Range(start, end), f"`{_short(first)}` does not fit here.")


def _missing(node: tree_sitter.Node, places: Places) -> Fault:
    """Told at the word before, for where something is missing there is nothing to underline."""
    place = _behind(node, places)
    before = Range(Position(place.line, max(0, place.column - 1)), place)
    parent = node.parent
    opened = parent.children[0] if parent is not None and parent.children else None
    if node.type == ABSENT or node.is_named:
        comma = node.prev_sibling is not None and node.prev_sibling.type == ","
        what = "Something must follow this comma." if comma else "Something is missing here."
        return Fault(before, what)
    if opened is not None and node.type in (*OPENING.values(), *ENDS):
        closing = ENDS.get(node.type, f"`{node.type}`")
        line = opened.start_point[0] + 1
        where = "" if opened.start_point[0] == place.line else f" of line {line}"
        word = next((mark for mark, end in OPENING.items() if end == node.type), places.text(opened))
        return Fault(before, f"`{_short(word)}`{where} is not closed: {closing} is missing.")
    return Fault(before, f"`{node.type}` is missing here.")


def _behind(node: tree_sitter.Node, places: Places) -> Position:
    """The end of what stands before a node: the parser puts what is missing anywhere in the white space."""
    data = places.tree.data
    end = len(data[: node.start_byte].rstrip())
    row = data.count(b"\n", 0, end)
    return places.position((row, end - (data.rfind(b"\n", 0, end) + 1)))


def _short(text: str) -> str:
    text = text.replace("`", "'")
    return text if len(text) <= LONGEST_SHOWN else text[: LONGEST_SHOWN - 1] + "…"
