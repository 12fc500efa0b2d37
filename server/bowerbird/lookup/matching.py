"""From a word of a document to the elements of a library that it may mean, the likeliest first."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from bowerbird.knowledge.packs.pack import Pack
from bowerbird.knowledge.packs.usage import UNWRITTEN_KINDS, WRITTEN_KINDS
from bowerbird.knowledge.snippet import CALLED_KINDS, EntityKind, GrammarEntity
from bowerbird.lookup.owners import find_owners
from bowerbird.syntax.spot import Spot

BEFORE_A_TYPE = frozenset({"new", "from", "is", "as", "extends", "implements"})
"""Words behind which a name is a type's, however its letters are written."""

ORDER = (EntityKind.STATEMENT, EntityKind.KEYWORD, EntityKind.CAPABILITY, EntityKind.OPERATOR)
"""Of two entities for a word of the language the one that tells more comes first."""


@dataclass(frozen=True, slots=True)
class Match:
    """An element that a word may mean."""

    pack: Pack
    index: int
    """Of the entity in the pack."""
    certain: bool = True
    """False for a member of one of several types."""

    @property
    def entity(self) -> GrammarEntity:
        return self.pack.entities[self.index]


def matches(spot: Spot, text: str, packs: Sequence[Pack]) -> list[Match]:
    """What `spot` of the document `text` may mean; empty where it is the program's own name, or none."""
    if spot.declared:
        return []
    if spot.place == "comment":
        return [
            Match(pack, index) for pack, index in _whole(spot.text, packs) if _in_comment(pack, index, spot)
        ]
    path = ".".join((*spot.receivers, spot.text))
    whole = _whole(path, packs)
    if spot.receivers and not whole:
        return _members(spot, text, packs)
    if not spot.receivers and declares(text, spot.text):
        return []
    found = [Match(pack, index) for pack, index in whole if _may_mean(pack, index, spot)]
    found.sort(key=lambda one: (_priority(one.entity, spot), one.pack.name))
    return found or _imported(spot, packs)


def declares(text: str, name: str) -> bool:
    """Does the document define a function or type of this name itself?"""
    if not name[-1].isalnum():
        return False
    return re.search(rf"{_DECLARING}{re.escape(name)}\b", text, re.IGNORECASE) is not None


_DECLARING = (
    r"\b(?:func|function|def|fun|fn|be|class|actor|primitive|trait|interface|struct)[ \t]+"
    r"(?:(?:ref|box|val|iso|trn|tag)[ \t]+)?"
)


def _whole(name: str, packs: Iterable[Pack]) -> list[tuple[Pack, int]]:
    return [(pack, index) for pack in packs for index in pack.names.whole(name)]


def _in_comment(pack: Pack, index: int, spot: Spot) -> bool:
    """Is it written exactly so, and is it a name rather than an English word?"""
    entity = pack.entities[index]
    if entity.kind in UNWRITTEN_KINDS:
        return False
    exact = spot.text in (entity.symbol, *entity.aliases)
    named = "." in spot.text or "_" in spot.text or not (spot.text.isalpha() and spot.text.islower())
    return exact and (named or spot.marked)


def _may_mean(pack: Pack, index: int, spot: Spot) -> bool:
    entity = pack.entities[index]
    kind = entity.kind
    if kind in UNWRITTEN_KINDS:
        return False
    if kind in WRITTEN_KINDS:
        return not spot.identifier or kind is EntityKind.KEYWORD
    if kind is EntityKind.TYPE:
        if entity.symbol.islower():
            return not spot.identifier  # `text` is a type of M's, and many a variable
        return spot.text == entity.symbol or spot.word_before.lower() in BEFORE_A_TYPE
    if kind in CALLED_KINDS and "." not in entity.symbol:
        return spot.called
    return True


def _priority(entity: GrammarEntity, spot: Spot) -> int:
    if spot.called and entity.kind in CALLED_KINDS:
        return -1
    return ORDER.index(entity.kind) if entity.kind in ORDER else len(ORDER)


def _members(spot: Spot, text: str, packs: Sequence[Pack]) -> list[Match]:
    """Members of this name, those of the receiver's type first, then those of types that the text names."""
    candidates = [
        (pack, index)
        for pack in packs
        for index in pack.names.last(spot.text)
        if pack.entities[index].kind not in WRITTEN_KINDS | UNWRITTEN_KINDS
    ]
    if not candidates:
        return []
    owners = find_owners(spot.receivers, text, packs)
    ranked = sorted(candidates, key=lambda one: (owners.rank(one[0].entities[one[1]]), -use_of(*one)))
    best = owners.rank(ranked[0][0].entities[ranked[0][1]])
    if best == 0:
        return [Match(pack, index) for pack, index in ranked if owners.rank(pack.entities[index]) == 0]
    if declares(text, spot.text):
        return []
    return [Match(pack, index, certain=len(ranked) == 1) for pack, index in ranked]


def _imported(spot: Spot, packs: Sequence[Pack]) -> list[Match]:
    """A name without its module before it, where only one module has such a name."""
    last = [(pack, index) for pack in packs for index in pack.names.last(spot.text)]
    if len(last) != 1:
        return []
    kind = last[0][0].entities[last[0][1]].kind
    fits = (kind is EntityKind.FUNCTION and spot.called) or kind is EntityKind.TYPE
    return [Match(*last[0])] if fits else []


def use_of(pack: Pack, index: int) -> int:
    """How many examples use an entity: what is shown more is wanted more."""
    return len(pack.using[index])
