"""Token ids of two models told apart: those of the model that stands in are moved out of the others' range.

So a prompt says itself for which model it was made, whatever was switched meanwhile.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from bowerbird.inference.generator import Prompt
from bowerbird.inference.loaded import LoadedModel

MOVED = 1 << 80
"""Above every vocabulary and every mark of `remote_estimate`."""


def moved(tokens: Iterable[int]) -> list[int]:
    """Ids of the model that stands in, as the outside sees them."""
    return [token + MOVED for token in tokens]


def moved_back(prompt: Prompt) -> Prompt:
    """`prompt` as the model that stands in understands it."""
    return replace(prompt, tokens=tuple(token - MOVED for token in prompt.tokens))


def is_moved(tokens: Sequence[int]) -> bool | None:
    """Was a prompt made for the model that stands in? None if for both, which nobody can continue."""
    count = sum(token >= MOVED for token in tokens)
    return None if 0 < count < len(tokens) else count > 0


def standing_in(loaded: LoadedModel, for_whom: str, problem: str) -> LoadedModel:
    """The model that stands in, with its ids moved."""
    template = loaded.template
    return replace(
        loaded,
        name=f"{loaded.name} in place of {for_whom}",
        notes=(*loaded.notes, problem),
        template=replace(
            template,
            ids={role: token + MOVED for role, token in template.ids.items()},
            specials={token + MOVED: text for token, text in template.specials.items()},
            bos=None if template.bos is None else template.bos + MOVED,
        ),
    )
