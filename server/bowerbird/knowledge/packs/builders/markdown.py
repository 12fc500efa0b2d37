"""Markdown -> blocks, with what MkDocs and its extensions add: includes, notes in boxes, front matter."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from markdown_it import MarkdownIt
from markdown_it.token import Token

from bowerbird.knowledge.packs.builders.blocks import Block, Code, Html, Prose, Table, Title, plain

Include = Callable[[str], str | None]
"""The text of a file that a page includes, by the name that it has there."""

FAILS = "counter-example"
"""The flag of code that is included from a file whose name says that it must fail."""

_FRONT_MATTER = re.compile(r"---[ \t]*\n(.*?)\n(?:---|\.\.\.)[ \t]*(?:\n|\Z)", re.DOTALL)
_FRONT_TITLE = re.compile(r"^title:\s*[\"']?(.*?)[\"']?\s*$", re.MULTILINE)
_BOX = re.compile(r"([ \t]*)(?:!!!|\?\?\?\+?|===)[ \t]")
_INCLUDE = re.compile(r"([ \t]*)-+8<-+[ \t]+[\"']([^\"'\n]+)[\"'][ \t]*")
_PLACE = re.compile(r"(?P<file>.+?)(?::(?P<first>\d*))?(?::(?P<last>\d*))?")
_FAILING = re.compile(r"-8<-+ [\"'][^\"'\n]*(?:\bfailure|\berror-message)")
_BRACED = re.compile(r"\{[ \t]*\.?(?P<tag>[\w+#-]+)[^}]*\}")
_QUOTE = re.compile(r"^[ \t]*>[ \t]?(?:\[!\w+\][ \t]*)?", re.MULTILINE)

_reader = MarkdownIt("commonmark").enable("table")


def read_markdown(text: str, include: Include = lambda _: None) -> list[Block]:
    """The blocks of a page. Never raises, save `RecursionError` for absurd nesting."""
    front = _FRONT_MATTER.match(text)
    if front:
        text = "\n" * front[0].count("\n") + text[front.end() :]
    text = _without_boxes(text)
    return list(_blocks(_reader.parse(text), text.split("\n"), include))


def front_title(text: str) -> str:
    """The title that a page's front matter gives."""
    front = _FRONT_MATTER.match(text)
    title = _FRONT_TITLE.search(front[1]) if front else None
    return title[1] if title else ""


def _blocks(tokens: Sequence[Token], lines: Sequence[str], include: Include) -> Iterator[Block]:
    at = 0
    while at < len(tokens):
        token = tokens[at]
        line = token.map[0] if token.map else 0
        end = _end(tokens, at)
        if token.type == "heading_open":
            yield Title(line, int(token.tag[1:]), plain(tokens[at + 1].content))
        elif token.type in ("fence", "code_block"):
            code = _code(line, token.info, _included(token.content, include))
            yield replace(code, flags=(*code.flags, FAILS)) if _FAILING.search(token.content) else code
        elif token.type == "html_block":
            yield Html(line, token.content)
        elif token.type == "table_open":
            yield Table(line, tuple(_rows(tokens[at:end])))
        elif token.type == "paragraph_open":
            yield Prose(line, plain(tokens[at + 1].content))
        elif token.type.endswith("_open"):
            inner = tokens[at + 1 : end - 1]
            if any(one.type in ("fence", "table_open", "heading_open") for one in inner):
                yield from _blocks(inner, lines, include)
            else:
                yield Prose(line, plain(_source(token, lines)))
        at = end


def _end(tokens: Sequence[Token], at: int) -> int:
    """Behind the token that closes this one."""
    depth = 0
    for end in range(at, len(tokens)):
        depth += tokens[end].nesting
        if depth == 0:
            return end + 1
    return len(tokens)


def _source(token: Token, lines: Sequence[str]) -> str:
    first, end = token.map or (0, 0)
    text = textwrap.dedent("\n".join(lines[first:end])).strip("\n")
    return _QUOTE.sub("", text).strip("\n") if token.type == "blockquote_open" else text


def _code(line: int, info: str, text: str) -> Code:
    braced = _BRACED.match(info.strip())
    tag, *flags = [braced["tag"]] if braced else info.replace(",", " ").split() or [""]
    return Code(line, tag, textwrap.dedent(text).strip("\n"), tuple(flags))


def _rows(tokens: Sequence[Token]) -> Iterator[tuple[str, ...]]:
    row: list[str] = []
    for token in tokens:
        if token.type == "inline":
            row.append(plain(token.content))
        elif token.type == "tr_close":
            yield tuple(row)
            row = []


def _included(code: str, include: Include) -> str:
    """The code with its includes; the name of a file that is not there stays as it is."""
    if "8<" not in code:
        return code
    lines = []
    for line in code.split("\n"):
        match = _INCLUDE.fullmatch(line)
        found = _section(match[2], include) if match else None
        lines.append(line if match is None or found is None else textwrap.indent(found, match[1]))
    return "\n".join(lines)


def _section(place: str, include: Include) -> str | None:
    """``FILE``, ``FILE:FIRST:LAST`` with lines from 1, both included, or ``FILE:NAME`` of a marked part."""
    match = _PLACE.fullmatch(place)
    text = include(match["file"]) if match else None
    if match is None or text is None:
        file, _, mark = place.rpartition(":")
        whole = include(file) if file else None
        return None if whole is None else _marked(whole, mark)
    lines = text.split("\n")
    first = int(match["first"] or 1)
    last = int(match["last"] or len(lines))
    return textwrap.dedent("\n".join(lines[max(0, first - 1) : last])).rstrip("\n")


def _marked(text: str, mark: str) -> str:
    """The lines between ``--8<-- [start:MARK]`` and ``--8<-- [end:MARK]``."""
    lines = text.split("\n")
    begin = next((at for at, line in enumerate(lines) if f"[start:{mark}]" in line), len(lines))
    end = next((at for at, line in enumerate(lines) if f"[end:{mark}]" in line), len(lines))
    return textwrap.dedent("\n".join(lines[begin + 1 : end]))


def _without_boxes(text: str) -> str:
    """Take ``!!! note`` and the like away, and move left what they hold. Lines stay where they are."""
    if not re.search(r"^[ \t]*(?:!!!|\?\?\?|===)", text, re.MULTILINE):
        return text
    lines: list[str] = []
    inside: list[int] = []  # by how much what boxes hold is indented
    fenced = False
    for line in text.split("\n"):
        indent = len(line) - len(line.lstrip())
        while inside and line.strip() and indent < inside[-1]:
            inside.pop()
        here = inside[-1] if inside else 0
        if line.lstrip().startswith(("```", "~~~")):
            fenced = not fenced
        box = None if fenced else _BOX.match(line)
        if box:
            inside.append(len(box[1]) + 4)
            lines.append("")
        else:
            lines.append(line[min(here, indent) :])
    return "\n".join(lines)
