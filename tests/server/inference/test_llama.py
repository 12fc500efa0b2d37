"""The engine on llama-cpp-python, the real model in a real process: life, cancellation, death, bad files."""

# ruff: noqa: ASYNC240 - a test may keep its own loop waiting for a file

from __future__ import annotations

import asyncio
import itertools
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine
from contextlib import AbstractAsyncContextManager, aclosing
from dataclasses import replace
from pathlib import Path
from typing import Any

import psutil  # type: ignore[import-untyped]
import pytest

from bowerbird.inference.generator import (
    EngineMissing,
    InferenceError,
    ModelCorrupt,
    ModelCrashed,
    ModelMissing,
    Prompt,
    Usage,
)
from bowerbird.inference.llama import LlamaEngine
from bowerbird.inference.loaded import EngineState
from bowerbird.inference.pipe import Message
from bowerbird.inference.process import Call, Patience
from bowerbird.settings import InferenceSettings

PromptOf = Callable[..., Awaitable[Prompt]]
Written = Callable[[LlamaEngine, Prompt], Coroutine[Any, Any, tuple[str, Usage]]]
Build = Callable[..., LlamaEngine]

LONG = Prompt(tuple(range(400, 420)), "", 1000)  # to which no end is in sight
SHORT = Prompt((300,) * 8, "", 4)
SILENCE = Patience(ping_seconds=0.1, silence_seconds=1.0)
STALL = Patience(ping_seconds=0.1, stall_seconds=1.5)


def child_that(change: str) -> tuple[str, ...]:
    """A command for a model's process of which something was changed."""
    script = f"import os, sys, time\nfrom bowerbird.inference import child, decoder\n{change}\nchild.main()"
    return (sys.executable, "-P", "-c", script)


@pytest.fixture
async def build(model: Path) -> AsyncIterator[Build]:
    """`build(path, ...)` makes an engine; all are closed with the test."""
    engines: list[LlamaEngine] = []

    def make(
        path: Path = model,
        command: tuple[str, ...] | None = None,
        patience: Patience | None = None,
        **settings: object,
    ) -> LlamaEngine:
        chosen = replace(InferenceSettings(), **settings)  # type: ignore[arg-type]
        engines.append(
            LlamaEngine(path, chosen, patience=patience, **({"command": command} if command else {}))
        )
        return engines[-1]

    yield make
    for engine in engines:
        await engine.close()


def pid(engine: LlamaEngine) -> int:
    assert engine._process is not None
    return engine._process.pid


def gone(process: int) -> bool:
    """Has it ended? One that nobody has waited for counts too."""
    try:
        return bool(psutil.Process(process).status() == psutil.STATUS_ZOMBIE)
    except psutil.NoSuchProcess:
        return True


# Life


async def test_nothing_starts_before_the_first_use(engine: LlamaEngine) -> None:
    """Making an engine starts no process; many first uses at once share one."""
    assert engine._process is None
    assert engine.state == "idle"
    models = await asyncio.gather(*(engine.load() for _ in range(5)), engine.encode(["x"]))
    assert all(model is models[0] for model in models[:5])
    assert (
        len(
            [child for child in psutil.Process().children() if "bowerbird.inference.child" in child.cmdline()]
        )
        == 1
    )
    assert engine.state is EngineState.READY


async def test_the_loaded_model_says_what_it_is(engine: LlamaEngine, model: Path) -> None:
    """Name, size, context and prompt form come from the file."""
    loaded = await engine.load()
    assert loaded.name == "nestling"
    assert loaded.path == str(model)
    assert "6.9M" in loaded.description
    assert (loaded.context_tokens, loaded.trained_tokens, loaded.vocabulary_tokens) == (1024, 1024, 8192)
    assert loaded.prompt_form == "1 suffix-first"
    assert loaded.template.family.name == "Nestling"
    assert loaded.notes == ()


async def test_a_context_beyond_the_training_is_told(build: Build) -> None:
    """A larger context than the model was trained for is not made, and a note says so; a smaller one is."""
    loaded = await build(context_tokens=9999).load()
    assert loaded.context_tokens == 1024
    assert "trained for 1,024" in loaded.notes[0]
    assert (await build(context_tokens=512).load()).context_tokens == 512


async def test_the_same_prompt_gives_the_same_text(
    engine: LlamaEngine, build: Build, prompt_of: PromptOf, written: Written, code: str
) -> None:
    """Greedy writing repeats itself, from a warm cache, in a fresh process, and with other micro-batches."""
    prompt = await prompt_of(engine, code + "cart = Ca", "\nprint(cart)\n", [("a.py", "cart = Cart([])")])
    text, cold = await written(engine, prompt)
    again, warm = await written(engine, prompt)
    assert text.strip()
    assert text == again
    assert (cold.tokens_reused, cold.tokens_evaluated) == (0, len(prompt.tokens))
    assert (warm.tokens_reused, warm.tokens_evaluated) == (len(prompt.tokens) - 1, 1)
    assert warm.tokens_generated <= prompt.max_new_tokens
    assert text == (await written(build(), prompt))[0]
    assert text == (await written(build(micro_batch_tokens=7), prompt))[0]


async def test_typing_on_evaluates_only_what_was_typed(
    engine: LlamaEngine, prompt_of: PromptOf, written: Written, code: str
) -> None:
    """With the suffix first, a prefix that grows at its end keeps everything before it in the cache."""
    one = await prompt_of(engine, code + "cart = ", "\nprint(cart)\n")
    two = await prompt_of(engine, code + "cart = Cart(", "\nprint(cart)\n")
    await written(engine, one)
    _, usage = await written(engine, two)
    common = next(n for n, pair in enumerate(zip(one.tokens, two.tokens, strict=False)) if len(set(pair)) > 1)
    assert usage.tokens_reused >= common > len(code) // 5
    assert usage.tokens_reused + usage.tokens_evaluated == len(two.tokens)


async def test_texts_are_counted_once_and_in_order(
    engine: LlamaEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Encoding keeps the order and asks the process for new texts only, in messages of a bearable size."""
    asked: list[list[str]] = []
    await engine.load()
    assert engine._process is not None
    call = engine._process.call

    def counted(message: Message) -> AbstractAsyncContextManager[Call]:
        asked.append(message["texts"])
        return call(message)

    monkeypatch.setattr(engine._process, "call", counted)
    monkeypatch.setattr("bowerbird.inference.llama_calls.MAX_ENCODE_CHARACTERS", 10)
    first = await engine.encode(["abc", "", "abc", "defghij", "klm\ud800"])
    assert first[0] == first[2]
    assert first[1] == []
    assert asked == [["abc", "", "defghij"], ["klm\ud800"]]
    assert await engine.encode(["klm\ud800", "abc"]) == [first[4], first[0]]
    assert len(asked) == 2


async def test_texts_are_counted_while_the_model_writes(engine: LlamaEngine) -> None:
    """Encoding does not wait for a generation."""
    async with aclosing(engine.generate(LONG)) as stream:
        await anext(stream)
        tokens = await engine.encode([f"x = {number}" for number in range(50)])
        assert engine.state is EngineState.BUSY
        assert all(tokens)
        await anext(stream)


async def test_scores_come_from_the_same_model(
    engine: LlamaEngine, prompt_of: PromptOf, written: Written
) -> None:
    """What was written greedily is likelier than anything of the same length, and its score adds up."""
    prompt = replace(await prompt_of(engine, "def total(self):\n    return sum("), visible_first=False)
    text, usage = await written(engine, prompt)
    scores = await engine.score(prompt, text)
    assert len(scores) == usage.tokens_generated
    assert all(score <= 0 for score in scores)
    assert sum(scores) > sum(await engine.score(prompt, text[::-1]))
    assert await engine.score(prompt, "") == []


async def test_several_tokens_come_in_one_message(engine: LlamaEngine) -> None:
    """There are fewer messages than tokens, the first token comes by itself, and the counts add up."""
    tokens = [token async for token in engine.generate(replace(LONG, max_new_tokens=200))]
    usage = tokens[-1].usage
    assert usage is not None
    assert sum(token.count for token in tokens) == usage.tokens_generated == 200
    assert (tokens[0].count, tokens[-1].count) == (1, 0)
    assert len(tokens) < 150
    assert not any(
        "\n" in token.text[: -len(token.text.splitlines()[-1]) - 1] for token in tokens if token.text
    )


async def test_looking_up_is_counted(engine: LlamaEngine, prompt_of: PromptOf, written: Written) -> None:
    """Code that repeats the prompt is drafted from it, and the usage says so."""
    lines = "".join(f"    total_{name} = sum(item.{name} for item in self.items)\n" for name in "abcdefgh")
    prompt = await prompt_of(engine, f"def totals(self):\n{lines}", max_new_tokens=60)
    text, usage = await written(engine, prompt)
    assert usage.tokens_drafted >= usage.tokens_accepted > 10
    assert len(text) > 20


async def test_a_prompt_is_read_beforehand(engine: LlamaEngine, written: Written) -> None:
    """A prompt without a token to write only fills the cache, from which the next request gains."""
    text, usage = await written(engine, replace(SHORT, max_new_tokens=0))
    assert (text, usage.stopped, usage.tokens_generated) == ("", "length", 0)
    _, usage = await written(engine, SHORT)
    assert usage.tokens_reused == len(SHORT.tokens) - 1


async def test_a_newer_generation_waits_for_the_older(engine: LlamaEngine) -> None:
    """One generation at a time: the second begins when the first has ended."""
    await engine.load()
    order: list[str] = []

    async def write(name: str, prompt: Prompt) -> None:
        async for _ in engine.generate(prompt):
            order.append(name)
            assert engine._process is not None
            assert len(engine._process._calls) <= 1

    await asyncio.gather(write("a", SHORT), write("b", SHORT), write("c", SHORT))
    assert [name for name, _ in itertools.groupby(order)] == ["a", "b", "c"]


async def test_what_does_not_fit_is_told_and_the_next_is_served(
    engine: LlamaEngine, written: Written
) -> None:
    """A prompt beyond the context is an `InferenceError` with a sentence, at once; nothing crashes."""
    for prompt in (Prompt((5,) * 1020, "", 64), Prompt((), "", 5), Prompt((99_999,), "", 5)):
        with pytest.raises(InferenceError, match=r"context holds 1,024|empty|does not have"):
            await written(engine, prompt)
    with pytest.raises(InferenceError, match="context holds"):
        await engine.score(Prompt((5,) * 1000, "", 1), "x = 1\n" * 100)
    process = pid(engine)
    assert (await written(engine, SHORT))[1].tokens_generated == 4
    assert pid(engine) == process


# Cancellation


async def cancel_after(engine: LlamaEngine, prompt: Prompt, seconds: float) -> float:
    """Start, cancel, and say how many milliseconds the cancellation took."""

    async def write() -> None:
        async with aclosing(engine.generate(prompt)) as stream:
            async for _ in stream:
                pass

    task = asyncio.create_task(write())
    await asyncio.sleep(seconds)
    began = time.perf_counter()
    task.cancel()
    await asyncio.wait([task])
    assert task.cancelled(), "it had ended before"
    return (time.perf_counter() - began) * 1000


async def test_a_cancelled_generation_frees_the_model(
    engine: LlamaEngine, build: Build, written: Written, prompt_of: PromptOf, code: str
) -> None:
    """Cancelled anywhere in prompt or answer, the model serves the next request as a fresh process would."""
    prompt = await prompt_of(engine, code + "cart = Ca")
    expected, _ = await written(build(), prompt)
    milliseconds = []
    for step in range(12):
        long = Prompt((100 + step, *(7 + n % 4000 for n in range(899))), "", 100)
        milliseconds.append(await cancel_after(engine, long, step / 200))
        assert (await written(engine, prompt))[0] == expected
    milliseconds.append(await cancel_after(engine, LONG, 0.05))
    assert (await written(engine, prompt))[0] == expected
    milliseconds.sort()
    print(f"cancelled in {milliseconds[len(milliseconds) // 2]:.1f} ms, at most {milliseconds[-1]:.1f} ms")
    assert engine.state is EngineState.READY


async def test_a_closed_stream_stops_the_model(engine: LlamaEngine, written: Written) -> None:
    """Who stops listening stops the model before the next may start, and keeps what was computed."""
    async with aclosing(engine.generate(LONG)) as stream:
        for _ in range(3):
            await anext(stream)
    _, usage = await written(engine, replace(LONG, max_new_tokens=1))
    assert usage.tokens_reused == len(LONG.tokens) - 1


async def test_a_request_that_is_left_at_once_is_cancelled(
    engine: LlamaEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever leaves a request before its last answer has it cancelled, whatever made them leave."""
    await engine.load()
    process = engine._process
    assert process is not None
    cancelled: list[int] = []
    cancel = process.cancel

    def recorded(call: Call) -> None:
        cancelled.append(call.id)
        cancel(call)

    monkeypatch.setattr(process, "cancel", recorded)
    message = {"type": "generate", "tokens": LONG.tokens, "max_new_tokens": 1000, "visible_first": True}
    async with process.call(message) as left:
        pass
    async with process.call({"type": "encode", "texts": ["x"]}) as answered:
        assert (await answered.next())["type"] == "encoded"
    assert cancelled == [left.id]
    assert answered.id != left.id


async def test_waiting_requests_can_be_cancelled(engine: LlamaEngine, written: Written) -> None:
    """A request that waits for its turn leaves without a trace."""
    async with aclosing(engine.generate(LONG)) as stream:
        await anext(stream)
        waiting = asyncio.create_task(written(engine, SHORT))
        await asyncio.sleep(0.01)
        waiting.cancel()
        await asyncio.wait([waiting])
        await anext(stream)
    assert (await written(engine, SHORT))[1].tokens_generated == 4


async def test_a_cancelled_score_frees_the_model(engine: LlamaEngine, written: Written) -> None:
    """Scoring can be cancelled like writing."""
    await engine.load()
    task = asyncio.create_task(engine.score(Prompt((5,) * 800, "", 1), "x = 1\n" * 40))
    await asyncio.sleep(0.02)
    task.cancel()
    await asyncio.wait([task])
    assert task.cancelled()
    assert (await written(engine, SHORT))[1].tokens_generated == 4


async def test_one_caller_who_leaves_does_not_stop_the_loading(engine: LlamaEngine) -> None:
    """The model goes on loading for those who still wait."""
    leaving = asyncio.create_task(engine.load())
    staying = asyncio.create_task(engine.load())
    await asyncio.sleep(0.05)
    leaving.cancel()
    assert (await staying).name
    assert leaving.cancelled()


async def test_closing_while_loading(build: Build, written: Written) -> None:
    """An engine that is closed while its model loads leaves no process, and can be used again."""
    engine = build()
    loading = asyncio.create_task(engine.load())
    await asyncio.sleep(0.1)
    await engine.close()
    assert isinstance((await asyncio.gather(loading, return_exceptions=True))[0], asyncio.CancelledError)
    assert not [
        child for child in psutil.Process().children() if "bowerbird.inference.child" in child.cmdline()
    ]
    assert (await written(engine, SHORT))[0]


async def test_closing_while_writing(engine: LlamaEngine) -> None:
    """Closing ends a running generation with a sentence, and the process with it."""
    stream = engine.generate(LONG)
    await anext(stream)
    process = pid(engine)
    await engine.close()
    await engine.close()
    with pytest.raises(ModelCrashed):
        async for _ in stream:
            pass
    assert gone(process)
    assert engine.state is EngineState.IDLE


# Death


async def write_and_send(engine: LlamaEngine, number: signal.Signals) -> None:
    """Send a signal to the model's process at the first token of a long text."""
    async with aclosing(engine.generate(LONG)) as stream:
        await anext(stream)
        os.kill(pid(engine), number)
        async for _ in stream:
            pass


@pytest.mark.parametrize("name", ["SIGKILL", "SIGSEGV", "SIGABRT"])
async def test_a_killed_process_is_replaced(name: str, engine: LlamaEngine, written: Written) -> None:
    """The running request ends with the reason, and the next one has a new process and the same answer."""
    expected, _ = await written(engine, SHORT)
    process = pid(engine)
    with pytest.raises(ModelCrashed, match=name):
        await write_and_send(engine, getattr(signal, name))
    assert name in engine.problem
    assert (await written(engine, SHORT))[0] == expected
    assert pid(engine) != process
    assert engine.problem == ""


async def test_a_process_that_died_unseen_is_replaced(engine: LlamaEngine, written: Written) -> None:
    """A death between two requests costs nobody a request."""
    await engine.load()
    process = pid(engine)
    os.kill(process, signal.SIGKILL)
    while engine._process is not None and engine._process.ended is None:  # noqa: ASYNC110
        await asyncio.sleep(0.01)
    assert (await written(engine, SHORT))[0]


async def test_a_stopped_process_is_noticed(engine: LlamaEngine, written: Written) -> None:
    """A process that does not answer is killed, and the next request has a new one."""
    await engine.load()
    assert engine._process is not None
    engine._process._patience = SILENCE  # now that it has started, which takes long on a busy machine
    process = pid(engine)
    with pytest.raises(ModelCrashed, match="did not answer for 1 seconds"):
        await write_and_send(engine, signal.SIGSTOP)
    assert gone(process)
    assert (await written(engine, SHORT))[0]


async def test_a_decode_that_hangs_is_noticed(build: Build) -> None:
    """A process that answers pings but does not go on with its work is killed too."""
    engine = build(command=child_that("decoder.Decoder.generate = lambda *_: time.sleep(60)"), patience=STALL)
    with pytest.raises(ModelCrashed, match=r"did not go on for 1\.5 seconds"):
        await anext(engine.generate(LONG))


async def test_a_long_prompt_is_no_hang(build: Build, written: Written) -> None:
    """Progress counts: a prompt that takes longer than the patience lasts is not cut off."""
    slow = (
        "decode = decoder.Context.decode\n"
        "def slow(*arguments, **options): time.sleep(0.25); decode(*arguments, **options)\n"
        "decoder.Context.decode = slow"
    )
    engine = build(command=child_that(slow), patience=STALL)
    _, usage = await written(engine, Prompt((5,) * 500, "", 1))
    assert usage.evaluate_ms > 1500


async def test_stopped_together_is_no_silence(engine: LlamaEngine, written: Written) -> None:
    """Where both were stopped for a while, as by Ctrl-Z, the process is not blamed for its silence."""
    await engine.load()
    process = engine._process
    assert process is not None
    process._patience = SILENCE
    async with aclosing(engine.generate(LONG)) as stream:
        await anext(stream)
        await asyncio.sleep(0.12)
        os.kill(process.pid, signal.SIGSTOP)
        await asyncio.sleep(0.12)  # what it had sent before is heard
        time.sleep(1.5)  # noqa: ASYNC251 - now we do not run either
        await asyncio.sleep(0.12)  # we go on a little earlier
        os.kill(process.pid, signal.SIGCONT)
        async for _ in stream:
            pass
    assert (await written(engine, SHORT))[0]
    assert engine._process is process


async def test_garbage_from_the_process_ends_it(build: Build) -> None:
    """A process that writes something else than messages is killed and told of."""
    garbage = (
        "perform = child.Child._perform\n"
        "def garble(self, message):\n"
        "    if message['type'] == 'load': return perform(self, message)\n"
        "    os.write(self._sink, b'garbage!'); time.sleep(60)\n"
        "child.Child._perform = garble"
    )
    engine = build(command=child_that(garbage))
    await engine.load()
    process = pid(engine)
    with pytest.raises(ModelCrashed, match="no message"):
        await anext(engine.generate(LONG))
    assert gone(process)


async def test_too_many_crashes_leave_the_model_off(build: Build, written: Written) -> None:
    """After more crashes than allowed the model stays off with a reason, until it is restarted by hand."""
    engine = build(max_restarts=1)
    for _ in range(2):
        with pytest.raises(ModelCrashed, match="SIGKILL"):
            await write_and_send(engine, signal.SIGKILL)
    for _ in range(2):
        with pytest.raises(ModelCrashed, match="2 times within ten minutes"):
            await written(engine, SHORT)
    assert engine.state is EngineState.DOWN
    assert "2 times" in engine.problem
    await engine.restart()
    assert (await written(engine, SHORT))[0]


async def test_old_crashes_are_forgotten(
    build: Build, written: Written, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Only the crashes of the last ten minutes count."""
    engine = build(max_restarts=0)
    with pytest.raises(ModelCrashed, match="SIGKILL"):
        await write_and_send(engine, signal.SIGKILL)
    with pytest.raises(ModelCrashed, match="ten minutes"):
        await engine.load()
    monkeypatch.setattr("bowerbird.inference.crashes.MEMORY_SECONDS", 0.0)
    assert (await written(engine, SHORT))[0]


PARENT = """
import asyncio, sys
from pathlib import Path
from bowerbird.inference.generator import Prompt
from bowerbird.inference.llama import LlamaEngine
from bowerbird.settings import InferenceSettings

async def main():
    engine = LlamaEngine(Path(sys.argv[1]), InferenceSettings())
    await engine.load()
    print(engine._process.pid, flush=True)
    while True:
        async for _ in engine.generate(Prompt((5,) * 900, "", 100)):
            pass
        async for _ in engine.generate(Prompt((6,) * 900, "", 100)):
            pass

asyncio.run(main())
"""


@pytest.mark.parametrize("after_ms", [0, 150])
def test_a_killed_parent_leaves_no_child(after_ms: int, model: Path) -> None:
    """Two seconds after the server was killed its model's process is gone, also from within a decode."""
    parent = subprocess.Popen([sys.executable, "-P", "-c", PARENT, str(model)], stdout=subprocess.PIPE)
    assert parent.stdout is not None
    child = int(parent.stdout.readline())
    assert not gone(child)
    time.sleep(after_ms / 1000)
    parent.kill()
    parent.communicate()
    deadline = time.monotonic() + 2.0
    while not gone(child):
        assert time.monotonic() < deadline
        time.sleep(0.01)


# Bad files


async def test_a_missing_file(build: Build, tmp_path: Path) -> None:
    """A model that is not there is named in the sentence, and is found once it appears."""
    path = tmp_path / "later.gguf"
    engine = build(path)
    with pytest.raises(ModelMissing, match=r"later\.gguf"):
        await engine.load()
    assert engine.state is EngineState.DOWN
    assert "later.gguf" in engine.problem


async def test_a_repaired_file_is_loaded(build: Build, model: Path, tmp_path: Path) -> None:
    """A file that could not be loaded is tried again when it has changed, and not before."""
    path = tmp_path / "model.gguf"
    path.write_bytes(model.read_bytes()[:100_000])
    engine = build(path)
    with pytest.raises(ModelCorrupt) as first:
        await engine.load()
    with pytest.raises(ModelCorrupt) as second:
        await engine.load()
    assert first.value is second.value
    shutil.copy(model, path)
    assert (await engine.load()).name


@pytest.mark.parametrize("kept", [0, 4, 100, 5_000, 300_000, 7_000_000, -1])
async def test_a_truncated_file(kept: int, build: Build, model: Path, tmp_path: Path) -> None:
    """However much of a download is missing, the sentence names the file and the server goes on."""
    path = tmp_path / "half.gguf"
    path.write_bytes(model.read_bytes()[:kept])
    engine = build(path)
    with pytest.raises(ModelCorrupt, match=r"half\.gguf"):
        await engine.load()
    assert engine.state is EngineState.DOWN


@pytest.mark.parametrize("seed", range(4))
async def test_a_damaged_file(seed: int, build: Build, model: Path, tmp_path: Path) -> None:
    """Random bytes, behind the magic or in the midst of a real model's head, end in a sentence or a model."""
    noise = random.Random(seed)
    data = bytearray(model.read_bytes())
    if seed < 1:
        data[4:] = noise.randbytes(50_000)
    else:
        for _ in range(40):
            data[noise.randrange(4, 200_000)] = noise.randrange(256)
    path = tmp_path / "damaged.gguf"
    path.write_bytes(data)
    engine = build(path)
    try:
        await engine.load()
    except InferenceError as error:
        assert "damaged.gguf" in str(error)  # noqa: PT017 - some damage is harmless
    else:
        assert seed >= 1


async def test_a_process_that_dies_of_a_file(build: Build) -> None:
    """A file whose loading ends the process by an assertion is called corrupt, with what the process said."""
    die = (
        "def die(*_): sys.stderr.write('GGML_ASSERT(n > 0) failed\\n'); sys.stderr.flush(); os.abort()\n"
        "decoder.Decoder.__init__ = die"
    )
    engine = build(command=child_that(die))
    with pytest.raises(ModelCorrupt, match=r"SIGABRT.*GGML_ASSERT"):
        await engine.load()
    await asyncio.sleep(0)
    with pytest.raises(ModelCorrupt):
        await engine.load()


async def test_memory_that_runs_out_while_loading(build: Build) -> None:
    """A process that the system kills while it loads is not the file's fault."""
    engine = build(command=child_that("decoder.Decoder.__init__ = lambda *_: os.kill(os.getpid(), 9)"))
    with pytest.raises(ModelCrashed, match="perhaps because memory ran short"):
        await engine.load()


async def test_memory_that_is_too_small_for_the_context(build: Build) -> None:
    """A context that cannot be made is told, and not tried again at each key."""
    refuse = "def refuse(*_, **__): raise context.DecoderError('memory', 'Too little memory.')"
    engine = build(
        command=child_that(f"from bowerbird.inference import context\n{refuse}\ndecoder.Context = refuse")
    )
    with pytest.raises(InferenceError, match="Too little memory") as first:
        await engine.load()
    with pytest.raises(InferenceError) as second:
        await engine.load()
    assert first.value is second.value


async def test_a_load_that_hangs(build: Build) -> None:
    """A process that neither answers nor dies while it loads is killed, and the file is not blamed."""
    engine = build(
        command=child_that("decoder.Decoder.__init__ = lambda *_: os.kill(os.getpid(), 19)"), patience=SILENCE
    )
    with pytest.raises(ModelCrashed, match=r"did not answer .* while loading"):
        await engine.load()


async def test_a_process_that_cannot_be_started(build: Build, tmp_path: Path) -> None:
    """Without an interpreter to start there is a sentence, and no other error."""
    with pytest.raises(ModelCrashed, match="cannot be started"):
        await build(command=(str(tmp_path / "none"),)).load()


async def test_a_process_that_is_no_model(build: Build) -> None:
    """A program that prints and leaves at once is told with what it printed."""
    engine = build(command=("sh", "-c", "echo error: out of biscuits >&2; exit 3"))
    with pytest.raises(ModelCorrupt, match=r"ended with code 3 .*out of biscuits"):
        await engine.load()


async def test_a_folder_and_other_files(build: Build, tmp_path: Path) -> None:
    """A folder, a text, and a file that may not be read each have their sentence."""
    text = tmp_path / "readme.txt"
    text.write_text("no model")
    for path, match in ((tmp_path, "is a folder"), (text, "no GGUF file")):
        with pytest.raises(ModelCorrupt, match=match):
            await build(path).load()


async def test_names_with_odd_characters(build: Build, model: Path, tmp_path: Path) -> None:
    """A path with spaces, umlauts and bytes that are no UTF-8 is opened."""
    path = tmp_path / os.fsdecode(b"m\xc3\xb6del \xff #1.gguf")
    shutil.copy(model, path)
    assert (await build(path).load()).name


async def test_a_missing_package_is_told(build: Build, tmp_path: Path) -> None:
    """Without llama-cpp-python, or with one that cannot start, the command that brings it is told."""
    broken = tmp_path / "llama_cpp"
    broken.mkdir()
    (broken / "__init__.py").write_text("raise OSError('libllama.so: cannot open shared object file')")
    for hide in ("sys.modules['llama_cpp'] = None", f"sys.path.insert(0, {str(tmp_path)!r})"):
        script = f"import sys; {hide}\nfrom bowerbird.inference import child\nchild.main()"
        engine = build(command=(sys.executable, "-P", "-c", script))
        with pytest.raises(EngineMissing, match=r"pip install 'bowerbird\[llama\]'"):
            await engine.load()
