"""What the model wrote -> a preliminary and code that fits the place."""

from __future__ import annotations

import re
from dataclasses import dataclass

from bowerbird.syntax.indent import leading_space
from bowerbird.syntax.languages import LANGUAGES
from bowerbird.syntax.lexis import tokens
from bowerbird.syntax.mentions import mentions
from bowerbird.synthesis.analyzer import TAGS
from bowerbird.synthesis.place import PLACEHOLDER, without_margin
from bowerbird.synthesis.prompt import REQUIREMENT, SOURCE, Ask
from bowerbird.synthesis.request import Request, name_in

FENCE = re.compile(r"^[ \t]*(`{3,}|~{3,})[^\n]*\n(.*?)(?:^[ \t]*\1|\Z)", re.DOTALL | re.MULTILINE)
TAG = re.compile("|".join(map(re.escape, (REQUIREMENT, SOURCE, *TAGS.values()))))
CLOSERS = re.compile(r"(?:end|\})[;),]*")
STEERING = re.compile("[\x00-\x08\x0b-\x1f\x7f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")
"""Characters that no code needs, and that make it look other than it is."""
LONGEST_CODE = 20_000  # characters
HASHED = frozenset({"markdown", "css", "scss"})
"""Languages in which a line that begins with ``#`` says something by itself."""


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer, taken apart."""

    code: str
    """Without margin; empty where the model wrote none."""
    preliminary: str = ""


def read_answer(text: str, ask: Ask, request: Request) -> Answer:
    """Take an answer apart, whichever form it has. Never raises."""
    text = STEERING.sub("", text.replace("\r\n", "\n"))[:LONGEST_CODE]
    fences = list(FENCE.finditer(text))
    if fences:
        last = fences[-1]
        return Answer(fitted(last[2], request), TAG.sub("", text[: last.start()]).strip())
    parts = TAG.split(text)
    tags = [ask.led_by, *TAG.findall(text)]
    found = dict(zip(reversed(tags), reversed(parts), strict=True))  # of one tag the first counts
    preliminary = next((found[tag].strip() for tag in TAGS.values() if tag in found), "")
    if SOURCE not in found and ask.led_by not in ("", SOURCE):
        return Answer("", preliminary)
    code = found.get(SOURCE, parts[0])
    return Answer(fitted(code or "", request), preliminary)


def fitted(code: str, request: Request) -> str:
    """Code without what the document has already: the request's comment, and the function's header."""
    lines = without_margin(code).split("\n")
    row = LANGUAGES.get(request.language)
    mark = (row.comment if row else "") or "#"
    asked = set(map(str.strip, request.requirement.split("\n")))
    while lines and lines[0].startswith(mark) and lines[0].removeprefix(mark).strip() in asked:
        lines.pop(0)
    if request.body:
        lines = _body(lines, request)
    code = without_margin("\n".join(lines))
    return "" if is_nothing(code, request.language) else code


def is_nothing(code: str, language: str) -> bool:
    """Does code do nothing? Comments and placeholders pass every check.

    Small models write comments of another language, too; a program of such lines alone does nothing anywhere.
    """
    says = [line for line in code.split("\n") if line.strip() and not PLACEHOLDER.fullmatch(line)]
    if language not in HASHED:
        says = [line for line in says if not line.lstrip().startswith("#")]
    if not says:
        return True
    return not mentions(code, language) and not any(
        token.kind == "string" for token in tokens(code, language)
    )


def _body(lines: list[str], request: Request) -> list[str]:
    """The lines of a body, where the model wrote the whole function."""
    wanted = name_in(request.signature)
    if not lines or not wanted or name_in(lines[0]) != wanted:
        return lines
    if "(" in lines[0] and leading_space(lines[0]) == "" and not _is_header(lines):
        return lines  # it calls itself
    depth = 0
    for number, line in enumerate(lines):
        depth += sum(map(line.count, "([")) - sum(map(line.count, ")]"))
        if depth <= 0:
            lines = lines[number + 1 :]
            break
    outer = [line for line in lines if line.strip()]
    if outer and CLOSERS.fullmatch(outer[-1].strip()) and not leading_space(outer[-1]) and len(outer) > 1:
        lines = lines[: len(lines) - lines[::-1].index(outer[-1]) - 1]
    return lines


def _is_header(lines: list[str]) -> bool:
    """Is the first line a function's header, and not a call?"""
    inner = next((line for line in lines[1:] if line.strip()), "")
    return bool(leading_space(inner)) or lines[0].rstrip().endswith((":", "{", "=>"))
