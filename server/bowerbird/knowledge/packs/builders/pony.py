"""Pony's tutorial, whose code stands in files of its own, and the docstrings of Pony packages."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from bowerbird.knowledge.packs.builders.document import Draft
from bowerbird.knowledge.packs.builders.pages import page_drafts
from bowerbird.knowledge.packs.builders.sources import source_drafts
from bowerbird.knowledge.packs.builders.upstream import Upstream
from bowerbird.knowledge.packs.manifest import Manifest
from bowerbird.knowledge.snippet import Example

_FAILS = re.compile(
    r"\b(?:(?:does|do|will|would|can|should)(?:n't| not|not) (?:compile|work|be allowed)|fails? to compile"
    r"|compiler error|compile error|is (?:an error|not allowed|illegal|wrong)|won't compile)\b",
    re.IGNORECASE,
)
_SAMPLES = re.compile(r"(?:^|/)(?:code-samples|examples|tools|test|benchmark|builtin_test)/")


def pony_drafts(upstream: Upstream, manifest: Manifest) -> Iterator[Draft]:
    """The pages, then the packages. Code that must fail, as the words around it say, is marked."""
    for draft in page_drafts(upstream, manifest):
        yield replace(draft, examples=tuple(map(_judged, draft.examples)))
    yield from source_drafts(upstream.without(_SAMPLES), manifest)


def _judged(example: Example) -> Example:
    return replace(example, counter_example=True) if _FAILS.search(example.purpose) else example
