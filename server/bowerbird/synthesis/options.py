"""How one request is to be worked on."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
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
    constrained: bool = False
    """Code keeps to its language's grammar, where there is one."""
    example_instead: bool = True
    """Give the nearest example where a model that is too small has written nothing that passes."""
    run: bool = False
    """Programs may run; else they are checked and no more."""


Choice = TypeVar("Choice", bound=StrEnum)


def options_of(settings: GenerationSettings, path: Path | None = None) -> Options:
    """As the settings want it for the file `path`; a word that is no choice counts as the default."""
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
        constrained=settings.constrained,
        run=path is not None and _lies_in(path, settings.run_programs),
    )


def _lies_in(path: Path, folders: Iterable[str]) -> bool:
    """By their real places, so that no link leads out of a folder. One that is not absolute is none."""
    real = Path(os.path.realpath(path))
    wanted = (os.path.expanduser(folder) for folder in folders)
    return any(real.is_relative_to(os.path.realpath(folder)) for folder in wanted if os.path.isabs(folder))


def _choice(word: str, default: Choice) -> Choice:
    try:
        return type(default)(word.strip().lower())
    except ValueError:
        return default
