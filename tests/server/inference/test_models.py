"""Which model is taken, and which there are."""

from __future__ import annotations

from pathlib import Path

import pytest

from bowerbird.inference import models
from bowerbird.inference.models import (
    Origin,
    built_in_model,
    find_model,
    list_models,
    model_folder,
    models_in,
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A user's model folder."""
    folder = tmp_path / "models"
    folder.mkdir()
    return folder


def put(folder: Path, *names: str) -> list[Path]:
    paths = [folder / name for name in names]
    for path in paths:
        path.write_bytes(b"GGUF")
    return paths


def test_the_setting_comes_first(folder: Path, tmp_path: Path) -> None:
    """A path, or a name in the model folder with or without its ending, is taken whatever else there is."""
    put(folder, "one.gguf", "two.GGUF")
    for setting, expected in {
        str(tmp_path / "else" / "x.gguf"): tmp_path / "else" / "x.gguf",
        "~/x.gguf": Path.home() / "x.gguf",
        "one": folder / "one.gguf",
        "one.gguf": folder / "one.gguf",
        "two.GGUF": folder / "two.GGUF",
        "qwen2.5-coder": folder / "qwen2.5-coder.gguf",
    }.items():
        found = find_model(setting, folder)
        assert (found.path, found.origin) == (expected, Origin.SETTING)


def test_a_wrong_setting_is_not_replaced_by_another_model(folder: Path) -> None:
    """A model that was asked for and is not there leads to its own error, not to a surprise."""
    put(folder, "one.gguf")
    assert find_model("two", folder).path == folder / "two.gguf"


def test_the_only_model_in_the_folder_comes_second(folder: Path) -> None:
    """One model in the folder is meant; several are not, nor are other files and folders."""
    put(folder, "notes.txt")
    (folder / "old.gguf").mkdir()
    assert find_model("", folder).origin is Origin.BUILT_IN
    (one,) = put(folder, "one.gguf")
    assert find_model("", folder) == models.ModelFile(one, Origin.FOLDER)
    put(folder, "two.gguf")
    assert find_model("", folder).path == built_in_model()


def test_without_a_folder_the_built_in_one_serves(tmp_path: Path) -> None:
    """Most users have no model folder."""
    assert find_model("", tmp_path / "none").path == built_in_model()
    assert models_in(tmp_path / "none") == []
    assert built_in_model().read_bytes()[:4] == b"GGUF"


def test_all_models_are_listed(folder: Path) -> None:
    """`doctor` sees the user's models by name, then the built-in one."""
    put(folder, "b.gguf", "a.gguf")
    assert [(file.path.name, file.origin) for file in list_models(folder)] == [
        ("a.gguf", Origin.FOLDER),
        ("b.gguf", Origin.FOLDER),
        (built_in_model().name, Origin.BUILT_IN),
    ]


def test_the_folder_is_the_users_own() -> None:
    """Models of the user lie where the system keeps a user's data, under our name."""
    assert model_folder().parts[-2:] == ("bowerbird", "models")
    assert model_folder().is_relative_to(Path.home())
