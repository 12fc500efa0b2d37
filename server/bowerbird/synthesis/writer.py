"""The model behind an `Ask`: tokens in, text out, and what that cost."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from typing import Protocol

from bowerbird.inference.generator import Chat, Generator, Prompt, Tokenizer
from bowerbird.inference.loaded import LoadedModel
from bowerbird.inference.turns import Priority
from bowerbird.synthesis.capability import CAPABLE_CONTEXT, Answer
from bowerbird.synthesis.constrained import Constraint
from bowerbird.synthesis.prompt import Ask

CAPABLE_PARAMETERS = 300e6  # where it is not tried out
CIRCLE_LINES = 8  # that repeat one or two lines: small models never leave such a circle
THOUGHT = "</think>"  # ends what some models say to themselves
SIZE = re.compile(r"\b(\d+(?:\.\d+)?) ?([MB])\b")


class Model(Generator, Tokenizer, Protocol):
    """What is needed of the model: it writes, it counts, and it says what it is."""

    async def load(self) -> LoadedModel:
        """Make sure that the model is there; raises `InferenceError`."""
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
    whole: bool = False
    """It is code as the constraint wants it, and nothing else."""


async def by_size(model: LoadedModel, _answer: Answer) -> bool:
    """A guess for a model that is not tried out; one whose size is not told has the benefit of the doubt."""
    sizes = [float(size) * (1e9 if unit == "B" else 1e6) for size, unit in SIZE.findall(model.description)]
    size = model.parameters or max(sizes, default=CAPABLE_PARAMETERS)
    return model.context_tokens >= CAPABLE_CONTEXT and size >= CAPABLE_PARAMETERS


class Writer:
    """Asks one model."""

    def __init__(
        self,
        model: Model,
        chat: Chat | None = None,
        judge: Callable[[LoadedModel, Answer], Awaitable[bool]] = by_size,
    ) -> None:
        """`judge` says whether it can be asked for more than code (`capability`)."""
        self.model = model
        self._chat = chat
        self._judge = judge

    async def load(self) -> LoadedModel:
        """See `Model.load`."""
        return await self.model.load()

    async def is_capable(self) -> bool:
        """Can the model be asked for more than code? Raises `InferenceError`."""

        async def answer(ask: Ask, max_new_tokens: int) -> str:
            return (await self.write(ask, max_new_tokens)).text

        return await self._judge(await self.model.load(), answer)

    async def count(self, texts: Sequence[str]) -> dict[str, int]:
        """Tokens of each text."""
        distinct = list(dict.fromkeys(texts))
        lengths = map(len, await self.model.encode(distinct))
        return dict(zip(distinct, lengths, strict=True))

    async def write(self, ask: Ask, max_new_tokens: int, constraint: Constraint | None = None) -> Written:
        """The answer; the model is stopped where the next example would begin. Raises `InferenceError`.

        With a `constraint` it is whole code, cut off or not, if the engine can keep a model to a grammar.
        """
        loaded = await self.model.load()
        tokens = await self._chat.encode_chat(ask.messages) if self._chat is not None else None
        chat = tokens is not None
        shown = "\n\n".join(f"{one.role}: {one.content}" for one in ask.messages) if chat else ask.text
        if tokens is None:
            (tokens,) = await self.model.encode([loaded.template.lead + ask.text])
            tokens = [*(() if loaded.template.bos is None else (loaded.template.bos,)), *tokens]
        elif constraint is not None:
            tokens = [*tokens, *(await self.model.encode([constraint.lead]))[0]]
        stops = ask.chat_stops if chat else ask.stops
        grammar = ""
        if constraint is not None:
            stops = constraint.ends(ask, chat)
            grammar = constraint.grammar(stops)
        room = loaded.context_tokens - max_new_tokens
        if room > 0:
            tokens = tokens[-room:]  # it was counted in parts, so this cuts a token or two at most
        text, stopped, written = "", "", 0
        prompt = Prompt(tuple(tokens), shown, max_new_tokens, grammar=grammar, priority=Priority.GENERATION)
        async with aclosing(self.model.generate(prompt)) as stream:
            async for token in stream:
                text += token.text
                written += token.count if token.text else 0
                if token.usage is not None:
                    stopped = token.usage.stopped
                ends = [at for stop in stops if (at := text.find(stop)) >= 0]
                if ends:
                    text, stopped = text[: min(ends)], "stop"
                    break
                if "\n" in token.text and (start := _circle(text)):
                    text, stopped = text[:start], "circle"
                    break
        whole = constraint.finished(text, stops) if constraint is not None else None
        if whole is not None:
            return Written(whole, shown, len(tokens) + written, stopped, whole=True)
        if chat:
            text = text.rpartition(THOUGHT)[2]
        if chat and constraint is not None:
            text = constraint.lead + text
        return Written(text, shown, len(tokens) + written, stopped)


def _circle(text: str) -> int:
    """Where a text begins to say the same one or two lines again and again; 0 where it does not."""
    *lines, _ = text.split("\n")
    last = lines[-CIRCLE_LINES:]
    if len(last) < CIRCLE_LINES or len(set(last)) > 2 or last[::2] != last[::2][:1] * len(last[::2]):
        return 0
    return len("\n".join(lines[: -CIRCLE_LINES + 2])) + 1
