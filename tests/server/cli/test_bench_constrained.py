"""`bowerbird bench constrained`: both ways of decoding beside each other, and who judged them."""

from __future__ import annotations

import asyncio
import importlib.util
import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from bowerbird.cli.app import app
from bowerbird.cli.bench.constrained import OFFICIAL, TREE, Judge, Timed
from bowerbird.execution.powerquery import PowerQuery, why_missing
from bowerbird.inference.generator import Prompt
from parts import PARTS
from scripted import ScriptedModel

POWERQUERY = PARTS / "powerquery"


def test_a_grammar_makes_all_answers_parse(tmp_path: Path) -> None:
    """The built-in model, a few requests, few tokens: free answers fail, the others never do."""
    if importlib.util.find_spec("llama_cpp") is None:
        pytest.skip("needs llama-cpp-python: make test")
    told = tmp_path / "told.json"
    wanted = ["bench", "constrained", "--requests", "2", "--tokens", "40", "--json", str(told)]
    done = CliRunner().invoke(app, wanted)
    assert done.exit_code == 0, done.output
    results = json.loads(told.read_text())["results"]
    assert len(results) == 2 * 3 * 2
    assert all(one["parses"] for one in results if one["constrained"])
    assert not all(one["parses"] for one in results if not one["constrained"])
    assert all(one["tokens"] <= 40 for one in results)
    told_of = json.loads(told.read_text())["examples"]
    for language, (count, of) in told_of.items():
        assert 0 < count <= of
        assert f"{language}: the grammar allows {count} of {of} sound examples" in done.output
    assert done.output.count("By the grammar, for ") == len(told_of) == 3


@pytest.mark.parametrize("wrong", [["--language", "python"], ["--model", "nowhere.gguf"]])
def test_what_cannot_be_measured_is_said(wrong: list[str]) -> None:
    """Without a traceback."""
    done = CliRunner().invoke(app, ["bench", "constrained", "--requests", "1", *wrong])
    assert done.exit_code
    assert not isinstance(done.exception, (ValueError, KeyError, IndexError))


def test_the_official_parser_judges_where_it_is() -> None:
    """Names that do not exist parse; what it cannot read does not; other languages have tree-sitter."""
    if missing := why_missing(POWERQUERY):
        pytest.skip(f"needs Microsoft's packages in {POWERQUERY}: {missing}")

    async def judged() -> list[tuple[bool, str]]:
        services = PowerQuery(None, POWERQUERY)
        try:
            judge = Judge(services, (), official=True)
            return [
                await judge.judge("powerquery", "let a = 1 in a"),
                await judge.judge("powerquery", "let a = 1"),
                await judge.judge("ring", "if x"),
                await Judge(services, (), official=False).judge("powerquery", "{1"),
            ]
        finally:
            await services.close()

    assert asyncio.run(judged()) == [(True, OFFICIAL), (False, OFFICIAL), (False, TREE), (False, TREE)]


async def test_the_first_token_is_not_timed() -> None:
    """Before it the prompt is evaluated, which has nothing to do with how a model decodes."""
    timed = Timed(ScriptedModel(["a b c d"], delay_s=0.0))
    written = [token.text async for token in timed.generate(Prompt((0,), "", 9))]
    assert written[0] == "a "
    assert (timed.tokens, timed.stopped) == (3, "end")
