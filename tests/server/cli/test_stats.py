"""`bowerbird stats`: figures of all servers on this machine, without a word of anybody's code."""

from __future__ import annotations

import json
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import typer
from typer.testing import CliRunner

from bowerbird import journal
from bowerbird.cli.errors import NothingDone, UsageError
from bowerbird.cli.stats import parse_age, stats_command
from bowerbird.meter import Nothing, Shown, Survived, as_line

NOW = time.time()
SHOWN = Shown(NOW - 60, "python", "workspace", "written", 80.0, 20, 1, 60, 40, 7)
TAKEN = replace(SHOWN, accepted="whole", accepted_characters=20, accepts=1)
OLD = replace(TAKEN, at=NOW - 30 * 86_400, language="ring")
EVENTS = {
    "2024-01": [OLD],
    "2024-02": [
        SHOWN,
        TAKEN,
        TAKEN,
        Survived(NOW - 30, "python", "workspace", "written", "30s", 18, 9),
        Nothing(NOW - 10, "python", "model-loading", 1200),
    ],
}


@pytest.fixture
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The user's state folder."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setenv("COLUMNS", "80")
    return journal.state_folder()


@pytest.fixture
def figures(state: Path) -> Path:
    """Two months of them."""
    for month, events in EVENTS.items():
        for event in events:
            journal.append_line(state / journal.FIGURES / f"{month}.jsonl", as_line(event), 1_000_000)
    return state / journal.FIGURES


def stats(*arguments: object) -> Any:
    app = typer.Typer()
    app.command()(stats_command)
    result = CliRunner().invoke(app, list(map(str, arguments)))
    if result.exception and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result


def row(text: str, name: str) -> list[str]:
    """The cells of the table's row that begins so."""
    (line,) = (line for line in text.splitlines() if line.strip().startswith(f"{name} "))
    return line.split()


@pytest.mark.usefixtures("figures")
def test_tables_have_all_and_its_parts() -> None:
    """Shown, taken and how, what stays, keys and latency, by language and context; tokens, and reasons."""
    text = stats().stdout

    shares = ["4", "3", "75%", "3/0/0", "50%", "57", "80/80/80"]
    assert row(text, "all") == ["all", *shares]
    assert row(text, "python")[:4] == ["python", "3", "2", "67%"]
    assert row(text, "ring")[:4] == ["ring", "1", "1", "100%"]
    assert row(text, "workspace")[1:] == shares
    assert "240 reused, 160 evaluated (60% saved)" in text
    assert "no suggestion: model-loading 1,200" in text


@pytest.mark.usefixtures("figures")
def test_since_leaves_the_older_out() -> None:
    """Whatever month's file they stand in."""
    told = json.loads(stats("--since", "7d", "--json").stdout)

    assert told["total"]["shown"] == 3
    assert list(told["by_language"]) == ["python"]


def test_damaged_figures_are_left_out(figures: Path) -> None:
    """The others count."""
    with (figures / "2024-02.jsonl").open("ab") as file:
        file.write(b'\n{"event":"shown","at":1}\n\xff\n[]\n{"event":"survived"')

    assert json.loads(stats("--json").stdout)["total"]["shown"] == 4


@pytest.mark.usefixtures("state")
def test_nothing_counted() -> None:
    """No editor has asked yet, or not since."""
    with pytest.raises(NothingDone, match="Nothing is counted"):
        stats()


def test_figures_can_be_removed(figures: Path) -> None:
    """All of them; traces are another thing."""
    journal.append_line(figures.parent / journal.TRACES / "1-1.jsonl", {}, 1000)

    assert "removed: 2" in stats("--clear").stdout
    assert not list(figures.iterdir())
    assert journal.files_in(figures.parent / journal.TRACES)


@pytest.mark.parametrize(("text", "seconds"), [("all", None), ("12h", 43_200), ("7d", 604_800), ("0w", 0)])
def test_ages(text: str, seconds: float | None) -> None:
    """Hours, days, weeks, or for ever."""
    assert parse_age(text) == seconds


@pytest.mark.parametrize("text", ["", "7", "d", "-7d", "7 d", "7m", "9999999d", "١d", "7dd"])
def test_what_is_no_age(text: str) -> None:
    """The message shows how one is written."""
    with pytest.raises(UsageError, match="7d"):
        parse_age(text)
