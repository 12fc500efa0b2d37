"""Where models lie, and which one is taken.

The order: the setting, else the only model of the user's model folder, else the built-in one.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from importlib import resources
from pathlib import Path

import platformdirs

BUILT_IN = "nestling-bootstrap.gguf"
SUFFIX = ".gguf"


class Origin(StrEnum):
    """Why a model was taken."""

    SETTING = "setting"
    FOLDER = "model folder"
    BUILT_IN = "built-in"


@dataclass(frozen=True, slots=True)
class ModelFile:
    """A model on the disk."""

    path: Path
    origin: Origin


def model_folder() -> Path:
    """The user's own models. It need not exist."""
    return Path(platformdirs.user_data_dir("bowerbird", appauthor=False)) / "models"


def built_in_model() -> Path:
    """The model that is part of the package."""
    return Path(str(resources.files("bowerbird") / "models" / BUILT_IN))


def find_model(setting: str, folder: Path | None = None) -> ModelFile:
    """The model to load; it may not exist if `setting` names a wrong one.

    `setting` is a path, or the name of a file in `folder` with or without ``.gguf``. Without a setting
    the one model in `folder` counts; where there are several, none of them can be meant, and the
    built-in one serves.
    """
    folder = folder or model_folder()
    if setting:
        return ModelFile(_named(setting, folder), Origin.SETTING)
    own = models_in(folder)
    if len(own) == 1:
        return ModelFile(own[0], Origin.FOLDER)
    return ModelFile(built_in_model(), Origin.BUILT_IN)


def models_in(folder: Path) -> list[Path]:
    """The GGUF files of a folder, by name; none if it cannot be read."""
    try:
        return sorted(path for path in folder.iterdir() if path.suffix.lower() == SUFFIX and path.is_file())
    except OSError:
        return []


def list_models(folder: Path | None = None) -> list[ModelFile]:
    """All models that are there, for `doctor`."""
    own = [ModelFile(path, Origin.FOLDER) for path in models_in(folder or model_folder())]
    built_in = built_in_model()
    return [*own, *([ModelFile(built_in, Origin.BUILT_IN)] if built_in.is_file() else [])]


def _named(setting: str, folder: Path) -> Path:
    """A bare name is looked for in `folder`, anything else is a path."""
    path = Path(setting).expanduser()
    if path.is_absolute() or len(path.parts) > 1:
        return path.absolute()
    return folder / (path.name if path.suffix.lower() == SUFFIX else f"{path.name}{SUFFIX}")
