"""The same prompts with drafts from the prompt and token after token, by turns, in one process."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from bowerbird.inference.generator import Prompt
from bowerbird.inference.greedy import Outcome, Terms
from bowerbird.inference.loading import load_message
from bowerbird.settings import InferenceSettings

if TYPE_CHECKING:
    from bowerbird.inference.decoder import Decoder

TURNS = 3  # the fastest counts: what else the machine does only ever makes it slower
NEAR_TIE = 0.1  # logits; a batch's differ from a single token's by some hundredths


@dataclass(frozen=True, slots=True)
class Drafted:
    """One prompt, written in both ways."""

    kind: str
    tokens: int
    """Written."""
    plain_ms: float
    looked_up_ms: float
    drafted: int
    accepted: int
    same: bool
    compared: int
    """Tokens that could be compared: up to the first that differs, itself included."""
    margin: float
    """Logits between the two tokens at which the texts part; 0 where they do not."""

    @property
    def near_tie(self) -> bool:
        """Are the texts the same, or part where both tokens were as good as equal?"""
        return self.margin < NEAR_TIE


@dataclass(frozen=True, slots=True)
class Kind:
    """All prompts of a kind together."""

    prompts: int
    plain_tokens_per_s: float
    looked_up_tokens_per_s: float
    ratio: float
    """Looked up against plain."""
    acceptance: float
    """Share of the drafted tokens that the model agreed with."""
    same_tokens: float
    """Share of the choices of a token that were the same behind the same text."""


def compare_drafts(
    model: Path,
    settings: InferenceSettings,
    prompts: Mapping[str, Sequence[Prompt]],
    advance: Callable[[int], None],
) -> list[Drafted]:
    """Write behind each prompt in both ways. Raises `context.DecoderError`."""
    from bowerbird.inference.context import AbortFlag
    from bowerbird.inference.decoder import Decoder

    with _quiet():
        decoder = Decoder(load_message(model, settings), AbortFlag(), lambda: None)
    results: list[Drafted] = []
    for kind, asked in prompts.items():
        for prompt in asked:
            results.append(_compare(decoder, kind, prompt))
            advance(1)
    return results


def summed(results: Sequence[Drafted]) -> Kind:
    """The figures of `results`, each token with the same weight."""
    plain_ms = sum(one.plain_ms for one in results)
    looked_up_ms = sum(one.looked_up_ms for one in results)
    tokens = sum(one.tokens for one in results)
    return Kind(
        prompts=len(results),
        plain_tokens_per_s=1000 * tokens / plain_ms,
        looked_up_tokens_per_s=1000 * tokens / looked_up_ms,
        ratio=plain_ms / looked_up_ms,
        acceptance=sum(one.accepted for one in results) / max(1, sum(one.drafted for one in results)),
        same_tokens=1 - sum(not one.same for one in results) / sum(one.compared for one in results),
    )


def _compare(decoder: Decoder, kind: str, prompt: Prompt) -> Drafted:
    looked_up_tokens = decoder.draft_tokens
    times: dict[int, list[float]] = {0: [], looked_up_tokens: []}
    written: dict[int, list[int]] = {}
    outcomes: dict[int, Outcome] = {}
    for _ in range(TURNS):
        for draft_tokens, milliseconds in times.items():
            decoder.draft_tokens = draft_tokens
            outcomes[draft_tokens], written[draft_tokens] = _write(decoder, prompt)
            milliseconds.append(outcomes[draft_tokens].generate_ms)
    decoder.draft_tokens = looked_up_tokens
    plain, looked_up = written[0], written[looked_up_tokens]
    shared = min(len(plain), len(looked_up))
    parted = next((at for at in range(shared) if plain[at] != looked_up[at]), shared)
    same = plain == looked_up
    # Texts that part have different lengths; per token they can still be compared.
    share = outcomes[0].tokens_generated / max(1, outcomes[looked_up_tokens].tokens_generated)
    return Drafted(
        kind=kind,
        tokens=outcomes[0].tokens_generated,
        plain_ms=min(times[0]),
        looked_up_ms=min(times[looked_up_tokens]) * share,
        drafted=outcomes[looked_up_tokens].tokens_drafted,
        accepted=outcomes[looked_up_tokens].tokens_accepted,
        same=same,
        compared=max(1, shared if same else parted + 1),
        margin=0.0 if same else _margin(decoder, [*prompt.tokens, *plain[:parted]]),
    )


def _write(decoder: Decoder, prompt: Prompt) -> tuple[Outcome, list[int]]:
    """What writing cost, and the tokens that were written and read again: all but the last."""
    assert decoder.context is not None
    terms = Terms(prompt.max_new_tokens, prompt.visible_first)
    outcome = decoder.generate(prompt.tokens, terms, lambda _text: None, lambda: None)
    return outcome, decoder.context.held[len(prompt.tokens) :]


def _margin(decoder: Decoder, tokens: Sequence[int]) -> float:
    """Logits from the likeliest to the second likeliest token behind `tokens`."""
    assert decoder.context is not None
    decoder.context.clear()
    decoder.context.extend(tokens, lambda _count: None)
    second, first = sorted(decoder.context.logits(-1).tolist())[-2:]
    return float(first - second)


@contextmanager
def _quiet() -> Iterator[None]:
    """Without what llama.cpp prints while it loads."""
    sys.stderr.flush()
    kept, nothing = os.dup(2), os.open(os.devnull, os.O_WRONLY)
    os.dup2(nothing, 2)
    try:
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)
        os.close(nothing)
