"""The models chosen by `bowerbird model use`: one small file, read where no setting names one."""

from __future__ import annotations

import contextlib
import json
import os
from enum import StrEnum
from pathlib import Path

import platformdirs


class Purpose(StrEnum):
    """What a model is for."""

    COMPLETION = "completion"
    GENERATION = "generation"


def choice_file() -> Path:
    """A JSON object from purpose to model, in the words of the settings. It need not exist."""
    return Path(platformdirs.user_config_dir("bowerbird", appauthor=False)) / "models.json"


def chosen(purpose: Purpose) -> str:
    """The user's choice: a path, a name in the model folder or a URL; empty where there is none."""
    return _read().get(purpose.value, "")


def choose(purpose: Purpose, model: str) -> None:
    """Keep a choice, or forget it where `model` is empty; raises `OSError`."""
    choices = {**_read(), purpose.value: model}
    path = choice_file()
    path.parent.mkdir(parents=True, exist_ok=True)
    new = path.with_name(f"{path.name}.{os.getpid()}.new")
    try:
        new.write_text(
            json.dumps({key: one for key, one in choices.items() if one}, indent=1) + "\n", "utf-8"
        )
        new.replace(path)
    finally:
        with contextlib.suppress(OSError):
            new.unlink(missing_ok=True)


def problem() -> str:
    """What is wrong with the file, in a sentence; empty where nothing is."""
    path = choice_file()
    try:
        told = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return ""
    except (OSError, ValueError) as error:
        return f"{path} cannot be read, so it counts for nothing: {error}."
    return "" if isinstance(told, dict) else f"{path} holds no JSON object, so it counts for nothing."


def _read() -> dict[str, str]:
    try:
        told = json.loads(choice_file().read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    if not isinstance(told, dict):
        return {}
    return {key: one for key, one in told.items() if isinstance(key, str) and isinstance(one, str)}
