"""`bowerbird bench documented`: completions with and without the language's documentation."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from bowerbird.cli.app import app
from bowerbird.cli.bench.documented import LANGUAGES, Apart, cases
from bowerbird.knowledge.packs.pack import Pack
from bowerbird.knowledge.packs.store import load_pack, shipped_folder
from bowerbird.retrieval.guidance import Guidance


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_case_is_an_example_without_the_rest_of_a_line(language: str, tmp_path: Path) -> None:
    """Prefix, truth and suffix are the example; the same seed asks the same."""
    found = cases(language, 20, 3, tmp_path)
    assert len(found) == 20
    assert found == cases(language, 20, 3, tmp_path)
    assert found != cases(language, 20, 4, tmp_path)
    pack = load_pack(shipped_folder() / language)
    assert isinstance(pack, Pack)
    texts = {one.text for one in pack.examples}
    for case in found:
        code = case.unfinished
        assert code.prefix + case.truth + code.suffix in texts
        assert case.line.endswith(case.truth.strip())
        assert case.truth.strip()
    assert any(case.line != case.truth.strip() for case in found)


def test_nothing_that_holds_the_line_is_shown(tmp_path: Path) -> None:
    """The example itself would be found; what else is found stays, in its order."""
    pack = load_pack(shipped_folder() / "powerquery")
    assert isinstance(pack, Pack)
    guidance = Guidance(lambda _: [pack])
    guidance.prepare("powerquery")
    apart = Apart(guidance)
    hidden = 0
    for case in cases("powerquery", 30, 0, tmp_path):
        code = case.unfinished.prefix
        whole = guidance.guide("powerquery", code, 8)
        apart.line = case.line
        left = apart.guide("powerquery", code, 8)
        assert all(case.line not in hit.snippet.text for hit in left)
        kept = [hit.snippet.name for hit in whole if case.line not in hit.snippet.text]
        assert [hit.snippet.name for hit in left][: len(kept)] == kept
        hidden += len(kept) < len(whole)
    assert hidden > 10


def test_both_ways_are_measured(tmp_path: Path) -> None:
    """The built-in model on a few lines: each is completed twice, and the table counts what the file says."""
    if importlib.util.find_spec("llama_cpp") is None:
        pytest.skip("needs llama-cpp-python: make test")
    told = tmp_path / "told.json"
    asked = ["bench", "documented", "--language", "ring", "--cases", "3", "--json", str(told)]
    done = CliRunner().invoke(app, asked)
    assert done.exit_code == 0, done.output
    results = json.loads(told.read_text())["results"]
    assert [one["documented"] for one in results] == [False] * 3 + [True] * 3
    assert [one["name"] for one in results[:3]] == [one["name"] for one in results[3:]]
    likely = [one["log_likelihood"] for one in results]
    assert likely[:3] != likely[3:]
    assert all(not one["parses"] or one["text"] for one in results)
    for row, some in (("without", results[:3]), ("in prompt", results[3:])):
        parsed = f"{sum(one['parses'] for one in some) / 3:.1%}"
        assert any(row in line and parsed in line for line in done.output.splitlines())


@pytest.mark.parametrize("wrong", [["--language", "python"], ["--model", "nowhere.gguf"]])
def test_what_cannot_be_measured_is_said(wrong: list[str]) -> None:
    """Without a traceback."""
    done = CliRunner().invoke(app, ["bench", "documented", "--cases", "1", *wrong])
    assert done.exit_code
    assert not isinstance(done.exception, (ValueError, KeyError, IndexError))
