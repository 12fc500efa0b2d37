"""The builders, one row for each, and the one that fits a folder."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from bowerbird.knowledge.packs.builders.document import Draft
from bowerbird.knowledge.packs.builders.pages import MARKDOWN, RST, page_drafts
from bowerbird.knowledge.packs.builders.pony import pony_drafts
from bowerbird.knowledge.packs.builders.powerquery import powerquery_drafts
from bowerbird.knowledge.packs.builders.ring import LINE, ring_drafts
from bowerbird.knowledge.packs.builders.ring import SUFFIXES as RING_SUFFIXES
from bowerbird.knowledge.packs.builders.sources import source_drafts
from bowerbird.knowledge.packs.builders.upstream import Upstream
from bowerbird.knowledge.packs.manifest import Manifest
from bowerbird.syntax.languages import LANGUAGES, language_of

SNIFFED_FILES = 30
DOCS_FOLDERS = ("doc/", "docs/", "documentation/", "manual/")
FEWEST_PAGES = 2


@dataclass(frozen=True, slots=True)
class Builder:
    """A way to make a pack of documentation."""

    name: str
    sniff: Callable[[Upstream], float]
    """How well it fits, from 0."""
    drafts: Callable[[Upstream, Manifest], Iterator[Draft]]
    language: str = ""
    """The language that it is made for; empty for any."""


def _is_powerquery(upstream: Upstream) -> float:
    pages = upstream.having(".md")[:SNIFFED_FILES]
    share = len(upstream.having(".md")) / max(1, len(upstream.paths))
    return 3.0 * share * _share(upstream, pages, re.compile(r"powerquery-m|Power Query M|ms\.subservice: m-"))


def _is_pony(upstream: Upstream) -> float:
    sources = len(upstream.having(".pony"))
    return 3.0 * sources / max(1, len(upstream.paths)) if sources else 0.0


def _is_ring(upstream: Upstream) -> float:
    pages = upstream.having(*RING_SUFFIXES)
    share = len(pages) / max(1, len(upstream.paths))
    named = [path for path in pages if PurePosixPath(path).stem.startswith("reference")] + pages
    ring = re.compile(rf"code-block:: ring|(?:^{LINE.pattern}$\n?){{5}}", re.MULTILINE)
    return 2.5 * share * _share(upstream, named[:SNIFFED_FILES], ring)


def _is_pages(upstream: Upstream) -> float:
    return len(upstream.having(*MARKDOWN, *RST)) / max(1, len(upstream.paths))


def _is_sources(upstream: Upstream) -> float:
    languages = source_languages(upstream)
    return 1.2 * sum(languages.values()) / max(1, len(upstream.paths))


def _is_both(upstream: Upstream) -> float:
    """A library's repository, with a folder of pages."""
    pages = [path for path in upstream.having(*MARKDOWN, *RST) if path.startswith(DOCS_FOLDERS)]
    sources = _is_sources(upstream)
    return 1.1 * (sources + _is_pages(upstream)) if sources and len(pages) >= FEWEST_PAGES else 0.0


def _pages_and_sources(upstream: Upstream, manifest: Manifest) -> Iterator[Draft]:
    yield from page_drafts(upstream, manifest)
    yield from source_drafts(upstream, manifest)


BUILDERS = {
    row.name: row
    for row in (
        Builder("powerquery", _is_powerquery, powerquery_drafts, "powerquery"),
        Builder("pony", _is_pony, pony_drafts, "pony"),
        Builder("ring", _is_ring, ring_drafts, "ring"),
        Builder("pages", _is_pages, page_drafts),
        Builder("sources", _is_sources, source_drafts),
        Builder("both", _is_both, _pages_and_sources),
    )
}
"""In the order in which they are asked."""


def choose_builder(upstream: Upstream) -> Builder | None:
    """The builder that fits best; None where none does."""
    scores = {row.name: row.sniff(upstream) for row in BUILDERS.values()}
    best = max(scores, key=lambda name: scores[name])
    return BUILDERS[best] if scores[best] > 0 else None


def source_languages(upstream: Upstream) -> Counter[str]:
    """How many files there are of each language that has a grammar."""
    names = (language_of(Path(path)) for path in upstream.paths)
    return Counter(name for name in names if name and LANGUAGES[name].grammar)


def guess_language(upstream: Upstream, builder: Builder) -> str | None:
    """The language that the documentation is about."""
    if builder.language:
        return builder.language
    languages = source_languages(upstream)
    if languages:
        return languages.most_common(1)[0][0]
    fence = re.compile(r"^\s*(?:```+|~~~+|\.\. (?:code-block|sourcecode)::)[ \t]*([\w+#.-]+)", re.MULTILINE)
    tags: Counter[str] = Counter()
    for path in upstream.having(*MARKDOWN, *RST)[: 10 * SNIFFED_FILES]:
        for tag in fence.findall(upstream.sniffed(path)):
            language = language_of(None, tag.lower())
            if language and language not in (
                "shell",
                "json",
                "yaml",
                "toml",
                "markdown",
                "html",
                "xml",
                "ini",
            ):
                tags[language] += 1
    return tags.most_common(1)[0][0] if tags else None


def _share(upstream: Upstream, paths: Sequence[str], pattern: re.Pattern[str]) -> float:
    """The share of some files that hold the pattern."""
    texts = [upstream.sniffed(path) for path in paths]
    return sum(pattern.search(text) is not None for text in texts) / max(1, len(texts))
