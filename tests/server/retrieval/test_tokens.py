"""The token sets that Jaccard compares."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bowerbird.retrieval.tokens import id_of, token_ids, tokens_of

EXAMPLES = [
    ("", set()),
    ("+ - ( ) \t", set()),
    ("total = total + 1", {"total", "1"}),
    ("HTTPServer.max_size2", {"HTTPServer", "max_size2", "http", "server", "max", "size", "2"}),
    ("getURL", {"getURL", "get", "url"}),
    ("__init__", {"__init__", "init"}),
    ("_", {"_"}),
    ("Größe_in_mm", {"Größe_in_mm", "größe", "in", "mm"}),
    ("变量1 = 2", {"变量1", "变量", "1", "2"}),
    ("a\nb", {"a", "b"}),
    ("“so…on”\u00a0\ud800x", {"so", "on", "x"}),
]

PIECES = [*"aB_1éß变 .(\n\t\0\f\x1c\u00a0\u2028…", "\ud800", "get", "URL", "max_size", "２"]
code = st.lists(st.sampled_from(PIECES) | st.characters(), max_size=40).map("".join)


@pytest.mark.parametrize(("text", "expected"), EXAMPLES)
def test_tokens_are_words_and_the_parts_of_names(text: str, expected: set[str]) -> None:
    """A text's tokens are its words as written and their parts in lower case, without punctuation."""
    assert tokens_of(text) == expected


@given(code)
def test_every_word_is_a_token(text: str) -> None:
    """Words are what the `re` module takes for words, in any script and around any garbage."""
    assert set(re.findall(r"\w+", text)) <= tokens_of(text)


@given(code)
def test_no_token_spans_two_lines(text: str) -> None:
    """The set of a text is the union of its lines' sets, so lines that windows share are looked at once."""
    assert tokens_of(text) == frozenset().union(*map(tokens_of, text.split("\n")))


@given(code)
def test_ids_are_the_tokens_line_by_line(text: str) -> None:
    """The ids of each line are those of the line's token set, whatever stands around it."""
    ids, starts = token_ids(text)
    lines = text.split("\n")
    assert len(starts) == len(lines) + 1
    for i, line in enumerate(lines):
        expected = {id_of(token.encode()) for token in tokens_of(line)}
        assert set(ids[starts[i] : starts[i + 1]].tolist()) == expected
