"""Filters against what stands there already, in the document or in the prediction itself."""

from __future__ import annotations

import re
from collections.abc import Sequence

from bowerbird.completion.finish.draft import Draft
from bowerbird.syntax.lexes import lexis_of
from bowerbird.syntax.lexis import place_of

MOST_LINES_COMPARED = 10
FEWEST_LETTERS = 3  # `}` and `);` repeat themselves in good code
UNMISTAKABLE_LETTERS = 10  # so long a line is the same one, even where it is indented otherwise
FAR_OVERLAP = 500
LOOPS_IN_LINE = (
    re.compile(r"([^\W\d_]{1,2})\1{9,}"),
    re.compile(r"(.{3,9}?)\1{5,}"),
    re.compile(r"(.{10,80}?)\1{3,}"),
)
LONGEST_LINE = 1_000
WORD = re.compile(r"\w")


def looping(text: str, draft: Draft) -> str:
    """Lines that repeat the lines just before them end the completion: small models fall into loops."""
    lines = text.split("\n")
    number_of = [number for number, line in enumerate(lines) if line.strip()]
    visible = [lines[number] for number in number_of]
    if visible and not number_of[0]:
        visible[0] = draft.line_before + visible[0]
    for end in range(1, len(visible)):
        for period in range(1, MOST_LINES_COMPARED // 2):
            first, middle = end - period, end
            block, before = visible[middle : middle + period], visible[max(0, first) : middle]
            if period > 1:  # blocks may loop inwards; of single lines `return` may do so in good code
                block, before = [line.strip() for line in block], [line.strip() for line in before]
            if block == before and len(block) == period and _tells(block):
                return "\n".join(lines[: number_of[middle]])
    for number, line in enumerate(lines):
        for loop in LOOPS_IN_LINE:
            found = loop.search(line[:LONGEST_LINE])
            if found and WORD.search(found[1]) and (len(set(found[1])) > 1 or found[1].isalpha()):
                end = len("\n".join(lines[:number])) if number else found.end(1)
                return text[:end]
    return text


def repeating_above(text: str, draft: Draft) -> str:
    """A completion that begins with the lines just above it says nothing."""
    if not text.strip():
        return text
    above = draft.visible_lines_above(MOST_LINES_COMPARED)
    begun = draft.line_before + text
    if draft.line_before.strip() and text.startswith("\n"):  # the line is whole, as when it was just accepted
        above, begun = [*above, draft.line_before], text
    lines = [line for line in begun.split("\n") if line.strip()]
    for count in range(1, min(len(above), len(lines)) + 1):
        if lines[:count] == above[-count:] and _tells(lines[:count], UNMISTAKABLE_LETTERS):
            return ""
    return text


def repeating_below(text: str, draft: Draft) -> str:
    """A line that equals the next line below ends the completion before it."""
    below = draft.visible_lines_below(1)
    if not below or not _tells(below):
        return text
    lines = text.split("\n")
    for number, line in enumerate(lines):
        whole = line if number else draft.line_before + line
        if whole.strip() != below[0].strip() or (not number and draft.line_before.strip()):
            continue
        if whole.rstrip() == below[0].rstrip() or len(whole.strip()) >= UNMISTAKABLE_LETTERS:
            return "\n".join(lines[:number])
    return text


def overlapping(text: str, draft: Draft) -> str:
    """The end of a completion that equals the beginning of what stands behind the cursor is cut off."""
    behind = draft.line_behind.strip()
    place = place_of(draft.prefix, draft.language)
    if draft.only_closers_behind and lexis_of(draft.language) is not None and place != "code in string":
        return text  # brackets are paired there; these are letters
    first = text.partition("\n")[0].rstrip()
    if behind and first.endswith(behind):
        return first[: -len(behind)]
    written = text.rstrip()
    for size in range(min(len(written), len(draft.suffix), FAR_OVERLAP), 0, -1):
        if written.endswith(draft.suffix[:size]) and _tells([draft.suffix[:size]]):
            within = size < len(draft.line_behind) and draft.suffix[size - 1 : size + 1].isalnum()
            if not within:
                return written[:-size]
    return text


def _tells(lines: Sequence[str], letters: int = FEWEST_LETTERS) -> bool:
    """Is there a line among them that is more than punctuation?"""
    return any(len(line.strip()) >= letters and WORD.search(line) for line in lines)
