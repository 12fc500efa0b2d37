"""The whole way by one command: source trees in, a model that Bowerbird completes with and its card out."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from nestling.card import write_card
from nestling.checkpoint import RunPlan, write_plan
from nestling.commands import main
from nestling.model import Shape

CHECKOUT = Path(__file__).parent.parent.parent
LICENCE = (CHECKOUT / "LICENSE").read_text()


@pytest.fixture
def sources(tmp_path: Path) -> Path:
    """Three trees: two of our own folders, and one that must not be trained on."""
    folder = tmp_path / "sources"
    package = CHECKOUT / "server" / "bowerbird"
    for tree, inner in (("us+text", "lookup"), ("us+held", "explanation"), ("pypi+torchrl", "completion")):
        shutil.copytree(package / inner, folder / tree / inner, ignore=shutil.ignore_patterns("__pycache__"))
        (folder / tree / "LICENSE").write_text(LICENCE)
    return folder


def test_one_command_makes_a_model(
    sources: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """prepare, train, export, evaluate and card, on real code; what was there already is kept."""
    monkeypatch.setattr("nestling.schedule.WARM_UP_STEPS", 2)
    data, run = tmp_path / "data", tmp_path / "run"
    arguments = [
        "all",
        "--sources",
        str(sources),
        "--held-out",
        "us+held",
        "--data",
        str(data),
        "--run",
        str(run),
    ]
    arguments += [
        "--vocabulary",
        "512",
        "--context",
        "256",
        "--passes",
        "1",
        "--size",
        "tiny",
        "--hours",
        "1e-9",
    ]
    arguments += ["--batch-tokens", "1024", "--threads", "1", "--limit", "2", "--name", "nestling-test"]
    assert main(arguments) == 0, capsys.readouterr().err
    report = json.loads((data / "corpus-sources.json").read_text())
    assert report["trees_left_out"] == {"pypi+torchrl": "RepoEval's pytorch/rl"}
    assert report["licences"] == {"us+text": "MIT", "us+held": "MIT"}
    figures = json.loads((run / "evaluation.json").read_text())["nestling-test-q8_0.gguf"]
    assert 0.5 < figures["python"]["with windows"] < 10
    assert (run / "nestling-test-f16.gguf").exists()
    card = (run / "CARD.md").read_text()
    for told in (
        "us+text | MIT",
        "measured on only",
        "RepoEval's pytorch/rl",
        "curves.png",
        "million parameters",
    ):
        assert told in card
    shard, index = data / "train-00.rows", data / "rows.jsonl"
    assert json.loads(index.read_text())["trees"] == ["us+text"]
    before, content = shard.stat().st_mtime_ns, shard.read_bytes()
    prepare = ["prepare", *arguments[1 : arguments.index("--size")]]
    assert main(prepare) == 0
    assert (shard.stat().st_mtime_ns, len(index.read_text().splitlines())) == (before, 1)
    index.unlink()
    assert main([*prepare, "--workers", "2"]) == 0
    assert shard.stat().st_mtime_ns > before
    assert shard.read_bytes() == content


def test_the_card_tells_what_the_benches_gave(tmp_path: Path) -> None:
    """Their tables as they wrote them; what was not measured is said to be missing."""
    sources = tmp_path / "sources.json"
    told: dict[str, object] = {
        "plan": {"held_out": []},
        "left_out": {},
        "trees_left_out": {},
        "kept": {},
        "licences": {},
    }
    sources.write_text(json.dumps(told))
    write_plan(tmp_path, RunPlan("tiny", Shape(512, 128, 2, 64), 4, 10, 0, "tiny: for a test"))
    assert "Not measured." in write_card(tmp_path, sources, None, [], "x").read_text()
    summary = {
        "table": "main",
        "variant": "nestling beside",
        "columns": ["in-file", "1", "oracle"],
        "overall": {"tasks": 12, "means": {"exact match": {"in-file": 10.0, "1": 20.5, "oracle": 25.0}}},
        "gap_shares": {"exact match": {"1": 0.7}},
    }
    repoeval = tmp_path / "repoeval.json"
    repoeval.write_text(json.dumps({"model": {"name": "x.gguf"}, "summaries": [summary]}))
    documented = tmp_path / "documented.json"
    line = {"parses": True, "edit_similarity": 0.5, "log_likelihood": -2.0}
    results = [
        {"language": "ring", "documented": shown, **line, "parses": shown and not at}
        for shown in (False, True)
        for at in range(2)
    ]
    documented.write_text(json.dumps({"results": results}))
    card = write_card(tmp_path, sources, None, [repoeval], "x", documented, "A remark.").read_text()
    assert "A remark." in card
    assert "| ring | without | 2 | 0% | 50.0% | 2.000 |" in card
    assert "| ring | in the prompt | 2 | 50% | 50.0% | 2.000 |" in card
    assert "nestling beside, 12 tasks, table main:" in card
    assert "| exact match | 10.00 | 20.50 | 25.00 |" in card
    assert "| exact match, share of the gap |  | 0.700 |  |" in card


def test_wrong_input_is_told_in_a_sentence(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """No traceback for who names nothing, or what is not there."""
    run = ["--data", str(tmp_path), "--run", str(tmp_path / "run")]
    assert main(["prepare", *run]) == 1
    assert "source trees" in capsys.readouterr().err
    assert main(["train", *run]) == 1
    assert "prepare" in capsys.readouterr().err
    assert main(["export", *run]) == 1
    assert "holds no run" in capsys.readouterr().err
    assert main(["prepare", *run, "--sources", str(tmp_path / "nowhere")]) == 1
    assert "nowhere" in capsys.readouterr().err
