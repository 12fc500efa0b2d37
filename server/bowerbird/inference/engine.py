"""The engine that serves: llama-cpp-python, or a llama-server in its place."""

from __future__ import annotations

import importlib.util
import shutil
from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Protocol

from bowerbird.inference.generator import Prompt, Scorer, Token, Tokenizer
from bowerbird.inference.llama import LlamaEngine
from bowerbird.inference.loaded import EngineState, LoadedModel
from bowerbird.inference.models import find_model
from bowerbird.settings import InferenceSettings

LLAMA_SERVER = "llama-server"


class Engine(Tokenizer, Scorer, Protocol):
    """A model that writes (`Generator`), counts and scores, wherever it runs."""

    state: EngineState
    problem: str
    """A sentence, while something is wrong."""

    async def load(self) -> LoadedModel:
        """The model, loaded now if it is not; raises `InferenceError`."""
        ...

    def generate(self, prompt: Prompt) -> AsyncGenerator[Token, None]:
        """See `Generator.generate`."""
        ...

    async def restart(self) -> None:
        """End what runs and forget earlier crashes, so that the next use starts afresh."""
        ...

    async def close(self) -> None:
        """End what we started. The next use would start it again. Can be called twice."""
        ...


def choose_engine(settings: InferenceSettings) -> Engine:
    """The first of these that there is. Starts nothing; whatever is missing is told by `Engine.load`.

    1. the llama-server that `server_url` names
    2. llama-cpp-python with the model of `models.find_model`
    3. a llama-server of this user that runs already, else one that we start with that model
    """
    model = find_model(settings.model).path
    if not settings.server_url and has_llama_cpp():
        return LlamaEngine(model, settings)
    from bowerbird.inference.llama_server import LlamaServer  # brings an HTTP library along

    return LlamaServer(settings, find_llama_server(settings.llama_server), model)


def has_llama_cpp() -> bool:
    """Is llama-cpp-python installed? Looks, and does not load it."""
    return importlib.util.find_spec("llama_cpp") is not None


def find_llama_server(setting: str) -> Path | None:
    """The llama-server executable that the setting names, else the one on the PATH."""
    found = shutil.which(str(Path(setting).expanduser()) if setting else LLAMA_SERVER)
    return Path(found) if found else None
