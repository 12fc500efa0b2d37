"""A server's answers put together: one generation in as many requests as it takes."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from dataclasses import replace
from typing import Any, Protocol

from bowerbird.inference.chat import Turn
from bowerbird.inference.generator import Prompt, ServerUnreachable, Token, Usage
from bowerbird.inference.greedy import choose_first
from bowerbird.inference.loaded import LoadedModel

CANDIDATES = 100  # tokens among which a first one is chosen


class Connection(Protocol):
    """One running server that has a model, and what is asked of it. Raises `InferenceError`."""

    url: str
    counts_here: bool
    """Texts are counted without asking the server, so nothing need be kept."""
    can_choose: bool
    """It takes a token that is not the likeliest, refuses an end, and keeps to a grammar."""
    goes_on: bool
    """It tells the tokens of what it writes, so that a text which was broken off can be gone on with."""
    places: int
    """Generations that it may be given at once."""

    async def describe(self, wanted_context_tokens: int) -> LoadedModel: ...

    async def encode_all(self, texts: Sequence[str]) -> list[list[int]]: ...

    async def encode_chat(self, messages: Sequence[Turn]) -> list[int] | None: ...

    def complete(
        self, tokens: Sequence[int], max_new_tokens: int, refuse_end: bool, grammar: str = ""
    ) -> AsyncGenerator[dict[str, Any], None]: ...

    async def likeliest(self, tokens: Sequence[int], count: int) -> list[tuple[int, str, float]]: ...

    async def logprob(self, tokens: Sequence[int], following: int) -> float: ...

    async def healthy(self) -> bool: ...

    async def close(self) -> None: ...


class Writing:
    """One generation, in one request or several.

    A server refuses end tokens for a whole request or not at all. So a first request may end; if it
    ended before a visible character, a second refuses to end until there is one, and a third goes on.
    Each request follows a grammar from its beginning. So there is one request where there is a grammar, which
    says itself whether a text may be empty; and none is kept behind a token that the server did not choose.
    """

    def __init__(self, prompt: Prompt) -> None:
        self.tokens = list(prompt.tokens)
        self.left = prompt.max_new_tokens
        self.grammar = "" if prompt.first_choice else prompt.grammar
        self._kept = "" if not prompt.grammar else "kept" if self.grammar else "ignored"
        self.refuses_end = False
        self.stopped = ""
        self.turns = False
        """The next request is another one, or there is none."""
        self._prompt_tokens = len(prompt.tokens)
        self._received = 0
        """Tokens of the present request."""
        self._visible = not prompt.visible_first or bool(self.grammar)
        self._timings: list[dict[str, Any]] = []
        self._told: dict[str, Any] = {}
        """The latest timings of the present request."""

    @property
    def begun(self) -> bool:
        """Is anything written?"""
        return len(self.tokens) > self._prompt_tokens

    def ask(self) -> None:
        """A request begins; one that was broken off before told no end of its own."""
        self._timings += [self._told] if self._told else []
        self._received, self._told = 0, {}

    def begin(self, token: int, text: str) -> None:
        """`token`, whose text is `text`, is written without having been asked for."""
        self.tokens.append(token)
        self.left -= 1
        self._visible = self._visible or bool(text.strip())
        if not self.left:
            self.stopped = "length"

    def take(self, step: dict[str, Any]) -> str:
        """The text of one step of the stream."""
        if self.left == 0 and not step["stop"]:
            return ""  # a server that is asked for no token gives one
        text = str(step["content"])
        self._told = step.get("timings", self._told)
        if not step["stop"]:
            self.tokens += step["tokens"]
            self.left -= len(step["tokens"])
            self._received += len(step["tokens"])
        elif step["stop_type"] == "eos" and step.get("tokens_predicted") == self._received > 0:
            self.tokens.pop()  # the end token, which came as a step of its own
            self.left += 1
        self._visible = self._visible or bool(text.strip())
        ended = step["stop"] and step["stop_type"] != "limit" and self.left > 0
        if ended and not self._visible and not self.refuses_end:
            self.turns = self.refuses_end = True
        elif self.refuses_end and self._visible and not step["stop"]:
            self.turns, self.refuses_end = True, False
        elif step["stop"]:
            self.turns, self.stopped = True, "end" if ended else "length"
        else:
            self.turns = False
        if self.turns:
            self.ask()
        return text

    def usage(self) -> Usage:
        first = self._timings[0] if self._timings else {}
        return Usage(
            tokens_reused=int(first.get("cache_n", 0)),
            tokens_evaluated=int(first.get("prompt_n", 0)),
            tokens_generated=len(self.tokens) - self._prompt_tokens,
            evaluate_ms=sum(float(timings.get("prompt_ms", 0)) for timings in self._timings),
            generate_ms=sum(float(timings.get("predicted_ms", 0)) for timings in self._timings),
            stopped=self.stopped,
            grammar=self._kept,
        )


async def write(
    server: Connection, prompt: Prompt, writing: Writing | None = None
) -> AsyncGenerator[Token, None]:
    """See `Generator.generate`. Closing closes the connection, upon which the server stops.

    A text whose `writing` is given can be gone on with, by another call.
    """
    asked = prompt if server.can_choose else replace(prompt, visible_first=False, grammar="")
    writing = writing or Writing(asked)
    if prompt.first_choice and not writing.begun:
        yield Token(await _begin(server, writing, prompt.first_choice))
    while not writing.stopped:
        writing.ask()
        steps = server.complete(writing.tokens, writing.left, writing.refuses_end, writing.grammar)
        async with aclosing(steps):
            async for step in steps:
                if text := writing.take(step):
                    yield Token(text)
                if writing.turns:
                    break
            else:
                raise ServerUnreachable(f"The server at {server.url} broke off in the midst of a text.")
    usage = writing.usage()
    ignored = bool(prompt.grammar) and not asked.grammar
    yield Token("", replace(usage, grammar="ignored") if ignored else usage, count=0)


async def score(server: Connection, tokens: Sequence[int], following: Sequence[int]) -> list[float]:
    """See `Scorer.score`; a request for each token."""
    before = list(tokens)
    logprobs: list[float] = []
    for token in following:
        logprobs.append(await server.logprob(before, token))
        before.append(token)
    return logprobs


async def _begin(server: Connection, writing: Writing, first_choice: int) -> str:
    """Write white space if that comes first, and then the visible token of that rank; the text."""
    written = ""
    while not writing.stopped and not written.strip():
        found = [one for one in await server.likeliest(writing.tokens, CANDIDATES) if one[1]]
        if found and found[0][1].strip():
            ranked = [(token, logprob) for token, text, logprob in found if text.strip()]
            chosen = choose_first(ranked, first_choice)
            found = [one for one in found if one[0] == chosen]
        if found:
            token, text, _ = found[0]
            writing.begin(token, text)
            written += text
        else:
            writing.stopped = "unlikely"
    return written
