"""Where models lie, and which one is taken; a setting may also name a server.

The order: the setting, else what the user chose by `bowerbird model use`, else the only model of the user's
model folder, else the built-in one.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

import platformdirs

from bowerbird.inference.choice import Purpose, chosen

BUILT_IN_NAME = "built-in"
"""What a setting or a choice says that wants the model that comes with the server, whatever else is there."""
BUILT_IN_PACKAGE = "bowerbird_models"
BUILT_IN = "nestling.gguf"
SUFFIX = ".gguf"


class Origin(StrEnum):
    """Why a model was taken."""

    SETTING = "setting"
    CHOICE = "chosen"
    FOLDER = "model folder"
    BUILT_IN = "built-in"


@dataclass(frozen=True, slots=True)
class ModelFile:
    """A model on the disk."""

    path: Path
    origin: Origin


def is_server(setting: str) -> bool:
    """Does a model's setting name a server, by its URL?"""
    return setting.lower().startswith(("http://", "https://"))


def model_folder() -> Path:
    """The user's own models. It need not exist."""
    return Path(platformdirs.user_data_dir("bowerbird", appauthor=False)) / "models"


def built_in_model() -> Path:
    """The model that comes with the server, in the package of data beside the server's own."""
    return Path(__file__).parents[2] / BUILT_IN_PACKAGE / BUILT_IN


def named_model(setting: str, purpose: Purpose = Purpose.COMPLETION) -> str:
    """What the setting names, or the user's choice where it names nothing; empty without either."""
    return setting or chosen(purpose)


def find_model(setting: str, folder: Path | None = None) -> ModelFile:
    """The file to load; it may not exist if `setting`, which is no URL, names a wrong one.

    `setting` is a path, or the name of a file in `folder` with or without ``.gguf``. Without a setting
    the user's choice counts, and then the one model in `folder`; where there are several, none of them can
    be meant, and the built-in one serves.
    """
    folder = folder or model_folder()
    if setting:
        return _found(setting, folder, Origin.SETTING)
    if (choice := chosen(Purpose.COMPLETION)) and not is_server(choice):
        return _found(choice, folder, Origin.CHOICE)
    own = models_in(folder)
    if len(own) == 1:
        return ModelFile(own[0], Origin.FOLDER)
    return ModelFile(built_in_model(), Origin.BUILT_IN)


def _found(name: str, folder: Path, origin: Origin) -> ModelFile:
    if name == BUILT_IN_NAME:
        return ModelFile(built_in_model(), Origin.BUILT_IN)
    return ModelFile(_named(name, folder), origin)


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
