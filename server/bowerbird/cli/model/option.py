"""The model that a command is to use."""

from __future__ import annotations

from pathlib import Path

from bowerbird.cli.errors import ModelProblem
from bowerbird.inference.models import find_model


def model_setting(option: str) -> str:
    """``--model`` as the setting `completion.model`: a file in the current folder counts too."""
    return str(Path(option).absolute()) if option and Path(option).exists() else option


def model_file(option: str) -> Path:
    """The GGUF file that will be loaded; raises `ModelProblem` where there is none."""
    path = find_model(model_setting(option)).path
    if not path.is_file():
        raise ModelProblem(f"There is no model file {path}.")
    return path
