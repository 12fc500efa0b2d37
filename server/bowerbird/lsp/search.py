"""`bowerbird/search`: questions in plain words, answered from the documentation."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bowerbird.knowledge.snippet import Example
from bowerbird.lookup.card import summary
from bowerbird.lookup.search import Found
from bowerbird.lsp.asked import answer
from bowerbird.lsp.convert import uri_of
from bowerbird.lsp.host import BowerbirdServer
from bowerbird.syntax.languages import LANGUAGES, language_of

SEARCH = "bowerbird/search"
USUAL_COUNT = 10
MOST = 100


async def search(server: BowerbirdServer, params: object = None) -> dict[str, Any]:
    """``{"query": ..., "language": ..., "count": ...}`` -> ``{"items": [...]}``, the best first.

    Without a language, by the editor's id or ours, all packs are searched.
    """
    told = _mapping(params)
    query, language, count = told.get("query"), told.get("language"), told.get("count")
    assembly = server.assembly
    if assembly is None or server.paused or not isinstance(query, str):
        return {"items": []}
    key = None
    if isinstance(language, str) and language:
        key = language if language in LANGUAGES else language_of(None, language)
        if key is None:
            return {"items": []}
    k = min(max(1, count), MOST) if isinstance(count, int) else USUAL_COUNT
    found = await answer(server, lambda: assembly.lookup.search(query, key, k))
    return {"items": [_item(one) for one in found or ()]}


def _item(found: Found) -> dict[str, Any]:
    snippet = found.snippet
    item: dict[str, Any] = {
        "score": round(found.score, 3),
        "pack": found.pack.name,
        "language": snippet.language,
        "uri": uri_of(found.pack.path(snippet)),
        "line": snippet.span.first,
    }
    told: dict[str, Any]
    if isinstance(snippet, Example):
        told = {"kind": "example", "name": snippet.purpose, "code": snippet.code, "output": snippet.output}
    else:
        told = {
            "kind": str(snippet.kind),
            "name": snippet.symbol,
            "signatures": list(snippet.signatures),
            "summary": summary(snippet),
        }
    return item | told


def _mapping(params: object) -> Mapping[str, Any]:
    """What the editor sent, an object of pygls' own or a plain one."""
    if isinstance(params, Mapping):
        return params
    return params._asdict() if hasattr(params, "_asdict") else getattr(params, "__dict__", {})
