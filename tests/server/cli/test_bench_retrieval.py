"""`bowerbird bench retrieval` and what it measures on."""

from __future__ import annotations

import json
from itertools import islice
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from bowerbird.cli.bench import retrieval
from bowerbird.cli.bench.corpus import long_sources, made_up_sources, real_sources, windows_of
from bowerbird.cli.errors import InputNotFound


def test_made_up_code_is_the_same_for_the_same_seed() -> None:
    """Two runs measure on the same files, another seed on others."""
    texts = [[source.text for source in islice(made_up_sources(seed), 3)] for seed in (1, 1, 2)]
    assert texts[0] == texts[1] != texts[2]


def test_real_code_is_what_has_a_known_language(tmp_path: Path) -> None:
    """Files of known languages are taken in the order of their paths, whatever their bytes and line ends."""
    (tmp_path / "b").mkdir()
    (tmp_path / "b" / "two.py").write_bytes(b"x = 1\r\ny = '\xff'\r\n")
    (tmp_path / "a.py").write_bytes(b"z = 3\n")
    (tmp_path / "c.unheard-of").write_bytes(b"x = 1\n")
    sources = list(real_sources(tmp_path))
    assert [source.name for source in sources] == ["a.py", "b/two.py"]
    assert sources[1].text == "x = 1\ny = '\ufffd'\n"


def test_long_sources_have_the_lines_that_were_asked_for() -> None:
    """However few lines there are, files of the wanted length can be made of them."""
    files = windows_of(made_up_sources(0), 1)
    assert [len(source.lines) for source in long_sources(files, 1000, 3)] == [1000] * 3


def test_all_peers_answer_and_ours_answers_as_the_scan() -> None:
    """A run on a small made-up workspace has a row for each peer, and our results are those of the scan."""
    report = retrieval.run(windows=[300], queries=15)
    [size] = report.sizes
    assert size.windows >= 300
    assert [row.name for row in size.rows][:2] == ["bowerbird", "set scan (RepoCoder)"]
    assert len(size.rows) + len(report.missing) == 4
    assert all(row.queries == 15 and row.median_ms > 0 and row.memory_bytes > 0 for row in size.rows)
    assert size.same_as_scan == 15


def test_slow_peers_are_let_off(monkeypatch: pytest.MonkeyPatch) -> None:
    """A peer whose patience is spent answers no more, and the table says how many it answered."""
    monkeypatch.setattr("bowerbird.cli.bench.contest.PATIENCE_S", 0.0)
    [size] = retrieval.run(windows=[50], queries=15).sizes
    assert {row.queries for row in size.rows} == {1}


def test_the_command_prints_a_table_and_writes_json(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """People get a table with what is missing named, programs get the same figures as JSON."""
    monkeypatch.setattr(retrieval, "find_spec", lambda _: None)
    (tmp_path / "a.py").write_text("one = 1\n" * 100)
    app = typer.Typer()
    app.command()(retrieval.retrieval_command)
    told = tmp_path / "told.json"
    arguments = ["--sources", str(tmp_path), "--windows", "20", "--queries", "3", "--json", str(told)]
    result = CliRunner().invoke(app, arguments)
    assert result.exit_code == 0, result.output
    assert "Same windows, same order as the scan: 3 of 3 queries." in result.output
    assert "Left out: rank_bm25" in result.output
    report = json.loads(told.read_text())
    assert report["missing"] == ["rank_bm25", "bm25s"]
    assert [size["windows"] for size in report["sizes"]] == [9]


def test_a_folder_without_code_is_an_error(tmp_path: Path) -> None:
    """Where there is nothing to search the run says so."""
    with pytest.raises(InputNotFound, match="no file of a known language"):
        retrieval.run(tmp_path, [10], 1)
