"""Where useful windows lie (RepoCoder, section 6.2): priors that lift a window beside its likeness.

`imported`, `file`, `folder`, `imports` and `name` are the paper's five places of useful code; `path` is
`folder` by degrees, for a monorepo, and `open` stands for recency. A window counts as near as the nearest
of the chosen places says.
"""

from __future__ import annotations

import re
import weakref
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, replace
from itertools import takewhile
from pathlib import Path, PurePath
from types import MappingProxyType

from bowerbird.knowledge.snippet import Source, Window
from bowerbird.retrieval.retriever import Hit, Prepared, Query, Retriever

WEIGHT = 0.25  # the nearest windows count as if they were by so much more alike
FIRST_CANDIDATES = 4  # times as many as are wanted are looked at first
MAX_CANDIDATES = 1 << 12
IMPORT_LINES = 200  # at the head of a file; imports stand there

IMPORT = re.compile(
    r"""^[ \t]*(?:from[ ]+(?P<module>[\w.]+)[ ]+import[ ]+\(?(?P<names>[\w ,]*)
      | \#?(?:import|include|use|using|require|require_relative|load)\b[ ]*[("'<]*(?P<plain>[\w./:@-]+))""",
    re.MULTILINE | re.VERBOSE,
)
NAME_PARTS = re.compile(r"[A-Za-z]{2,}")


@dataclass(frozen=True, slots=True)
class Place:
    """The file that is written, as far as nearness asks."""

    path: Path
    imports: frozenset[str]
    """Dotted names that the code above the cursor imports."""
    imported: frozenset[str]
    """Those and the modules that they are taken from."""

    @classmethod
    def of(cls, query: Query) -> Place | None:
        """None where the query comes from no file."""
        if query.exclude_path is None:
            return None
        imports = imports_of("\n".join(query.above.split("\n", IMPORT_LINES)[:IMPORT_LINES]))
        modules = {name.rpartition(".")[0] for name in imports}
        return cls(query.exclude_path, imports, imports | (modules - {""}))


Measure = Callable[[Place, Window], float]
"""How near a window is, from 0 to 1."""


def imports_of(text: str) -> frozenset[str]:
    """Dotted names of what `text` imports; in languages without such lines there are none."""
    found: set[str] = set()
    for match in IMPORT.finditer(text):
        if (module := match["module"]) is not None:
            names = (name.split(" as ")[0].strip() for name in match["names"].split(","))
            found |= {f"{module}.{name}".strip(".") for name in names if name} or {module.strip(".")}
        else:
            found.add(re.sub(r"::|/", ".", match["plain"]).strip("."))
    return frozenset(found - {""})


def _folder(place: Place, window: Window) -> float:
    return float(window.path != place.path and window.path.parent == place.path.parent)


def _path(place: Place, window: Window) -> float:
    """1 in the same folder, 1/2 one folder up or down, 1/3 two steps away, and so on."""
    ours, theirs = place.path.parent.parts, window.path.parent.parts
    shared = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(ours, theirs, strict=False)))
    return 1 / (1 + len(ours) + len(theirs) - 2 * shared)


def _imports(place: Place, window: Window) -> float:
    """Jaccard index of what both files import."""
    if window.path == place.path or not place.imports:
        return 0.0
    theirs = _imports_of_source(window.source)
    return len(place.imports & theirs) / len(place.imports | theirs)


def _imported(place: Place, window: Window) -> float:
    parts = PurePath(window.name).with_suffix("").parts
    if parts and parts[-1] == "__init__":
        parts = parts[:-1]
    return float(any(".".join(parts[at:]) in place.imported for at in range(len(parts))))


def _name(place: Place, window: Window) -> float:
    shared = _name_parts(place.path) & _name_parts(window.path)
    return float(window.path != place.path and bool(shared))


PRIORS: Mapping[str, Measure] = MappingProxyType(
    {
        "file": lambda place, window: float(window.path == place.path),
        "folder": _folder,
        "path": _path,
        "imports": _imports,
        "imported": _imported,
        "name": _name,
        "open": lambda place, window: float(window.source.open and window.path != place.path),
    }
)


def prior(names: Collection[str], place: Place, window: Window) -> float:
    """From 1 to 1 + `WEIGHT`; unknown names say nothing."""
    measures = (PRIORS[name](place, window) for name in names if name in PRIORS)
    return 1 + WEIGHT * max(measures, default=0.0)


class NearnessRetriever:
    """Orders what another retriever finds by score times prior: asks for more until none is missed."""

    def __init__(self, inner: Retriever, names: Collection[str]) -> None:
        self._inner = inner
        self._names = tuple(names)

    async def prepare(self, text: str, patience_s: float | None) -> None:
        """See `Prepared.prepare`."""
        if isinstance(self._inner, Prepared):
            await self._inner.prepare(text, patience_s)

    def retrieve(self, query: Query, k: int) -> list[Hit]:
        """At most `k` hits; scores are divided by the highest prior, so that they stay in [0, 1]."""
        place = Place.of(query)
        if place is None or k <= 0:
            return self._inner.retrieve(query, k)
        wanted = FIRST_CANDIDATES * k
        while True:
            hits = self._inner.retrieve(query, wanted)
            lifted = sorted((self._lifted(hit, place) for hit in hits), key=lambda hit: -hit.score)[:k]
            unseen = float(hits[-1].score) if len(hits) == wanted else 0.0  # none of the others is more alike
            if len(hits) < wanted or lifted[-1].score > unseen or wanted >= MAX_CANDIDATES:
                return lifted
            wanted *= 2

    def _lifted(self, hit: Hit, place: Place) -> Hit:
        if not isinstance(hit.snippet, Window):
            return hit
        return replace(hit, score=float(hit.score) * prior(self._names, place, hit.snippet) / (1 + WEIGHT))


_KNOWN: weakref.WeakKeyDictionary[Source, frozenset[str]] = weakref.WeakKeyDictionary()


def _imports_of_source(source: Source) -> frozenset[str]:
    if (found := _KNOWN.get(source)) is None:
        found = _KNOWN[source] = imports_of(source.body.cut(0, min(IMPORT_LINES, source.line_count)))
    return found


def _name_parts(path: Path) -> frozenset[str]:
    return frozenset(part.lower() for part in NAME_PARTS.findall(path.stem)) - {"init"}
