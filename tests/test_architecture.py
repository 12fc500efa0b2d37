"""Arrows run down: the import contracts of pyproject.toml hold, miss no module, and go red when broken."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "server" / "bowerbird"

WRONGS = {
    "knowledge.snippet -> bowerbird.retrieval.retriever": "import bowerbird.retrieval.retriever",
    "retrieval.retriever -> bowerbird.inference.generator": "import bowerbird.inference.generator",
    "text -> bowerbird.completion": "import bowerbird.completion",
    "cli.app -> bowerbird.lsp": "import bowerbird.lsp",
    "cli.app -> pygls": "from pygls import uris",
    "completion.query -> lsprotocol": "import lsprotocol.types",
    "knowledge.snippet -> tree_sitter": "import tree_sitter",
    "completion.query -> llama_cpp": "from llama_cpp import Llama",
    "lsp.server -> httpx": "import httpx",
    "trace -> bowerbird.syntax": "def hidden():\n    import bowerbird.syntax",
    "settings -> bowerbird.syntax": "if TYPE_CHECKING:\n    import bowerbird.syntax",
    "helpers": "# a module without a row",
}
"""What the linter must say, and the line that makes it say so, added to the module named first."""


def lint_imports(root: Path) -> tuple[int, str]:
    """Exit status and output of the import linter on the project in `root`."""
    program = Path(sys.executable).with_name("lint-imports")
    done = subprocess.run(
        [program, "--no-cache", "--no-logo", "--config", root / "pyproject.toml"],
        cwd=root,
        env={**os.environ, "PYTHONPATH": str(root / "server"), "COLUMNS": "200"},
        capture_output=True,
        text=True,
        timeout=120,
    )
    return done.returncode, done.stdout + done.stderr


def rows() -> list[str]:
    """The modules that the contract of the rows names, from the top."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    contracts = project["tool"]["importlinter"]["contracts"]
    (layers,) = (contract["layers"] for contract in contracts if contract["id"] == "rows")
    return [module for row in layers for module in re.split(r"\s*\|\s*", row)]


def test_the_contracts_hold() -> None:
    """The import linter finds every contract kept."""
    status, output = lint_imports(ROOT)
    assert status == 0, output


def test_every_module_has_one_row_and_every_row_a_module() -> None:
    """The contract names each module directly under the package exactly once, and none that is gone."""
    modules = {path.stem for path in PACKAGE.glob("*.py") if path.stem != "__init__"}
    packages = {path.parent.name for path in PACKAGE.glob("*/__init__.py")}
    assert sorted(rows()) == sorted(modules | packages)


def test_every_folder_of_modules_is_a_package() -> None:
    """No module hides from the linter in a folder without ``__init__.py``, which it would not read."""
    hidden = {path.parent for path in PACKAGE.rglob("*.py") if not (path.parent / "__init__.py").exists()}
    assert not hidden


@pytest.fixture(scope="module")
def complaints(tmp_path_factory: pytest.TempPathFactory) -> str:
    """What the linter says of a copy of the project to which all the wrongs were done."""
    root = tmp_path_factory.mktemp("spoiled")
    shutil.copy(ROOT / "pyproject.toml", root)
    copy = root / "server" / "bowerbird"
    shutil.copytree(PACKAGE, copy, ignore=shutil.ignore_patterns("__pycache__"))
    for complaint, line in WRONGS.items():
        module = complaint.split(" -> ")[0].replace(".", "/")
        with (copy / f"{module}.py").open("a") as source:
            source.write(f"\n{line}\n")
    status, output = lint_imports(root)
    assert status == 1, output
    return output


@pytest.mark.parametrize("complaint", WRONGS)
def test_a_wrong_import_is_noticed(complaints: str, complaint: str) -> None:
    """Each kind of wrong import turns its contract red, so the green above means something."""
    assert f"- bowerbird.{complaint}" in complaints
