"""Small upstreams, and the pack that a builder makes of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from bowerbird.knowledge.packs.builders.building import build_folder
from bowerbird.knowledge.packs.builders.table import BUILDERS, choose_builder, guess_language
from bowerbird.knowledge.packs.builders.upstream import Upstream, upstream_at
from bowerbird.knowledge.packs.folder import Contents, read_contents, read_files
from bowerbird.knowledge.packs.manifest import Manifest

Files = Mapping[str, str | bytes]
Build = Callable[..., Contents]


@pytest.fixture
def upstream(tmp_path: Path) -> Callable[[Files], Upstream]:
    def write(files: Files) -> Upstream:
        for name, content in files.items():
            path = tmp_path / "upstream" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return upstream_at(tmp_path / "upstream")

    return write


@pytest.fixture
def build(tmp_path: Path, upstream: Callable[[Files], Upstream]) -> Build:
    """The pack of some files, as its pages read; nothing on them may be wrong."""

    def made(files: Files, builder: str = "", language: str = "") -> Contents:
        source = upstream(files)
        row = BUILDERS[builder] if builder else choose_builder(source)
        assert row is not None
        target = tmp_path / "pack"
        target.mkdir()
        manifest = Manifest(name="made", language=language or guess_language(source, row) or "unknown")
        build_folder(source, manifest, row, target)
        contents = read_contents(read_files(target))
        assert contents.problems == ()
        return contents

    return made
