"""The seam of inference: `Generator`, `Tokenizer`, `Scorer`; `Prompt`, `Token`, `Usage`.

Errors::

    InferenceError            carries the reason code that the user is told
    ├── EngineMissing         no llama-cpp-python and no llama-server
    ├── ModelMissing          the file does not exist
    ├── ModelCorrupt          the file is no GGUF that llama.cpp can load
    ├── ModelCrashed          the model's process died or hangs
    └── ServerUnreachable     a llama-server does not answer
        └── ModelChanged      another model stands in from now on
"""

# ruff: noqa: N818 - the names say what is wrong

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass
from typing import Protocol

from bowerbird.inference.chat import Turn
from bowerbird.inference.turns import Priority
from bowerbird.trace import Reason


class InferenceError(Exception):
    """Something about the model; `str()` is a sentence for the user."""

    reason = Reason.INTERNAL


class EngineMissing(InferenceError):
    """Neither llama-cpp-python nor a llama-server."""

    reason = Reason.ENGINE_MISSING


class ModelMissing(InferenceError):
    """No such file."""

    reason = Reason.MODEL_MISSING


class ModelCorrupt(InferenceError):
    """The file cannot be loaded."""

    reason = Reason.MODEL_CORRUPT


class ModelCrashed(InferenceError):
    """The process died, hangs, or was stopped after too many crashes."""

    reason = Reason.MODEL_CRASHED


class ServerUnreachable(InferenceError):
    """No answer over HTTP."""

    reason = Reason.SERVER_UNREACHABLE


class ModelChanged(ServerUnreachable):
    """Another model serves than when the prompt was made; one that is made anew would be answered."""


@dataclass(frozen=True, slots=True)
class Prompt:
    """What the model is given, token by token."""

    tokens: tuple[int, ...]
    text: str
    """The same for people, special tokens as their texts."""
    max_new_tokens: int
    """0 only evaluates the prompt, so that one which begins alike will be answered sooner."""
    visible_first: bool = True
    """Refuse the end token until a visible character was written."""
    first_choice: int = 0
    """Begin with the n-th most likely visible token in place of the most likely, and go on greedily."""
    grammar: str = ""
    """GBNF with a rule ``root``: what is written is the beginning of one of its texts; "" allows all."""
    priority: Priority = Priority.AUTOMATIC
    """Whose turn is first. What is less urgent stops for what is more so, and goes on afterwards."""


@dataclass(frozen=True, slots=True)
class Usage:
    """What one generation cost."""

    tokens_reused: int
    """Prompt tokens that the KV cache already held."""
    tokens_evaluated: int
    """Prompt tokens that had to be evaluated."""
    tokens_generated: int
    evaluate_ms: float
    generate_ms: float
    stopped: str
    """Why it ended.

    ``end`` (the model's own end token), ``length``, ``unlikely`` (no such `Prompt.first_choice`); with a
    grammar also ``closed`` (the text was whole when the tokens were nearly used up) and ``stuck`` (none of
    the model's tokens can follow).
    """
    tokens_drafted: int = 0
    """Tokens looked up in the prompt, to be checked several at once (`inference.lookup`)."""
    tokens_accepted: int = 0
    """Of the drafted ones, those that the model agreed with."""
    grammar: str = ""
    """``kept`` or ``ignored``, where `Prompt.grammar` was given; an engine that knows none ignores it."""


@dataclass(frozen=True, slots=True)
class Token:
    """Some steps of a generation. `text` may be empty while a character is incomplete."""

    text: str
    usage: Usage | None = None
    """Only on the last token of a stream, whose text may be empty."""
    count: int = 1
    """Tokens of the model that it is."""


class Generator(Protocol):
    """Continues prompts."""

    def generate(self, prompt: Prompt) -> AsyncGenerator[Token, None]:
        """Greedy continuation, bit by bit. Closing it stops the model; raises `InferenceError`."""
        ...


class Tokenizer(Protocol):
    """Counts as the model counts."""

    async def encode(self, texts: Sequence[str]) -> list[list[int]]:
        """Token ids of each text by itself, special tokens taken as plain text; one call to the model."""
        ...


class Chat(Protocol):
    """Turns a conversation into the tokens that a model was trained on."""

    async def encode_chat(self, messages: Sequence[Turn]) -> list[int] | None:
        """The tokens up to where the answer begins; None where the model knows no conversations."""
        ...


class Scorer(Protocol):
    """Measures likelihood, for benchmarks."""

    async def score(self, prompt: Prompt, continuation: str) -> list[float]:
        """Natural log-probability of each token of `continuation` after `prompt`."""
        ...
