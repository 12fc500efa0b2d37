"""The engine on real llama-servers: sharing work, dying, coming back, letting go."""

# ruff: noqa: ASYNC110 - a test may look again and again

from __future__ import annotations

import asyncio
import subprocess
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import aclosing, suppress
from pathlib import Path
from typing import Any

import httpx
import pytest

import parts
from bowerbird.assembly import assemble
from bowerbird.completion.query import UnfinishedCode
from bowerbird.completion.request import Request
from bowerbird.inference import hosting, remote_pool
from bowerbird.inference.chat import Said
from bowerbird.inference.generator import ModelChanged, Prompt, ServerUnreachable, Token, Usage
from bowerbird.inference.llama import LlamaEngine
from bowerbird.inference.loaded import LoadedModel
from bowerbird.inference.remote import RemoteEngine
from bowerbird.inference.turns import Priority
from bowerbird.settings import (
    CompletionSettings,
    IndexSettings,
    InferenceSettings,
    RemoteSettings,
    Settings,
)
from bowerbird.trace import Reason

Written = Callable[..., Awaitable[tuple[str, Usage]]]
PromptOf = Callable[..., Awaitable[Prompt]]

LONG = Prompt(tuple(range(400, 420)), "", 1000)  # to which no end is in sight
SHORT = Prompt((300,) * 8, "", 4)


class Served:
    """A llama-server that somebody runs at a port of its own, with the built-in model."""

    def __init__(self, executable: Path, model: Path, slots: int = 2) -> None:
        self.port = hosting._free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        address = ("--host", "127.0.0.1", "--port", str(self.port))
        size = ("-c", str(1024 * slots), "-np", str(slots), "-t", "1", "-ub", "64", "-b", "64")
        options = (*size, "-fa", "off", "--slots")
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
    prefix = code + "    def names(self) -> list[str]:\n        return"
    theirs = await prompt_of(remote, prefix, "\nprint(cart)\n", snippets)
    ours = await prompt_of(engine, prefix, "\nprint(cart)\n", snippets)
    assert theirs.tokens == ours.tokens
    for rank in range(3):
        # What is likely is written alike by both; behind a rarer beginning near ties come soon.
        asked = Prompt(ours.tokens, "", 3 if rank else 12, first_choice=rank)
        assert (await written(remote, asked))[0] == (await written(engine, asked))[0]
    scores = await engine.score(ours, " [item.name")
    assert await remote.score(theirs, " [item.name") == pytest.approx(scores, abs=0.1)
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
    with pytest.raises(ModelChanged, match="stands in meanwhile"):
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


CODE = "def total(prices):\n    return sum(price for price in prices)\n\n\ndef mean(prices):\n    return sum("


@pytest.mark.parametrize("same_place", [True, False], ids=["while writing", "while counting"])
async def test_no_completion_is_lost_when_the_last_server_dies(
    same_place: bool, servers: tuple[Served, Served], workspace: Callable[..., Path]
) -> None:
    """The one that finds it out is made anew by the model that stands in, with prompts of its own.

    At a place where it completed before everything is counted, so the first that fails is the text itself.
    """
    folder = workspace({"shop.py": CODE})
    assembly = assemble(
        Settings(
            completion=CompletionSettings(model=servers[0].url),
            inference=InferenceSettings(threads=1),
            index=IndexSettings(store=False, watch=False),
        ),
        [folder],
    )
    assert isinstance(assembly.model, RemoteEngine)
    places = [
        UnfinishedCode(folder / "shop.py", "shop.py", folder.name, "python", CODE + more, "")
        for more in ("", "price for price in ")
    ]
    try:
        await until(assembly.model, lambda loaded: "in place of" not in loaded.name)
        request = Request(editor=False, max_new_tokens=8)
        before = await assembly.completion.complete(places[0], request)
        assert (before.reason, before.trace.model) == (Reason.OK, "nestling")
        servers[0].kill()
        after = await assembly.completion.complete(places[not same_place], request)
        assert (after.reason, after.message) == (Reason.OK, "")
        assert after.trace.model == f"nestling in place of 127.0.0.1:{servers[0].port}"
        assert after.text
        if same_place:
            assert after.text == before.text
        assert "stands in meanwhile" in assembly.model.problem
    finally:
        await assembly.close()


async def test_a_generation_makes_way_at_the_server(model: Path, written: Written) -> None:
    """A server with one slot is given one text at a time: the less urgent goes on afterwards, to the same.

    The models that complete and that generate are asked by two engines.
    """
    server = Served(parts.require_part("llama-server"), model, slots=1)
    server.start()
    completing, generating = (RemoteEngine(server.url, RemoteSettings()) for _ in range(2))
    try:
        await _up(completing)
        await _up(generating)
        long = Prompt((5, 6, 7, 8) * 20, "", 600, priority=Priority.GENERATION)
        expected, alone = await written(generating, long)
        quick, _ = await written(completing, SHORT)
        stream = generating.generate(long)
        tokens = [await anext(stream)]
        going_on = asyncio.create_task(_rest(stream))
        for _ in range(2):
            assert (await written(completing, SHORT))[0] == quick
            assert not going_on.done(), "it was not waited for"
        tokens += await going_on
        assert "".join(token.text for token in tokens) == expected
        assert tokens[-1].usage is not None
        assert tokens[-1].usage.tokens_generated == alone.tokens_generated
    finally:
        await completing.close()
        await generating.close()
        server.kill()


async def _rest(stream: AsyncIterator[Token]) -> list[Token]:
    return [token async for token in stream]


async def test_a_server_is_given_as_much_as_it_has_slots(servers: tuple[Served, Served]) -> None:
    """Two texts at once; the third waits, and what else is asked does not."""
    remote = RemoteEngine(servers[0].url, RemoteSettings())
    await _up(remote)
    streams = [remote.generate(LONG) for _ in range(3)]
    first, second, third = (asyncio.ensure_future(anext(stream)) for stream in streams)
    await asyncio.gather(first, second)
    async with asyncio.timeout(60):
        assert await remote.encode(["not counted before"])
    assert servers[0].busy_slots() == 2
    assert not third.done()
    await streams[0].aclose()
    await third
    for stream in streams:
        await stream.aclose()
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
