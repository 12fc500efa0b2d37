"""What is wrong with a text's syntax, in plain sentences; nothing where it parses."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import tree_sitter

from bowerbird.syntax.parser import Tree, parse
from bowerbird.syntax.places import Places
from bowerbird.text import Position, Range

MOST_TOLD = 5  # one slip makes several, and the first is the one to mend
MOST_FAULTS = 20
LONGEST_SHOWN = 30  # characters
SERVED = frozenset({"powerquery", "ring"})
"""Languages whose mistakes are known well enough to be told to people while they write."""
CHANGES_SYNTAX = "scanner_command"
"""Ring's commands that change its own words: behind one of them nothing is certain."""

TOLD = {
    ("powerquery", "=="): "M compares with a single `=`.",
    ("powerquery", "!="): "M writes `<>` for not equal.",
    ("powerquery", "&&"): "M writes `and`.",
    ("powerquery", "||"): "M writes `or`.",
    ("ring", "=="): "Ring compares with a single `=`.",
}
"""Sentences for signs of other languages."""

ENDS = {"end": "the word that ends it (such as `ok`, `next` or `end`)"}
OPENING = {"(": ")", "[": "]", "{": "}"}
NEEDS = {**OPENING, "let": "in", "if": "then", "then": "else"}
"""What must follow each of these, where the text may have ended too early."""
QUOTES = ('"', "'", "`", '#"')
ABSENT = "missing"


@dataclass(frozen=True, slots=True)
class Fault:
    """Something that the parser could not make sense of."""

    range: Range
    sentence: str


def faults_of(text: str, language: str | None) -> list[Fault]:
    """For people: the first few faults in order, at most one on a line; none where it is not `SERVED`."""
    tree = parse(text, language) if language in SERVED else None
    return faults(tree)[:MOST_TOLD] if tree is not None else []


def faults(tree: Tree) -> list[Fault]:
    """The faults of any language's code in order, at most one on a line; empty for a sound tree."""
    if not tree.root.has_error:
        return []
    places = Places(tree)
    found: dict[int, Fault] = {}
    for child in _wrong(tree.root) if tree.language in SERVED else _outermost(tree):
        if child is None or len(found) == MOST_FAULTS:
            break
        fault = _fault(child, tree, places)
        found.setdefault(fault.range.start.line, fault)
    return [found[line] for line in sorted(found)]


@dataclass(frozen=True, slots=True)
class _Child:
    """A node among those of its parent.

    A node that is asked for its parent or for those beside it looks from the root down: for what is missing
    deep inside, one such call holds the whole program for minutes.
    """

    node: tree_sitter.Node
    row: Sequence[tree_sitter.Node]
    """All of the parent's; of the root itself alone."""
    at: int

    @property
    def before(self) -> tree_sitter.Node | None:
        return self.row[self.at - 1] if self.at else None

    @property
    def behind(self) -> tree_sitter.Node | None:
        return self.row[self.at + 1] if self.at + 1 < len(self.row) else None

    def children(self) -> list[_Child]:
        """Its own."""
        row = self.node.children
        return [_Child(node, row, at) for at, node in enumerate(row)]


def _outermost(tree: Tree) -> Iterator[_Child]:
    """What had to be skipped or made up, where nothing else is known of a language."""
    pending = [_Child(tree.root, [tree.root], 0)]
    while pending:
        child = pending.pop()
        node = child.node
        if node.is_missing or (node.is_error and tree.data[node.start_byte : node.end_byte].strip()):
            yield child
        else:
            inner = child.children()
            pending += reversed([one for one in inner if one.node.has_error or one.node.is_missing])


def _wrong(root: tree_sitter.Node) -> Iterator[_Child | None]:
    """The innermost nodes that are wrong, in order; None where the language itself is changed."""
    pending = [_Child(root, [root], 0)]
    while pending:
        child = pending.pop()
        node = child.node
        if node.type == CHANGES_SYNTAX:
            yield None
        inner = [one for one in child.children() if _is_wrong(one.node)]
        if node.is_missing or node.type == ABSENT or (not inner and (node.is_error or node.has_error)):
            yield child
        else:
            pending += reversed(inner)


def _is_wrong(node: tree_sitter.Node) -> bool:
    return node.has_error or node.is_error or node.is_missing or node.type == CHANGES_SYNTAX


def _fault(child: _Child, tree: Tree, places: Places) -> Fault:
    node = child.node
    if node.is_missing or node.type == ABSENT:
        return _missing(child, places)
    if not node.is_error:
        return _incomplete(node, places)
    text = places.text(node).strip()
    start = places.position(node.start_point)
    first = text.partition("\n")[0]
    line = Range(start, Position(start.line, start.column + max(1, len(first))))
    if tree.language not in SERVED:
        return Fault(line, f"`{_short(first)}` does not fit here.")
    if text.startswith(QUOTES):
        quote = text[: 1 + text.startswith("#")]
        return Fault(line, f"This text is not closed: its {quote} stands alone.")
    around = tree.data[max(0, node.start_byte - 1) : node.end_byte + 1].decode("utf-8", "replace")
    for (language, sign), sentence in TOLD.items():
        if language == tree.language and text in sign and sign in around:
            return Fault(line, sentence)
    if unclosed := _unclosed(node):
        opening = places.text(unclosed)
        return Fault(places.range(unclosed), f"Behind this `{opening}` no `{NEEDS[opening]}` follows.")
    following = child.behind
    runs_on = following is not None and following.start_point[0] > node.end_point[0]
    if following is not None and runs_on and following.type == "binary_expression":
        return Fault(line, f"A comma is missing behind `{_short(first)}`.")
    return Fault(line, f"`{_short(first)}` does not fit here.")


def _unclosed(node: tree_sitter.Node) -> tree_sitter.Node | None:
    """The last word or bracket in a heap of things that makes no sense which still wants its counterpart."""
    waiting: list[tree_sitter.Node] = []
    for child in node.children:
        if waiting and child.type == NEEDS[waiting[-1].type]:
            waiting.pop()
        if child.type in NEEDS and not child.is_named:
            waiting.append(child)
    return waiting[-1] if waiting and len(node.children) > 1 else None


def _incomplete(node: tree_sitter.Node, places: Places) -> Fault:
    """Something that the grammar names nowhere is missing in it, such as an `else`."""
    words = {child.type for child in node.children if not child.is_named}
    absent = next((end for word, end in NEEDS.items() if word in words and end not in words), "")
    end = places.range(node).end
    before = Range(Position(end.line, max(0, end.column - 1)), end)
    first = places.text(node.children[0]) if node.children else ""
    if absent:
        return Fault(before, f"`{absent}` is missing: `{_short(first)}` needs one.")
    return Fault(before, "Something is missing here.")


def _missing(child: _Child, places: Places) -> Fault:
    """Told at the word before, for where something is missing there is nothing to underline."""
    node, opened = child.node, child.row[0]
    place = _behind(node, places)
    before = Range(Position(place.line, max(0, place.column - 1)), place)
    if node.type == ABSENT or node.is_named:
        comma = child.before is not None and child.before.type == ","
        what = "Something must follow this comma." if comma else "Something is missing here."
        return Fault(before, what)
    if node.type in (*OPENING.values(), *ENDS):
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
