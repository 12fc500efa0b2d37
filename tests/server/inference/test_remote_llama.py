"""The engine on real llama-servers: sharing work, dying, coming back, letting go."""

# ruff: noqa: ASYNC110 - a test may look again and again

from __future__ import annotations

import asyncio
import subprocess
from collections.abc import Awaitable, Callable, Iterator
from contextlib import aclosing, suppress
from pathlib import Path
from typing import Any

import httpx
import pytest

import parts
from bowerbird.inference import hosting, remote_pool
from bowerbird.inference.chat import Said
from bowerbird.inference.generator import Prompt, ServerUnreachable, Usage
from bowerbird.inference.llama import LlamaEngine
from bowerbird.inference.loaded import LoadedModel
from bowerbird.inference.remote import RemoteEngine
from bowerbird.settings import InferenceSettings, RemoteSettings

Written = Callable[..., Awaitable[tuple[str, Usage]]]
PromptOf = Callable[..., Awaitable[Prompt]]

LONG = Prompt((5,) * 8, "", 1000)
SHORT = Prompt((5,) * 8, "", 4)


class Served:
    """A llama-server that somebody runs at a port of its own, with the built-in model."""

    def __init__(self, executable: Path, model: Path) -> None:
        self.port = hosting._free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        address = ("--host", "127.0.0.1", "--port", str(self.port))
        options = ("-c", "2048", "-np", "2", "-t", "1", "-ub", "64", "-b", "64", "-fa", "off", "--slots")
        self._command = [str(executable), "-m", str(model), *address, *options]
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        self._process = subprocess.Popen(self._command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def kill(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None

    def busy_slots(self) -> int:
        slots: list[Any] = httpx.get(f"{self.url}/slots", trust_env=False).json()
        return sum(slot["is_processing"] for slot in slots)


@pytest.fixture
def servers(model: Path) -> Iterator[tuple[Served, Served]]:
    """Two of them, running."""
    executable = parts.require_part("llama-server")
    both = (Served(executable, model), Served(executable, model))
    for server in both:
        server.start()
    yield both
    for server in both:
        server.kill()


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Short pauses between tries, and no key of this machine's."""
    monkeypatch.setattr(remote_pool, "FIRST_PAUSE_S", 0.05)
    monkeypatch.setattr(remote_pool, "LONGEST_PAUSE_S", 0.1)
    monkeypatch.setattr("bowerbird.inference.remote_pool.key_for", lambda _url, _variable: "")


async def until(remote: RemoteEngine, fits: Callable[[LoadedModel], bool], up: int = 0) -> LoadedModel:
    """Ask as an editor does, until the model fits and so many servers are up."""
    async with asyncio.timeout(60):
        while True:
            loaded = await remote.load()
            if (
                fits(loaded)
                and sum(one.connection is not None for one in remote._known_servers().endpoints) >= up
            ):
                return loaded
            await asyncio.sleep(0.05)


async def test_it_writes_what_the_built_in_engine_writes(
    servers: tuple[Served, Served], engine: LlamaEngine, prompt_of: PromptOf, written: Written, code: str
) -> None:
    """Same file, same prompt by token ids, same text, same likelihoods, same candidates."""
    remote = RemoteEngine(
        servers[0].url, RemoteSettings(), standby=LlamaEngine(engine.model_path, InferenceSettings())
    )
    await until(remote, lambda loaded: "in place of" not in loaded.name)
    snippets = [("a.py", "cart = Cart([])")]
    theirs = await prompt_of(remote, code + "cart = Ca", "\nprint(cart)\n", snippets)
    ours = await prompt_of(engine, code + "cart = Ca", "\nprint(cart)\n", snippets)
    assert theirs.tokens == ours.tokens
    for rank in range(3):
        asked = Prompt(ours.tokens, "", 12, first_choice=rank)
        assert (await written(remote, asked))[0] == (await written(engine, asked))[0]
    scores = await engine.score(ours, "rt([])\n")
    assert await remote.score(theirs, "rt([])\n") == pytest.approx(scores, abs=0.1)
    await remote.close()


async def test_leaving_frees_the_slot(servers: tuple[Served, Served], written: Written) -> None:
    """A closed stream stops the real server's model: its slot is free long before the text's end."""
    remote = RemoteEngine(servers[0].url, RemoteSettings())
    await _up(remote)
    async with aclosing(remote.generate(LONG)) as stream:
        await anext(stream)
        assert servers[0].busy_slots() == 1
    async with asyncio.timeout(1.0):
        while servers[0].busy_slots():
            await asyncio.sleep(0.005)
    assert (await written(remote, SHORT))[1].tokens_generated == 4
    await remote.close()


async def test_two_share_one_dies_both_die_one_returns(
    servers: tuple[Served, Served], engine: LlamaEngine, written: Written, model: Path
) -> None:
    """The whole course of a bad day, with the built-in model standing in at its worst."""
    first, second = servers
    remote = RemoteEngine(
        f"{first.url} {second.url}", RemoteSettings(), standby=LlamaEngine(model, InferenceSettings())
    )
    expected, _ = await written(engine, SHORT)
    loaded = await until(remote, lambda one: "in place of" not in one.name, up=2)
    assert loaded.template.family.name == "Nestling"

    streams = [remote.generate(LONG) for _ in range(2)]
    for stream in streams:
        await anext(stream)
    assert [server.busy_slots() for server in servers] == [1, 1], "two at a time go to two servers"
    for stream in streams:
        await stream.aclose()

    first.kill()
    for _ in range(4):
        assert (await written(remote, SHORT))[0] == expected, "the other one serves on, and nothing fails"

    second.kill()
    with pytest.raises(ServerUnreachable, match="stands in meanwhile"):
        await written(remote, SHORT)
    loaded = await remote.load()
    assert "in place of" in loaded.name
    (tokens,) = await remote.encode(["def f(x):\n    return"])
    assert (await written(remote, Prompt(tuple(tokens), "", 8)))[0].strip()

    second.start()
    await until(remote, lambda one: "in place of" not in one.name)
    assert remote.problem == ""
    assert (await written(remote, SHORT))[0] == expected
    await remote.close()


async def test_a_server_killed_in_the_midst_of_a_text_is_told(
    servers: tuple[Served, Served], written: Written
) -> None:
    """What was begun is not begun anew elsewhere: the user would see another text. The next one goes on."""
    first, second = servers
    remote = RemoteEngine(f"{first.url} {second.url}", RemoteSettings())
    await _up(remote, 2)
    stream = remote.generate(LONG)
    await anext(stream)
    next(server for server in servers if server.busy_slots()).kill()
    with pytest.raises(ServerUnreachable):
        async for _ in stream:
            pass
    assert (await written(remote, SHORT))[1].tokens_generated == 4
    await remote.close()


async def _up(remote: RemoteEngine, count: int = 1) -> None:
    """Until so many serve; without a model that stands in, loading raises before."""
    async with asyncio.timeout(60):
        while sum(one.connection is not None for one in remote._known_servers().endpoints) < count:
            with suppress(ServerUnreachable):
                await remote.load()
            await asyncio.sleep(0.05)


async def test_conversations_go_by_the_server_s_own_template(servers: tuple[Served, Served]) -> None:
    """The template's special tokens are special, and one that stands in a message stays text."""
    remote = RemoteEngine(servers[0].url, RemoteSettings())
    await _up(remote)
    plain = await remote.encode_chat([Said("user", "Write f.")])
    sly = await remote.encode_chat([Said("user", "<|file_sep|>")])
    special = (await remote.load()).template.ids["sep"]
    if plain is not None:
        assert sly is not None
        assert plain != sly
        assert sly.count(special) == plain.count(special)
    await remote.close()
