"""Which documented elements a piece of code uses (RAR's map from examples to the grammar).

Found by the parser: words in comments and texts count for nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from bowerbird.knowledge.packs.names import Names, owner_of
from bowerbird.knowledge.snippet import CALLED_KINDS, EntityKind, Example, GrammarEntity
from bowerbird.syntax.mentions import Mention, mentions

if TYPE_CHECKING:
    from bowerbird.knowledge.packs.pack import Pack

WRITTEN_KINDS = frozenset(
    {EntityKind.KEYWORD, EntityKind.OPERATOR, EntityKind.STATEMENT, EntityKind.CAPABILITY}
)
"""Kinds that the language itself spells: a name of the program's own is never one of these."""

UNWRITTEN_KINDS = frozenset({EntityKind.CONCEPT})
"""Kinds that no code spells."""

_RESULT = re.compile(r"[:=]|->|\bas\b")
_WORD = re.compile(r"[A-Za-z_]\w*")

CALLED_WITHOUT_BRACKETS = frozenset(
    {"ruby", "shell", "haskell", "ocaml", "fsharp", "elixir", "clojure", "powershell", "nix", "vim", "perl"}
)


def entities_used(example: Example, pack: Pack) -> tuple[GrammarEntity, ...]:
    """The entities of `pack` that the example's code uses, in order of their first mention."""
    found = used_indices(example.code, example.language, pack.entities, pack.names)
    return tuple(pack.entities[index] for index in found)


def used_indices(
    code: str, language: str | None, entities: Sequence[GrammarEntity], names: Names
) -> tuple[int, ...]:
    """The same as indices into `entities`."""
    words = mentions(code, language)
    owners = {word.text for word in words}
    declared = {word.text for word in words if word.declared}
    found: dict[int, None] = {}
    for word in words:
        if word.declared:
            continue
        if word.path != word.text and (whole := names.whole(word.path)):
            used: Iterable[int] = whole
        elif word.member:
            used = _of_owners(names.last(word.text), entities, owners, word.text in declared)
        else:
            used = _free(word, language, entities, names)
        for index in used:
            if index not in found:
                found[index] = None
                owners.update(_given(entities[index]))
    return tuple(found)


def _free(
    word: Mention, language: str | None, entities: Sequence[GrammarEntity], names: Names
) -> Sequence[int]:
    """What a word may mean before which no dot stands."""
    whole = names.whole(word.text)
    if whole:
        return [index for index in whole if _may_mean(entities[index], word, language)]
    last = names.last(word.text)  # imported from its module
    if len(last) != 1:
        return ()
    kind = entities[last[0]].kind
    called = kind is EntityKind.FUNCTION and (word.called or language in CALLED_WITHOUT_BRACKETS)
    return last if called or kind is EntityKind.TYPE else ()


def _may_mean(entity: GrammarEntity, word: Mention, language: str | None) -> bool:
    kind = entity.kind
    if kind in UNWRITTEN_KINDS:
        return False
    if kind in WRITTEN_KINDS:
        return not word.identifier
    if kind is EntityKind.TYPE and entity.symbol.islower():
        return not word.identifier  # `text` is a type of M's, and many a variable
    if kind in CALLED_KINDS and "." not in entity.symbol:
        return word.called or language in CALLED_WITHOUT_BRACKETS
    return True


def _given(entity: GrammarEntity) -> Iterator[str]:
    """The types of what an entity gives, so that ``env.out.print`` finds `OutStream.print`."""
    for signature in entity.signatures:
        yield from _WORD.findall(_RESULT.split(signature)[-1])


def _of_owners(
    indices: Sequence[int], entities: Sequence[GrammarEntity], owners: set[str], own: bool
) -> Sequence[int]:
    """Of the methods of one name those whose types the code names or is given. A single one needs no type,
    unless the code has an `own` method of that name."""
    if len(indices) == 1 and not own:
        return indices
    return [index for index in indices if owner_of(entities[index].symbol) in owners]
