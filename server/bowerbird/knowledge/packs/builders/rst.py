"""reStructuredText -> blocks: titles, code, what Sphinx's domains describe. It is light, and never fails."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator, Sequence

from bowerbird.knowledge.packs.builders.blocks import Block, Code, Described, Prose, Title

_RULE = re.compile(r"([=\-`:'\"~^_*+#<>.])\1*[ \t]*")
_DIRECTIVE = re.compile(r"([ \t]*)\.\.[ \t]+(?:\|[^|]*\|[ \t]+)?([\w:+-]+?)::(?:[ \t]+(.*)|[ \t]*)")
_EXPLICIT = re.compile(r"[ \t]*\.\.(?:[ \t]|$)")
_OPTION = re.compile(r"[ \t]*:[\w-]+:(?:[ \t].*)?")
_FIELD = re.compile(r"[ \t]*:([^:\n]+):(?:[ \t]+(.*)|[ \t]*)")
_ROLE = re.compile(r"(?<![\w:]):(?:\w+:)++`(?:[^`<]*<)?[~!]?([^`<>\n]+)>?`")
_LITERAL = re.compile(r"``([^`\n]+)``")
_LINK = re.compile(r"`([^`<\n]+)<[^`>\n]*>`__?")
_REFERENCE = re.compile(r"`([^`\n]+)`__?")

_CODE = frozenset({"code", "code-block", "sourcecode", "ipython", "parsed-literal", "prompt"})
_DOCTEST = frozenset({"doctest", "testcode"})
_OUTPUT = frozenset({"testoutput", "output"})
_SILENT_NAMES = """
    index image figure toctree include literalinclude raw contents highlight currentmodule module meta only
    automodule autoclass autofunction autosummary rubric default-domain todo seealso math csv-table
    sectionauthor codeauthor py:currentmodule py:module
"""
_SILENT = frozenset(_SILENT_NAMES.split())
"""Directives that tell a reader nothing here."""

OBJECTS = {
    "function": "function",
    "method": "method",
    "classmethod": "method",
    "staticmethod": "method",
    "class": "type",
    "exception": "type",
    "type": "type",
    "struct": "type",
    "union": "type",
    "enum": "enumeration",
    "enumerator": "member",
    "data": "constant",
    "var": "constant",
    "macro": "function",
    "attribute": "field",
    "property": "field",
    "member": "field",
    "decorator": "function",
    "constructor": "constructor",
    "keyword": "keyword",
    "operator": "operator",
    "describe": "concept",
    "object": "concept",
}
"""What Sphinx's directives describe, whatever their domain."""


def read_rst(text: str) -> list[Block]:
    """The blocks of a page. Never raises."""
    return list(_blocks(text.expandtabs(8).split("\n"), 0, {}, 0))


def rst_to_markdown(text: str) -> str:
    """Roles and literals as code, links as what they say."""
    text = _LITERAL.sub(r"`\1`", _ROLE.sub(r"`\1`", text))
    return _REFERENCE.sub(r"\1", _LINK.sub(lambda link: link[1].rstrip(" \t"), text))


def _blocks(lines: Sequence[str], offset: int, levels: dict[str, int], depth: int) -> Iterator[Block]:
    """`offset` is the number of the first line; `levels` are the titles' marks in order of appearance."""
    at = 0
    while at < len(lines):
        line = lines[at]
        if not line.strip():
            at += 1
            continue
        title = _title(lines, at, levels)
        if title is not None:
            text, level, end = title
            yield Title(offset + at, level, rst_to_markdown(text))
            at = end
            continue
        directive = _DIRECTIVE.fullmatch(line)
        if directive is not None or _EXPLICIT.match(line):
            end = _indented_end(lines, at + 1, _indent(line))
            if directive is not None:
                body = lines[at + 1 : end]
                yield from _directive(
                    directive[2].lower(), directive[3] or "", body, offset + at, levels, depth
                )
            at = end
            continue
        if line.lstrip().startswith(">>> "):
            end = _paragraph_end(lines, at)
            yield Code(offset + at, "pycon", textwrap.dedent("\n".join(lines[at:end])))
            at = end
            continue
        end = _paragraph_end(lines, at)
        paragraph = "\n".join(lines[at:end])
        literal = paragraph.rstrip().endswith("::")
        if literal:
            paragraph = paragraph.rstrip()[:-1]
        if paragraph.strip(": \n"):
            yield Prose(offset + at, rst_to_markdown(textwrap.dedent(paragraph)))
        if literal:
            begin, end = end, _indented_end(lines, end, _indent(line))
            code = _dedented(lines[begin:end])
            if code:
                yield Code(offset + begin, "", code)
        at = end


def _title(lines: Sequence[str], at: int, levels: dict[str, int]) -> tuple[str, int, int] | None:
    """A title at this line: its text, its level, and the line behind it."""
    line = lines[at]
    if line[0] == " " and not _RULE.fullmatch(line.strip()):
        return None
    following = lines[at + 1] if at + 1 < len(lines) else ""
    rule = _RULE.fullmatch(line)
    if rule and len(line.strip()) > 2 and following.strip() and at + 2 < len(lines):
        if lines[at + 2].strip() == line.strip():
            return following.strip(), levels.setdefault(rule[1] * 2, len(levels) + 1), at + 3
        return None
    under = _RULE.fullmatch(following)
    if under and not rule and len(following.strip()) >= min(3, len(line.strip())):
        return line.strip(), levels.setdefault(under[1], len(levels) + 1), at + 2
    return None


def _directive(
    name: str, argument: str, body: Sequence[str], line: int, levels: dict[str, int], depth: int
) -> Iterator[Block]:
    short = name.rpartition(":")[2]
    begin = 0
    heads = [argument] if argument else []
    while begin < len(body) and body[begin].strip() and not _OPTION.fullmatch(body[begin]):
        if short not in OBJECTS:
            break
        heads.append(body[begin].strip())  # overloads stand on lines of their own
        begin += 1
    while begin < len(body) and _OPTION.fullmatch(body[begin]) and not _is_parameter(body[begin]):
        begin += 1
    rest = body[begin:]
    if name in _CODE or name in _DOCTEST or name in _OUTPUT:
        text = _dedented(rest)
        tag = "output" if name in _OUTPUT else "pycon" if name in _DOCTEST else argument.strip()
        if text:
            yield Code(line, tag, text)
    elif short in OBJECTS and heads and depth < 10:
        inner, fields = _fields(_dedented(rest).split("\n"))
        blocks = tuple(_blocks(inner, line + 1 + begin, levels, depth + 1))
        signatures = tuple(filter(None, (head.rstrip("\\").strip() for head in heads)))
        yield Described(line, OBJECTS[short], signatures, blocks, fields)
    elif name not in _SILENT and depth < 10:  # a note, a warning, a version
        text = argument if name in ("note", "warning", "tip", "important", "attention", "hint") else ""
        if text:
            yield Prose(line, rst_to_markdown(text))
        yield from _blocks(_dedented(rest).split("\n"), line + 1 + begin, levels, depth + 1)


def _is_parameter(line: str) -> bool:
    return line.strip().startswith((":param", ":arg", ":return", ":raise", ":type", ":rtype"))


def _fields(lines: list[str]) -> tuple[list[str], tuple[tuple[str, str], ...]]:
    """The field list of a description taken out of it; lines stay where they are."""
    fields: list[tuple[str, str]] = []
    inner = list(lines)
    at = 0
    while at < len(lines):
        own = lines[at].startswith(":") and _is_parameter(lines[at])  # not of what is described inside
        match = _FIELD.fullmatch(lines[at]) if own else None
        if match is None:
            at += 1
            continue
        end = _indented_end(lines, at + 1, _indent(lines[at]))
        told = " ".join([match[2] or "", *(line.strip() for line in lines[at + 1 : end])])
        fields.append((" ".join(match[1].split()), rst_to_markdown(" ".join(told.split()))))
        inner[at:end] = [""] * (end - at)
        at = end
    return inner, tuple(fields)


def _paragraph_end(lines: Sequence[str], at: int) -> int:
    while at < len(lines) and lines[at].strip():
        at += 1
    return at


def _indented_end(lines: Sequence[str], at: int, indent: int) -> int:
    """Behind the lines that stand further right than `indent`, empty ones between them included."""
    end = at
    while at < len(lines):
        if lines[at].strip():
            if _indent(lines[at]) <= indent:
                break
            end = at + 1
        at += 1
    return end


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip(" "))


def _dedented(lines: Sequence[str]) -> str:
    return textwrap.dedent("\n".join(lines)).strip("\n")
