"""Which type a member is asked of, as far as the text tells: no compiler is at hand."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from bowerbird.knowledge.packs.names import last_part, owner_of
from bowerbird.knowledge.packs.pack import Pack
from bowerbird.knowledge.snippet import EntityKind, GrammarEntity
from bowerbird.syntax.receivers import NUMBER, TEXT

LITERALS = {TEXT: ("String", "Text"), NUMBER: ("I32", "F64", "Number")}
"""Types of the texts and numbers that code writes, in whatever language."""
RESULT = re.compile(r"[:=]|->|\bas\b")
TYPE_WORD = re.compile(r"[A-Za-z_]\w*")
TYPE_KINDS = frozenset({EntityKind.TYPE, EntityKind.ENUMERATION})
MOST_CHARACTERS = 200_000


@dataclass(frozen=True, slots=True)
class Owners:
    """Types that a member may belong to."""

    certain: tuple[str, ...]
    """What the receiver is, if the text says so."""
    named: frozenset[str]
    """All words of the document: a type that it names is likelier than another."""

    def rank(self, entity: GrammarEntity) -> int:
        """0 for a member of what the receiver is, 1 for one of a type that the document names, else 2."""
        owner = owner_of(entity.symbol)
        return 0 if owner in self.certain else 1 if owner in self.named else 2


def find_owners(receivers: Sequence[str], text: str, packs: Sequence[Pack]) -> Owners:
    """The owners of a member that is asked of `receivers` in the document `text`."""
    text = text[:MOST_CHARACTERS]
    named = frozenset(TYPE_WORD.findall(text))
    if not receivers:
        return Owners((), named)
    types = _types_of(receivers[0], text, packs)
    for name in receivers[1:]:
        types = _given(name, types, packs)
    return Owners(tuple(dict.fromkeys(types)), named)


def _types_of(name: str, text: str, packs: Sequence[Pack]) -> list[str]:
    """What a name at the beginning of a chain is: a literal, a type itself, or something declared."""
    if name in LITERALS:
        return list(LITERALS[name])
    if _is_type(name, packs):
        return [name]
    if not name.isidentifier():
        return []
    declared = re.compile(
        rf"\b{name}\s*(?::\s*|=\s*|\bas\s+)(?:\w+\.)?(?:(?:new|recover|consume|iso|val|ref|trn|try)\s+)*"
        r"(?:\w+\.)?([A-Za-z_]\w*)"
    )
    found = [last_part(match) for match in declared.findall(text)]
    types = [one for one in found if _is_type(one, packs)]
    return types or [given for called in dict.fromkeys(found) for given in _given(called, [], packs)]


def _given(name: str, types: Sequence[str], packs: Sequence[Pack]) -> list[str]:
    """The types of what `name` gives when it is asked of one of `types`, or of anything."""
    found: list[str] = []
    for pack in packs:
        entities = [pack.entities[index] for index in (*pack.names.whole(name), *pack.names.last(name))]
        own = [one for one in entities if owner_of(one.symbol) in types]
        for entity in own or (entities if len(entities) == 1 else ()):
            if entity.kind is EntityKind.CONSTRUCTOR:
                found.append(owner_of(entity.symbol))
            found += (word for word in _result_words(entity) if _is_type(word, packs))
    return found


def _result_words(entity: GrammarEntity) -> Iterator[str]:
    for signature in entity.signatures:
        yield from TYPE_WORD.findall(RESULT.split(signature)[-1])


def _is_type(name: str, packs: Sequence[Pack]) -> bool:
    return any(pack.entities[index].kind in TYPE_KINDS for pack in packs for index in pack.names.whole(name))
