"""Texts as bytes: the same lines as a list of strings would have."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from bowerbird.knowledge.snippet import Source, Window
from bowerbird.knowledge.utf8 import utf8_text
from bowerbird.text import Span

texts = st.lists(st.sampled_from(["", "a", "é b", "\ud800", "变\x0c", "\u2028"]), max_size=8).map("\n".join)


def lines_of(text: str) -> list[str]:
    lines = text.split("\n")
    return lines[:-1] if not lines[-1] else lines


@given(texts, st.integers(0, 9), st.integers(0, 9))
def test_lines_are_cut_as_from_a_list(text: str, first: int, end: int) -> None:
    """Any lines of any text, also behind its end, and with half of a pair in it."""
    kept = utf8_text(text)
    assert kept.decode() == text
    assert kept.line_count == len(lines_of(text))
    assert kept.cut(first, end) == "\n".join(lines_of(text)[first:end])
    moved = utf8_text(text)
    moved.move(memoryview(bytes(kept.content)))
    assert moved.cut(first, end) == kept.cut(first, end)
    assert moved.same_as(kept)


@given(texts)
def test_a_source_gives_back_what_it_was_made_of(text: str) -> None:
    """Text, lines and windows are those of the text."""
    source = Source("/w/a.py", "a.py", text)
    assert (source.text, source.lines, source.line_count) == (text, lines_of(text), len(lines_of(text)))
    assert Window(source, Span(1, 3)).text == "\n".join(lines_of(text)[1:3])
    assert source.says_the_same(Source("/w/a.py", "a.py", text))
    assert not source.says_the_same(Source("/w/a.py", "a.py", f"{text}x"))
