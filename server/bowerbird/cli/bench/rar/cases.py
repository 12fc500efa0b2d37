"""What is asked of RAR, and what should be found: requests that people wrote, and examples left out."""

from __future__ import annotations

import random
import tempfile
import tomllib
from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace
from functools import cache
from importlib import resources
from pathlib import Path

from bowerbird.cli.docs.making import Wanted, built
from bowerbird.cli.errors import InputNotFound
from bowerbird.knowledge.packs.folder import read_contents, read_files
from bowerbird.knowledge.packs.names import Names
from bowerbird.knowledge.packs.pack import Pack, build_pack
from bowerbird.knowledge.packs.store import find_packs, load_packs, shipped_folder
from bowerbird.knowledge.packs.usage import WRITTEN_KINDS, used_indices
from bowerbird.knowledge.snippet import EntityKind, Example
from bowerbird.retrieval.documentation import Documentation, index_packs

SPLIT_SEED = 7
"""Which half of left-out examples is held out. RAR was tuned on the other: it must not change."""
TUNED_ON = frozenset({"powerquery"})
"""Languages on half of whose reference RAR was tuned."""
OWN_SHARE = 0.5  # of a corpus's examples that must use its own entities; else a shipped pack's are taken


@dataclass(frozen=True, slots=True)
class Case:
    """One request."""

    text: str
    wanted: frozenset[str]
    """Symbols of the entities that its code needs."""
    left_out: frozenset[int] = frozenset()
    """Examples that must not help, as indices."""


@dataclass(frozen=True, slots=True)
class Suite:
    """Cases on one body of documentation."""

    name: str
    half: str
    """``development``, on which RAR was tuned, ``held out``, or ``all`` where nothing was tuned."""
    documentation: Documentation
    cases: tuple[Case, ...]
    unknown: tuple[str, ...] = ()
    """Wanted symbols that the documentation lacks; they count as not found."""


def shipped_pack(name: str) -> Pack:
    """The pack of this name that is part of the package. Raises `InputNotFound`."""
    found = next((pack for pack in shipped_packs() if pack.name == name), None)
    if found is None:
        raise InputNotFound(f"There is no pack {name!r} in {shipped_folder()}.")
    return found


@cache
def shipped_packs() -> tuple[Pack, ...]:
    """All packs that are part of the package, whatever packs the user has."""
    return load_packs(find_packs(own=shipped_folder() / "nobody's")).packs


def has_requests(name: str) -> bool:
    """Did anybody write requests for this pack?"""
    return _requests_file(name).is_file()


def request_suites(pack: Pack) -> Iterator[Suite]:
    """The requests in users' words, in their two halves."""
    told = tomllib.loads(_requests_file(pack.name).read_text(encoding="utf-8"))
    documentation = index_packs([pack])
    for half in ("development", "held_out"):
        cases = tuple(Case(one["text"], frozenset(one["wanted"])) for one in told[half])
        unknown = sorted({name for case in cases for name in case.wanted if not pack.names.whole(name)})
        yield Suite(f"{pack.name} requests", half.replace("_", " "), documentation, cases, tuple(unknown))


def left_out_suites(name: str, pack: Pack, halves: bool = False) -> Iterator[Suite]:
    """Each example's purpose as a request for what its code uses, without that example; then also without
    all others that stand below the same entity.

    What the language itself spells, such as keywords, is not asked for.
    """
    documentation = index_packs([pack])
    groups: dict[str, set[int]] = {}
    for index, example in enumerate(documentation.examples):
        groups.setdefault(_group(example, index), set()).add(index)
    held_out = _held_out(groups)
    for title, whole_group in (("one out", False), ("entity's out", True)):
        found: dict[str, list[Case]] = {"development": [], "held out": []} if halves else {"all": []}
        for index, example in enumerate(documentation.examples):
            used = [documentation.entities[at] for at in documentation.used[index]]
            wanted = frozenset(entity.symbol for entity in used if entity.kind not in WRITTEN_KINDS)
            group = _group(example, index)
            if wanted:
                half = "all" if not halves else "held out" if group in held_out else "development"
                left_out = frozenset(groups[group]) if whole_group else frozenset({index})
                found[half].append(Case(example.purpose, wanted, left_out))
        for half, cases in found.items():
            yield Suite(f"{name}, {title}", half, documentation, tuple(cases))


def read_corpus(folder: Path) -> Pack:
    """Somebody else's documentation as a pack of entities and examples, without prose.

    Where its examples use little that it documents itself, as in a tutorial, the entities are those of the
    shipped pack of that language.
    """
    with tempfile.TemporaryDirectory() as beside:
        wanted = Wanted("corpus", str(folder))
        with built(wanted, Path(beside)) as (target, _):
            contents = read_contents(read_files(target))
    assert contents.manifest is not None, "a builder writes it"
    entities = tuple(one for one in contents.entities if one.kind is not EntityKind.CONCEPT)
    pages = {(entity.page, entity.symbol) for entity in entities}
    examples = tuple(one for one in contents.examples if (one.page, one.entity) in pages)
    pack = build_pack(replace(contents, entities=entities, examples=examples), contents.manifest, folder)
    if sum(map(bool, pack.used)) >= OWN_SHARE * len(contents.examples):
        return pack
    language = contents.manifest.language
    shipped = next((one for one in shipped_packs() if one.manifest.language == language), None)
    if shipped is None:
        return pack
    names = Names(shipped.entities, shipped.manifest.case_sensitive)
    used = tuple(used_indices(one.code, language, shipped.entities, names) for one in contents.examples)
    return Pack(contents.manifest, folder, shipped.entities, contents.examples, used, 0)


def _group(example: Example, index: int) -> str:
    return example.entity or f"{example.page}:{index}"


def _held_out(groups: Collection[str]) -> frozenset[str]:
    """Half of the entities' groups of examples."""
    names = sorted(groups)
    random.Random(SPLIT_SEED).shuffle(names)
    return frozenset(names[len(names) // 2 :])


def _requests_file(name: str) -> Path:
    return Path(str(resources.files(__package__) / f"requests_{name}.toml"))
