"""Which engine is chosen."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

import pytest

from bowerbird.inference import engine as engines
from bowerbird.inference.engine import choose_engine, find_llama_server
from bowerbird.inference.generator import EngineMissing
from bowerbird.inference.llama import LlamaEngine
from bowerbird.inference.loaded import EngineState
from bowerbird.inference.models import built_in_model
from bowerbird.inference.remote import RemoteEngine
from bowerbird.settings import InferenceSettings


@pytest.fixture
def without_llama_cpp(monkeypatch: pytest.MonkeyPatch) -> None:
    """As if llama-cpp-python were not installed, on a machine where nothing else serves."""
    monkeypatch.setattr(importlib.util, "find_spec", lambda _name: None)
    monkeypatch.setenv("PATH", "")
    monkeypatch.setattr("bowerbird.inference.llama_server.find_running_server", lambda: "")


def test_llama_cpp_serves_where_it_is_installed() -> None:
    """The built-in engine with the built-in model is the default, and nothing is loaded to find out."""
    engine = choose_engine("", InferenceSettings())
    assert isinstance(engine, LlamaEngine)
    assert engine.model_path == built_in_model()
    assert engine.state is EngineState.IDLE


def test_a_named_server_comes_first() -> None:
    """A URL in the place of a model is used although llama-cpp-python is there."""
    assert isinstance(choose_engine("HTTPS://[::1]:9/v1", InferenceSettings()), RemoteEngine)
    assert isinstance(
        choose_engine("http://127.0.0.1:9 http://127.0.0.1:8", InferenceSettings()), RemoteEngine
    )


@pytest.mark.usefixtures("without_llama_cpp")
async def test_without_any_engine_the_way_to_one_is_told() -> None:
    """Neither package nor program: the first use says what to install."""
    engine = choose_engine("", InferenceSettings())
    with pytest.raises(EngineMissing, match=r"pip install 'bowerbird\[llama\]'"):
        await engine.load()
    assert engine.state is EngineState.DOWN
    assert "llama-server" in engine.problem


@pytest.mark.usefixtures("without_llama_cpp")
async def test_a_program_that_cannot_start_is_told(tmp_path: Path) -> None:
    """An executable that is none leads to a sentence."""
    program = tmp_path / "llama-server"
    program.write_bytes(b"\x7fELF nonsense")
    program.chmod(0o755)
    engine = choose_engine("", InferenceSettings(llama_server=str(program)))
    with pytest.raises(Exception, match="llama-server"):
        await engine.load()
    await engine.close()


def test_the_program_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The setting's path counts, else the PATH; what is not executable is not found."""
    program = tmp_path / "llama-server"
    program.touch()
    monkeypatch.setenv("PATH", str(tmp_path))
    assert find_llama_server("") is None
    program.chmod(0o755)
    assert find_llama_server("") == program
    monkeypatch.setenv("PATH", "")
    assert find_llama_server("") is None
    assert find_llama_server(str(program)) == program
    assert find_llama_server(str(tmp_path / "none")) is None


def test_choosing_loads_no_engine() -> None:
    """llama.cpp never comes into the server's own process."""
    import subprocess

    script = (
        "import sys; from bowerbird.inference.engine import choose_engine; "
        "from bowerbird.settings import InferenceSettings; choose_engine('', InferenceSettings()); "
        "print([name for name in ('llama_cpp', 'httpx', 'numpy') if name in sys.modules])"
    )
    assert subprocess.check_output([sys.executable, "-P", "-c", script], text=True).strip() == "[]"
    assert engines.has_llama_cpp()
