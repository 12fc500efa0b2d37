"""The little Markdown that pages are written in: headings, fences, code spans, and their escapes.

Everything here takes time in proportion to the text, whatever the text is.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

DEEPEST_HEADING = 3  # deeper ones belong to the text around them
OPENING = re.compile(r" {0,3}(`{3,}|~{3,})([^\n]*)")

_ESCAPED = re.compile(r"( {0,3})\\(\\*(?:#|```|~~~).*)")
_TO_ESCAPE = re.compile(r"( {0,3})(\\*(?:#|```|~~~).*)")
_PLAIN_NAME = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9._ :?!,;/()'-]*[A-Za-z0-9.?!)])?")


@dataclass(frozen=True, slots=True)
class Heading:
    """A line such as ``## Name``."""

    line: int
    level: int
    text: str


@dataclass(frozen=True, slots=True)
class Fence:
    """A block of code."""

    line: int
    end: int
    """The line behind the closing one."""
    info: str
    """What stands behind the opening marks."""
    code: str


@dataclass(frozen=True, slots=True)
class TextLine:
    """Any other line, without its escape."""

    line: int
    text: str


@dataclass(frozen=True, slots=True)
class Unclosed:
    """A line that opens a block of code which nothing closes. It is read as if it were not there."""

    line: int


Block = Heading | Fence | TextLine | Unclosed


def blocks(text: str) -> Iterator[Block]:
    """The page's lines, put together where they belong together."""
    lines = text.split("\n")
    number = 0
    while number < len(lines):
        line = lines[number]
        opening = OPENING.fullmatch(line)
        if opening and not (opening[1][0] == "`" and "`" in opening[2]):
            end = _closing(lines, number, opening[1])
            if end is None:
                yield Unclosed(number)
                number += 1
                continue
            code = "\n".join(lines[number + 1 : end])
            yield Fence(number, end + 1, opening[2].strip(), code)
            number = end + 1
            continue
        heading = _heading(number, line)
        if heading is not None:
            yield heading
        else:
            escaped = _ESCAPED.fullmatch(line)
            yield TextLine(number, escaped[1] + escaped[2] if escaped else line)
        number += 1


def _closing(lines: Sequence[str], opening: int, marks: str) -> int | None:
    """The line that closes a fence; None if another one opens first, which a longer fence would allow."""
    for number in range(opening + 1, len(lines)):
        line = lines[number].strip()
        if not line.startswith(marks):
            continue
        if not line.strip(marks[0]):
            return number
        if "`" not in line.lstrip(marks[0]):
            return None
    return None


def _heading(number: int, line: str) -> Heading | None:
    text = line.lstrip(" ")
    if len(line) - len(text) > 3 or not text.startswith("#"):
        return None
    content = text.lstrip("#")
    level = len(text) - len(content)
    if level > DEEPEST_HEADING or (content and content[0] not in " \t"):
        return None
    content = content.strip()
    without = content.rstrip("#")
    if without != content and (not without or without[-1] in " \t"):
        content = without.rstrip()
    if content.endswith("\\#"):
        content = content[:-2] + "#"
    return Heading(number, level, content)


def heading_text(text: str) -> str:
    """What to write behind ``##`` so that it reads as `text`, which is one line."""
    return text[:-1] + "\\#" if text.endswith("#") else text


def heading_name(name: str) -> str:
    """What to write behind ``##`` so that it reads as a name, and renders as it is."""
    return name if _PLAIN_NAME.fullmatch(name) else code_span(name)


def one_line(text: str) -> str:
    """`text` with its white space as single blanks, none at either end."""
    return " ".join(text.split())


def tidy(text: str) -> str:
    """A text of several lines without white space at its lines' ends, and without empty lines around it."""
    lines = [line.rstrip() for line in text.replace("\r\n", "\n").replace("\r", "\n").split("\n")]
    return "\n".join(lines).strip("\n")


def escape(text: str) -> str:
    """`text` so that none of its lines reads as a heading or a fence."""
    return "\n".join(
        f"{match[1]}\\{match[2]}" if (match := _TO_ESCAPE.fullmatch(line)) else line
        for line in text.split("\n")
    )


def code_span(text: str) -> str:
    """One line of code in backticks."""
    marks = "`" * (_longest_run(text, "`") + 1)
    padding = " " if text[:1] in ("`", " ") or text[-1:] in ("`", " ") else ""
    return f"{marks}{padding}{text}{padding}{marks}"


def without_span(text: str) -> str:
    """What stands between the backticks, if there is nothing else; else the text itself."""
    found = leading_span(text)
    return found[0] if found and found[1] == len(text) else text


def leading_span(text: str, at: int = 0) -> tuple[str, int] | None:
    """The code span that begins at the place `at`, and where it ends; None if there is none."""
    end = _run_end(text, at)
    marks = text[at:end]
    if not marks:
        return None
    begin = end
    while (end := text.find(marks, end)) >= 0:
        behind = _run_end(text, end)
        if behind - end == len(marks):
            inner = text[begin:end]
            return (inner[1:-1] if len(inner) > 2 and inner[0] == inner[-1] == " " else inner), behind
        end = behind
    return None


def _run_end(text: str, at: int) -> int:
    while text.startswith("`", at):
        at += 1
    return at


def fenced(code: str, info: str) -> str:
    """A block of code."""
    marks = "`" * max(3, _longest_run(code, "`") + 1)
    return f"{marks}{info}\n{code}\n{marks}"


def _longest_run(text: str, character: str) -> int:
    return max(map(len, re.findall(f"{re.escape(character)}+", text)), default=0)
