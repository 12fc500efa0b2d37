"""What a file of a library declares, with its signatures and what is written of it there.

`syntax.entities` finds definitions of several lines, for windows; here are all, and what documents them:
a text inside them (Python, Pony) or the comment above.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from dataclasses import dataclass

import tree_sitter

from bowerbird.syntax.descent import path_to
from bowerbird.syntax.parser import Tree
from bowerbird.syntax.tags import tags_of

LONGEST_SIGNATURE = 1_000  # characters
MOST_COMMENTS = 500  # one below the other; to find the one above takes time in proportion to all above it
MODULE = "module"
FIELD = "field"

_TEXT_INSIDE = frozenset({"python", "pony"})
"""Languages whose docstrings stand inside what they document."""

_FIELDS = {"pony": frozenset({"field"})}
"""Kinds of nodes that declare a field, where the tags do not tell."""

_CALLABLE = frozenset({"function", "method"})
"""Categories inside which all is local."""

_BODY = re.compile(r"(?:^|_)(?:body|members|declaration_list|block)$")
_STRING = "string"
_STRING_MARKS = re.compile(r"[A-Za-z]{0,3}(\"\"\"|'''|\"|')(.*)\1", re.DOTALL)
_COMMENT_MARKS = re.compile(r"^[ \t]*(?:/\*+!?|\*+/|\*(?!\*)|//[/!]*|#+:?|--+|;+|%+)[ \t]?|[ \t]*\*+/[ \t]*$")
_COMMENT = re.compile(r"//|/\*|#(?!\[)|--|;|%")
_SPACE = re.compile(r"\s+")


@dataclass(frozen=True, slots=True)
class Declaration:
    """Something that a library gives to its users, or keeps for itself."""

    name: str
    """Dotted, from the outermost declaration down; empty for the file itself."""
    kind: str
    """As in ``tags.scm``, or ``field``, or ``module`` for the file."""
    word: str
    """The first word of the declaration: ``class``, ``actor``, ``def``."""
    signature: str
    """On one line, without docstring and body."""
    docstring: str
    """Without marks and without the indentation that its lines share."""
    line: int


def declarations(tree: Tree) -> list[Declaration]:
    """Everything that is declared outside functions, in order."""
    return list(_Walk(tree).run())


class _Walk:
    def __init__(self, tree: Tree) -> None:
        self.tree = tree
        self.tags = tags_of(tree.language)
        self.cursor = tree_sitter.QueryCursor(self.tags.query)
        self.cursor.set_max_start_depth(0)
        self.fields = _FIELDS.get(tree.language, frozenset())
        self.inside = tree.language in _TEXT_INSIDE
        self.found: set[int] = set()

    def run(self) -> Iterator[Declaration]:
        if self.inside and (text := self._first_string(self.tree.root, alone=True)):
            yield Declaration("", MODULE, "", "", text, 0)
        pending: list[tuple[tree_sitter.Node, str]] = [(self.tree.root, "")]
        while pending:
            node, outer = pending.pop()
            name = outer
            if node != self.tree.root:
                found = self._declared(node, outer)
                if found is not None:
                    yield found
                    if found.kind in _CALLABLE or found.kind == FIELD:
                        continue
                    name = found.name
            pending += [(child, name) for child in reversed(node.named_children)]

    def _declared(self, node: tree_sitter.Node, outer: str) -> Declaration | None:
        if node.type in self.fields:
            name, kind = node.child_by_field_name("name"), FIELD
        elif node.kind_id in self.tags.definitions:
            captures = self.cursor.captures(node)
            name = min(captures.pop("name", ()), key=lambda one: one.start_byte, default=None)
            captures.pop("scope", None)
            kind = min(captures, default="").removeprefix("definition.")
        else:
            return None
        if name is None or name.start_byte == name.end_byte or name.start_byte in self.found:
            return None  # nameless in broken code, or what was found already with its decorators around it
        self.found.add(name.start_byte)
        text = self._text(name)
        signature = self._signature(node)
        return Declaration(
            name=f"{outer}.{text}" if outer else text,
            kind=kind,
            word=signature.partition(" ")[0],
            signature=signature,
            docstring=self._inside(node, kind) if self.inside else self._above(node),
            line=node.start_point[0],
        )

    def _signature(self, node: tree_sitter.Node) -> str:
        """What stands before the body."""
        node = _undecorated(node)
        end = node.end_byte
        body = node.child_by_field_name("body")
        for child in node.children:
            ends = child.type in ("=>", _STRING, "comment") or (child.is_named and _BODY.search(child.type))
            if ends or (body is not None and child.start_byte == body.start_byte):
                end = child.start_byte
                break
        start = node.start_byte
        text = self.tree.data[start : min(end, start + 4 * LONGEST_SIGNATURE)].decode("utf-8", "replace")
        if end == node.end_byte and "{" in text:
            text = text[: text.index("{")]
        return _SPACE.sub(" ", text).strip().rstrip("{:=> ").strip()[:LONGEST_SIGNATURE]

    def _inside(self, node: tree_sitter.Node, kind: str) -> str:
        node = _undecorated(node)
        for child in node.named_children:
            if child.type == _STRING:
                # The default of a field is a text, too, but not its last one.
                if kind == FIELD and child.next_named_sibling is not None:
                    continue
                return self._docstring(child) if self._begins_line(child) else ""
        body = next((one for one in node.named_children if _BODY.search(one.type)), None)
        if body is None or body.type == "members":
            return ""
        return self._first_string(body, alone=self.tree.language == "python")

    def _first_string(self, block: tree_sitter.Node, alone: bool) -> str:
        """The text that a block begins with; not `alone`, it is what the block gives if nothing follows."""
        children = [one for one in block.named_children if "comment" not in one.type]
        if not children or (len(children) < 2 and not alone):
            return ""
        first = children[0]
        if first.type == "expression_statement" and first.named_child_count == 1:
            first = first.named_children[0]
        return self._docstring(first) if first.type == _STRING else ""

    def _above(self, node: tree_sitter.Node) -> str:
        """The comment that ends on the line above."""
        lines: list[str] = []
        first = node
        # Such as `export`, which begins on the same line.
        for outer in reversed(path_to(self.tree.root, node.start_byte, node.end_byte)[1:]):
            if outer.start_byte < self._line_begin(first):
                break
            first = outer
        above: tree_sitter.Node | None = first.prev_named_sibling
        below = first.start_point[0]
        for _ in range(MOST_COMMENTS):
            if above is None or above.kind_id not in self.tags.leads:
                break
            last, column = above.end_point
            last -= not column
            if last < below - 1 or not self._begins_line(above):
                break
            text = self._text(above)
            if _COMMENT.match(text):
                lines = [
                    _COMMENT_MARKS.sub("", line).rstrip() for line in text.rstrip("\n").split("\n")
                ] + lines
            below = above.start_point[0]
            above = above.prev_named_sibling
        return "\n".join(lines).strip("\n")

    def _docstring(self, string: tree_sitter.Node) -> str:
        match = _STRING_MARKS.fullmatch(self._text(string).strip())
        return inspect.cleandoc(match[2]).strip() if match else ""

    def _begins_line(self, node: tree_sitter.Node) -> bool:
        return not self.tree.data[self._line_begin(node) : node.start_byte].strip()

    def _line_begin(self, node: tree_sitter.Node) -> int:
        return self.tree.data.rfind(b"\n", 0, node.start_byte) + 1

    def _text(self, node: tree_sitter.Node) -> str:
        return self.tree.data[node.start_byte : node.end_byte].decode("utf-8", "replace")


def _undecorated(node: tree_sitter.Node) -> tree_sitter.Node:
    """The definition itself."""
    return node.child_by_field_name("definition") or node
