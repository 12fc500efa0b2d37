"""`bowerbird bench latency` measures the real server; how fast it is stands in no assertion."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path

from typer.testing import CliRunner

from bowerbird.cli.app import app

FUNCTION = '''
def {name}_total(lines, rates):
    """Adds up {name}."""
    total = 0
    for line in lines.of(rates):
        total += line.price * rates[line.{name}]
    return total
'''


def test_a_run_measures_requests_cancellations_and_typing(
    workspace: Callable[[Mapping[str, str]], Path], tmp_path: Path
) -> None:
    """The same prompts with and without the server; one decode at a time; nothing left behind."""
    names = ("cart", "shop", "nest")
    folder = workspace({f"{name}.py": FUNCTION.format(name=name) * 3 for name in names})
    file = tmp_path / "latency.json"

    result = CliRunner().invoke(
        app,
        ["bench", "latency", "--workspace", str(folder), "--requests", "2", "--json", str(file)],
        catch_exceptions=False,
    )

    told = json.loads(file.read_text())
    assert result.exit_code == 0, result.output
    assert "added by the server" in result.stdout
    assert len(told["round_trips"]) == 2
    for trip in told["round_trips"]:
        assert 0 < trip["model_ms"] < trip["wall_ms"]
        assert trip["direct_ms"] > 0
        assert trip["same_prompts"]
    assert {one["during"] for one in told["cancelled"]} >= {"generating"}
    assert told["made_way"]
    assert all(one["alone_ms"] > 0 and one["beside_ms"] > 0 for one in told["made_way"])
    assert told["typing"]["keys"] == 100
    assert told["typing"]["completed"] >= 1
    assert told["typing"]["completed"] + told["typing"]["superseded"] == 100
    assert told["typing"]["most_at_once"] == 1
    assert told["typing"]["left_behind"] == 0
