"""Places in real code that are worth completing: in the middle of a line, in the middle of a definition."""

from __future__ import annotations

import random
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from bowerbird.knowledge.snippet import Source
from bowerbird.syntax.entities import definitions, enclosing_definitions
from bowerbird.syntax.languages import LANGUAGES
from bowerbird.syntax.parser import parse
from bowerbird.text import Position

TOKEN = re.compile(r"\w+|[^\w\s]")
MIN_TOKENS = 5
LINES_INTO_DEFINITION = 2
COMMENTS = ('"""', "'''", "*", "/*")  # and what else seldom begins code
MAX_CHARACTERS = 200_000  # larger files are seldom written by people


@dataclass(frozen=True, slots=True)
class Spot:
    """A line whose end was taken away."""

    source: Source
    position: Position
    """Where the cursor stands: behind the last character that is left of the line."""
    truth: str
    """What was taken away."""

    @property
    def text(self) -> str:
        """The file without the end of that line."""
        lines = self.source.text.split("\n")
        lines[self.position.line] = lines[self.position.line][: self.position.column]
        return "\n".join(lines)


def choose_spots(sources: Iterable[Source], count: int, seed: int) -> list[Spot]:
    """At most `count` spots, each in a file of its own; the same for the same files and seed."""
    random_order = random.Random(seed)
    files = sorted(sources, key=lambda source: source.name)
    random_order.shuffle(files)
    spots: list[Spot] = []
    for source in files:
        if len(spots) == count:
            break
        candidates = list(_lines_of_definitions(source))
        if candidates:
            spots.append(_cut(source, random_order.choice(candidates), random_order))
    return spots


def _lines_of_definitions(source: Source) -> Iterator[int]:
    """Lines of code with several tokens, a little below the first line of the definition around them."""
    if source.language is None or len(source.text) > MAX_CHARACTERS:
        return
    tree = parse(source.text, source.language)
    if tree is None:
        return
    comments = (LANGUAGES[source.language].comment or "#", *COMMENTS)
    around = enclosing_definitions(definitions(tree), range(len(source.lines)))
    for number, (line, definition) in enumerate(zip(source.lines, around, strict=True)):
        code = line.strip()
        enough = len(TOKEN.findall(code)) >= MIN_TOKENS and not code.startswith(comments)
        if enough and definition is not None and definition.span.first + LINES_INTO_DEFINITION <= number:
            yield number


def _cut(source: Source, line: int, random_order: random.Random) -> Spot:
    """Leave at least two tokens of the line, and take at least two away."""
    text = source.lines[line]
    ends = [match.end() for match in TOKEN.finditer(text)]
    column = ends[random_order.randint(1, len(ends) - 3)]
    return Spot(source, Position(line, column), text[column:])
