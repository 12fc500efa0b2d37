"""Places for `bowerbird try` are real code in the middle of definitions."""

from __future__ import annotations

from pathlib import Path

import pytest

from bowerbird.cli.spots import TOKEN, choose_spots
from bowerbird.knowledge.snippet import Source

PYTHON = '''"""A module."""
import os, sys, json, re

def total(lines, rates):
    """Adds up lines, one by one, in the order given."""
    # a comment = with + many + tokens
    total = 0
    for line in lines.of(rates):
        total += line.price * rates[line.currency]
    return total
'''
RUBY = """def total(lines, rates)
  sum = 0
  lines.each { |line| sum += line.price * rates[line.currency] }
  sum
end
"""


def source(name: str, text: str, language: str | None) -> Source:
    return Source(Path("/w", name), name, text, language)


SOURCES = [
    source("a.py", PYTHON, "python"),
    source("b.rb", RUBY, "ruby"),
    source("c.txt", PYTHON, None),
    source("d.pq", PYTHON, "powerquery"),
    source("e.py", "import os, sys, json, re\nx = f(1, 2, 3)\n", "python"),
    source("f.py", "def broken(:\n    a = (b + c\n", "python"),
]


@pytest.mark.parametrize("seed", range(20))
def test_spots_are_lines_in_the_middle_of_definitions(seed: int) -> None:
    """Code of several tokens, some lines below a definition's head; something is left and something gone."""
    spots = choose_spots(SOURCES, 10, seed)

    assert {"a.py", "b.rb"} <= {spot.source.name for spot in spots} <= {"a.py", "b.rb", "f.py"}
    for spot in spots:
        line = spot.source.lines[spot.position.line]
        assert line == line[: spot.position.column] + spot.truth
        assert len(TOKEN.findall(line)) >= 5
        assert len(TOKEN.findall(line[: spot.position.column])) >= 2
        assert len(TOKEN.findall(spot.truth)) >= 1
        assert not line.strip().startswith(("#", '"""', "import", "def"))


def test_the_file_lacks_only_the_end_of_the_line() -> None:
    """The server sees the file as if that line were being written."""
    (spot,) = choose_spots(SOURCES[:1], 1, seed=3)

    before, behind = spot.text.split("\n"), PYTHON.split("\n")
    assert len(before) == len(behind)
    assert [n for n, (x, y) in enumerate(zip(before, behind, strict=True)) if x != y] == [spot.position.line]


def test_spots_repeat_and_lie_in_different_files() -> None:
    """The same seed finds the same; no file has two."""
    again = [choose_spots(reversed(SOURCES), 2, seed=7) for _ in range(2)]

    assert again[0] == again[1]
    assert len({spot.source.name for spot in again[0]}) == 2
    assert choose_spots([], 5, seed=7) == []
