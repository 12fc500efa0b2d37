"""Who comes first at a model, and that nothing of what waits is lost."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Awaitable, Callable
from contextlib import aclosing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import parts
from bowerbird.inference.generator import Prompt, Usage
from bowerbird.inference.llama import LlamaEngine
from bowerbird.inference.llama_server import LlamaServer
from bowerbird.inference.llama_writing import Writing
from bowerbird.inference.pipe import Message
from bowerbird.inference.turns import Priority, Turns
from bowerbird.settings import InferenceSettings

Written = Callable[[Any, Prompt], Awaitable[tuple[str, Usage]]]
LINES = r'root ::= ("- " [ -~]+ "\n")+'


async def test_the_most_urgent_comes_first() -> None:
    """Equal ones come in the order in which they asked, whatever ran before them."""
    turns, order = Turns(), list[tuple[Priority, int]]()

    async def use(priority: Priority, number: int) -> None:
        async with turns.turn(priority):
            order.append((priority, number))
            await asyncio.sleep(0)

    asked = [(priority, number) for number in range(3) for priority in Priority]
    async with asyncio.TaskGroup() as group, turns.turn(Priority.GENERATION):
        for one in asked:
            group.create_task(use(*one))
        await asyncio.sleep(0)
    assert order == [(priority, n) for priority in reversed(Priority) for n in range(3)]


async def test_only_what_is_more_urgent_interrupts() -> None:
    """Who has the turn hears of it once, at once, and also if nobody listened yet."""
    turns = Turns()
    for running in Priority:
        for waiting in Priority:
            heard: list[str] = []
            async with turns.turn(running) as use:
                if running % 2:
                    use.on_wanted(lambda heard=heard: heard.append("wanted"))
                queued = [asyncio.create_task(turns.turn(waiting).__aenter__()) for _ in range(2)]
                await asyncio.sleep(0)
                if not running % 2:
                    use.on_wanted(lambda heard=heard: heard.append("wanted"))
                assert heard == ["wanted"] * (waiting > running)
                for task in queued:
                    task.cancel()
                await asyncio.wait(queued)


async def test_several_may_have_a_turn_at_once() -> None:
    """As many as there are places; more places let in those who wait, and fewer send nobody away."""
    turns, inside = Turns(2), list[int]()
    leave = asyncio.Event()

    async def use(number: int) -> None:
        async with turns.turn(Priority.AUTOMATIC):
            inside.append(number)
            await leave.wait()

    async with asyncio.TaskGroup() as group:
        for number in range(5):
            group.create_task(use(number))
        await asyncio.sleep(0)
        assert (inside, turns.crowding) == ([0, 1], 2.5)
        turns.places = 3
        await asyncio.sleep(0)
        assert inside == [0, 1, 2]
        turns.places = 1
        await asyncio.sleep(0)
        assert inside == [0, 1, 2]
        leave.set()
    assert (inside, turns.crowding) == ([0, 1, 2, 3, 4], 0)


async def test_one_of_several_makes_way() -> None:
    """The least urgent of those who can; a second one for the second who waits."""
    turns = Turns(3)
    waiting, told = [], []
    async with (
        turns.turn(Priority.GENERATION, makes_way=False) as firm,
        turns.turn(Priority.GENERATION) as slow,
        turns.turn(Priority.AUTOMATIC) as eager,
    ):
        for priority in (Priority.GENERATION, Priority.AUTOMATIC, Priority.AUTOMATIC, Priority.INVOKED):
            waiting.append(asyncio.create_task(turns.turn(priority).__aenter__()))
            await asyncio.sleep(0)
            told.append((firm.wanted, slow.wanted, eager.wanted))
        assert told == [
            (False, False, False),
            (False, True, False),
            (False, True, False),
            (False, True, True),
        ]
        for task in waiting:
            task.cancel()
        await asyncio.wait(waiting)


@pytest.mark.parametrize("places", [1, 3])
async def test_cancelling_at_any_moment_loses_no_turn(places: int) -> None:
    """Whoever leaves, waiting or running, the next one has its turn, and never more at once than may be."""
    chance, turns = random.Random(7), Turns(places)
    running = most = done = 0

    async def use(priority: Priority) -> None:
        nonlocal running, most, done
        async with turns.turn(priority):
            running += 1
            most = max(most, running)
            try:
                for _ in range(chance.randrange(4)):
                    await asyncio.sleep(0)
            finally:
                running -= 1
            done += 1

    tasks: list[asyncio.Task[None]] = []
    for _ in range(600):
        tasks.append(asyncio.create_task(use(chance.choice([*Priority]))))
        if chance.random() < 0.5:
            chance.choice(tasks).cancel()
        if chance.random() < 0.6:
            await asyncio.sleep(0)
    await asyncio.wait(tasks, timeout=20)
    assert all(task.done() for task in tasks)
    assert (most, running) == (places, 0)
    assert done == sum(not task.cancelled() for task in tasks) > 100
    assert not [task for task in tasks if not task.cancelled() and task.exception()]
    async with asyncio.timeout(1), turns.turn(Priority.GENERATION):
        pass


async def generated(engine: Any, prompt: Prompt, began: asyncio.Event) -> tuple[str, Usage]:
    """What the model writes, saying when it has begun."""
    text, usage = "", None
    async with aclosing(engine.generate(prompt)) as stream:
        async for token in stream:
            began.set()
            text += token.text
            usage = token.usage
    assert usage is not None
    return text, usage


async def _goes_on(generating: asyncio.Task[Any], began: asyncio.Event) -> bool:
    """Wait for its next token; False when it is at its end."""
    began.clear()
    writes = asyncio.create_task(began.wait())
    await asyncio.wait([generating, writes], return_when=asyncio.FIRST_COMPLETED)
    writes.cancel()
    return not generating.done()


@pytest.mark.parametrize("grammar", ["", LINES], ids=["free", "by a grammar"])
async def test_a_completion_does_not_wait_for_a_generation(
    engine: LlamaEngine, written: Written, code: str, grammar: str
) -> None:
    """It is served first; the generation goes on from its own tokens to the same text."""
    (tokens,) = await engine.encode([code + "items:\n- one two three\n- four five six\n"])
    long = Prompt(tuple(tokens), "", 160, grammar=grammar, priority=Priority.GENERATION)
    expected, alone = await written(engine, long)
    completion = Prompt((5, 6, 7, 8) * 8, "", 6, priority=Priority.AUTOMATIC)
    quick, _ = await written(engine, completion)
    began = asyncio.Event()
    generating = asyncio.create_task(generated(engine, long, began))
    served = 0
    while await _goes_on(generating, began):
        assert (await written(engine, completion))[0] == quick
        served += 1
    text, usage = await generating
    assert served > 1
    assert text == expected
    assert (usage.tokens_generated, usage.stopped, usage.grammar) == (
        alone.tokens_generated,
        alone.stopped,
        alone.grammar,
    )
    assert usage.tokens_evaluated <= 1 + 2 * served, "what was read before is read again"


async def test_going_on_reads_nothing_again(engine: LlamaEngine, written: Written, code: str) -> None:
    """Each has a cache of its own, so that neither spoils the other's."""
    (tokens,) = await engine.encode([code])
    generation = Prompt(tuple(tokens), "", 4, priority=Priority.GENERATION)
    completion = Prompt(tuple(tokens[:60][::-1]), "", 4)
    await written(engine, generation)
    await written(engine, completion)
    for prompt in (generation, completion, generation):
        _, usage = await written(engine, prompt)
        assert (usage.tokens_reused, usage.tokens_evaluated) == (len(prompt.tokens) - 1, 1)


def test_a_cache_that_is_too_large_is_made_anew(
    load_message: Callable[..., Message], model: Path, code: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The text is the same, whether the cache of a slot was set aside or not."""
    from bowerbird.inference import context
    from bowerbird.inference.context import AbortFlag
    from bowerbird.inference.decoder import Decoder
    from bowerbird.inference.greedy import Terms

    decoder = Decoder(load_message(model), AbortFlag(), lambda: None)
    tokens = decoder.vocabulary.encode(code)
    told = []
    for most in (context.MOST_BYTES_ASIDE, 0, context.MOST_BYTES_ASIDE):
        monkeypatch.setattr(context, "MOST_BYTES_ASIDE", most)
        for slot in (0, 1, 2, 0):
            texts: list[str] = []
            outcome = decoder.generate(tokens[slot:], Terms(12), texts.append, lambda: None, slot)
            told.append((slot, "".join(texts), outcome.tokens_reused > 0))
    by_slot = [{text for slot, text, _ in told if slot == n} for n in range(3)]
    assert [len(texts) for texts in by_slot] == [1, 1, 1]
    assert [reused for _, _, reused in told[:4]] == [False, False, False, True]
    assert [reused for _, _, reused in told[5:8]] == [True, True, False]


async def test_leaving_while_interrupted(engine: LlamaEngine, written: Written) -> None:
    """A generation that is closed while it waits to go on leaves the queue, and the model is free."""
    long = Prompt(tuple(range(400, 420)), "", 900, priority=Priority.GENERATION)
    completion = Prompt((6,) * 8, "", 40)
    quick, _ = await written(engine, completion)
    began = asyncio.Event()
    generating = asyncio.create_task(generated(engine, long, began))
    await began.wait()
    completing = asyncio.create_task(written(engine, completion))  # type: ignore[arg-type]
    await asyncio.sleep(0.01)
    generating.cancel()
    await asyncio.wait([generating])
    assert (await completing)[0] == quick
    assert (await written(engine, replace(completion, priority=Priority.GENERATION)))[0] == quick


async def test_a_score_is_never_interrupted(engine: LlamaEngine) -> None:
    """It has nothing to go on from."""
    scoring = asyncio.create_task(engine.score(Prompt((5,) * 400, "", 0), "a b c d e f g"))
    await asyncio.sleep(0)
    stream = engine.generate(Prompt((6,) * 8, "", 2, priority=Priority.INVOKED))
    assert [token async for token in stream][-1].usage is not None
    assert len(await scoring) > 3


def test_what_a_server_was_broken_off_in_is_counted() -> None:
    """A later request's end token is told from the earlier one's text, and the times of both are told."""
    writing = Writing(Prompt((1, 2), "", 9))
    timings = {"prompt_ms": 2.0, "predicted_ms": 3.0}
    writing.ask()
    writing.take({"content": "a", "tokens": [5], "stop": False, "timings": timings})
    writing.ask()
    writing.take({"content": "b", "tokens": [6], "stop": False})
    writing.take({"content": "", "tokens": [0], "stop": False})
    last = {"stop": True, "stop_type": "eos", "tokens_predicted": 2}
    writing.take({"content": "", "tokens": [], **last, "timings": timings})
    usage = writing.usage()
    assert (writing.tokens, usage.tokens_generated, usage.stopped) == ([1, 2, 5, 6], 2, "end")
    assert (usage.evaluate_ms, usage.generate_ms) == (4.0, 6.0)


async def test_a_llama_server_serves_completions_first(
    model: Path, written: Written, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A generation there makes way too, and goes on to the same text; one by a grammar is not broken off."""
    monkeypatch.setattr("bowerbird.inference.llama_server.find_running_server", lambda: "")
    server = LlamaServer(InferenceSettings(), parts.require_part("llama-server"), model)
    long = Prompt((5, 6, 7, 8) * 20, "", 300, priority=Priority.GENERATION)
    completion = Prompt((6,) * 8, "", 4)
    try:
        expected, _ = await written(server, long)
        quick, _ = await written(server, completion)
        for prompt, made_way in ((long, True), (replace(long, grammar=LINES), False)):
            began = asyncio.Event()
            generating = asyncio.create_task(generated(server, prompt, began))
            await began.wait()
            assert (await written(server, completion))[0] == quick
            assert generating.done() is not made_way
            text, usage = await generating
            assert usage.tokens_generated <= 300
            if made_way:
                assert text == expected
    finally:
        await server.close()
