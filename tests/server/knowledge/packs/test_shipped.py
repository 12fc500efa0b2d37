"""The three packs that Bowerbird ships: complete, without a fault, and their examples are sound code."""

from __future__ import annotations

from pathlib import Path

import pytest

from bowerbird.knowledge import packs
from bowerbird.knowledge.packs.check import check, coverage, names_of_file
from bowerbird.knowledge.packs.folder import Contents, read_contents, read_files
from bowerbird.syntax.parser import parse
from bowerbird.syntax.soundness import is_sound

SHIPPED = Path(packs.__file__).parent
UPSTREAM = Path(__file__).parent / "upstream"
EXAMPLES = {"powerquery": 300, "ring": 150, "pony": 150}
"""How many each has at least."""


@pytest.fixture(params=EXAMPLES, scope="module")
def shipped(request: pytest.FixtureRequest) -> tuple[str, Contents]:
    """A pack's name, and what its pages hold."""
    return request.param, read_contents(read_files(SHIPPED / request.param))


def test_no_page_has_a_fault(shipped: tuple[str, Contents]) -> None:
    """The validator has nothing to say."""
    name, contents = shipped
    assert not check(contents), name


def test_every_name_upstream_is_documented(shipped: tuple[str, Contents]) -> None:
    """The lists hold the names of upstream's own documentation, nothing else of it."""
    name, contents = shipped
    found = coverage(contents, names_of_file((UPSTREAM / f"{name}.txt").read_text("utf-8")))
    assert found.share == 1.0, found.missing


def test_every_entity_is_described(shipped: tuple[str, Contents]) -> None:
    """A name and a signature alone help nobody."""
    _, contents = shipped
    assert not [entity.symbol for entity in contents.entities if not entity.description.strip()]


def test_examples_are_many_and_parse(shipped: tuple[str, Contents]) -> None:
    """Each says what it is for and has no error for the grammar, but for those that show a mistake."""
    name, contents = shipped
    assert len(contents.examples) >= EXAMPLES[name]
    assert all(example.purpose.strip() for example in contents.examples)
    shown = [one for one in contents.examples if one.language == name and not one.counter_example]
    assert not [one.purpose for one in shown if (tree := parse(one.code, name)) is None or not is_sound(tree)]
