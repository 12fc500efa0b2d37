"""What is kept on disk was judged by certain rules: with other rules it is judged anew."""

from __future__ import annotations

import os
import re
import shutil
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest

from bowerbird.assembly import assemble
from bowerbird.knowledge import secrets
from bowerbird.knowledge.store import fingerprint as module
from bowerbird.knowledge.store.fingerprint import fingerprint
from bowerbird.knowledge.store.place import store_folder
from bowerbird.settings import IndexSettings, Settings

MOST_BYTES = 1_000_000
RULES = (
    "secrets",
    "keyshapes",
    "keyblocks",
    "literals",
    "suspicion",
    "policy",
    "reading",
    "notebook",
    "utf8",
)
KEY = "hrn_" + "Kestrel" * 5
"""Of somebody whose keys no rule knows yet."""


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The code of the rules, to be changed."""
    copy = tmp_path / "knowledge"
    shutil.copytree(module.PACKAGE, copy, ignore=shutil.ignore_patterns("packs", "__pycache__"))
    monkeypatch.setattr(module, "PACKAGE", copy)
    module._rules.cache_clear()
    yield copy
    module._rules.cache_clear()


@pytest.mark.parametrize("rule", RULES)
def test_it_changes_with_the_code_of_each_rule(package: Path, rule: str) -> None:
    """Any byte of it."""
    before = fingerprint(MOST_BYTES)
    assert fingerprint(MOST_BYTES) == before
    (package / f"{rule}.py").write_bytes((package / f"{rule}.py").read_bytes() + b"#")
    module._rules.cache_clear()
    assert fingerprint(MOST_BYTES) != before


@pytest.mark.usefixtures("package")
def test_it_changes_with_the_library_and_the_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    """Another version of `detect-secrets` sees other secrets."""
    before = fingerprint(MOST_BYTES)
    assert fingerprint(MOST_BYTES + 1) != before
    monkeypatch.setattr(module, "version", lambda _: "99")
    module._rules.cache_clear()
    assert fingerprint(MOST_BYTES) != before


def test_what_passed_by_old_rules_does_not_stay(
    package: Path, workspace: Callable[[Mapping[str, str | bytes]], Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A key that nobody knew is kept; once its shape is known, it is gone from the disk."""
    folder = workspace({"gate.py": f'KEY = "{KEY}"\n', "other.py": "heron = 1\n"})
    for path in folder.iterdir():  # as if written a while ago: such stamps are trusted
        os.utime(path, (time.time() - 60,) * 2)
    keep(folder)
    assert KEY.encode() in kept(folder)

    (package / "keyshapes.py").write_text((package / "keyshapes.py").read_text() + '\nHERON = r"hrn_"\n')
    module._rules.cache_clear()
    found = secrets.file_holds_secret
    monkeypatch.setattr(
        secrets, "file_holds_secret", lambda text: found(text) or bool(re.search("hrn_", text))
    )
    keep(folder)
    assert KEY.encode() not in kept(folder)
    assert b"heron = 1" in kept(folder)


def keep(folder: Path) -> None:
    """A server's index of the folder, from start to end."""
    assembly = assemble(Settings(index=IndexSettings()), [folder])
    assembly.repository.scan()
    assembly.repository.close()


def kept(folder: Path) -> bytes:
    """All that is kept of the folder."""
    return b"".join(path.read_bytes() for path in store_folder(str(folder)).iterdir())
