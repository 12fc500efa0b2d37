"""What tests of unreadable files share."""

import os
import shutil
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

import pytest

NOBODY = 65534


@pytest.fixture
def as_nobody() -> Callable[[], AbstractContextManager[None]]:
    """`with as_nobody():` runs as a user to whom permissions matter, also where the tests run as root."""

    @contextmanager
    def nobody() -> Iterator[None]:
        me = os.geteuid()
        if me == 0:
            os.seteuid(NOBODY)
        try:
            yield
        finally:
            os.seteuid(me)

    return nobody


@pytest.fixture
def public_workspace() -> Iterator[Callable[[Mapping[str, str]], Path]]:
    """Like `workspace`, in a folder that everybody may enter."""
    folder = Path(tempfile.mkdtemp(prefix="bowerbird-test-")).resolve()
    folder.chmod(0o755)

    def build(files: Mapping[str, str]) -> Path:
        for name, text in files.items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_text(text)
        return folder

    yield build
    shutil.rmtree(folder)
