"""`bowerbird bench soak`: what is counted as memory, growth told from noise, and the verdict."""

from __future__ import annotations

import json
import mmap
import random
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import psutil
import pytest
import typer
from typer.testing import CliRunner

from bowerbird.cli.bench.soak import run
from bowerbird.cli.bench.soak.command import soak_command
from bowerbird.cli.bench.soak.run import Sample, Soaked
from bowerbird.cli.bench.soak.trend import FLAT_SHARE, Verdict, trend_of
from bowerbird.cli.bench.soak.watched import own_bytes
from bowerbird.cli.errors import NothingDone

HOUR_S = 3600.0
TIMES = [30.0 * number for number in range(121)]
SIZE = 64_000_000


def noisy(growth: Callable[[float], float], noise: float = 1.0) -> list[float]:
    """200 and `growth` of a share of the hour, with even noise around it."""
    chance = random.Random(3)
    return [200 + growth(at / HOUR_S) + chance.uniform(-noise, noise) for at in TIMES]


@pytest.mark.parametrize(
    ("growth", "noise", "verdict"),
    [
        (lambda share: 0 * share, 1.0, Verdict.FLAT),
        (lambda share: min(share, 0.2) * 200, 1.0, Verdict.FLAT),
        (lambda share: -50 * share, 1.0, Verdict.FLAT),
        (lambda share: 40.0 * (share == 0.5), 1.0, Verdict.FLAT),
        (lambda share: 20 * share, 1.0, Verdict.GROWS),
        (lambda share: 15.0 * (share > 0.6), 1.0, Verdict.GROWS),
        (lambda share: 0 * share, 150.0, Verdict.GROWS),
    ],
    ids=["even", "warming up", "shrinking", "a peak", "growing", "a step that lasts", "too noisy to tell"],
)
def test_growth_is_told_from_noise(growth: Callable[[float], float], noise: float, verdict: Verdict) -> None:
    """Caches that fill, peaks and noise are no growth; where growth cannot be ruled out, it is not flat."""
    assert trend_of(TIMES, noisy(growth, noise), HOUR_S).verdict(HOUR_S) is verdict


def test_the_trend_says_how_much_and_how_sure() -> None:
    """The slope lies within its error of the truth, and the medians are of the second and last quarter."""
    trend = trend_of(TIMES, noisy(lambda share: 20 * share), HOUR_S)
    assert abs(trend.slope - 20) < 3 * trend.error < 3
    assert abs(trend.stepped - 20) < 3
    assert abs(trend.early - 207.5) < 1
    assert abs(trend.late - 217.5) < 1
    assert trend.most > 20 > FLAT_SHARE * trend.held


@pytest.mark.parametrize("times", [[], [0.0], [0.0, 60.0], [0.0, 50.0, 60.0]])
def test_too_few_samples_tell_nothing(times: list[float]) -> None:
    """No growth is claimed, and a short run has no verdict."""
    trend = trend_of(times, [float(10 + at) for at in times], 60.0)
    assert trend.slope == trend.error == trend.stepped == 0.0
    assert trend.verdict(60.0) is Verdict.TOO_SHORT


@pytest.mark.skipif(sys.platform == "darwin", reason="what macOS counts as unique was not looked at")
def test_memory_in_files_is_not_the_process_s_own(tmp_path: Path) -> None:
    """What is mapped and looked at is resident, and counts only where no file stands behind it."""
    file = tmp_path / "large"
    file.write_bytes(b"\1" * SIZE)
    process = psutil.Process()
    before = own_bytes(process)
    with file.open("rb") as opened, mmap.mmap(opened.fileno(), SIZE, access=mmap.ACCESS_READ) as mapped:
        assert sum(mapped[:: mmap.PAGESIZE]) == -(-SIZE // mmap.PAGESIZE)
        assert own_bytes(process) - before < SIZE / 2
    held = bytearray(b"\1") * SIZE
    assert own_bytes(process) - before > SIZE / 2
    del held


def soaked(growth: float, minutes: float) -> Soaked:
    """A run whose server grows by so many bytes an hour."""
    times = [3 * minutes * number for number in range(21)]
    samples = [
        Sample(at, 3, int(2e8 + growth * at / HOUR_S), 3 * 10**8, 10**9, 2 * 10**9, 1, 9, 12, 40)
        for at in times
    ]
    return Soaked(60 * minutes, 60, 900, 899, 400, 300, tuple(samples))


def command(monkeypatch: pytest.MonkeyPatch, found: Soaked, *arguments: str) -> Any:
    """What the command does with a run that came out like this."""

    async def soak(*_: object) -> Soaked:
        return found

    monkeypatch.setattr(run, "soak", soak)
    app = typer.Typer()
    app.command()(soak_command)
    return CliRunner().invoke(app, ["--lines", "100", *arguments], env={"COLUMNS": "200"})


def test_flat_memory_is_said_to_be_flat(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """People read the figures and the verdict with its limit, programs find both, and there is a drawing."""
    told, drawing = tmp_path / "told.json", tmp_path / "drawn.svg"
    result = command(monkeypatch, soaked(0, 60), "--json", str(told), "--plot", str(drawing))
    assert result.exit_code == 0, result.output
    assert "server +0.0 ± 0.0 MB" in result.output
    assert "The server's memory is flat: +0.0 MB an hour at most (+0.0% of 200.0 MB)" in result.output
    assert "The model's memory is flat" in result.output
    assert "the limit is 5%" in result.output
    data = json.loads(told.read_text())
    assert data["trends"]["server"]["verdict"] == "flat"
    assert data["samples"][0]["server_bytes"] == 2e8
    titles = [text.text for text in ElementTree.parse(drawing).iter("{http://www.w3.org/2000/svg}text")]
    assert "model, files too" in titles


def test_growing_memory_fails_the_command(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The exit code tells a script, and the files are written all the same."""
    told = tmp_path / "told.json"
    result = command(monkeypatch, soaked(30e6, 60), "--json", str(told))
    assert isinstance(result.exception, NothingDone)
    assert "The server's memory is not flat: +30.0 MB an hour at most" in result.output
    assert "The model's memory is flat" in result.output
    assert json.loads(told.read_text())["trends"]["server"]["verdict"] == "grows"


def test_a_short_run_has_no_verdict(monkeypatch: pytest.MonkeyPatch) -> None:
    """What may be caches that fill is not called growth."""
    result = command(monkeypatch, soaked(900e6, 5))
    assert result.exit_code == 0, result.output
    assert "a run of 30 minutes at least can tell" in result.output


def test_it_works_with_the_real_server(tmp_path: Path) -> None:
    """A round with the built-in model: everything is answered, and every figure is there."""
    (tmp_path / "shop.py").write_text("def total(prices):\n    return sum(prices)\n" * 20)
    told = tmp_path / "told.json"
    app = typer.Typer()
    app.command()(soak_command)
    arguments = ["--workspace", str(tmp_path), "--minutes", "0.05", "--every", "1", "--json", str(told)]
    result = CliRunner().invoke(app, arguments)
    assert result.exit_code == 0, result.output
    data = json.loads(told.read_text())
    assert data["rounds"] >= 1
    assert data["answered"] == data["asked"] > 0
    last = data["samples"][-1]
    assert 1e7 < last["server_bytes"] < last["server_resident_bytes"]
    assert 1e6 < last["model_bytes"] < last["model_resident_bytes"]
    assert last["children"] >= 1
