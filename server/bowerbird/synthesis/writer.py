"""The model behind an `Ask`: tokens in, text out, and what that cost."""

from __future__ import annotations

import re
from collections.abc import Sequence
from contextlib import aclosing
from dataclasses import dataclass
from typing import Protocol

from bowerbird.inference.generator import Generator, Prompt, Tokenizer
from bowerbird.inference.loaded import LoadedModel
from bowerbird.synthesis.prompt import Ask, Message

CAPABLE_PARAMETERS = 300e6  # below, a model copies at best: it writes neither queries nor test inputs
CAPABLE_CONTEXT = 2_048  # less has no room for an answer beside documentation
CIRCLE_LINES = 8  # that repeat one or two lines: small models never leave such a circle
SIZE = re.compile(r"\b(\d+(?:\.\d+)?) ?([MB])\b")


class Model(Generator, Tokenizer, Protocol):
    """What is needed of the model: it writes, it counts, and it says what it is."""

    async def load(self) -> LoadedModel:
        """Make sure that the model is there; raises `InferenceError`."""
        ...


class Chat(Protocol):
    """Turns a conversation into the tokens that a model was trained on, by its GGUF's own template."""

    async def encode_chat(self, messages: Sequence[Message]) -> list[int] | None:
        """The tokens up to where the answer begins; None where the model has no such template."""
        ...


@dataclass(frozen=True, slots=True)
class Written:
    """One answer."""

    text: str
    prompt: str
    """What the model was given, for people."""
    tokens: int
    """Of prompt and answer together, as EVOR's appendix E counts."""
    stopped: str = ""


class Writer:
    """Asks one model."""

    def __init__(self, model: Model, chat: Chat | None = None) -> None:
        self.model = model
        self._chat = chat

    async def load(self) -> LoadedModel:
        """See `Model.load`."""
        return await self.model.load()

    async def count(self, texts: Sequence[str]) -> dict[str, int]:
        """Tokens of each text."""
        distinct = list(dict.fromkeys(texts))
        lengths = map(len, await self.model.encode(distinct))
        return dict(zip(distinct, lengths, strict=True))

    async def write(self, ask: Ask, max_new_tokens: int) -> Written:
        """The answer; the model is stopped where the next example would begin. Raises `InferenceError`."""
        loaded = await self.model.load()
        tokens = await self._chat.encode_chat(ask.messages) if self._chat is not None else None
        chat = tokens is not None
        shown = "\n\n".join(f"{one.role}: {one.content}" for one in ask.messages) if chat else ask.text
        if tokens is None:
            (tokens,) = await self.model.encode([loaded.template.lead + ask.text])
            tokens = [*(() if loaded.template.bos is None else (loaded.template.bos,)), *tokens]
        room = loaded.context_tokens - max_new_tokens
        if room > 0:
            tokens = tokens[-room:]  # it was counted in parts, so this cuts a token or two at most
        text, stopped, written = "", "", 0
        async with aclosing(self.model.generate(Prompt(tuple(tokens), shown, max_new_tokens))) as stream:
            async for token in stream:
                text += token.text
                written += token.count if token.text else 0
                if token.usage is not None:
                    stopped = token.usage.stopped
                ends = [at for stop in ask.stops if not chat and (at := text.find(stop)) >= 0]
                if ends:
                    text, stopped = text[: min(ends)], "stop"
                    break
                if "\n" in token.text and (start := _circle(text)):
                    text, stopped = text[:start], "circle"
                    break
        return Written(text, shown, len(tokens) + written, stopped)


def _circle(text: str) -> int:
    """Where a text begins to say the same one or two lines again and again; 0 where it does not."""
    *lines, _ = text.split("\n")
    last = lines[-CIRCLE_LINES:]
    if len(last) < CIRCLE_LINES or len(set(last)) > 2 or last[::2] != last[::2][:1] * len(last[::2]):
        return 0
    return len("\n".join(lines[: -CIRCLE_LINES + 2])) + 1


def is_capable(model: LoadedModel) -> bool:
    """Can it be asked for more than code? One whose size is not told is given the benefit of the doubt."""
    sizes = [float(size) * (1e9 if unit == "B" else 1e6) for size, unit in SIZE.findall(model.description)]
    size = max(sizes, default=CAPABLE_PARAMETERS)
    return model.context_tokens >= CAPABLE_CONTEXT and size >= CAPABLE_PARAMETERS
