"""What ``queries/*/tags.scm`` say of a grammar, by the kind of node that each pattern begins with.

All that is known of a grammar stands there, in three forms::

    (KIND ... @name ...) @definition.CATEGORY   tree-sitter's usual tags; a @scope leads the dotted name
    (KIND (_) @statement)                       whatever such a node holds may begin a window
    (KIND) @lead                                belongs to what stands below: a comment, an attribute
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import tree_sitter

from bowerbird.syntax.grammars import grammar_of
from bowerbird.syntax.languages import LANGUAGES

QUERIES = Path(__file__).with_name("queries")

_PATTERN = re.compile(rb"\((\w+).*?(@definition|\(_\) @statement|\) @lead)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Tags:
    """A language's patterns. Kinds of nodes are the grammar's numbers."""

    query: tree_sitter.Query
    """The patterns of definitions; the others are disabled."""
    definitions: frozenset[int]
    """Kinds at which `query` may match."""
    statements: frozenset[int]
    """Kinds whose named children may begin a window."""
    leads: frozenset[int]
    """Kinds that belong to what stands below."""


@cache
def tags_of(language: str) -> Tags:
    """The tags of a language that has a grammar. Raises `ValueError` for a pattern of another form."""
    grammar = grammar_of(language)
    source = b"\n".join((QUERIES / folder / "tags.scm").read_bytes() for folder in LANGUAGES[language].tags)
    query = tree_sitter.Query(grammar, source.decode())
    kinds: dict[bytes, set[int]] = {b"@definition": set(), b"(_) @statement": set(), b") @lead": set()}
    for index in range(query.pattern_count):
        text = source[query.start_byte_for_pattern(index) : query.end_byte_for_pattern(index)]
        pattern = _PATTERN.match(text)
        kind = grammar.id_for_node_kind(pattern[1].decode(), True) if pattern else None
        if pattern is None or kind is None:
            raise ValueError(f"{language}: a pattern of no known form: {text.decode()}")
        kinds[pattern[2]].add(kind)
        if pattern[2] != b"@definition":
            query.disable_pattern(index)
    return Tags(query, *map(frozenset, kinds.values()))
