"""Names that neither a library nor the workspace has, as far as that is certain.

`knowledge.symbols` finds names that the packs do not have. A document of the user's may also call what nobody
here can see, so only those are told that belong to a module of the packs' or are nearly one of their names.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from functools import lru_cache

from bowerbird.knowledge.packs.pack import Pack
from bowerbird.knowledge.snippet import CALLED_KINDS
from bowerbird.knowledge.symbols import UNKNOWN_NAME, SymbolCheck
from bowerbird.syntax.spot import NAME
from bowerbird.text import Position, Range

SIMILAR = 0.8  # of difflib's ratio; a slip of the finger in a name of ten letters gives 0.9
SERVED = frozenset({"powerquery", "ring"})
MOST_LANGUAGES = 8


@dataclass(frozen=True, slots=True)
class Unknown:
    """A name that is not there."""

    range: Range
    name: str
    meant: str
    """What may have been meant; empty where nothing is near."""

    @property
    def sentence(self) -> str:
        """For the editor."""
        hint = f" Did you mean `{self.meant}`?" if self.meant else ""
        return f"The documentation has no `{self.name}`.{hint}"


def unknown_names(
    text: str, language: str | None, packs: Sequence[Pack], own: Collection[str]
) -> list[Unknown]:
    """The first few unknown names of a document; `own` are those that the workspace defines."""
    if language not in SERVED or not packs:
        return []
    lines = text.split("\n")
    folds = not any(pack.manifest.case_sensitive for pack in packs)
    found: list[Unknown] = []
    for problem in _check(language, tuple(packs)).problems(text):
        place = problem.position
        match = NAME.match(lines[place.line], place.column)
        if problem.code != UNKNOWN_NAME or match is None:
            continue
        name = match[0]
        if (name.casefold() if folds else name) not in own and (one := _unknown(name, place, packs)):
            found.append(one)
    return found


def _unknown(name: str, place: Position, packs: Sequence[Pack]) -> Unknown | None:
    module = name.rpartition(".")[0]
    names = [
        entity.symbol
        for pack in packs
        for entity in pack.entities
        if ("." in entity.symbol if module else entity.kind in CALLED_KINDS)
    ]
    near = get_close_matches(name, names, n=1, cutoff=SIMILAR)
    known = module and any(one.startswith(f"{module}.") for one in names)
    end = Position(place.line, place.column + len(name))
    return Unknown(Range(place, end), name, near[0] if near else "") if near or known else None


@lru_cache(MOST_LANGUAGES)
def _check(language: str, packs: tuple[Pack, ...]) -> SymbolCheck:
    return SymbolCheck(language, packs)
