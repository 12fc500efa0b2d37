"""Where a name is defined in the workspace: M's steps and sections, Ring's functions, classes and methods."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from weakref import WeakKeyDictionary

from bowerbird.knowledge.snippet import Source
from bowerbird.syntax.bindings import binding_of
from bowerbird.syntax.spot import spot_at
from bowerbird.syntax.symbols import Symbol, flat, symbols_of
from bowerbird.text import Position, Range

MOST_PLACES = 20
CASELESS = frozenset({"ring"})
SECTION = re.compile(r"\s*(?:\[[^\]]*\]\s*)?section\b")
DEFINED = {
    "powerquery": frozenset({"function", "variable"}),
    "ring": frozenset({"function", "class", "method", "module"}),
}
"""Kinds of symbols that other files can name, for each language that is served."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where something is defined."""

    path: Path | None
    """None for the document itself."""
    range: Range


class Definitions:
    """What the files of a workspace define; a file is read again only when it has changed."""

    def __init__(self, sources: Callable[[], Iterable[Source]]) -> None:
        self._sources = sources
        self._known: WeakKeyDictionary[Source, tuple[Symbol, ...]] = WeakKeyDictionary()

    def find(self, text: str, position: Position, language: str | None, path: Path | None) -> list[Place]:
        """Where the name at `position` of the document `text` is defined, the document itself first."""
        if language not in DEFINED:
            return []
        if language == "powerquery" and (bound := binding_of(text, position)) is not None:
            return [Place(None, bound)]
        spot = spot_at(text, position, language)
        if spot is None or spot.place != "code" or not spot.identifier:
            return []
        name = self._key(spot.text, language)
        own = symbols_of(text, language) if language in CASELESS else []
        found = [
            Place(None, one.name_range) for one in self._named(name, flat(own), language, spot.receivers)
        ]
        for source in self._of(language):
            if source.path == path or name not in self._key(source.text, language):
                continue
            symbols = self._named(name, self._symbols(source), language, spot.receivers)
            found += (Place(source.path, one.name_range) for one in symbols)
            if len(found) >= MOST_PLACES:
                break
        return found[:MOST_PLACES]

    def names(self, language: str | None) -> frozenset[str]:
        """All names that the workspace defines for others."""
        sources = self._of(language)
        return frozenset(self._key(one.name, language) for source in sources for one in self._symbols(source))

    def _of(self, language: str | None) -> Iterator[Source]:
        return (source for source in tuple(self._sources()) if source.language == language)

    def _symbols(self, source: Source) -> tuple[Symbol, ...]:
        """What a file defines for others: in M only the members of a section."""
        known = self._known.get(source)
        if known is None:
            if source.language == "powerquery" and not SECTION.match(_without_comments(source.text)):
                known = ()
            else:
                symbols = symbols_of(source.text, source.language)
                known = tuple(flat(symbols) if source.language in CASELESS else symbols)
            self._known[source] = known
        return known

    def _named(
        self, name: str, symbols: Iterable[Symbol], language: str | None, receivers: tuple[str, ...]
    ) -> Iterator[Symbol]:
        kinds = DEFINED[language or ""]
        for symbol in symbols:
            fits = not receivers or symbol.kind == "method" or language not in CASELESS
            if fits and symbol.kind in kinds and self._key(symbol.name, language) == name:
                yield symbol

    @staticmethod
    def _key(name: str, language: str | None) -> str:
        return name.casefold() if language in CASELESS else name


def _without_comments(text: str) -> str:
    """Without the comments that a file begins with."""
    while match := re.match(r"\s*(?://[^\n]*\n|/\*.*?\*/)", text, re.DOTALL):
        text = text[match.end() :]
    return text
