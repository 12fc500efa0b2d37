"""How one request is to be worked on."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TypeVar

from bowerbird.retrieval.selector import DECAY, EXAMPLES, SIMILAR
from bowerbird.settings import GenerationSettings
from bowerbird.synthesis.analyzer import Preliminary
from bowerbird.synthesis.mode import Mode
from bowerbird.synthesis.prompt import ANSWER_TOKENS, SNIPPET_TOKENS

EDITOR_ROUNDS = 4  # the paper has 30, but nobody waits for it there


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """The settings, and what the place that asks wants."""

    mode: Mode = Mode.EVOR
    rounds: int = EDITOR_ROUNDS
    """Programs at most (the paper's m)."""
    budget_tokens: int = 40_000
    """Of all prompts and answers together."""
    budget_s: float = 120.0
    answer_tokens: int = ANSWER_TOKENS
    snippet_tokens: int = SNIPPET_TOKENS
    """For examples, where documentation competes with them."""
    prompt_tokens: int = 3_400
    """For a prompt, if the model has room for as much."""
    similar: int = SIMILAR
    examples: int = EXAMPLES
    decay: float = DECAY
    preliminary: Preliminary = Preliminary.TESTS
    example_instead: bool = True
    """Give the nearest example where a model that is too small has written nothing that passes."""
    run: bool = False
    """Programs may run; else they are checked and no more."""


Choice = TypeVar("Choice", bound=StrEnum)


def options_of(settings: GenerationSettings) -> Options:
    """As the settings want it; a word that is no choice counts as the default."""
    return Options(
        mode=_choice(settings.mode, Mode.EVOR),
        rounds=settings.rounds,
        budget_tokens=settings.budget_tokens,
        budget_s=settings.budget_seconds,
        answer_tokens=settings.answer_tokens,
        prompt_tokens=settings.prompt_tokens,
        examples=settings.examples,
        decay=settings.decay,
        preliminary=_choice(settings.preliminary, Preliminary.TESTS),
        run=settings.run_programs,
    )


def _choice(word: str, default: Choice) -> Choice:
    try:
        return type(default)(word.strip().lower())
    except ValueError:
        return default
