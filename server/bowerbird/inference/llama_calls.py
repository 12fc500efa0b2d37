"""Requests to the model's process and their answers, as the seam has them."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import fields, replace
from pathlib import Path

from bowerbird.inference.crashes import Crashes
from bowerbird.inference.generator import (
    EngineMissing,
    InferenceError,
    ModelCorrupt,
    ModelCrashed,
    Prompt,
    Usage,
)
from bowerbird.inference.pipe import Message
from bowerbird.inference.process import Call, ModelProcess, ProcessEnded
from bowerbird.inference.turns import Priority

HOW_TO_INSTALL = "This brings it: pip install 'bowerbird[llama]'"
STOP_SECONDS = 2.0  # a closed generation waits so long at most for the model to have stopped
MAX_ENCODE_CHARACTERS = 4_000_000  # in one message; more are sent one after the other

FAILURES: dict[str, type[InferenceError]] = {
    "corrupt": ModelCorrupt,
    "engine": EngineMissing,
    "memory": InferenceError,
    "grammar": InferenceError,
    "prompt": InferenceError,
    "decode": InferenceError,
    "internal": InferenceError,
}
"""What the kinds of a ``failed`` message mean."""


def generate_message(prompt: Prompt) -> Message:
    """The message `generate`; code from comments has a cache of its own, so that it can go on at once."""
    return {
        "type": "generate",
        "tokens": prompt.tokens,
        "max_new_tokens": prompt.max_new_tokens,
        "visible_first": prompt.visible_first,
        "first_choice": prompt.first_choice,
        "grammar": prompt.grammar,
        "slot": int(prompt.priority is Priority.GENERATION),
        "priority": int(prompt.priority),
    }


async def next_answer(call: Call) -> Message:
    """The next answer, unless it says that the request failed."""
    answer = await call.next()
    if answer["type"] == "failed":
        raise FAILURES.get(answer["kind"], InferenceError)(answer["message"])
    return answer


async def load_into(process: ModelProcess, model_path: Path, message: Message, crashes: Crashes) -> Message:
    """What the process reports of the model; if there is nothing to report, it is closed.

    Raises `InferenceError`. A death is added to `crashes`.
    """
    try:
        try:
            async with process.call(message) as call:
                return await next_answer(call)
        except BaseException:
            await process.close()  # now its log is complete
            raise
    except ModelCorrupt as error:
        said = process.log.complaint() or str(error)
        raise ModelCorrupt(f"{model_path} cannot be loaded: {said}") from error
    except EngineMissing as error:
        raise EngineMissing(f"llama-cpp-python does not start ({error}). {HOW_TO_INSTALL}") from error
    except ProcessEnded as ended:
        crashes.add()
        story = f"The model's process {ended} while loading {model_path}. {process.log.complaint()}"
        raise (ModelCorrupt if ended.by_itself else ModelCrashed)(story.rstrip()) from ended


async def stop(process: ModelProcess, call: Call) -> None:
    """Cancel, and wait a moment for the process to say that it stopped."""
    process.cancel(call)
    with suppress(TimeoutError, ProcessEnded):  # the next request finds out
        async with asyncio.timeout(STOP_SECONDS):
            while not call.over:
                await call.next()


def usage_of(done: Message) -> Usage:
    """What the message `done` says of a generation."""
    return Usage(**{field.name: done[field.name] for field in fields(Usage)})


def summed(parts: Sequence[Usage]) -> Usage:
    """What a generation cost that went on after interruptions; what was read again counts again."""
    first, last = parts[0], parts[-1]
    return replace(
        last,
        tokens_reused=first.tokens_reused,
        tokens_evaluated=sum(part.tokens_evaluated for part in parts),
        evaluate_ms=sum(part.evaluate_ms for part in parts),
        generate_ms=sum(part.generate_ms for part in parts),
        tokens_drafted=sum(part.tokens_drafted for part in parts),
        tokens_accepted=sum(part.tokens_accepted for part in parts),
    )


def batches(texts: Sequence[str]) -> Iterator[list[str]]:
    """`texts` in messages of a bearable size."""
    batch: list[str] = []
    characters = 0
    for text in texts:
        if batch and characters + len(text) > MAX_ENCODE_CHARACTERS:
            yield batch
            batch, characters = [], 0
        batch.append(text)
        characters += len(text)
    if batch:
        yield batch
