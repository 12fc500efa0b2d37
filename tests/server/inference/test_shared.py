"""One model for several editors: the same texts, turns by urgency, and an end that leaves nothing behind."""

from __future__ import annotations

import asyncio
import logging
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import aclosing
from dataclasses import replace
from pathlib import Path

import psutil
import pytest

from bowerbird.cli.checks import check_shared
from bowerbird.inference import broker_place
from bowerbird.inference.broker_client import Connection, ask_state, enter, join
from bowerbird.inference.broker_door import Refused, connect
from bowerbird.inference.broker_place import (
    Note,
    key_of,
    meeting_folder,
    meeting_places,
    private_folder,
    read_note,
    write_note,
)
from bowerbird.inference.build import PACKAGE, build_at
from bowerbird.inference.generator import ModelCorrupt, ModelCrashed, Prompt, Token
from bowerbird.inference.llama import LlamaEngine
from bowerbird.inference.loading import SHARED_FROM_BYTES, load_message
from bowerbird.inference.pipe import pack, receive_async
from bowerbird.inference.process import ModelProcess, Patience
from bowerbird.inference.turns import Priority
from bowerbird.settings import InferenceSettings

SHARED = InferenceSettings(shared="always", threads=1)
FIRST = Prompt(tuple(range(300, 500)), "", 12)
SECOND = Prompt(tuple(range(600, 800)), "", 12)
LONG = Prompt(tuple(range(400, 420)), "", 400, priority=Priority.GENERATION)
END_SECONDS = 20.0  # on a machine that is busy with other things; the grace is one second

Build = Callable[..., LlamaEngine]


@pytest.fixture(autouse=True)
def no_brokers_left(runtime: Path) -> Iterator[None]:
    """Whatever a test leaves is ended."""
    yield
    for left in brokers(runtime):
        left.kill()


@pytest.fixture(params=["socket", "loopback"])
def door(request: pytest.FixtureRequest, runtime: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """Both ways in: a path too long for a socket, as on a system without, takes the loopback address."""
    if request.param == "loopback":
        deep = runtime / ("d" * 120)
        deep.mkdir(mode=0o700)
        monkeypatch.setenv("XDG_RUNTIME_DIR", str(deep))
    return str(request.param)


@pytest.fixture
async def build(model: Path) -> AsyncIterator[Build]:
    """`build()` makes an engine that shares, as another editor would; all are closed with the test."""
    engines: list[LlamaEngine] = []

    def make(path: Path = model, settings: InferenceSettings = SHARED) -> LlamaEngine:
        engines.append(LlamaEngine(path, settings))
        return engines[-1]

    yield make
    for engine in engines:
        await engine.close()


def brokers(folder: Path) -> list[psutil.Process]:
    """Those that serve in `folder`, and not those that are about to find out that another does."""
    found = []
    for process in psutil.process_iter():
        try:
            command = process.cmdline()
        except psutil.Error:
            continue
        if "bowerbird.inference.broker" in command and any(word.startswith(str(folder)) for word in command):
            found.append(process)
    return found


def broker(engine: LlamaEngine) -> psutil.Process:
    assert engine._process is not None
    return psutil.Process(engine._process.pid)


def models(engine: LlamaEngine) -> list[psutil.Process]:
    return broker(engine).children()


async def ended(processes: list[psutil.Process], seconds: float = END_SECONDS) -> bool:
    deadline = time.monotonic() + seconds
    while any(one.is_running() and one.status() != psutil.STATUS_ZOMBIE for one in processes):
        if time.monotonic() > deadline:
            return False
        await asyncio.sleep(0.05)
    return True


async def text_of(engine: LlamaEngine, prompt: Prompt) -> tuple[str, int]:
    """The text, and how many tokens of the prompt the cache had."""
    async with aclosing(engine.generate(prompt)) as stream:
        tokens = [token async for token in stream]
    assert tokens[-1].usage is not None
    return "".join(token.text for token in tokens), tokens[-1].usage.tokens_reused


async def client(engine: LlamaEngine) -> ModelProcess:
    """Another client of the same model, which speaks by itself."""
    return await join(engine.model_path, engine.settings)


def asking(prompt: Prompt, **fields: object) -> dict[str, object]:
    message = {"type": "generate", "tokens": prompt.tokens, "max_new_tokens": prompt.max_new_tokens}
    return {**message, "visible_first": True, "priority": int(prompt.priority), **fields}


# What it is for


async def test_two_editors_share_one_model(build: Build, engine: LlamaEngine) -> None:
    """They start at once and get one model, the texts of a model of their own, and a cache each."""
    alone = [(await text_of(engine, prompt))[0] for prompt in (FIRST, SECOND)]
    one, other = build(), build()
    loaded = await asyncio.gather(one.load(), other.load())
    assert loaded[0] == loaded[1]
    assert broker(one) == broker(other)
    assert len(models(one)) == 1
    for reused in (0, 199, 199):
        assert await text_of(one, FIRST) == (alone[0], reused)
        assert await text_of(other, SECOND) == (alone[1], reused)
    assert (
        await one.encode(["def x():"])
        == await other.encode(["def x():"])
        == await engine.encode(["def x():"])
    )
    assert await one.score(FIRST, "return") == pytest.approx(await engine.score(FIRST, "return"), abs=0.01)
    (finding,) = [found async for found in _findings()]
    assert "2 editors" in finding
    assert str(one.model_path) in finding


@pytest.mark.parametrize(
    ("wish", "bytes_more", "shared"),
    [("auto", -1, False), ("auto", 0, True), ("never", 0, False)],
)
async def test_the_size_decides(
    wish: str, bytes_more: int, shared: bool, build: Build, model: Path, tmp_path: Path
) -> None:
    """By default a model is shared where memory counts; zeros behind a GGUF's end make it no other model."""
    file = tmp_path / "model.gguf"
    shutil.copy(model, file)
    os.truncate(file, SHARED_FROM_BYTES + bytes_more)
    engine = build(file, replace(SHARED, shared=wish))
    assert (await text_of(engine, FIRST))[0]
    assert len(list(meeting_places())) == shared


async def _rest_of(stream: AsyncIterator[Token]) -> list[Token]:
    return [token async for token in stream]


async def _findings() -> AsyncIterator[str]:
    for finding in await asyncio.to_thread(lambda: list(check_shared())):
        yield finding.detail


async def test_the_more_urgent_goes_first(build: Build, engine: LlamaEngine) -> None:
    """A generation in one window makes way for a completion in another, and then goes on to the same text."""
    expected, _ = await text_of(engine, LONG)
    one, other = build(), build()
    await asyncio.gather(one.load(), other.load())
    async with aclosing(one.generate(LONG)) as stream:
        parts = [await anext(stream)]
        going_on = asyncio.create_task(_rest_of(stream))
        await text_of(other, replace(FIRST, priority=Priority.INVOKED))
        assert not going_on.done()
        parts += await going_on
    assert "".join(token.text for token in parts) == expected


async def test_equals_go_by_turns(build: Build) -> None:
    """One who asks for much does not keep another waiting until it has all."""
    engine = build()
    await engine.load()
    greedy, modest = await client(engine), await client(engine)
    order: list[str] = []
    begun = asyncio.Event()

    async def ask(process: ModelProcess, name: str) -> None:
        async with process.call(asking(replace(FIRST, max_new_tokens=60))) as call:
            while (await call.next())["type"] == "token":
                begun.set()
        order.append(name)

    many = [asyncio.create_task(ask(greedy, "greedy")) for _ in range(6)]
    await begun.wait()
    await asyncio.gather(ask(modest, "modest"), *many)
    assert order.index("modest") <= 3, order
    await greedy.close()
    await modest.close()


async def test_cancelling(build: Build) -> None:
    """Who waits for its turn hears at once that it was cancelled; a text being written stops."""
    engine = build()
    await engine.load()
    process = await client(engine)
    other = await client(engine)
    async with process.call(asking(LONG)) as writing:
        await writing.next()
        async with other.call(asking(replace(LONG, priority=Priority.GENERATION), written=[7])) as waiting:
            other.cancel(waiting)
            answer = await waiting.next()
            assert (answer["type"], answer["stopped"], answer["written"]) == ("done", "cancelled", [7])
        async with other.call(
            {"type": "score", "tokens": [5, 6], "continuation": "x", "priority": 0}
        ) as waiting:
            other.cancel(waiting)
            assert (await waiting.next())["kind"] == "cancelled"
        process.cancel(writing)
        while (answer := await writing.next())["type"] == "token":
            pass
        assert answer["stopped"] == "cancelled"
        assert len(answer["written"]) < LONG.max_new_tokens
    await process.close()
    await other.close()


# Ends


async def test_the_last_one_out_ends_it(build: Build, runtime: Path) -> None:
    """While one editor is left the model stays; with the last it goes, and the note with it."""
    one, other = build(), build()
    await asyncio.gather(one.load(), other.load())
    processes = [broker(one), *models(one)]
    await one.close()
    assert not await ended(processes, 2.0)
    assert (await text_of(other, FIRST))[0]
    await other.close()
    assert await ended(processes)
    assert await ended(brokers(runtime))
    assert not list(meeting_folder().iterdir())


async def test_folders_that_nobody_uses_are_removed(build: Build) -> None:
    """A killed broker leaves one, which the next that ends takes along; what is used, or not ours, stays."""
    killed, staying, leaving = (
        build(settings=replace(SHARED, context_tokens=tokens)) for tokens in (512, 768, 1024)
    )
    await asyncio.gather(*(engine.load() for engine in (killed, staying, leaving)))
    foreign = private_folder(meeting_folder() / "notes")
    (foreign / "lock").touch()
    dead, last = broker(killed), broker(leaving)
    dead.kill()
    assert await ended([dead])
    assert len(list(meeting_folder().iterdir())) == 4
    await leaving.close()
    assert await ended([last])
    (used,) = meeting_places()
    assert set(meeting_folder().iterdir()) == {foreign, used}
    assert (note := read_note(used)) is not None
    assert note.pid == broker(staying).pid
    assert (await text_of(staying, FIRST))[0]


EDITOR = """
import asyncio, sys
from pathlib import Path
from bowerbird.inference.generator import Prompt
from bowerbird.inference.llama import LlamaEngine
from bowerbird.inference.turns import Priority
from bowerbird.settings import InferenceSettings
async def main():
    engine = LlamaEngine(Path(sys.argv[1]), InferenceSettings(shared="always", threads=1))
    while True:
        async for _ in engine.generate(Prompt(tuple(range(400, 420)), "", 900, priority=Priority.INVOKED)):
            print(engine._process.pid, flush=True)
asyncio.run(main())
"""
"""It writes until it is killed, and tells the broker."""


async def open_requests(wanted: int) -> list[dict[str, object]]:
    """What the one broker tells, as soon as it is so many; fails when the broker has ended."""
    folder = next(meeting_places())
    while True:
        told = await ask_state(folder)
        assert told is not None, f"there never were {wanted}"
        if len(told["requests"]) == wanted:
            return list(told["requests"])
        await asyncio.sleep(0.05)


@pytest.mark.usefixtures("door")
async def test_a_killed_editor_is_forgotten(build: Build, model: Path) -> None:
    """What it asked for stops, though it was more urgent; if it was the last, all ends.

    The model is stopped meanwhile, so that nothing comes to its end by itself. The broker would end a model
    that is silent for long, and itself with it.
    """
    dying = await asyncio.create_subprocess_exec(
        *(sys.executable, "-c", EDITOR, str(model)), stdout=subprocess.PIPE
    )
    assert dying.stdout is not None
    process = psutil.Process(int(await dying.stdout.readline()))
    left = [process, *process.children()]
    engine = build()
    await engine.load()
    assert broker(engine) == process
    (at_work,) = models(engine)
    at_work.suspend()
    assert await open_requests(1) == [{"type": "generate", "priority": Priority.INVOKED, "running": True}]
    (finding,) = [found async for found in _findings()]
    assert "2 editors, 1 open request," in finding
    dying.kill()
    await dying.wait()
    assert await open_requests(0) == []
    at_work.resume()
    assert (await text_of(engine, FIRST))[0]
    await engine.close()
    assert await ended(left)


async def test_who_only_looks_is_no_editor(build: Build) -> None:
    """`doctor` counts the editors, and neither itself nor another that has not hung up yet."""
    engine = build()
    await engine.load()
    folder = next(meeting_places())
    note = read_note(folder)
    assert note is not None
    reader, writer = await connect(folder, note)
    writer.write(pack({"type": "state", "id": 1}))
    assert (await receive_async(reader) or {})["clients"] == 1
    assert (await ask_state(folder) or {})["clients"] == 1
    writer.close()


async def test_a_killed_starter_leaves_nothing(model: Path) -> None:
    """The editor that started the model was its only one, and dies."""
    dying = await asyncio.create_subprocess_exec(
        *(sys.executable, "-c", EDITOR, str(model)), stdout=subprocess.PIPE
    )
    assert dying.stdout is not None
    process = psutil.Process(int(await dying.stdout.readline()))
    left = [process, *process.children()]
    assert len(left) == 2
    dying.kill()
    await dying.wait()
    assert await ended(left)


@pytest.mark.parametrize("victim", ["broker", "model"])
async def test_a_killed_process_is_replaced(victim: str, build: Build) -> None:
    """Each editor hears of it once; the next request starts all anew, and they share again."""
    one, other = build(), build()
    await asyncio.gather(one.load(), other.load())
    processes = [broker(one), *models(one)]
    folder = next(meeting_places())

    async def write_and_fail(engine: LlamaEngine) -> str:
        with pytest.raises(ModelCrashed) as caught:
            await text_of(engine, LONG)
        return str(caught.value)

    failing = [asyncio.create_task(write_and_fail(engine)) for engine in (one, other)]
    await asyncio.sleep(0.1)
    (processes[0] if victim == "broker" else processes[1]).send_signal(signal.SIGKILL)
    said = await asyncio.gather(*failing)
    assert said[0] == said[1]
    assert ("SIGKILL" if victim == "model" else "was lost") in said[0]
    assert await ended(processes)
    if victim == "broker":
        assert (folder / "broker.json").exists(), "so the next one finds what a dead one left"
        assert (folder / "socket").exists()
    texts = await asyncio.gather(text_of(one, FIRST), text_of(other, FIRST))
    assert texts[0][0] == texts[1][0] != ""
    assert broker(one) == broker(other) not in processes


async def test_a_stopped_broker_is_replaced(build: Build, monkeypatch: pytest.MonkeyPatch) -> None:
    """One that does not answer would keep everybody out."""
    one = build()
    await one.load()
    stopped = broker(one)
    stopped.suspend()
    monkeypatch.setattr("bowerbird.inference.broker_door.GREETING_SECONDS", 1.0)
    other = build()
    loading = asyncio.create_task(other.load())
    assert await ended([stopped])
    loading.cancel()


@pytest.fixture
def damaged(model: Path, tmp_path: Path) -> Path:
    """The built-in model, cut off."""
    file = tmp_path / "damaged.gguf"
    file.write_bytes(model.read_bytes()[:200_000])
    return file


async def test_a_damaged_file_is_told_as_ever(build: Build, damaged: Path) -> None:
    """What llama.cpp says of it arrives, and no process stays."""
    alone = LlamaEngine(damaged, replace(SHARED, shared="never"))
    with pytest.raises(ModelCorrupt) as expected:
        await alone.load()
    engine = build(damaged)
    with pytest.raises(ModelCorrupt) as caught:
        await engine.load()
    assert str(caught.value) == str(expected.value)
    assert await ended(brokers(meeting_folder()))


# Who may share


async def test_who_would_load_otherwise_has_another_model(build: Build) -> None:
    """Other settings, and another version of Bowerbird, have a broker of their own."""
    one, other = build(), build(settings=replace(SHARED, context_tokens=512))
    await asyncio.gather(one.load(), other.load())
    assert broker(one) != broker(other)


async def test_another_version_is_not_joined(build: Build, monkeypatch: pytest.MonkeyPatch) -> None:
    """An editor that was updated does not talk to the process of an older one."""
    one, other = build(), build()
    await one.load()
    monkeypatch.setattr(broker_place, "__version__", "0.0.0")
    await other.load()
    assert broker(one) != broker(other)


async def test_another_build_is_not_joined(build: Build, model: Path, tmp_path: Path) -> None:
    """A checkout and an installed one may have one version, and speak otherwise."""
    engine = build()
    await engine.load()
    copy = tmp_path / "copy" / "bowerbird"
    shutil.copytree(PACKAGE, copy, ignore=_all_but_code)
    other = await asyncio.create_subprocess_exec(
        *(sys.executable, "-c", EDITOR, str(model)),
        stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": str(copy.parent)},
    )
    assert other.stdout is not None
    process = psutil.Process(int(await other.stdout.readline()))
    assert process != broker(engine)
    other.kill()
    await other.wait()
    assert await ended([process])


def _all_but_code(folder: str, names: list[str]) -> list[str]:
    return [name for name in names if not name.endswith(".py") and not Path(folder, name).is_dir()]


def test_a_build_is_where_it_lies_and_what_it_is(tmp_path: Path) -> None:
    """Another file, time or place is another build; a file that is gone is no error."""
    builds = [build_at(tmp_path)]
    for folder in ("one", "other"):
        (tmp_path / folder / "inference").mkdir(parents=True)
        for name in ("pipe.py", "turns.py"):
            (tmp_path / folder / "inference" / name).touch()
            os.utime(tmp_path / folder / "inference" / name, ns=(5, 5))
        builds.append(build_at(tmp_path / folder))
    os.utime(tmp_path / "one" / "inference" / "pipe.py", ns=(5, 6))
    builds.append(build_at(tmp_path / "one"))
    assert len(set(builds)) == len(builds)
    assert build_at(tmp_path / "one") == builds[-1]


@pytest.mark.parametrize("how", ["open", "link", "foreign"])
async def test_an_unsafe_folder_is_not_used(
    how: str, build: Build, runtime: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Where another user may have a hand in it, each editor has a model of its own, and the log says why."""
    folder = meeting_folder()
    if how == "link":
        (runtime / "elsewhere").mkdir(mode=0o700)
        folder.symlink_to(runtime / "elsewhere")
    else:
        folder.mkdir(mode=0o700)
        if how == "open":
            folder.chmod(0o770)
        else:
            monkeypatch.setattr(os, "getuid", lambda: 54321)
    engine = build()
    with caplog.at_level(logging.WARNING):
        assert (await text_of(engine, FIRST))[0]
    assert "not shared" in caplog.text
    assert not brokers(runtime)
    assert not list(folder.iterdir())


GARBAGE = (
    b"GET / HTTP/1.1\r\n\r\n",
    b"\0\0\0\2{}",
    b"\0\0\0\x11" + b'{"type": "enter"}',
    pack({"type": "hello", "nonce": "1"}) + pack({"type": "enter", "proof": "guessed"}),
    pack({"type": "hello", "nonce": "1"}) + pack({"type": "load", "id": 1}),
)


async def test_the_door(build: Build, door: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Private by its modes; nobody comes in without the token, from another user, or with garbage."""
    engine = build()
    await engine.load()
    folder = next(meeting_places())
    private = {"lock": 0o600, "broker.json": 0o600} | ({"socket": 0o600} if door == "socket" else {})
    assert folder.stat().st_mode & 0o777 == 0o700
    assert {path.name: path.stat().st_mode & 0o777 for path in folder.iterdir()} == private
    note = read_note(folder)
    assert note is not None
    assert bool(note.port) == (door == "loopback")
    with pytest.raises(Refused):
        await connect(folder, replace(note, token="guessed"))
    for garbage in GARBAGE:
        if door == "socket":
            reader, writer = await asyncio.open_unix_connection(folder / "socket")
        else:
            reader, writer = await asyncio.open_connection("127.0.0.1", note.port)
        writer.write(garbage)
        writer.write_eof()
        while (heard := await receive_async(reader)) is not None:
            assert heard["type"] == "welcome"
            assert note.token not in str(heard)
        writer.close()
    if door == "socket":  # the loopback address does not tell who is at the other end
        monkeypatch.setattr(os, "getuid", lambda: 54321)
        with pytest.raises(Refused, match="belongs to the user"):
            await connect(folder, note)
        monkeypatch.undo()
    assert (await text_of(engine, FIRST))[0]


@pytest.mark.parametrize(
    "answer",
    [b"", b"HTTP/1.1 400 Bad Request\r\n\r\n", pack({"type": "welcome", "proof": "00", "nonce": "1"})],
    ids=["silence", "another program", "a guess"],
)
@pytest.mark.parametrize("door", ["loopback"], indirect=True)
@pytest.mark.usefixtures("door")
async def test_whoever_takes_a_dead_brokers_port_learns_nothing(
    answer: bytes, build: Build, runtime: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A port may be anybody's, another user's, too: he hears a nonce, and no editor believes him."""
    monkeypatch.setattr("bowerbird.inference.broker_door.GREETING_SECONDS", 2.0)
    heard: list[bytes] = []

    async def pose(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(answer)
        while part := await reader.read(10_000):
            heard.append(part)
        writer.close()

    async with await asyncio.start_server(pose, "127.0.0.1", 0) as impostor:
        port = impostor.sockets[0].getsockname()[1]
        engine = build()
        mark = engine.model_path.stat()
        key = key_of(load_message(engine.model_path, SHARED), (mark.st_size, mark.st_mtime_ns))
        private_folder(meeting_folder())
        folder = private_folder(meeting_folder() / key)
        write_note(folder, Note(2**22 + 1, port, "the token of one that is dead"))
        assert (await text_of(engine, FIRST))[0]
    told = b"".join(heard)
    assert b'"hello"' in told
    assert b"the token" not in told
    assert b"enter" not in told
    assert str(runtime).encode() not in told
    assert [process.pid for process in brokers(runtime)] == [broker(engine).pid]


@pytest.mark.parametrize(
    "message",
    [
        b'{"type":"generate"}',
        b'{"type":"quit now","id":1}',
        b"[]",
        b'{"type":"generate","id":"x","tokens":[1]}',
    ],
)
async def test_nonsense_ends_one_client_only(message: bytes, build: Build) -> None:
    """The others go on as if nothing had been."""
    engine = build()
    await engine.load()
    connection = await enter(next(meeting_places()))
    assert isinstance(connection, Connection)
    assert connection.stdin is not None
    assert connection.stdout is not None
    connection.stdin.write(len(message).to_bytes(4, "big") + message)
    assert await receive_async(connection.stdout) is None
    await connection.wait()
    assert (await text_of(engine, FIRST))[0]


async def test_requests_that_make_no_sense_fail(build: Build) -> None:
    """A message that lacks something, or names no priority, is answered; the model stays."""
    engine = build()
    await engine.load()
    process = await client(engine)
    for message in (
        {"type": "generate"},
        asking(FIRST, priority=17),
        asking(FIRST, tokens="none"),
        {"type": "encode"},
        {"type": "load", "path": "/another.gguf"},
    ):
        async with process.call(message) as call:
            assert (await call.next())["type"] == "failed"
    await process.close()
    assert (await text_of(engine, FIRST))[0]


async def test_loopback_where_there_is_no_socket(
    build: Build, runtime: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A path too long for a socket, as on a system without, takes the loopback address and the token."""
    deep = runtime / ("d" * 120)
    deep.mkdir(mode=0o700)
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(deep))
    one, other = build(), build()
    await asyncio.gather(one.load(), other.load())
    assert broker(one) == broker(other)
    folder = next(meeting_places())
    note = read_note(folder)
    assert note is not None
    assert note.port
    listening = [it for it in broker(one).net_connections() if it.status == psutil.CONN_LISTEN]
    assert [it.laddr.ip for it in listening] == ["127.0.0.1"]
    with pytest.raises(Refused):
        await connect(folder, Note(note.pid, note.port, "guessed"))
    assert (await text_of(one, FIRST))[0] == (await text_of(other, FIRST))[0]


# Idleness


@pytest.mark.parametrize("shared", ["never", "always"])
async def test_an_idle_model_makes_room(shared: str, build: Build) -> None:
    """After the time that the settings say it leaves memory; the next request brings it back."""
    engine = build(settings=replace(SHARED, shared=shared, idle_minutes=0.01))  # type: ignore[arg-type]
    text, _ = await text_of(engine, FIRST)
    processes = [broker(engine), *models(engine)]
    assert await ended(processes)
    assert engine.state == "idle"
    assert await text_of(engine, FIRST) == (text, 0)


async def test_a_model_at_work_is_not_idle(build: Build) -> None:
    """However long it takes."""
    engine = build(settings=replace(SHARED, idle_minutes=0.005))  # type: ignore[arg-type]
    await engine.load()
    process = broker(engine)
    async with aclosing(engine.generate(LONG)) as stream:
        async for _ in stream:
            await asyncio.sleep(0.03)
            assert process.is_running()
            assert engine._process is not None


def test_patience_is_the_brokers() -> None:
    """A client waits for its turn as long as it takes; the broker watches over the model."""
    assert Patience().stall_seconds < float("inf")
