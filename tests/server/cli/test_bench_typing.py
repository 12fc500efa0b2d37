"""`bowerbird bench typing`: what is replayed, how the editor behaves, what is counted; speed is no matter."""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from collections.abc import Callable, Mapping
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types
from typer.testing import CliRunner

from bowerbird.cli.app import app
from bowerbird.cli.bench import typing as bench
from bowerbird.cli.bench.typing.editor import Asked, Ghost, Habit, ReplayEditor
from bowerbird.cli.bench.typing.figures import figures
from bowerbird.cli.bench.typing.record import Hand, record
from bowerbird.cli.bench.typing.replay import PAUSE_MS, Replayed, Run
from bowerbird.cli.bench.typing.traces import FOLDER, State, Step, Trace, parse, recorded
from bowerbird.cli.bench.typing.workspace import gather
from bowerbird.text import Position


def typed(document: str, script: str) -> tuple[str, Hand]:
    """What becomes of a document (cursor ``▮``) by a script, the cursor marked again."""
    before, _, behind = document.partition("▮")
    hand = Hand("some", State(before + behind, len(before)))
    hand.type(script)
    text, cursor = hand.state.text, hand.state.cursor
    return text[:cursor] + "▮" + text[cursor:], hand


class TestRecording:
    """The traces are made of the scripts, always alike."""

    def test_the_traces_are_those_of_the_scripts(self) -> None:
        """After a change: ``python -m bowerbird.cli.bench.typing.record``."""
        folder = files(bench.__name__) / FOLDER
        shipped = {file.name: file.read_text(encoding="utf-8") for file in folder.iterdir()}
        assert shipped == {name: trace.dump() for name, trace in record()}

    def test_there_is_some_of_everything(self) -> None:
        """Twenty traces and more, in several languages, with pauses, slips, jumps and closed brackets."""
        traces = list(recorded())
        assert len(traces) >= 20
        assert len({trace.language for trace in traces}) >= 8
        kinds: Counter[str] = Counter()
        for trace in traces:
            last_ms = 0
            for step, state in zip(trace.steps, trace.states(), strict=False):
                kinds["pause"] += step.at_ms - last_ms > PAUSE_MS
                kinds["test"] += step.test
                if step.edit is None:
                    kinds["jump"] += abs(step.cursor - state.cursor) > 20
                else:
                    kinds["slip"] += step.edit[0] < step.edit[1]
                    kinds["closed"] += step.edit[2] in ("()", "[]", "{}", '""', "``")
                last_ms = step.at_ms
        assert min(kinds[kind] for kind in ("pause", "test", "jump", "slip", "closed")) >= 2, kinds

    @pytest.mark.parametrize(
        ("document", "script", "after"),
        [
            ("x = ▮\n", "sum(a)", "x = sum(a)▮\n"),
            ("x = ▮\n", "f([", "x = f([▮])\n"),
            ("f▮\n", " {\n  a", "f {\n  a▮\n}\n"),
            ("  f▮\n", " {\n    a\n  }", "  f {\n    a\n  }▮\n"),
            ("▮\n", "ab⟪xy⟫c", "abc▮\n"),
            ("one\n▮", "a⇒one⇐b", "oneb▮\na"),
            ("▮b\n", "(", "(▮b\n"),
        ],
    )
    def test_the_editor_closes_brackets_and_indents(self, document: str, script: str, after: str) -> None:
        """Pairs are closed and typed over; a brace that opens a block stands on a line of its own."""
        assert typed(document, script)[0] == after

    def test_a_thought_takes_longer_than_a_key(self) -> None:
        """A pause is marked as a look, and one where all is taken on trial is not."""
        _, hand = typed("▮", "ab⏸c✓d")
        gaps = [two.at_ms - one.at_ms for one, two in zip(hand.steps, hand.steps[1:], strict=False)]
        assert [gap >= 500 for gap in gaps[:3]] == [False, True, True]
        assert [(step.look, step.test) for step in hand.steps[:4]] == [
            (False, False),
            (False, False),
            (True, False),
            (False, True),
        ]

    def test_a_trace_survives_its_file(self) -> None:
        """JSON lines and back."""
        trace = Trace("a.py", "python", State("x\n", 1), tuple(typed("x▮\n", "(b⏸")[1].steps))
        assert parse(trace.dump()) == trace
        assert trace.states()[-1].text == "x(b)\n"


@pytest.mark.parametrize(
    ("shown", "key", "left"),
    [("abc", "a", "bc"), ("abc", "b", None), ("abc", "", None), ("a", "a", None), ("\n  x", "\n  ", "x")],
)
def test_ghost_text_is_typed_along(shown: str, key: str, left: str | None) -> None:
    """It stays as long as the keys are its own and something is left of it."""
    ghost = Ghost(shown, 0).typed(key)
    assert (ghost.text if ghost else None) == left


def test_a_workspace_is_gathered_by_path(tmp_path: Path) -> None:
    """The same files each time, and no more lines than were asked for but for the last file's."""
    assert gather(tmp_path / "a", 3000) == gather(tmp_path / "b", 3000) >= 3000
    names = [sorted(path.relative_to(one) for path in one.rglob("*.py")) for one in tmp_path.iterdir()]
    assert names[0] == names[1] != []


def asked(ms: float, carried: str, evaluated: int = 10, text: str = "x") -> Asked:
    """An answered request."""
    iteration = {"prompt_tokens": 1000, "tokens_evaluated": evaluated, "tokens_generated": 20}
    times = {"retrieve_ms": 1, "pack_ms": 2, "evaluate_ms": 5, "generate_ms": 50}
    trace: dict[str, Any] = {
        "carried": carried,
        "debounce_ms": 30,
        "wait_ms": 4,
        "iterations": [iteration | times],
    }
    return Asked((0, 0), 0.98, 1.0, 1.0 + ms / 1000, text, trace)


def test_the_figures_say_what_was_measured() -> None:
    """Answers by where they came from; the first of a document apart; shares and speeds."""
    some = [
        asked(400, "", 900),
        asked(200, ""),
        asked(5, "cache"),
        asked(9, "speculative"),
        asked(80, "running"),
    ]
    unanswered = Asked((0, 0), 0.0, 1.0)
    silent = Asked(
        (0, 0), 0.0, 1.0, 1.002, "", {"carried": "", "debounce_ms": 0, "wait_ms": 0, "iterations": []}
    )
    replayed = (
        Replayed("a", 40, 30, pauses=4, covered=3, accepted=1, asked=[*some, unanswered, silent]),
        Replayed("b", 60, 60, asked=[asked(600, "", 990, text="")]),
    )
    found = figures(Run(replayed, {"demanded": 6, "foreseen": 2}, 9.0, 0.001))

    assert (found.requests, found.answered, found.shown) == (8, 7, 5)
    assert found.carried is not None
    assert found.carried.count == 2
    assert found.carried.median_ms == pytest.approx(7)
    assert found.joined is not None
    assert found.joined.median_ms == pytest.approx(80)
    assert found.fresh is not None
    assert found.fresh.count == 3
    assert found.fresh.median_ms == pytest.approx(420)
    assert found.fresh_later is not None
    assert found.fresh_later.median_ms == pytest.approx(220)
    assert (found.coverage, found.pauses, found.keys_saved) == (0.75, 4, pytest.approx(0.1))
    assert (found.evaluated_share, found.evaluated_share_fresh) == (pytest.approx(0.01), pytest.approx(0.9))
    assert (found.flights_per_shown, found.flights_per_written) == (pytest.approx(1.2), pytest.approx(2))
    assert found.costs is not None
    assert found.costs.editor_ms == pytest.approx(20)
    assert (found.costs.debounce_ms, found.costs.model_ms, found.costs.search_ms) == (30, 55, 3)
    assert found.tokens_written_per_s == pytest.approx(400)


def test_figures_of_nothing() -> None:
    """Where nothing was answered there is nothing to divide by."""
    found = figures(Run((Replayed("a", 1, 1),), {"demanded": 0, "foreseen": 0}, 1.0, 0.0))
    assert (found.fresh, found.coverage, found.flights_per_shown) == (None, None, None)


class FakeServer:
    """Takes the editor's messages; the test answers."""

    def __init__(self) -> None:
        self.edits: list[tuple[Position, Position, str]] = []
        self.asked: dict[str, asyncio.Future[types.InlineCompletionList]] = {}
        self.withdrawn: list[str] = []

    def type_into(self, _uri: str, start: Position, end: Position, text: str) -> None:
        self.edits.append((start, end, text))

    def ask(self, _uri: str, _place: Position, name: str) -> asyncio.Future[types.InlineCompletionList]:
        self.asked[name] = asyncio.get_running_loop().create_future()
        return self.asked[name]

    def withdraw(self, name: str) -> None:
        self.withdrawn.append(name)


def item(text: str, line: int, start: int, end: int) -> types.InlineCompletionList:
    """What the server shows."""
    range_ = types.Range(types.Position(line, start), types.Position(line, end))
    return types.InlineCompletionList([types.InlineCompletionItem(text, range=range_)])


@pytest.mark.parametrize(("cancels", "withdrawn"), [(True, ["u 1"]), (False, [])])
async def test_the_editor_asks_after_each_key(cancels: bool, withdrawn: list[str]) -> None:
    """It withdraws the older request if it is of that kind, shows what fits, and types along."""
    server = FakeServer()
    editor = ReplayEditor(server, Habit("some", (0, 0), cancels), "u", State("x\nf()\n", 4), "seed")  # type: ignore[arg-type]
    editor.press(Step(0, (4, 4, "a"), 5))
    await asyncio.sleep(0.01)
    editor.press(Step(1, (5, 5, "b"), 6))
    await asyncio.sleep(0.01)
    assert server.edits == [
        (Position(1, 2), Position(1, 2), "a"),
        (Position(1, 3), Position(1, 3), "b"),
    ]
    assert (list(server.asked), server.withdrawn) == (["u 1", "u 2"], withdrawn)

    server.asked["u 1"].set_result(item("late", 1, 3, 3))
    server.asked["u 2"].set_result(item("abc, d)", 1, 2, 5))
    await editor.settle()
    assert editor.ghost == Ghost("c, d)", 1)
    assert editor.accepted() == State("x\nf(abc, d)\n", 11)
    editor.press(Step(2, (6, 6, "c"), 7))
    assert editor.ghost == Ghost(", d)", 1)
    editor.press(Step(3, (6, 7, ""), 6))
    assert editor.ghost is None
    editor.become(State("x\nf(abc, d)\n", 11))
    assert server.edits[-1] == (Position(1, 4), Position(1, 4), "c, d")
    for answer in (answer for answer in server.asked.values() if not answer.done()):
        answer.cancel()


def test_a_run(workspace: Callable[[Mapping[str, str]], Path], tmp_path: Path) -> None:
    """One trace through the real server: requests are answered, one decode at a time, none left behind."""
    folder = workspace(
        {"shop/prices.py": "def total(lines):\n    return sum(line.price for line in lines)\n"}
    )
    file = tmp_path / "typing.json"
    options = ["--workspace", str(folder), "--traces", "1", "--speed", "6", "--rest", "0.1"]
    result = CliRunner().invoke(
        app, ["bench", "typing", *options, "--json", str(file)], catch_exceptions=False
    )
    told = json.loads(file.read_text())
    assert result.exit_code == 0, result.output
    assert "keys saved" in result.stdout
    assert told["keys"] > 20
    assert 0 < told["answered"] <= told["requests"]
    assert told["shown"]
    assert (told["flights"]["most_at_once"], told["flights"]["running"]) == (1, 0)


def test_an_unknown_editor_is_told() -> None:
    """With the names of those that there are."""
    result = CliRunner().invoke(app, ["bench", "typing", "--editor", "ed"])
    assert result.exit_code != 0
