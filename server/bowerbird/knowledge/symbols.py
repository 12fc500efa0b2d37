"""Is every library name real? What a language's packs document is all that there is.

A poor man's checker for languages whose compiler is not at hand. It is meant to be silent where it does not
know: a name that stands anywhere in the packs, or that the code or the files beside it declare, is fine.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from bowerbird.knowledge.packs.names import last_part, owner_of
from bowerbird.knowledge.packs.pack import Pack
from bowerbird.knowledge.packs.signature import parameters_of
from bowerbird.knowledge.snippet import CALLED_KINDS, EntityKind, GrammarEntity
from bowerbird.syntax.naming import ROWS, Names, Use, names_of
from bowerbird.syntax.parser import parse
from bowerbird.text import Position

MOST_NEAREST = 3
LEAST_LIKENESS = 0.6  # difflib's ratio; what is less alike is no misspelling
MOST_PROBLEMS = 20
VARIADIC = ("...", "|", "*")
"""In a parameter: it stands for any number of arguments."""

_QUOTED = re.compile(r"""["':](\w+)""")

UNKNOWN_NAME, ARGUMENT_COUNT = "unknown-name", "argument-count"


@dataclass(frozen=True, slots=True)
class SymbolProblem:
    """A name that no pack has, or that is called with too many or too few arguments."""

    position: Position
    code: str
    """`UNKNOWN_NAME` or `ARGUMENT_COUNT`."""
    text: str
    """With the nearest names, or with the signature."""


class SymbolCheck:
    """The names of one language, from all packs that document it."""

    def __init__(self, language: str, packs: Iterable[Pack]) -> None:
        self.language = language
        self._packs = tuple(pack for pack in packs if pack.manifest.language == language)
        self._sensitive = all(pack.manifest.case_sensitive for pack in self._packs)
        self._whole: dict[str, list[GrammarEntity]] = {}
        self._last: dict[str, list[GrammarEntity]] = {}
        for pack in self._packs:
            for entity in pack.entities:
                for name in (entity.symbol, *entity.aliases):
                    self._whole.setdefault(self._key(name), []).append(entity)
                    self._last.setdefault(self._key(last_part(name)), []).append(entity)

    @property
    def knows(self) -> bool:
        """There is a pack, and how its language uses names is known."""
        return bool(self._packs) and self.language in ROWS

    def problems(self, code: str, beside: Sequence[str] = ()) -> list[SymbolProblem]:
        """What is wrong with the names in `code`, in order. `beside`: the texts of files that it may use.

        Empty where no pack or no grammar knows the language. Never raises.
        """
        names = self._names(code)
        if names is None or not self.knows:
            return []
        declared = set(map(self._key, names.declared))
        for text in beside:
            other = self._names(text)
            declared |= set(map(self._key, other.declared)) if other else set()
        declared |= {
            self._key(word) for word in _QUOTED.findall(code)
        }  # `addmethod(o, "jump", ...)` declares, too
        found = (problem for use in names.used for problem in self._problems_of(use, declared))
        return [problem for problem, _ in zip(found, range(MOST_PROBLEMS), strict=False)]

    def _names(self, code: str) -> Names | None:
        tree = parse(code, self.language)
        return names_of(tree) if tree else None

    def _problems_of(self, use: Use, declared: set[str]) -> Iterator[SymbolProblem]:
        if self._key(use.name) in declared or not self._is_of_library(use):
            return
        meant = self._meant(use)
        if not meant:
            nearest = self._nearest(use)
            hint = f"; did you mean {_listed(nearest)}?" if nearest else ""
            yield SymbolProblem(use.position, UNKNOWN_NAME, f"there is no `{use.name}`{hint}")
        elif use.arguments is not None and not _may_take(meant, use.arguments, self.language):
            signatures = list(dict.fromkeys(one for entity in meant for one in entity.signatures))
            told = "; ".join(f"`{signature}`" for signature in signatures[:MOST_NEAREST])
            given = "1 argument" if use.arguments == 1 else f"{use.arguments} arguments"
            yield SymbolProblem(
                use.position, ARGUMENT_COUNT, f"`{use.name}` is called with {given}, but it is {told}"
            )

    def _is_of_library(self, use: Use) -> bool:
        """Could it be a library's name at all, rather than a variable's?"""
        if "." in use.name:  # in Power Query a dot is a part of the name
            return True
        return (use.called or use.type) and self.language != "powerquery"

    def _meant(self, use: Use) -> list[GrammarEntity]:
        key = self._key(use.name)
        whole = self._whole.get(key, [])
        return whole if "." in use.name else list(dict.fromkeys([*whole, *self._last.get(key, [])]))

    def _nearest(self, use: Use) -> list[str]:
        """The most alike names of the right sort; beginnings of the wanted one and its own module first."""
        names: dict[str, str] = {}
        for pack in self._packs:
            for entity in pack.entities:
                if (
                    (entity.kind is EntityKind.TYPE)
                    if use.type
                    else (entity.kind in CALLED_KINDS or "." in use.name)
                ):
                    name = last_part(entity.symbol) if use.member else entity.symbol
                    names.setdefault(name.casefold(), name)
        wanted = use.name.casefold()
        alike = difflib.get_close_matches(wanted, names, MOST_NEAREST, LEAST_LIKENESS)
        owner = owner_of(wanted)
        alike.sort(key=lambda name: (not wanted.startswith(name), owner_of(name) != owner))
        return [names[name] for name in alike]

    def _key(self, name: str) -> str:
        return name if self._sensitive else name.casefold()


def _may_take(entities: Sequence[GrammarEntity], count: int, language: str) -> bool:
    """True also where the pack does not say."""
    for entity in entities:
        if entity.kind not in CALLED_KINDS or not entity.signatures:
            return True
        for signature in entity.signatures:
            if "(" not in signature:
                return True
            parameters = parameters_of(signature, language)
            if any(mark in parameter.name for parameter in parameters for mark in VARIADIC):
                return True
            needed = sum(not parameter.optional for parameter in parameters)
            if needed <= count <= len(parameters):
                return True
    return False


def _listed(names: Sequence[str]) -> str:
    quoted = [f"`{name}`" for name in names]
    return " or ".join([", ".join(quoted[:-1]), quoted[-1]] if len(quoted) > 1 else quoted)
