"""How a document is indented, and how a continuation that is indented otherwise is made to fit."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from itertools import pairwise
from math import gcd

TAB_COLUMNS = 8
FARTHEST_LINES = 500  # to each side of the cursor
TAB_LANGUAGES = frozenset({"go", "make", "ring"})
NARROW_LANGUAGES = frozenset(
    {"javascript", "typescript", "tsx", "json", "jsonc", "yaml", "html", "css", "scss", "vue", "svelte"}
    | {"ruby", "pony", "scala", "lua", "dart", "elixir"}
)
WIDE_UNIT, NARROW_UNIT = "    ", "  "
FITTING_STEPS = range(2, 9)
CHANGED_STEPS = (2, 4, 8)
MIXED_SHARE = 0.1
CONTINUED = ("(", "[", ",", "\\", "=", "&&", "||", "+", " and", " or")  # behind these the statement goes on
OPENERS = (":", "{", "(", "[", "=>", "->", "then", "do", "else")  # a line that ends so may have deeper ones
USUAL_STEPS = (4, 2, 3)


@dataclass(frozen=True, slots=True)
class Indentation:
    """How one level is written."""

    unit: str
    """A tab, or some spaces."""
    seen: bool
    """The text shows it; else it is the language's custom."""
    mixed: bool = False
    """Some lines begin with tabs, others with spaces."""


def indentation_of(text: str, language: str | None) -> Indentation:
    """The unit that most steps inward of `text` take."""
    steps: Counter[str] = Counter()
    lines = [line for line in text.split("\n") if line.strip()]
    spaces = [leading_space(line) for line in lines]
    for line, (above, below) in zip(lines, pairwise(spaces), strict=False):
        if len(below) > len(above) and below.startswith(above) and not line.rstrip().endswith(CONTINUED):
            step = below[len(above) :]
            if step == "\t" or (not step.strip(" ") and len(step) in FITTING_STEPS):
                steps[step] += 1
    tabs = sum(space.startswith("\t") for space in spaces)
    others = [len(space) for space in spaces if space.startswith(" ")]
    mixed = min(tabs, len(others)) > MIXED_SHARE * (tabs + len(others))
    if steps:
        return Indentation(max(steps, key=lambda step: (steps[step], -len(step))), True, mixed)
    if tabs > len(others):
        return Indentation("\t", True, mixed)
    if others and min(others) in FITTING_STEPS:
        return Indentation(" " * min(others), True, mixed)
    if language in TAB_LANGUAGES:
        return Indentation("\t", seen=False)
    return Indentation(NARROW_UNIT if language in NARROW_LANGUAGES else WIDE_UNIT, seen=False)


def indentation_around(prefix: str, suffix: str, language: str | None) -> Indentation:
    """The unit of the lines above the cursor, its own line included, else of those below."""
    above = prefix.rsplit("\n", FARTHEST_LINES)[-FARTHEST_LINES:]
    above[-1] = leading_space(above[-1]) + "x"  # it may be blank yet
    below = suffix.partition("\n")[2].split("\n", FARTHEST_LINES)[:FARTHEST_LINES]
    found = indentation_of("\n".join(above), language)
    return found if found.seen else indentation_of("\n".join(below), language)


def leading_space(line: str) -> str:
    """The spaces and tabs that `line` begins with."""
    return line[: len(line) - len(line.lstrip(" \t"))]


def visible_indentation(line: str) -> int | None:
    """The columns before the first visible character, or None where there is none."""
    if not line.strip():
        return None
    space = leading_space(line)
    return len(space.expandtabs(TAB_COLUMNS)) if "\t" in space else len(space)


def adapt(text: str, cursor_line: str, indentation: Indentation) -> str:
    """The continuation `text` of `cursor_line`, its lines indented in the document's way.

    Spaces become the document's tabs and tabs its spaces. Where every step inward that the text itself
    takes has another width than the document's, all its lines are spread or narrowed, level by level;
    where the steps differ among themselves it is left alone, as its lines may be aligned with something.
    """
    unit = indentation.unit
    first, *others = text.split("\n")
    spaces = [leading_space(line) for line in others]
    outer = leading_space(cursor_line + first)
    if indentation.mixed or (outer and outer[0] != unit[0]):
        return text  # who can tell what is wanted there
    if unit == "\t":
        if _aligns([first, *others], outer):
            return text
        return "\n".join([first, *(_tabbed(line, outer, spaces) for line in others)])
    others = [_SPACE_WITH_TABS.sub(lambda match: match[0].replace("\t", unit), line) for line in others]
    step = _only_step([cursor_line + first, *others])
    if not indentation.seen or step == len(unit) or {step, len(unit)} - set(CHANGED_STEPS):
        return "\n".join([first, *others])
    base, levels = len(outer), []
    for line in others:
        level, rest = divmod(len(leading_space(line)) - base, step or 1)
        if rest and line.strip():
            return "\n".join([first, *others])
        levels.append(max(0, base + level * len(unit)))
    return "\n".join(
        [first, *(" " * columns + line.lstrip(" ") for columns, line in zip(levels, others, strict=True))]
    )


def _aligns(lines: list[str], outer: str) -> bool:
    """Do the spaces behind the tabs of `lines` align something, rather than stand for tabs?

    So it is where the text steps inward by tabs, and where a line is deeper than one that opens nothing.
    """
    if any(leading_space(line).count("\t") > outer.count("\t") for line in lines):
        return True
    for above, below in pairwise(line for line in lines if line.strip()):
        space = leading_space(below)
        deeper = "\t" in space and " " in space and space.count(" ") > leading_space(above).count(" ")
        if deeper and not above.rstrip().endswith(OPENERS):
            return True
    return False


_SPACE_WITH_TABS = re.compile(r"^[ \t]*\t[ \t]*")


def _tabbed(line: str, outer: str, spaces: list[str]) -> str:
    """`line` with a tab for each level that its spaces make."""
    space = leading_space(line)
    if " " not in space:
        return line
    if outer and space.startswith(outer) and " " not in outer:  # the tabs of the cursor's line, then spaces
        inner = space[len(outer) :]
        return outer + _levels(inner, [other[len(outer) :] for other in spaces]) + line[len(space) :]
    return _levels(space, spaces) + line[len(space) :]


def _levels(space: str, spaces: list[str]) -> str:
    """Tabs for the spaces, one for each level; what is left of a level is dropped."""
    widths = {width for other in spaces if (width := other.count(" "))}
    step = gcd(*widths)
    if len(widths) == 1 or step not in FITTING_STEPS:  # one width alone may be several levels
        step = next((size for size in USUAL_STEPS if not step % size), len(WIDE_UNIT))
    return "\t" * (space.count("\t") + space.count(" ") // step)


def _only_step(lines: list[str]) -> int | None:
    """The width of all steps into blocks, if there are any and they are alike."""
    visible = [line for line in lines if line.strip()]
    widths = [len(leading_space(line)) for line in visible]
    steps = {
        below - above
        for line, (above, below) in zip(visible, pairwise(widths), strict=False)
        if below > above and not line.rstrip().endswith(CONTINUED)
    }
    step = steps.pop() if len(steps) == 1 else None
    return step if step in FITTING_STEPS else None
