"""What every test shares: folders of its own, small workspaces, the real parts, and strictness in CI."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Callable, Generator, Iterator, Mapping
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TypeVar

import pytest
from hypothesis import settings as hypothesis_settings

import parts
from bowerbird.inference.models import built_in_model

Report = TypeVar("Report", pytest.TestReport, pytest.CollectReport)

CI = "BOWERBIRD_CI" in os.environ
"""Set by `.ci/run`: there every real part must be present, so nothing may be skipped."""

HOME_VARIABLES = {
    "HOME": "",
    "XDG_CACHE_HOME": ".cache",
    "XDG_CONFIG_HOME": ".config",
    "XDG_DATA_HOME": ".local/share",
    "XDG_STATE_HOME": ".local/state",
}
"""Where programs look for the user's files, and the folder that each is given instead."""

RUNTIME_VARIABLE = "XDG_RUNTIME_DIR"
"""Where programs meet."""

TOLD_DISTRIBUTIONS = ("bowerbird", "llama-cpp-python", "tree-sitter-language-pack", "pygls")
"""Whose versions stand at the head of a run's report."""

hypothesis_settings.register_profile("local", deadline=None)
hypothesis_settings.register_profile("ci", deadline=None, derandomize=True, database=None, print_blob=True)
hypothesis_settings.load_profile("ci" if CI else "local")


def pytest_addoption(parser: pytest.Parser) -> None:
    """``--update-golden`` writes what is true now into the folders of `golden`; read the difference.

    ``--update-pictures`` takes the pictures of VS Code's README anew; look at them.
    """
    parser.addoption("--update-golden", action="store_true", help="write golden cases anew")
    parser.addoption("--update-pictures", action="store_true", help="take the README's pictures anew")


def pytest_configure(config: pytest.Config) -> None:
    """Give the run and all programs that it starts an empty home, so that no test sees the user's files."""
    home = Path(tempfile.mkdtemp(prefix="bowerbird-home-"))
    config.add_cleanup(lambda: shutil.rmtree(home, ignore_errors=True))
    os.environ[RUNTIME_VARIABLE] = str(home)  # until a test has its own
    for variable, folder in HOME_VARIABLES.items():
        (home / folder).mkdir(parents=True, exist_ok=True)
        os.environ[variable] = str(home / folder)
    for person in ("AUTHOR", "COMMITTER"):
        os.environ[f"GIT_{person}_NAME"] = "A Tester"
        os.environ[f"GIT_{person}_EMAIL"] = "tester@example.invalid"
    os.environ["GIT_CONFIG_NOSYSTEM"] = "1"


def pytest_report_header() -> list[str]:
    """Say which real parts this run uses."""
    missing = [name for name in parts.EXECUTABLES if parts.find_part(name) is None]
    found = [name for name in parts.EXECUTABLES if name not in missing]
    vocabularies = len(list(parts.VOCABULARIES.glob("ggml-vocab-*.gguf")))
    return [
        f"model: {built_in_model().name}; " + ", ".join(map(_with_version, TOLD_DISTRIBUTIONS)),
        f"parts: {', '.join(found) or 'none'}; {vocabularies} vocabularies"
        + (f"; missing: {', '.join(missing)} (as root: make parts)" if missing else ""),
    ]


def _with_version(distribution: str) -> str:
    try:
        return f"{distribution} {version(distribution)}"
    except PackageNotFoundError:
        return f"no {distribution}"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Whole programs come last: a broken function is told by its own test first."""
    items.sort(key=lambda item: "e2e" in item.path.parts)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """In CI a skipped test is a failed one."""
    return _strict_in_ci((yield))


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report() -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    """In CI a skipped module is a failed one."""
    return _strict_in_ci((yield))


def _strict_in_ci(report: Report) -> Report:
    if CI and report.skipped and not hasattr(report, "wasxfail") and isinstance(report.longrepr, tuple):
        report.outcome = "failed"
        report.longrepr = f"{report.longrepr[2]} (in CI a skip is a failure)"
    return report


@pytest.fixture(autouse=True)
def runtime() -> Iterator[Path]:
    """A folder of the test's own in which processes meet, so that none joins a model that others share.

    Its path is short enough for a socket in it, and stays when a test undoes its monkeypatches.
    """
    folder = Path(tempfile.mkdtemp(prefix="bb-"))
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(RUNTIME_VARIABLE, str(folder))
        yield folder
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
def workspace(tmp_path: Path) -> Callable[[Mapping[str, str | bytes]], Path]:
    """`workspace({"shop/cart.py": "..."})` writes these files into a fresh folder and returns the folder."""

    def build(files: Mapping[str, str | bytes]) -> Path:
        folder = tmp_path / "workspace"
        folder.mkdir(exist_ok=True)
        for name, content in files.items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return folder

    return build
