"""What a model can be asked for is found out by asking it, once."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from bowerbird.completion.request import Request
from bowerbird.inference.generator import InferenceError
from bowerbird.inference.llama import LlamaEngine
from bowerbird.inference.loaded import LoadedModel
from bowerbird.inference.models import built_in_model
from bowerbird.inference.turns import Priority
from bowerbird.settings import InferenceSettings
from bowerbird.synthesis.capability import (
    MOST_KEPT,
    TRIALS,
    Trial,
    is_capable,
    right_answers,
    right_calls,
    was_capable,
)
from bowerbird.synthesis.prompt import Ask
from bowerbird.synthesis.writer import Writer
from scripted import ScriptedModel

REPEATED, LARGEST, INITIAL = TRIALS
GOOD = (
    'repeated("a", 2)\nrepeated("b c", 3)',
    "largest([1, 2])\nlargest([3.5, -1])",
    "initial('x')\ninitial('é')",
)


class Asked:
    """Answers one after the other, and counts."""

    def __init__(self, answers: Sequence[str]) -> None:
        self.answers, self.asks = answers, list[Ask]()

    async def __call__(self, ask: Ask, _tokens: int) -> str:
        self.asks.append(ask)
        return self.answers[(len(self.asks) - 1) % len(self.answers)]


@pytest.fixture
async def model() -> LoadedModel:
    return replace(await ScriptedModel([]).load(), path="http://localhost:1", context_tokens=4_096)


@pytest.mark.parametrize(
    ("trial", "answer", "right"),
    [
        (REPEATED, GOOD[0], 2),
        (REPEATED, "Sure!\n```python\n1. repeated('a', 1)\n2. repeated('b', 2)\n```", 2),
        (REPEATED, "repeated('a', 1)\n" * 5, 1),
        (REPEATED, "repeated(word, times)\nrepeated(1, 'a')\nrepeated('a')", 0),
        (REPEATED, "repeated('a', 0)\nrepeated('', 1)", 0),
        (REPEATED, "repeated('a', times=2)\nrepeated(f('a'), 2)\nrepeated('a', 2", 0),
        (LARGEST, GOOD[1], 2),
        (LARGEST, "largest([])\nlargest(['a'])\nlargest([True])\nlargest(numbers)\nlargest([x])", 0),
        (INITIAL, GOOD[2], 2),
        (INITIAL, "initial(''\ninitial(3)\n" + "(" * 10_000, 0),
        (INITIAL, "", 0),
    ],
)
def test_only_calls_that_can_be_made_count(trial: Trial, answer: str, right: int) -> None:
    """Each once, whatever stands around it; what copies the function's head is none."""
    assert right_calls(answer, trial) == right


async def test_two_of_three_are_enough(model: LoadedModel, tmp_path: Path) -> None:
    """One bad answer is forgiven, two are not."""
    for answers, capable in (
        (GOOD, True),
        (("no idea", *GOOD[1:]), True),
        ((GOOD[0], "no idea", "no idea"), False),
        (("no idea",), False),
    ):
        assert await is_capable(model, Asked(answers), tmp_path / str(hash(answers))) is capable


async def test_it_is_found_out_once(model: LoadedModel, tmp_path: Path) -> None:
    """For a model as it is: another file, another size or another way of asking is another model."""
    kept, gguf = tmp_path / "cache" / "capability.json", tmp_path / "a.gguf"
    gguf.write_bytes(b"GGUF")
    local = replace(model, path=str(gguf))
    asked = Asked(GOOD)
    for _ in range(2):
        assert await is_capable(local, asked, kept)
    assert len(asked.asks) == 3
    os.utime(gguf, (1, 1))
    assert await is_capable(local, asked, kept)
    assert len(asked.asks) == 6
    assert await is_capable(replace(local, name="other"), asked, kept)
    assert len(asked.asks) == 9
    assert len(json.loads(kept.read_text())) == 3


async def test_what_was_found_out_is_told_without_asking(
    model: LoadedModel, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """For `bowerbird doctor`; nothing is known of a model that was never asked."""
    monkeypatch.setattr("bowerbird.synthesis.capability.capability_file", lambda: tmp_path / "known.json")
    assert was_capable(model) is None
    await is_capable(model, Asked(GOOD), tmp_path / "known.json")
    assert was_capable(model) is True
    assert was_capable(replace(model, context_tokens=1_024)) is False


async def test_the_kept_file_may_be_anything(model: LoadedModel, tmp_path: Path) -> None:
    """Broken, foreign, unwritable, or long: the model is tried out, and nothing fails."""
    kept = tmp_path / "capability.json"
    for content in ("", "[]", "{", '{"a": "b"}', json.dumps({str(n): 3 for n in range(999)})):
        kept.write_text(content)
        assert await is_capable(model, Asked(GOOD), kept)
    assert len(json.loads(kept.read_text())) == MOST_KEPT
    (tmp_path / "file").touch()
    assert await is_capable(model, Asked(GOOD), tmp_path / "file" / "capability.json")


async def test_a_small_context_has_no_room(model: LoadedModel, tmp_path: Path) -> None:
    """Nobody need be asked for that."""
    asked = Asked(GOOD)
    assert not await is_capable(replace(model, context_tokens=1_024), asked, tmp_path / "x")
    assert not asked.asks


async def test_a_failure_is_not_kept(model: LoadedModel, tmp_path: Path) -> None:
    """A model that crashes meanwhile is tried out again."""

    async def crash(_ask: Ask, _tokens: int) -> str:
        raise InferenceError("The model's process stopped.")

    with pytest.raises(InferenceError):
        await is_capable(model, crash, tmp_path / "x")
    assert await is_capable(model, Asked(GOOD), tmp_path / "x")


async def test_what_writes_code_from_comments_makes_way() -> None:
    """Its prompts are the least urgent; completions come first, and of these what is asked by hand."""
    model = ScriptedModel(["x"])
    await Writer(model).write(Ask("x", ()), 4)
    assert model.asked[-1].priority is Priority.GENERATION
    asked = (Request(speculative=True), Request(), Request(invoked=True))
    assert [one.priority for one in asked] == [Priority.SPECULATIVE, Priority.AUTOMATIC, Priority.INVOKED]


async def test_the_built_in_model_is_too_small() -> None:
    """It gets none of them right."""
    engine = LlamaEngine(built_in_model(), InferenceSettings())
    writer = Writer(engine, engine)

    async def answer(ask: Ask, tokens: int) -> str:
        return (await writer.write(ask, tokens)).text

    try:
        assert await right_answers(answer) == 0
    finally:
        await engine.close()
