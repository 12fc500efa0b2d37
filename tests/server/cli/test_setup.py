"""`bowerbird setup powerquery`, with an npm that does as it is told here."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner

from bowerbird.cli.app import app
from bowerbird.cli.errors import ExitCode
from bowerbird.execution.powerquery import packages_folder


@pytest.fixture(autouse=True)
def no_packages() -> Iterator[None]:
    """The user has none, before and after."""
    shutil.rmtree(packages_folder(), ignore_errors=True)
    yield
    shutil.rmtree(packages_folder(), ignore_errors=True)


def programs(folder: Path, monkeypatch: pytest.MonkeyPatch, npm: str) -> None:
    """A PATH with this npm, a node that ends at once, and a shell's tools."""
    for name, script in (("npm", npm), ("node", "exit 1")):
        (folder / name).write_text(f"#!/bin/sh\n{script}\n")
        (folder / name).chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}:/bin")


@pytest.mark.parametrize(
    ("there", "told"), [((), "no node and no npm on"), (("node",), "no npm on"), (("npm",), "no node on")]
)
def test_without_node_or_npm_nothing_is_begun(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, there: tuple[str, ...], told: str
) -> None:
    """What must be installed is named, and how it is without."""
    for name in there:
        (tmp_path / name).write_text("#!/bin/sh\nexit 1\n")
        (tmp_path / name).chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    result = CliRunner().invoke(app, ["setup", "powerquery"])
    assert result.exit_code == ExitCode.USAGE
    assert told in result.stderr
    assert "only parsed" in result.stderr
    assert not packages_folder().parent.exists() or not any(packages_folder().parent.iterdir())


@pytest.mark.parametrize(
    ("npm", "told"),
    [
        (
            r"printf 'npm warn x\nnpm error code E\nnpm error no such host\nnpm error     at x' >&2; exit 1",
            "packages:\nnpm error no such host\n",
        ),
        ("exit 0", "npm is done, but @microsoft/powerquery-parser is not installed"),
        (
            """for package in parser@2.0.0 language-services@1.1.2 formatter@1.0.1; do
                folder=node_modules/@microsoft/powerquery-${package%@*}
                mkdir -p $folder; echo "{\\"version\\": \\"${package#*@}\\"}" > $folder/package.json
            done""",
            "they do not work",
        ),
    ],
)
def test_a_failure_is_told_and_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, npm: str, told: str
) -> None:
    """npm's own words, no package, services that do not start: what was there before stays as it was."""
    packages_folder().mkdir(parents=True)
    (packages_folder() / "before").write_text("")
    programs(tmp_path, monkeypatch, npm)
    result = CliRunner().invoke(app, ["setup", "powerquery"])
    assert result.exit_code == ExitCode.NOTHING
    assert told in result.stderr
    assert [path.name for path in packages_folder().parent.iterdir()] == ["powerquery"]
    assert [path.name for path in packages_folder().iterdir()] == ["before"]


def test_scripts_of_packages_never_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Versions are pinned, and npm is told to run nothing."""
    programs(tmp_path, monkeypatch, f'echo "$@" > {tmp_path}/asked; exit 1')
    CliRunner().invoke(app, ["setup", "powerquery"])
    asked = (tmp_path / "asked").read_text()
    assert "--ignore-scripts" in asked
    assert "@microsoft/powerquery-language-services@1.1.2" in asked


def test_it_is_removed_on_request() -> None:
    """And there is nothing to remove twice."""
    packages_folder().mkdir(parents=True)
    assert CliRunner().invoke(app, ["setup", "powerquery", "--remove"]).exit_code == ExitCode.DONE
    assert not packages_folder().exists()
    assert CliRunner().invoke(app, ["setup", "powerquery", "--remove"]).exit_code == ExitCode.NOTHING
