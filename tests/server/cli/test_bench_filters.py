"""`bowerbird bench filters`: holes in real code, and what filters are worth in them."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

from bowerbird.assembly import Assembly
from bowerbird.cli.bench.filters.holes import FEWEST_LINES, MOST_LINES, Hole, choose_holes
from bowerbird.cli.bench.filters.predictions import Written, write_into
from bowerbird.cli.bench.filters.verdicts import HALF, judge
from bowerbird.completion.request import Request
from bowerbird.knowledge.snippet import Source
from bowerbird.text import Position
from bowerbird.trace import Reason

CODE = """\
def total(items):
    result = 0
    for item in items:
        result += item.price
        result -= item.discount
    print(result)
    return result


def other():
    pass
"""
SOURCE = Source(Path("/shop/total.py"), "total.py", CODE, "python")
HOLE = Hole(SOURCE, Position(2, 4), Position(4, 31), "")


def written(prediction: str, hole: Hole = HOLE) -> Written:
    return Written(hole, prediction, "end")


def test_holes_are_several_lines_of_code() -> None:
    """A hole takes some lines out, the rest stays; the same for the same seed, others for another."""
    holes = choose_holes([SOURCE], seed=0)
    assert holes
    for hole in holes:
        assert hole.prefix + hole.truth + hole.suffix[len(hole.closers) :] == CODE
        assert FEWEST_LINES <= sum(bool(line.strip()) for line in hole.truth.split("\n")) <= MOST_LINES
    assert holes == choose_holes([SOURCE], seed=0)
    assert holes != choose_holes([SOURCE], seed=1)


def test_no_holes_in_prose() -> None:
    """Text has no blocks to leave and no brackets to close."""
    assert not choose_holes([Source(Path("/a.md"), "a.md", CODE, "markdown")], seed=0)


def test_each_filter_is_judged_alone_and_among_the_others() -> None:
    """What is cut rightly helps; a filter that another one makes needless fires only alone."""
    truth = HOLE.truth
    records, means = judge([written(truth), written(truth + "\n    print(result)\n    return result")])

    below = next(one for one in records if one.name == "repeating-below")
    assert (below.alone.fired, below.alone.helped, below.alone.harmed) == (1, 1, 0)
    assert below.alone.mean > 0
    assert below.among.fired == 0
    assert means["default"] == 1.0
    assert 0.5 < means["none"] < 1.0


def test_true_lines_that_are_lost() -> None:
    """What is shown may be as right as before, and yet less."""
    records, _ = judge([Written(HOLE, HOLE.truth, "time")])
    last = next(one for one in records if one.name == "unfinished-line")
    assert (last.alone.fired, last.alone.neutral, last.alone.true_lines_lost) == (1, 1, 1)


def test_the_truth_itself_should_pass() -> None:
    """What a filter would take from the truth is told, whatever the model wrote; here nothing is taken."""
    beyond = Hole(SOURCE, Position(5, 4), Position(9, 12), "")  # into another function
    spoiled = {one.name: one.spoiled for one in judge([written("x"), written("x", beyond)])[0]}
    assert spoiled == dict.fromkeys(spoiled, 0) | {"leaving-block": 1}


def test_showing_nothing_of_the_truth_does_harm() -> None:
    """Nothing is worth less than what is right, and more than what is wrong."""
    right, wrong = "for item in items:", "zzzzzz"
    records, means = judge([Written(HOLE, right, "time"), Written(HOLE, wrong, "time")])
    last = next(one for one in records if one.name == "unfinished-line")
    assert (last.alone.helped, last.alone.harmed, last.alone.true_lines_lost) == (1, 1, 1)
    assert means["default"] == HALF


class Scripted:
    """An engine and a repository in one, that write the same everywhere."""

    def __init__(self) -> None:
        self.asked = 0
        self.opened: list[str] = []

    def folder_of(self, path: Path) -> Path:
        return path.parent

    def open_document(self, _path: Path, text: str, _language: str | None) -> None:
        self.opened.append(text)

    def close_document(self, _path: Path) -> None:
        pass

    async def complete(self, _unfinished: Any, _request: Request) -> Any:
        self.asked += 1
        trace = SimpleNamespace(iterations=[SimpleNamespace(stopped="length")])
        return SimpleNamespace(prediction="a\nb\nc", reason=Reason.OK, trace=trace)


async def test_a_run_goes_on_where_it_was_broken_off(tmp_path: Path) -> None:
    """Kept predictions are not made again; those of another run count for nothing."""
    kept, engine = tmp_path / "kept.jsonl", Scripted()
    assembly = cast("Assembly", SimpleNamespace(repository=engine, completion=engine))
    holes = choose_holes([SOURCE], seed=0)[:2]

    async def run(key: str) -> list[Written]:
        return await write_into(holes, 2, assembly, Request(), kept, key, lambda _: None)

    first = await run("one")
    kept.write_text(kept.read_text() + '{"hole": "torn')
    assert await run("one") == first
    assert engine.asked == 2
    await run("other")
    assert engine.asked == 4
    assert engine.opened[0] == holes[0].prefix + holes[0].suffix
    assert (first[0].prediction, first[0].draft.stopped) == ("a\nb\nc", "length")
