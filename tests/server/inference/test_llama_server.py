"""The engine on a real llama-server, which has to be the same model as the one in our own process."""

# ruff: noqa: ASYNC240, ASYNC210 - a test may keep its own loop waiting

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from contextlib import aclosing
from dataclasses import replace
from pathlib import Path
from typing import Any

import psutil  # type: ignore[import-untyped]
import pytest

import parts
from bowerbird.inference import hosting
from bowerbird.inference.generator import (
    InferenceError,
    ModelCorrupt,
    ModelCrashed,
    ModelMissing,
    Prompt,
    ServerUnreachable,
    Usage,
)
from bowerbird.inference.llama import LlamaEngine
from bowerbird.inference.llama_http import LlamaHttp
from bowerbird.inference.llama_server import LlamaServer
from bowerbird.inference.llama_writing import Writing
from bowerbird.inference.loaded import EngineState
from bowerbird.settings import InferenceSettings

PromptOf = Callable[..., Awaitable[Prompt]]
Written = Callable[..., Awaitable[tuple[str, Usage]]]

LONG = Prompt(tuple(range(400, 420)), "", 1000)  # to which no end is in sight
SHORT = Prompt((300,) * 8, "", 4)


@pytest.fixture(scope="module")
def executable() -> Path:
    """A real llama-server."""
    return parts.require_part("llama-server")


@pytest.fixture(autouse=True)
def alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """No llama-server of the person who runs the tests is taken."""
    monkeypatch.setattr("bowerbird.inference.llama_server.find_running_server", lambda: "")


@pytest.fixture
async def server(executable: Path, model: Path) -> AsyncIterator[LlamaServer]:
    """An engine that starts its own llama-server on first use."""
    server = LlamaServer(InferenceSettings(), executable, model)
    yield server
    await server.close()


@pytest.fixture
def foreign(executable: Path, model: Path) -> Iterator[str]:
    """The URL of a llama-server that somebody else started, with two slots."""
    port = hosting._free_port()
    address = ("--host", "127.0.0.1", "--port", str(port))
    command = [str(executable), "-m", str(model), *address, "-c", "1024", "-np", "2", "-t", "1"]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    yield f"http://127.0.0.1:{port}"
    process.kill()
    process.wait()


def served_by(server: LlamaServer) -> psutil.Process:
    """The process of the llama-server that we started."""
    assert server._hosted is not None
    (process,) = psutil.Process(server._hosted.pid).children()
    return process


async def write_and_kill(server: LlamaServer) -> None:
    """Kill the llama-server at the first token of a long text."""
    async with aclosing(server.generate(LONG)) as stream:
        await anext(stream)
        os.kill(served_by(server).pid, signal.SIGKILL)
        async for _ in stream:
            pass


async def test_it_writes_what_our_own_process_writes(
    server: LlamaServer, engine: LlamaEngine, prompt_of: PromptOf, written: Written, code: str
) -> None:
    """Same file, same template, same tokens, same text, same likelihoods, and a cache that is counted."""
    ours, theirs = await engine.load(), await server.load()
    assert theirs.template.family == ours.template.family
    assert theirs.template.ids == ours.template.ids
    assert (theirs.context_tokens, theirs.vocabulary_tokens) == (ours.context_tokens, ours.vocabulary_tokens)
    texts = ["def f(x):\n    return 'ü🦜'\n", "", "  ", "a<|file_sep|>b", "\ud800"]
    assert await server.encode(texts) == await engine.encode(texts)

    prompt = await prompt_of(server, code + "cart = Ca", "\nprint(cart)\n", [("a.py", "cart = Cart([])")])
    assert prompt == await prompt_of(
        engine, code + "cart = Ca", "\nprint(cart)\n", [("a.py", "cart = Cart([])")]
    )
    text, cold = await written(server, prompt)
    assert text == (await written(engine, prompt))[0]
    assert text == (await written(server, prompt))[0]
    assert cold.tokens_evaluated == len(prompt.tokens)
    _, warm = await written(server, prompt)
    assert (warm.tokens_reused, warm.tokens_evaluated) == (len(prompt.tokens) - 1, 1)
    assert 0 < warm.tokens_generated <= prompt.max_new_tokens
    scores = await server.score(prompt, "rt([])\n")
    assert scores == pytest.approx(await engine.score(prompt, "rt([])\n"), abs=0.1)


async def test_no_end_before_something_visible(server: LlamaServer, written: Written) -> None:
    """A server refuses ends for a whole request or not at all; we ask again, and the text begins visibly."""
    ending = Prompt((5,) * 8, "", 6, visible_first=False)
    text, usage = await written(server, ending)
    assert (text, usage.stopped, usage.tokens_generated) == ("", "end", 0)
    text, usage = await written(server, replace(ending, visible_first=True))
    assert text.strip()
    assert usage.tokens_generated <= 6


async def test_an_end_token_that_nobody_knows_is_refused_too(
    executable: Path, model: Path, tmp_path: Path, written: Written
) -> None:
    """Where only the metadata says which token ends a text, that one waits for something visible as well."""
    line_break = 205  # with which the model would go on
    data = bytearray(model.read_bytes())
    _put(data, b"tokenizer.ggml.eos_token_id", 4, line_break)
    _put(data, b"tokenizer.ggml.token_type", 16 + 4 * line_break, 3)  # a control token
    path = tmp_path / "ends-with-lines.gguf"
    path.write_bytes(data)
    server = LlamaServer(InferenceSettings(), executable, path)
    engine = LlamaEngine(path, InferenceSettings())
    try:
        for prompt in (Prompt((4, 7, 8, 9), "", 6, visible_first=False), Prompt((4, 7, 8, 9), "", 6)):
            theirs, their_usage = await written(server, prompt)
            ours, our_usage = await written(engine, prompt)
            assert theirs == ours
            assert bool(ours.strip()) == prompt.visible_first
            assert their_usage.stopped == our_usage.stopped
            assert their_usage.tokens_generated == our_usage.tokens_generated
    finally:
        await server.close()
        await engine.close()


def _put(data: bytearray, key: bytes, offset: int, value: int) -> None:
    """Change a 32-bit number of a GGUF's metadata; `offset` counts from the key's end."""
    place = data.index(key) + len(key) + offset
    data[place : place + 4] = value.to_bytes(4, "little")


async def test_candidates_and_reading_beforehand_are_the_same(
    server: LlamaServer, engine: LlamaEngine, prompt_of: PromptOf, written: Written, code: str
) -> None:
    """Other first choices are those of our own process, up to the unlikely; a prompt can only be read."""
    prompt = await prompt_of(engine, code + "    def names(self) -> ", max_new_tokens=4)
    for rank in range(1, 5):
        asked = replace(prompt, first_choice=rank)
        ours, theirs = await written(engine, asked), await written(server, asked)
        assert theirs[0] == ours[0]
        assert (theirs[1].stopped, theirs[1].tokens_generated) == (ours[1].stopped, ours[1].tokens_generated)
    text, usage = await written(server, replace(prompt, first_choice=90))
    assert (text, usage.stopped) == ("", "unlikely")
    text, usage = await written(server, replace(prompt, max_new_tokens=0))
    assert (text, usage.stopped, usage.tokens_generated) == ("", "length", 0)


def request(writing: Writing, *steps: str, end: bool) -> str:
    """Feed one request's steps, of a token each; with `end` an end token and the last step follow."""
    text = ""
    for content in steps:
        text += writing.take({"content": content, "tokens": [7], "stop": False})
        if writing.turns:
            return text
    if end:
        writing.take({"content": "", "tokens": [0], "stop": False})
        timings = {"prompt_ms": 1, "predicted_ms": 2}
        last = {"content": "", "tokens": [], "stop": True, "stop_type": "eos", "timings": timings}
        writing.take({**last, "tokens_predicted": len(steps) + 1})
    return text


def test_a_text_that_would_end_invisibly_takes_three_requests() -> None:
    """The first ends too early, the second may not end, and from something visible on the third may again."""
    writing = Writing(Prompt((1, 2), "", 10))
    assert request(writing, "\n", end=True) == "\n"
    assert (writing.turns, writing.refuses_end, writing.left, writing.stopped) == (True, True, 9, "")
    assert request(writing, "  ", "x", "y", end=False) == "  x"
    assert (writing.turns, writing.refuses_end, writing.left, writing.stopped) == (True, False, 7, "")
    assert request(writing, "z", end=True) == "z"
    assert (writing.tokens, writing.left, writing.stopped) == ([1, 2, 7, 7, 7, 7], 6, "end")
    usage = writing.usage()
    assert (usage.tokens_generated, usage.evaluate_ms, usage.generate_ms) == (4, 2.0, 4.0)


class Vocabulary(LlamaHttp):
    """A llama-server whose vocabulary declares `<x>` and `<y>` as ordinary text."""

    def __init__(self, specials: dict[int, str]) -> None:
        super().__init__("http://127.0.0.1:9")
        self._special = specials
        self.requests = 0

    async def ask(self, method: str, path: str, body: Any = None) -> Any:
        assert (method, path) == ("POST", "/tokenize")
        self.requests += 1
        content = body["content"] if isinstance(body["content"], list) else [body["content"]]
        tokens: list[int] = []
        for part in content:
            tokens += [part] if isinstance(part, int) else self._cut(part)
        return {"tokens": tokens}

    def _cut(self, text: str) -> list[int]:
        for token, special in ((7, "<x>"), (5, "<y>")):
            if special in text:
                before, _, behind = text.partition(special)
                return [*self._cut(before), token, *self._cut(behind)]
        return [ord(letter) for letter in text]


@pytest.mark.parametrize("specials", [{7: "<x>"}, {5: "<y>", 7: "<x>"}])
async def test_texts_are_counted_together_and_stay_text(specials: dict[int, str]) -> None:
    """One request for all; a special token's text in one, even that of the mark, stays text."""
    http = Vocabulary(specials)
    assert await http.encode_all(["ab", "", "c"]) == [[97, 98], [], [99]]
    assert http.requests == 1
    found = await http.encode_all(["a<x>b", "c"])
    assert found == [[ord(letter) for letter in "a<x>b"], [99]]
    assert await http.encode_all([]) == []
    await http.close()


async def test_what_does_not_fit_is_told(server: LlamaServer, written: Written) -> None:
    """A prompt beyond the context is refused in words, and the next one is served."""
    with pytest.raises(InferenceError, match="1,084 tokens; the context holds 1,024"):
        await written(server, Prompt((5,) * 1020, "", 64))
    with pytest.raises(InferenceError):
        await written(server, Prompt((), "", 4))
    assert (await written(server, SHORT))[1].tokens_generated == 4


async def test_a_closed_stream_frees_the_server(server: LlamaServer, written: Written) -> None:
    """Closing the stream closes the request, and a later one need not wait for its thousand tokens."""
    async with aclosing(server.generate(LONG)) as stream:
        await anext(stream)
        assert server.state == "busy"
    assert server.state is EngineState.READY
    assert (await written(server, SHORT))[1].tokens_generated == 4


async def test_a_killed_server_is_replaced(server: LlamaServer, written: Written) -> None:
    """The running request ends with a reason, and the next one has a new server."""
    expected, _ = await written(server, SHORT)
    process = served_by(server)
    with pytest.raises(ModelCrashed, match="stopped"):
        await write_and_kill(server)
    assert (await written(server, SHORT))[0] == expected
    assert served_by(server) != process


async def test_closing_ends_the_server(server: LlamaServer) -> None:
    """A llama-server that we started ends with the engine."""
    await server.load()
    process = served_by(server)
    await server.close()
    await server.close()
    assert not process.is_running()
    assert server.state is EngineState.IDLE


async def test_one_caller_who_leaves_does_not_stop_the_start(server: LlamaServer) -> None:
    """A request that runs out of time while the server starts leaves it starting for the next."""
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.05):
            await server.load()
    assert server.state is EngineState.LOADING
    hosted = server._hosted
    await server.load()
    assert hosted is None or server._hosted is hosted


async def test_other_users_are_not_served(server: LlamaServer) -> None:
    """A llama-server that we started answers only to us."""
    import httpx

    await server.load()
    assert server._hosted is not None
    answer = httpx.post(
        f"{server._hosted.url}/completion", json={"prompt": "x", "n_predict": 1}, trust_env=False
    )
    assert answer.status_code == 401
    assert server._hosted.key not in " ".join(served_by(server).cmdline())


PARENT = """
import asyncio, sys
from pathlib import Path
from bowerbird.inference import llama_server
from bowerbird.inference.generator import Prompt
from bowerbird.settings import InferenceSettings

llama_server.find_running_server = lambda: ""

async def main():
    server = llama_server.LlamaServer(InferenceSettings(), Path(sys.argv[1]), Path(sys.argv[2]))
    await server.load()
    print(server._hosted.pid, flush=True)
    while True:
        async for _ in server.generate(Prompt((5,) * 100, "", 900)):
            pass

asyncio.run(main())
"""


def test_a_killed_parent_leaves_no_server(executable: Path, model: Path) -> None:
    """Two seconds after Bowerbird was killed, its llama-server is gone."""
    parent = subprocess.Popen(
        [sys.executable, "-P", "-c", PARENT, str(executable), str(model)], stdout=subprocess.PIPE
    )
    assert parent.stdout is not None
    keeper = psutil.Process(int(parent.stdout.readline()))
    (child,) = keeper.children()
    parent.kill()
    parent.communicate()
    deadline = time.monotonic() + 2.0
    while child.is_running() and child.status() != psutil.STATUS_ZOMBIE:
        assert time.monotonic() < deadline
        time.sleep(0.02)


async def test_a_running_server_is_used_and_left_alone(
    foreign: str,
    engine: LlamaEngine,
    written: Written,
    model: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A server that this user runs serves without a model of ours, and goes on when we close."""
    monkeypatch.setattr("bowerbird.inference.llama_server.find_running_server", lambda: foreign)
    server = LlamaServer(InferenceSettings(), None, model / "none")
    while True:  # it may still be loading
        try:
            loaded = await server.load()
            break
        except ServerUnreachable:
            await asyncio.sleep(0.05)
    assert loaded.path == foreign
    assert loaded.template.family.name == "Nestling"
    assert (await written(server, SHORT))[0] == (await written(engine, SHORT))[0]
    await server.close()
    assert await server.load()
    await server.close()


def test_only_foreign_servers_of_this_user_are_found(foreign: str) -> None:
    """A llama-server that the user runs is found by its process; nobody knocks at ports."""
    deadline = time.monotonic() + 30
    while not (found := hosting.find_running_server()) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert found == foreign
    assert hosting._is_foreign_server(["/usr/bin/llama-server", "-m", "x.gguf"])
    assert not hosting._is_foreign_server(["/usr/bin/llama-server", "--alias", hosting.ALIAS])
    assert not hosting._is_foreign_server(
        ["python", "-m", "bowerbird.inference.keeper", "/usr/bin/llama-server"]
    )
    assert not hosting._is_foreign_server(["vim", "notes.txt"])


async def test_bad_files(executable: Path, model: Path, tmp_path: Path) -> None:
    """A missing and a truncated model are told apart, and leave no process."""
    half = tmp_path / "half.gguf"
    half.write_bytes(model.read_bytes()[:1_000_000])
    for path, error in ((tmp_path / "none.gguf", ModelMissing), (half, ModelCorrupt)):
        server = LlamaServer(InferenceSettings(), executable, path)
        with pytest.raises(error, match=path.name):
            await server.load()
        await server.close()
    assert not _keepers()


def _keepers() -> Sequence[psutil.Process]:
    return [p for p in psutil.Process().children() if "bowerbird.inference.keeper" in p.cmdline()]


async def test_too_many_crashes_leave_the_server_off(executable: Path, model: Path, written: Written) -> None:
    """After more crashes than allowed the server stays off until it is restarted by hand."""
    server = LlamaServer(InferenceSettings(max_restarts=0), executable, model)
    with pytest.raises(ModelCrashed):
        await write_and_kill(server)
    with pytest.raises(ModelCrashed, match="ten minutes"):
        await server.load()
    await server.restart()
    assert (await written(server, SHORT))[0]
    await server.close()
