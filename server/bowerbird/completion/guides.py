"""Documentation in prompts, for languages that have some (RAR, section 4)."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import Protocol

from bowerbird.completion.epoch import pack
from bowerbird.completion.layout import Layout
from bowerbird.completion.query import formulate_query
from bowerbird.knowledge.snippet import Snippet
from bowerbird.retrieval.retriever import Hit

GUIDING_LINES = 8  # above the cursor: what they speak of is what is being written
MOST_GUIDES = 8
GUIDE_SHARE = 0.35  # of the snippets' tokens, where a language has documentation


class Guide(Protocol):
    """Knows the documentation of languages."""

    def prepare(self, language: str | None) -> None:
        """Have a language's documentation ready; may block."""
        ...

    def guide(self, language: str | None, code: str, k: int) -> list[Hit]:
        """At most `k` snippets of documentation for what the code says, the better first."""
        ...


@dataclass(frozen=True, slots=True)
class Guides:
    """The documentation in the prompts of an epoch."""

    hits: tuple[Hit, ...] = ()
    """All that was found, the better first."""
    shown: tuple[Snippet, ...] = ()
    """What of it there is room for, in the prompt's order: before all windows."""


async def find_guides(guide: Guide, layout: Layout, budget_tokens: int) -> Guides:
    """What the guide knows of the code above the cursor; `budget_tokens` is all snippets'."""
    unfinished = layout.unfinished
    await asyncio.to_thread(guide.prepare, unfinished.language)
    hits = tuple(guide.guide(unfinished.language, formulate_query(unfinished, GUIDING_LINES), MOST_GUIDES))
    snippets = [hit.snippet for hit in hits if not layout.policy.holds_secret(hit.snippet.text)]
    tokens = await layout.count(snippets)
    return Guides(hits, pack(snippets, tokens, round(budget_tokens * GUIDE_SHARE)))
