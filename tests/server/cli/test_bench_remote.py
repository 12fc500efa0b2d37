"""`bowerbird bench remote` measures a real llama-server; how fast it is stands in no assertion."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path

from typer.testing import CliRunner

import parts
from bowerbird.cli.app import app
from bowerbird.cli.errors import ExitCode

FUNCTION = '''
def {name}_total(lines, rates):
    """Adds up {name}."""
    total = 0
    for line in lines.of(rates):
        total += line.price * rates[line.{name}]
    return total
'''


def test_a_run_completes_by_both_and_says_what_was_added(
    workspace: Callable[[Mapping[str, str]], Path], tmp_path: Path
) -> None:
    """Same places, same model, and nothing stood in for the server."""
    executable = parts.require_part("llama-server")
    folder = workspace({f"{name}.py": FUNCTION.format(name=name) * 3 for name in ("cart", "shop", "nest")})
    file = tmp_path / "remote.json"
    arguments = ["--workspace", str(folder), "--requests", "2", "--json", str(file)]
    result = CliRunner().invoke(
        app, ["bench", "remote", *arguments, "--llama-server", str(executable)], catch_exceptions=False
    )
    assert result.exit_code == 0, result.output
    assert "beside the model" in result.stdout
    pairs = json.loads(file.read_text())["pairs"]
    assert len(pairs) == 2
    for pair in pairs:
        assert 0 < pair["remote_model_ms"] < pair["remote_ms"]
        assert pair["added_ms"] == pair["remote_ms"] - pair["built_in_ms"]
        assert pair["same_prompt"]
    *table, _ = result.stdout.splitlines()
    assert max(map(len, table)) <= 80


def test_without_a_server_it_says_so(tmp_path: Path) -> None:
    """There is nothing to compare."""
    result = CliRunner().invoke(app, ["bench", "remote", "--llama-server", str(tmp_path / "none")])
    assert result.exit_code == ExitCode.MODEL
    assert "llama-server" in result.stderr
