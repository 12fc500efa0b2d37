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


def test_a_run_compares_one_model_for_all_with_a_model_each(
    workspace: Callable[[Mapping[str, str]], Path], tmp_path: Path
) -> None:
    """Two editors: two models, or one and what is between; each finds again what it typed before."""
    folder = workspace({f"{name}.py": FUNCTION.format(name=name) * 3 for name in ("cart", "shop", "nest")})
    file = tmp_path / "sharing.json"
    arguments = ["--workspace", str(folder), "--requests", "2", "--clients", "2", "--json", str(file)]

    result = CliRunner().invoke(app, ["bench", "latency", *arguments], catch_exceptions=False)

    assert result.exit_code == 0, result.output
    assert "one for all" in result.stdout
    *table, _ = result.stdout.splitlines()
    assert max(map(len, table)) <= 80
    own, shared = json.loads(file.read_text())["rows"]
    assert (own["shared"], shared["shared"]) == (False, True)
    assert own["processes"] == shared["processes"] == 2
    for row in (own, shared):
        assert len(row["alone_ms"]) == len(row["beside_ms"]) == 2
        assert row["reused_share"] > 0.9
        assert row["memory_bytes"] > 0
