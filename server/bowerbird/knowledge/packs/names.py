"""The names of a pack, and the entities that go by them."""

from __future__ import annotations

from collections.abc import Sequence

from bowerbird.knowledge.snippet import GrammarEntity


class Names:
    """Where each name leads; answers are indices into the entities, in their order."""

    def __init__(self, entities: Sequence[GrammarEntity], case_sensitive: bool) -> None:
        self._case_sensitive = case_sensitive
        self._symbols: dict[str, list[int]] = {}
        self._aliases: dict[str, list[int]] = {}
        self._last: dict[str, list[int]] = {}
        for index, entity in enumerate(entities):
            self._symbols.setdefault(self._key(entity.symbol), []).append(index)
            for alias in entity.aliases:
                self._aliases.setdefault(self._key(alias), []).append(index)
            for name in (entity.symbol, *entity.aliases):
                last = last_part(name)
                if last != name:
                    self._last.setdefault(self._key(last), []).append(index)

    def whole(self, name: str) -> Sequence[int]:
        """Entities of exactly this name; those that it is only an alias of where there are none."""
        key = self._key(name)
        return self._symbols.get(key) or self._aliases.get(key) or ()

    def last(self, name: str) -> Sequence[int]:
        """Entities whose dotted names end with this one: ``push`` finds ``Array.push``."""
        return self._last.get(self._key(name), ())

    def find(self, name: str) -> Sequence[int]:
        """By the whole name, else by the last part of dotted ones."""
        return self.whole(name) or self.last(name)

    def _key(self, name: str) -> str:
        return name if self._case_sensitive else name.casefold()


def last_part(name: str) -> str:
    """``push`` of ``Array.push``; a name without inner dots is its own last part."""
    owner, _, last = name.rpartition(".")
    return last if owner and last and not owner.endswith(".") else name


def owner_of(name: str) -> str:
    """``Array`` of ``collections.Array.push``; empty where there is none."""
    owner = name[: -len(last_part(name))].rstrip(".")
    return last_part(owner) if owner else ""
