"""Text to tree."""

from __future__ import annotations

import re
import threading
import time
from dataclasses import dataclass

import tree_sitter

from bowerbird.syntax.grammars import grammar_of, why_missing
from bowerbird.syntax.languages import LANGUAGES

LARGEST_BYTES = 1_000_000  # as much as the index reads of one file by default
PATIENCE_S = 1.0  # of this thread's own time; honest code of the largest size takes about a tenth
LOOK_CALLS = 50  # the parser asks so often before its progress is looked at
CRAWL_BYTES = 2_000  # progress below this is a crawl; minified code comes 2,600 bytes on, other code 10,000
MOST_CRAWLS = 8  # in a row; on a line longer than `CRAWL_BYTES` a single one
BEYOND_ASCII = re.compile(r"[^\x00-\x7f]")


@dataclass(frozen=True, slots=True, eq=False)
class Tree:
    """A parsed text. Use it in the thread that parsed it."""

    language: str
    """Key in `syntax.languages.LANGUAGES`."""
    data: bytes
    """The text as it was parsed, in UTF-8."""
    root: tree_sitter.Node
    """Only for modules of this row."""


def parse(text: str, language: str | None) -> Tree | None:
    """The tree of `text`, whose line ends are ``\\n``; broken code has one too.

    None where `language` has no grammar that can be loaded, where `text` is larger than `LARGEST_BYTES`,
    and where it is such garbage that the parser hardly gets on. The clock is asked only whether to give
    up: a text has this tree or none. Rows of the tree are lines of the text, columns are bytes of UTF-8
    (a lone surrogate counts as one). Never raises.
    """
    row = LANGUAGES.get(language or "")
    if row is None or len(text) > LARGEST_BYTES or why_missing(row.name):
        return None
    if row.ascii_grammar and not text.isascii():
        text = BEYOND_ASCII.sub("_", text)
    data = text.encode("utf-8", "replace").replace(b"\0", b" ")  # at NULs some grammars start over and over
    if len(data) > LARGEST_BYTES:
        return None
    tree = _parse(data, row.name)
    return None if tree is None else Tree(row.name, data, tree.root_node)


class _Workplace(threading.local):
    """What parsing needs, for each thread its own: parsers and buffers serve one at a time."""

    def __init__(self) -> None:
        self.parsers: dict[str, tree_sitter.Parser] = {}
        self.chunk = bytearray()


_here = _Workplace()


def _parse(data: bytes, language: str) -> tree_sitter.Tree | None:
    """Parse through callbacks: they stop the parser, and let other threads run meanwhile.

    Endless nesting must be stopped early: at the end of the text one step, which nothing can stop, would
    take the square of what is still open, or end the process. One knows it by a parser that crawls.
    """
    parser = _here.parsers.get(language)
    if parser is None:
        parser = _here.parsers[language] = tree_sitter.Parser(grammar_of(language))
    chunk = _here.chunk
    view = memoryview(data)
    deadline = time.thread_time() + PATIENCE_S
    calls = crawls = looked_at = 0
    late = False

    def read(offset: int, _point: object) -> bytearray:
        nonlocal late
        # In garbage on one line some grammars ask again for each character, and for nothing else.
        late = late or time.thread_time() > deadline
        chunk[:] = b"" if late else view[offset:]
        return chunk  # py-tree-sitter 0.26 never frees what it is given here: always the same

    def stop(offset: int, _has_error: bool) -> bool:
        nonlocal calls, crawls, looked_at
        calls += 1
        if calls % LOOK_CALLS:
            return time.thread_time() > deadline
        if offset != looked_at:  # else it has read all, and puts the tree in order
            crawls = crawls + 1 if offset - looked_at < CRAWL_BYTES else 0
            looked_at = offset
        long_line = offset > CRAWL_BYTES and data.rfind(b"\n", offset - CRAWL_BYTES, offset) < 0
        if crawls >= (1 if long_line else MOST_CRAWLS):
            return True
        return time.thread_time() > deadline

    try:
        tree = parser.parse(read, progress_callback=stop)
        return None if late else tree
    except ValueError:  # stopped
        return None
    finally:
        parser.reset()
        chunk.clear()
