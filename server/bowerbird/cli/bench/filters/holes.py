"""Places in real code where several lines are yet to be written: the lines are there, and are taken out."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from bowerbird.knowledge.snippet import Source
from bowerbird.syntax.blocks import surroundings
from bowerbird.syntax.indent import leading_space, visible_indentation
from bowerbird.syntax.lexes import LEXES
from bowerbird.syntax.lexis import inside_comment_or_string
from bowerbird.text import Position, split_at

FEWEST_LINES, MOST_LINES = 3, 12
NO_CODE = frozenset({"json", "css"})
SHARE_TO_BLOCK_END = 0.5  # of holes that end with their block; the others end anywhere
SHARE_MID_LINE = 0.5
A_FILE = 40  # holes at most


@dataclass(frozen=True, slots=True)
class Hole:
    """Some lines that were taken out."""

    source: Source
    start: Position
    """Where the cursor stands."""
    end: Position
    """Where the text goes on."""
    closers: str
    """What an editor would have written behind the cursor when the user opened brackets before it."""

    @property
    def id(self) -> str:
        """Names it among those of the same sources and seed."""
        return f"{self.source.name}:{self.start.line + 1}:{self.start.column + 1}-{self.end.line + 1}"

    @property
    def prefix(self) -> str:
        """What stands before the cursor."""
        return split_at(self.source.text, self.start)[0]

    @property
    def suffix(self) -> str:
        """What stands behind it."""
        return self.closers + split_at(self.source.text, self.end)[1]

    @property
    def truth(self) -> str:
        """What was taken out."""
        return split_at(self.source.text, self.end)[0][len(self.prefix) :]


def choose_holes(sources: Iterable[Source], seed: int) -> list[Hole]:
    """Holes in all files of code, mixed; the same for the same files and seed."""
    holes: list[Hole] = []
    for source in sorted(sources, key=lambda source: source.name):
        if source.language in LEXES and source.language not in NO_CODE:
            chance = random.Random(f"{seed}/{source.name}")
            found = list(_holes_of(source, chance))
            chance.shuffle(found)
            holes += found[:A_FILE]
    random.Random(seed).shuffle(holes)
    return holes


def _holes_of(source: Source, chance: random.Random) -> Iterator[Hole]:
    lines = source.lines
    for number in range(1, len(lines) - FEWEST_LINES):
        line = lines[number]
        if len(line.strip()) < FEWEST_LINES:
            continue
        column = len(leading_space(line))
        if chance.random() < SHARE_MID_LINE:
            column = chance.randrange(column, len(line))
        last = _block_end(lines, number)
        if chance.random() > SHARE_TO_BLOCK_END:
            last = _statement_end(
                lines, number, min(last, number + chance.randrange(FEWEST_LINES, MOST_LINES))
            )
        taken = [one for one in lines[number : last + 1] if one.strip()]
        if not FEWEST_LINES <= len(taken) <= MOST_LINES:
            continue
        start, end = Position(number, column), Position(last, len(lines[last]))
        hole = Hole(source, start, end, "")
        if inside_comment_or_string(hole.prefix, "", source.language) is None:
            yield Hole(source, start, end, _closers(hole) if chance.random() < SHARE_MID_LINE else "")


def _block_end(lines: list[str], first: int) -> int:
    """The last line of the block that the line `first` stands in."""
    depth, last = visible_indentation(lines[first]) or 0, first
    for number in range(first, min(len(lines), first + 2 * MOST_LINES)):
        here = visible_indentation(lines[number])
        if here is not None and here < depth:
            break
        last = number if here is not None else last
    return last


def _statement_end(lines: list[str], first: int, last: int) -> int:
    """The last line up to `last` behind which nothing goes on that began in the hole."""
    depth = visible_indentation(lines[first]) or 0
    while last > first:
        below = (visible_indentation(line) for line in lines[last + 1 :])
        if next((here for here in below if here is not None), 0) <= depth:
            break
        last -= 1
    return last


def _closers(hole: Hole) -> str:
    """The ends of the brackets that were opened on the cursor's line."""
    around = surroundings(hole.prefix, "", hole.source.language)
    own = around.frames[around.above :]
    return "".join(frame.closes[0] for frame in reversed(own) if frame.is_bracket)
