"""The engine that serves: llama-cpp-python, or a llama-server in its place."""

from __future__ import annotations

import importlib.util
import shutil
from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Protocol

from bowerbird.inference.generator import Chat, Prompt, Scorer, Token, Tokenizer
from bowerbird.inference.llama import LlamaEngine
from bowerbird.inference.loaded import EngineState, LoadedModel
from bowerbird.inference.models import built_in_model, find_model, is_server, named_model
from bowerbird.settings import InferenceSettings, RemoteSettings

LLAMA_SERVER = "llama-server"


class Engine(Tokenizer, Scorer, Chat, Protocol):
    """A model that writes (`Generator`), counts, scores and converses, wherever it runs."""

    problem: str
    """A sentence, while something is wrong."""

    @property
    def state(self) -> EngineState:
        """For the status notification and `doctor`."""
        ...

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


def choose_engine(
    model: str, settings: InferenceSettings, remote: RemoteSettings | None = None, standby: bool = True
) -> Engine:
    """The first of these that there is. Starts nothing; whatever is missing is told by `Engine.load`.

    With `standby` the built-in model stands in for servers of which none answers.

    1. the servers whose URLs `model` has, or the user's choice where it is empty
    2. llama-cpp-python with the file that `models.find_model` finds for `model`
    3. a llama-server of this user that runs already, else one that we start with that file
    """
    model = named_model(model)
    if is_server(model):
        return _named_servers(model, settings, remote or RemoteSettings(), standby)
    return _local_engine(find_model(model).path, settings)


def _local_engine(file: Path, settings: InferenceSettings) -> Engine:
    if has_llama_cpp():
        return LlamaEngine(file, settings)
    from bowerbird.inference.llama_server import LlamaServer  # brings an HTTP library along

    return LlamaServer(settings, find_llama_server(settings.llama_server), file)


def _named_servers(urls: str, settings: InferenceSettings, remote: RemoteSettings, standby: bool) -> Engine:
    """What speaks to the servers at `urls`."""
    from bowerbird.inference.remote import RemoteEngine

    stands_in = _local_engine(built_in_model(), settings) if standby else None
    return RemoteEngine(urls, remote, settings.context_tokens, stands_in)


def has_llama_cpp() -> bool:
    """Is llama-cpp-python installed? Looks, and does not load it."""
    return importlib.util.find_spec("llama_cpp") is not None


def find_llama_server(setting: str) -> Path | None:
    """The llama-server executable that the setting names, else the one on the PATH."""
    found = shutil.which(str(Path(setting).expanduser()) if setting else LLAMA_SERVER)
    return Path(found) if found else None
