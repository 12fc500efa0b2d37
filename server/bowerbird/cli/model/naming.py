"""What people call a model: its name in the table, a file of theirs, a path, ``built-in``."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from bowerbird.inference.catalog import Listed, listed
from bowerbird.inference.models import BUILT_IN_NAME, built_in_model, find_model, model_folder, models_in


@dataclass(frozen=True, slots=True)
class Meant:
    """A model that somebody named."""

    setting: str
    """What a setting would say."""
    path: Path
    """Where it lies, or would lie once it was fetched."""
    row: Listed | None
    """Where the table has it."""

    @property
    def is_own(self) -> bool:
        """Does it lie in the user's model folder, under a name of its own?"""
        return self.path.parent.absolute() == model_folder().absolute()


def meant(name: str) -> Meant:
    """The model called `name`; its file may not be there."""
    if name == BUILT_IN_NAME:
        return Meant(BUILT_IN_NAME, built_in_model(), None)
    if (row := listed(name)) is not None:
        return Meant(row.file, model_folder() / row.file, row)
    for path in models_in(model_folder()):
        if name.lower() in (path.name.lower(), path.stem.lower()):
            return Meant(path.name, path, listed(path.name))
    if Path(name).expanduser().is_file():
        path = Path(name).expanduser().absolute()
        return Meant(str(path), path, None)
    return Meant(name, find_model(name).path, None)
