"""Notebooks on disk are read as their code."""

import json
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from bowerbird.knowledge.exclusion import Exclusion
from bowerbird.knowledge.policy import Policy
from bowerbird.knowledge.repository import Repository
from bowerbird.knowledge.snippet import Source
from bowerbird.settings import IndexSettings

PICTURE = {"output_type": "display_data", "data": {"image/png": "A" * 50_000}}


def notebook(code: str) -> str:
    cell = {"cell_type": "code", "source": code, "outputs": [PICTURE], "metadata": {}}
    return json.dumps({"cells": [cell], "metadata": {}, "nbformat": 4})


class Deaf:
    def replaced(self, source: Source) -> None: ...

    def removed(self, path: Path) -> None: ...


@pytest.fixture
def read(workspace: Callable[[Mapping[str, str | bytes]], Path]) -> Callable[[str, int], Repository]:
    """A repository of one notebook, ``birds.ipynb``."""

    def scanned(content: str, max_file_bytes: int) -> Repository:
        folder, settings = workspace({"birds.ipynb": content}), IndexSettings(max_file_bytes=max_file_bytes)
        repository = Repository([folder], settings, Policy([folder], settings), Deaf())
        repository.scan()
        return repository

    return scanned


def test_a_notebook_is_its_code(read: Callable[[str, int], Repository]) -> None:
    """Its outputs count neither as text nor as length; it is a file of its kernel's language."""
    (source,) = read(notebook("%time birds\nx = 1"), 10_000).sources()
    assert (source.text, source.language) == ("# %time birds\nx = 1\n", "python")


def test_a_notebook_with_too_much_code(read: Callable[[str, int], Repository]) -> None:
    """The limit holds for the code, and a far larger one for the file."""
    for content in (notebook("x = 1\n" * 2000), notebook("x" + " " * 300_000)):
        assert read(content, 10_000).sources() == []


def test_what_only_has_the_name(read: Callable[[str, int], Repository]) -> None:
    """A broken notebook is text like other text."""
    (source,) = read('{"cells": [', 10_000).sources()
    assert (source.text, source.language) == ('{"cells": [', "json")


def test_a_notebook_full_of_pictures_is_not_kept_out(workspace: Callable[..., Path]) -> None:
    """Completion in it asks the policy, too."""
    settings = IndexSettings(max_file_bytes=10_000)
    folder = workspace({"birds.ipynb": notebook("x = 1"), "big.json": notebook("x = 1")})
    policy = Policy([folder], settings)
    assert policy.excluded(folder / "birds.ipynb") is None
    assert policy.excluded(folder / "big.json") == Exclusion.TOO_LARGE
