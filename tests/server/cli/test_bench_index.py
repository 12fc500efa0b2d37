"""`bowerbird bench index`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from bowerbird.cli.bench import index
from bowerbird.cli.errors import NothingDone


def test_the_command_prints_the_stages_and_writes_json(tmp_path: Path) -> None:
    """Each stage has its time, the whole has its ratio, and JSON has the same figures."""
    workspace = tmp_path / "workspace"
    workspace.mkdir()
    for number in range(5):
        (workspace / f"module{number}.py").write_text(f"def total{number}(a):\n    return a\n\n\n" * 30)
    app = typer.Typer()
    app.command()(index.index_command)
    told = tmp_path / "told.json"
    result = CliRunner().invoke(app, [str(workspace), "--repeats", "1", "--json", str(told)])
    assert result.exit_code == 0, result.output
    assert "5 files" in result.output
    report = json.loads(told.read_text())
    assert report["files"] == 5
    assert report["lines"] == 5 * 120
    assert report["windows"] > 5
    assert list(report["stages"])[-4:] == ["parsing", "windows", "tokens", "postings"]
    assert report["ratio"] > 0
    for stage in report["stages"]:
        assert stage in result.output


def test_a_workspace_without_text_is_an_error(tmp_path: Path) -> None:
    """Where there is nothing to index the run says so."""
    with pytest.raises(NothingDone, match="no text that may be read"):
        index.run([tmp_path])
