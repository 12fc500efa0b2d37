"""The longest sound prefix: how much of a continuation the parser takes without a new error.

A continuation may end before what it began does, as the user goes on writing. So for the test everything
that is open is closed behind it: brackets, block words, and a statement where a language wants that.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from bowerbird.syntax.blocks import follow, missing_ends, surroundings
from bowerbird.syntax.indent import visible_indentation
from bowerbird.syntax.lexes import LEXES
from bowerbird.syntax.lexis import unfinished_token
from bowerbird.syntax.parser import Tree, parse

MOST_PARSED_CHARACTERS = 200_000  # for one continuation, all parses together; about 30 ms
MOST_CUTS_IN_LINE = 12
WORD = re.compile(r"\w+|[^\w\s]")

FILLERS = {
    **dict.fromkeys(
        ("c", "cpp", "java", "csharp", "rust", "php", "javascript", "typescript", "tsx"), (";", "}")
    ),
    "powerquery": (" _ = 0", "}])in"),
}
"""What completes a statement that a continuation may have broken off, and before which ends it may stand."""
CLOSERS = ")]}"
LONG_QUOTES = ('"""', "'''", "`")
OPERANDS = {"in": "in 0", "until": "until true end"}
"""What closes a block, where the word alone does not."""


@dataclass(frozen=True, slots=True)
class Site:
    """The part of a document that is parsed with every attempt."""

    before: str
    behind: str
    language: str


def sound_prefix(prefix: str, text: str, suffix: str, language: str | None) -> str:
    """The longest prefix of `text` that adds no error to the document between `prefix` and `suffix`.

    By whole lines, within the first line only where that alone is wrong. All of `text` where there is no
    grammar, and where no prefix is sound: then the parser has nothing to say.
    """
    if language is None or not text.strip():
        return text
    site = Site(*_cut_out(prefix, suffix, language), language)
    size = len(site.before) + len(site.behind) + len(text) + 1
    attempts = MOST_PARSED_CHARACTERS // size
    allowed: int | None = None
    for candidate in _shortened(text)[:attempts]:
        errors = _errors_with(site, candidate)
        if errors is None:
            return text
        if errors and allowed is None:
            allowed = _errors_without(site)
        if errors <= (allowed or 0):
            return candidate
    return text


def count_errors(tree: Tree) -> int:
    """Nodes of `tree` that are errors, or that the parser had to add."""
    pending, errors = [tree.root], 0
    while pending:
        node = pending.pop()
        errors += node.is_error or node.is_missing
        pending += [child for child in node.children if child.has_error or child.is_missing]
    return errors


def _shortened(text: str) -> list[str]:
    """What may be left of `text`, longest first."""
    lines = text.split("\n")
    whole = ["\n".join(lines[:number]) for number in range(len(lines), 0, -1) if lines[number - 1].strip()]
    first = next(line for line in lines if line.strip())
    whole[0] = text
    head = text[: text.index(first)]
    ends = [match.end() for match in WORD.finditer(first)][:-1]
    return whole + [head + first[:end] for end in reversed(ends[-MOST_CUTS_IN_LINE:])]


def _errors_with(site: Site, candidate: str) -> int | None:
    """The fewest errors of the document with `candidate`, whatever closes it; None without a tree."""
    fewest: int | None = None
    for filler in dict.fromkeys(("", FILLERS.get(site.language, ("", ""))[0])):
        tree = parse(_closed(site, candidate, filler), site.language)
        if tree is None:
            return None
        errors = count_errors(tree) if tree.root.has_error else 0
        fewest = errors if fewest is None else min(fewest, errors)
        if not fewest:
            break
    return fewest


def _errors_without(site: Site) -> int:
    """The fewest errors of the document as it is, or without the line that is being written."""
    above, line_break, _ = site.before.rpartition("\n")
    below = site.behind.partition("\n")[2]
    sites = (site, Site(above + line_break, below, site.language))
    return min((errors for one in sites if (errors := _errors_with(one, "")) is not None), default=0)


def _closed(site: Site, candidate: str, filler: str) -> str:
    """The document with `candidate`, and with what it leaves open closed."""
    around = surroundings(site.before, site.behind, site.language)
    course = follow(candidate, around, site.language)
    ends = missing_ends(course, around)
    parts = ["\n" if course.in_comment else "", _quote(around.carried + candidate, site.language)]
    for word in ends:
        parts.append(filler if filler and word in FILLERS[site.language][1] else "")
        parts.append(f"\n{OPERANDS.get(word, word)}\n" if word.isalpha() else word)
    if filler == ";" or not ends:
        parts.append(filler)
    return "".join((site.before, candidate, *parts, site.behind))


def _quote(text: str, language: str) -> str:
    """What ends the string of several lines that `text` has begun, or nothing."""
    token = unfinished_token(text, language)
    begun = text[token.start : token.start + 3] if token and token.kind == "string" else ""
    return begun if begun in LONG_QUOTES else begun[:1] if begun[:1] in LONG_QUOTES else ""


def _cut_out(prefix: str, suffix: str, language: str) -> tuple[str, str]:
    """What must be parsed: the outermost block around the cursor and its neighbours.

    It begins and ends with lines that are not indented and where nothing is open.
    """
    around = surroundings(prefix, suffix, language)
    outermost = min((frame.start for frame in around.frames), default=len(prefix))
    carried = len(prefix) - len(around.carried)
    start = _margin_before(prefix, min(outermost, carried), language)
    inmost = max((frame.closed_at or 0 for frame in around.frames), default=0)
    return prefix[start:], suffix[: _margin_behind(suffix, inmost)]


def _margin_before(text: str, offset: int, language: str) -> int:
    """Where the last unindented definition at or before `offset` begins, with the lines just above it."""
    lexis = LEXES.get(language)
    heads = re.compile(lexis.heads) if lexis and lexis.heads else None
    found = None
    while offset >= 0:
        start = text.rfind("\n", 0, offset) + 1
        end = text.find("\n", start)
        line = text[start : end if end >= 0 else len(text)]
        at_margin = visible_indentation(line) == 0
        if found is not None and (not at_margin or line[0] in CLOSERS):
            return found
        if at_margin and (found is not None or heads is None or heads.match(line)):
            found = start  # above may stand what belongs to it: a type, an attribute, a comment
        offset = start - 1
    return 0


def _margin_behind(text: str, offset: int) -> int:
    """Where the second unindented block behind `offset` and the cursor's own line begins.

    The first may belong to what is written above it, such as a decorator.
    """
    blocks, inside = 0, False
    while offset := text.find("\n", offset) + 1:
        first = text[offset : offset + 1]
        if first.strip() and first not in CLOSERS:
            blocks += not inside
            inside = True
            if blocks == 2:
                return offset
        else:
            inside = False
    return len(text)
