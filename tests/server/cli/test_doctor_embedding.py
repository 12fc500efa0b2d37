"""What `bowerbird doctor` says of the model that turns code into vectors."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from bowerbird.cli.app import app
from bowerbird.cli.errors import ExitCode
from bowerbird.cli.finding import Finding, State
from bowerbird.cli.model_checks import check_embedding
from bowerbird.inference.models import built_in_model
from tiny_bert import SIZE, TOKENS, write_tiny_bert


@pytest.fixture(autouse=True)
def no_traces(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))


async def test_an_embedding_model_is_loaded_and_tried(tmp_path: Path) -> None:
    """How long its vectors are, how much of a window it reads, how long that takes."""
    (found,) = await check_embedding(write_tiny_bert(tmp_path / "tiny.gguf"))
    assert (found.name, found.state) == ("embedding model", State.OK)
    assert f"{SIZE} numbers a vector, at most {TOKENS} tokens" in found.detail
    assert "ms a window" in found.detail


async def test_without_one_words_are_enough() -> None:
    """That is no fault."""
    (found,) = await check_embedding(None)
    assert found.state is State.OK
    assert "by their words" in found.detail


async def test_a_model_that_writes_is_no_embedding_model() -> None:
    """It gives vectors, but poor ones."""
    told, warned = await check_embedding(built_in_model())
    assert told.state is State.OK
    assert warned.state is State.WARNING
    assert "is not made for vectors" in warned.detail
    assert "completion.embeddingModel" in warned.remedy


@pytest.mark.parametrize(("content", "said"), [(None, "There is no model file"), (b"text", "no GGUF file")])
async def test_a_bad_file_is_told(tmp_path: Path, content: bytes | None, said: str) -> None:
    """With what to do about it."""
    file = tmp_path / "bad.gguf"
    if content is not None:
        file.write_bytes(content)
    (found,) = await check_embedding(file)
    assert found.state is State.WARNING
    assert said in found.detail
    assert "completion.embeddingModel" in found.remedy


def test_completions_work_without_it(tmp_path: Path) -> None:
    """The command names the model, and does not call completions broken for it."""
    arguments = ["doctor", "--json", "--embedding-model", str(tmp_path / "gone.gguf")]
    result = CliRunner().invoke(app, arguments, catch_exceptions=False)
    findings = [Finding(**one) for one in json.loads(result.stdout)["findings"]]
    (found,) = (one for one in findings if one.name == "embedding model")
    assert result.exit_code == ExitCode.DONE
    assert found.state == State.WARNING
    assert "gone.gguf" in found.detail
