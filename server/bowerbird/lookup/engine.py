"""The product: answers about library names, from the packs that it is handed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from bowerbird.knowledge.library import Library
from bowerbird.knowledge.packs.pack import Pack
from bowerbird.knowledge.snippet import Source
from bowerbird.lookup.card import Card
from bowerbird.lookup.definitions import Definitions, Place
from bowerbird.lookup.hover import Hover, hover_at, make_card
from bowerbird.lookup.matching import Match
from bowerbird.lookup.members import Members, members_at
from bowerbird.lookup.nearest import ChooseExample, nearest_example
from bowerbird.lookup.search import Found, search
from bowerbird.lookup.signature import SignatureHelp, signature_at
from bowerbird.lookup.unknown import Unknown, unknown_names
from bowerbird.text import Position, split_at


class LookupEngine:
    """Everything here may take milliseconds, and the first answer loads the packs: not for the event loop."""

    def __init__(
        self,
        library: Library,
        sources: Callable[[], Iterable[Source]],
        choose_example: ChooseExample = nearest_example,
    ) -> None:
        self.library = library
        self._choose_example = choose_example
        self._definitions = Definitions(sources)

    def hover(self, text: str, position: Position, language: str | None) -> Hover | None:
        """The card of the library name at a place."""
        return hover_at(text, position, language, self.library.of(language), self._choose_example)

    def members(self, text: str, position: Position, language: str | None, most: int) -> Members:
        """Library names that may follow what is typed."""
        return members_at(*split_at(text, position), language, self.library.of(language), most)

    def member_card(self, pack_name: str, symbol: str, kind: str) -> Card | None:
        """The card of an entity that was offered before; None where there is no such thing any more."""
        pack = next((one for one in self.library.packs if one.name == pack_name), None)
        for index in pack.names.whole(symbol) if pack else ():
            if pack is not None and pack.entities[index].kind == kind:
                return make_card([Match(pack, index)], "", self._choose_example)
        return None

    def signature(self, text: str, position: Position, language: str | None) -> SignatureHelp | None:
        """The signatures of the call around a place."""
        return signature_at(*split_at(text, position), language, self.library.of(language))

    def search(self, question: str, language: str | None, k: int) -> list[Found]:
        """What the packs say to a question, those of one language or all."""
        packs: Sequence[Pack] = self.library.of(language) if language else self.library.packs
        return search(question, packs, k)

    def definition(
        self, text: str, position: Position, language: str | None, path: Path | None
    ) -> list[Place]:
        """Where the workspace defines the name at a place."""
        return self._definitions.find(text, position, language, path)

    def unknown(self, text: str, language: str | None) -> list[Unknown]:
        """Names that neither the packs nor the workspace have."""
        packs = self.library.of(language)
        return unknown_names(text, language, packs, self._definitions.names(language)) if packs else []
