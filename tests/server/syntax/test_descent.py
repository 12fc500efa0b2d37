"""The way down to a place, and never up."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bowerbird import syntax
from bowerbird.syntax.descent import path_to
from bowerbird.syntax.parser import parse

LANGUAGES = ("python", "powerquery", "ring", "pony", "javascript")
PIECES = [
    "a",
    "(",
    ")",
    "\n",
    "  ",
    "let ",
    "in ",
    "= ",
    "def f():",
    '"x"',
    ", ",
    "{",
    "}",
    "func a ",
    "é",
    "class A",
]
EMPTY_AND_DEEP = """
from bowerbird.syntax.faults import faults_of
from bowerbird.syntax.spot import spot_at
from bowerbird.text import Position
text = "each " * 60_000
faults_of(text, "powerquery")
spot_at(text, Position(0, len(text)), "powerquery")
"""


@given(st.sampled_from(LANGUAGES), st.lists(st.sampled_from(PIECES), max_size=30), st.data())
def test_it_leads_where_the_way_up_comes_from(language: str, pieces: list[str], data: st.DataObject) -> None:
    """For all that is not empty, in sound code and in broken."""
    tree = parse("".join(pieces), language)
    assert tree is not None
    start = data.draw(st.integers(0, len(tree.data)))
    end = data.draw(st.integers(start, len(tree.data)))
    node = tree.root.descendant_for_byte_range(start, end)
    way_up = []
    while node is not None and node.end_byte > node.start_byte:
        way_up.append(node)
        node = node.parent
    if way_up and start < end:
        assert path_to(tree.root, start, end) == way_up[::-1]


def test_what_is_missing_deep_inside_ends_no_process() -> None:
    """Asked for its parent, such a node would overflow the stack."""
    done = subprocess.run(
        [sys.executable, "-P", "-c", EMPTY_AND_DEEP], capture_output=True, timeout=600, check=False
    )
    assert done.returncode == 0, done.stderr[-500:]


@pytest.mark.parametrize("module", sorted(Path(syntax.__file__).parent.rglob("*.py")), ids=lambda it: it.stem)
def test_no_node_is_asked_for_its_parent(module: Path) -> None:
    """See `descent`."""
    assert not re.search(r"\.parent\b", re.sub(r"`[^`]*`|Path\([^)]*\)\.parent", "", module.read_text()))
