"""`bowerbird bench scale`: workspaces that grow, each start in a process of its own."""

from __future__ import annotations

import json
import random
from pathlib import Path
from xml.etree import ElementTree

import pytest
import typer
from typer.testing import CliRunner

from bowerbird.cli.bench.scale.command import scale_command
from bowerbird.cli.bench.scale.growth import grow
from bowerbird.cli.bench.scale.workspace import lay_out
from bowerbird.cli.errors import InputNotFound


@pytest.fixture
def sources(tmp_path: Path) -> Path:
    """Some code of words that return."""
    chance = random.Random(1)
    words = [f"name_{number}" for number in range(300)]
    folder = tmp_path / "sources"
    for number in range(60):
        path = folder / f"vendor/part{number % 7}" / f"module{number}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("".join(f"{' = '.join(chance.choices(words, k=3))}\n" for _ in range(100)))
    (folder / "picture.png").write_bytes(b"\0" * 99)
    return folder


def test_a_larger_workspace_holds_the_smaller_one(sources: Path, tmp_path: Path) -> None:
    """Files are added until the lines are there, under names that no rule leaves out."""
    folder = tmp_path / "laid"
    first = lay_out([sources], folder, 1_000, 0, seed=0)
    before = set(folder.rglob("*.py"))
    second = lay_out([sources], folder, 3_000, first, seed=0)
    assert (first, second) == (10, 30)
    assert len(before) == 10
    assert before < set(folder.rglob("*.py"))
    assert not any(path.name == "vendor" for path in folder.rglob("*"))
    assert lay_out([sources], folder, 10**9, second, seed=0) == 60


def test_it_measures_growth_beside_peers(sources: Path, tmp_path: Path) -> None:
    """People get tables, programs JSON, and both a drawing; warm answers as cold, and both as the scan."""
    app = typer.Typer()
    app.command()(scale_command)
    told, drawing = tmp_path / "told.json", tmp_path / "growth.svg"
    sizes = ["--lines", "1000", "--lines", "4000", "--queries", "5"]
    arguments = [str(sources), *sizes, "--json", str(told), "--plot", str(drawing)]
    result = CliRunner().invoke(app, arguments)
    assert result.exit_code == 0, result.output
    assert "same windows, same order as the scan: 5 of 5 queries; warm as cold: True" in result.output
    steps = json.loads(told.read_text())["steps"]
    assert [step["lines"] for step in steps] == [1_000, 4_000]
    for step in steps:
        assert step["same_as_scan"] == step["compared"] == 5
        assert step["cold"]["disk_bytes"] > 0
        assert step["warm"]["segments"] == 1
        assert step["warm"]["update_ms"] > 0
        assert step["peers"][0]["name"] == "set scan (RepoCoder)"
    titles = [text.text for text in ElementTree.parse(drawing).iter("{http://www.w3.org/2000/svg}text")]
    assert "resident memory, bytes a line" in titles


def test_no_sources_is_an_error(tmp_path: Path) -> None:
    """Where there is no code the run says so."""
    with pytest.raises(InputNotFound, match="no file of a known language"):
        grow([tmp_path], [100], 1, 0, 0, lambda _: None)
