"""Training: learns, stops and goes on to the exact step, chooses by the time at hand."""

from __future__ import annotations

import time
from itertools import count
from pathlib import Path

import numpy as np
import pytest
import torch

from nestling.checkpoint import LIGHT, load_model, read_light, read_log, read_plan
from nestling.model import Llama, Shape
from nestling.optimizer import orthogonalise
from nestling.run import STOP_FILE, train
from nestling.schedule import FINAL_FACTOR, WARM_UP_STEPS, rate_factor
from nestling.shards import COUNTED, write_shard
from nestling.sizes import SIZES, choose_size, shape_of
from nestling.trainer import Wish

CONTEXT, VOCABULARY = 32, 64


@pytest.fixture(scope="module")
def shard(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Rows with something to learn: each token follows from the one before."""
    random = np.random.default_rng(0)
    following = random.permutation(np.arange(7, VOCABULARY))
    rows = []
    for _ in range(64):
        ids = [int(random.integers(7, VOCABULARY))]
        while len(ids) <= CONTEXT:
            ids.append(int(following[ids[-1] - 7]))
        rows.append((np.array(ids, np.uint16), np.full(CONTEXT + 1, COUNTED, np.uint8)))
    path = tmp_path_factory.mktemp("rows") / "train-00.rows"
    write_shard(path, rows, CONTEXT, VOCABULARY)
    return path


def _train(shard: Path, folder: Path, steps: int, **wish: object) -> list[str]:
    """Train a small model; with a plan of `steps` steps."""
    said: list[str] = []
    options = {"hours": 1e-9, "size": "tiny", "threads": 1, "batch_tokens": 8 * CONTEXT, "save_minutes": 99.0}
    wished = Wish(**{**options, **wish})  # type: ignore[arg-type]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("nestling.schedule.WARM_UP_STEPS", steps)  # the least that is planned
        patch.setattr("nestling.run.LOG_EVERY_STEPS", 5)
        train([shard], shard, folder, wished, said.append)
    return said


def test_it_learns(shard: Path, tmp_path: Path) -> None:
    """The loss falls below what guessing gives; there are figures and curves, and it says what it chose."""
    said = _train(shard, tmp_path, 30)
    rows = [row for row in read_log(tmp_path) if "loss" in row]
    assert rows[0]["loss"] > 3.0
    assert rows[-1]["loss"] < 0.8 * rows[0]["loss"]
    assert read_log(tmp_path)[-1]["held_out"] < rows[0]["loss"]
    assert (tmp_path / "curves.png").read_bytes().startswith(b"\x89PNG")
    assert any("tokens a second" in line for line in said)
    assert any("finished at step 30" in line for line in said)


def test_a_run_that_was_stopped_ends_as_if_it_had_not_been(shard: Path, tmp_path: Path) -> None:
    """Stopped after a piece, gone on with in another process's manner: the same weights, bit for bit."""
    whole, pieces = tmp_path / "whole", tmp_path / "pieces"
    _train(shard, whole, 12)
    _train(shard, pieces, 12, minutes=0.0)
    plan = read_plan(pieces)
    assert plan is not None
    assert plan.total_steps == 12
    assert read_log(pieces)[-1]["step"] == 0
    (pieces / STOP_FILE).touch()
    _train(shard, pieces, 12)
    assert read_log(pieces)[-1]["step"] == 0
    (pieces / STOP_FILE).unlink()
    with pytest.MonkeyPatch.context() as patch:  # the clock strikes after five steps
        asked = iter([False] * 5 + [True] * 9)
        patch.setattr("nestling.run._Run._out_of_time", lambda _: next(asked))
        _train(shard, pieces, 12)
    assert read_log(pieces)[-1]["step"] == 5
    _train(shard, pieces, 12)
    first, second = load_model(whole).state_dict(), load_model(pieces).state_dict()
    assert all(torch.equal(first[name], second[name]) for name in first)
    assert [row["step"] for row in read_log(pieces)] == sorted(row["step"] for row in read_log(pieces))


def test_light_weights_travel(shard: Path, tmp_path: Path) -> None:
    """Half the bytes at most, the same weights but for bfloat16, and a run goes on from them alone."""
    there, back = tmp_path / "there", tmp_path / "back"
    _train(shard, there, 6)
    weights, progress = read_light(there / LIGHT)
    assert progress.step == 6
    for name, weight in load_model(there).state_dict().items():
        assert torch.equal(weights[name], weight.bfloat16().float())
    back.mkdir()
    for name in (LIGHT, "plan.json"):
        (back / name).write_bytes((there / name).read_bytes())
    assert _train(shard, back, 6)[-1].startswith("finished at step 6")
    assert torch.equal(load_model(back).norm.weight, weights["norm.weight"])


def test_the_schedule_can_end_with_a_piece(
    shard: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where less time is left than was planned with: the rate has fallen when the piece is over."""
    clock = count()
    monkeypatch.setattr(time, "monotonic", lambda: next(clock) / 20)  # a tenth of a second for each step
    said = _train(shard, tmp_path, 2000, minutes=0.2, finish=True)
    plan, log = read_plan(tmp_path), [row for row in read_log(tmp_path) if "factor" in row]
    assert plan is not None
    assert 80 < plan.total_steps < 120
    assert said[-1].startswith(f"finished at step {plan.total_steps}")
    assert any("now ends at step" in line for line in said)
    assert log[-1]["factor"] < 0.3


def test_the_rate_rises_stays_and_falls() -> None:
    """And never quite to nothing."""
    total = 1000
    factors = [rate_factor(step, total) for step in range(total)]
    assert factors[0] == pytest.approx(1 / WARM_UP_STEPS)
    assert factors[WARM_UP_STEPS : total // 2] == [1.0] * (total // 2 - WARM_UP_STEPS)
    assert factors[-1] == pytest.approx(FINAL_FACTOR, abs=0.001)
    assert factors[total // 2 :] == sorted(factors[total // 2 :], reverse=True)


def test_the_size_follows_the_time() -> None:
    """The largest that is fed well and fits the file; where there is little time, the smallest."""
    shapes = [(name, shape_of(name, 16_384, 2048)) for name in ("5M", "20M", "30M", "38M")]
    rates = [(name, shape, 3e13 / shape.operations_per_token) for name, shape in shapes]
    assert choose_size(rates, 1e9)[0] == "30M"  # the next would be over 40 MB
    assert choose_size(rates, 60)[0] == "5M"
    name, why = choose_size(rates, 4000)
    assert name == "20M"
    assert why.startswith("20M: the largest that sees 20 tokens per parameter")


def test_the_parameters_are_counted_as_they_are() -> None:
    """For both kinds of output."""
    for tied in (True, False):
        shape = Shape(500, 128, 3, 64, tied)
        assert shape.parameters == sum(weight.numel() for weight in Llama(shape).parameters())
    with pytest.raises(ValueError, match="no size"):
        shape_of("1T", 500, 64)
    assert list(SIZES) == sorted(SIZES, key=lambda name: shape_of(name, 16_384, 64).parameters)


def test_muon_makes_orthogonal_steps() -> None:
    """Singular values come near 1, and the directions stay."""
    torch.manual_seed(0)
    for rows, columns in ((32, 64), (64, 32)):
        matrix = torch.randn(1, rows, columns)
        found = orthogonalise(matrix)[0].float()
        values = torch.linalg.svdvals(found)
        assert values.min() > 0.5
        assert values.max() < 1.5
        u, _, v = torch.linalg.svd(matrix[0], full_matrices=False)
        assert torch.nn.functional.cosine_similarity(found.flatten(), (u @ v).flatten(), dim=0) > 0.95


def test_the_future_does_not_change_the_past() -> None:
    """Causal: logits of a place do not depend on what follows it."""
    torch.manual_seed(0)
    model = Llama(Shape(100, 128, 2, 16))
    for weight in model.parameters():
        torch.nn.init.normal_(weight, std=0.1)
    ids = torch.randint(0, 100, (1, 16))
    other = ids.clone()
    other[0, 10:] = (other[0, 10:] + 1) % 100
    with torch.no_grad():
        assert torch.allclose(model(ids)[0, :10], model(other)[0, :10], atol=1e-5)
        assert not torch.allclose(model(ids)[0, 10:], model(other)[0, 10:], atol=1e-3)
