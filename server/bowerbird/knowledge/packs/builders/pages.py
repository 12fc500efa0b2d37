"""Folders of Markdown or RST pages, whatever tool publishes them: MkDocs, Sphinx, a forge."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import PurePosixPath

from bowerbird.knowledge.packs.builders.blocks import Block
from bowerbird.knowledge.packs.builders.document import Draft, read_document
from bowerbird.knowledge.packs.builders.markdown import Include, read_markdown
from bowerbird.knowledge.packs.builders.rst import read_rst
from bowerbird.knowledge.packs.builders.upstream import Upstream
from bowerbird.knowledge.packs.manifest import Manifest

MARKDOWN = (".md", ".markdown", ".mdx")
RST = (".rst",)
_NOT_DOCUMENTATION = """
    changelog changes history license licence contributing code_of_conduct authors security news release_notes
    pull_request_template issue_template
"""
NOT_DOCUMENTATION = frozenset(_NOT_DOCUMENTATION.split())
"""Names of pages that tell nothing of a language."""

INCLUDED_FOLDERS = ("", "docs", "code-samples", "snippets", "includes", "examples")
_BASE_PATH = re.compile(r"base_path:\s*(\[[^\]]*\]|[^\n]+|(?:\n\s*-[^\n]*)+)")
_QUOTED = re.compile(r"[\w./-]+")


def page_drafts(upstream: Upstream, manifest: Manifest) -> Iterator[Draft]:
    """A page for each page. A broken one is told and skipped."""
    include = includes(upstream)
    yield from _drafts(upstream, manifest, MARKDOWN, lambda text: read_markdown(text, include))
    yield from _drafts(upstream, manifest, RST, read_rst)


def _drafts(
    upstream: Upstream, manifest: Manifest, suffixes: tuple[str, ...], read: Callable[[str], list[Block]]
) -> Iterator[Draft]:
    for path in upstream.having(*suffixes):
        if PurePosixPath(path).stem.lower() in NOT_DOCUMENTATION or (text := upstream.text(path)) is None:
            continue
        try:
            draft = read_document(read(text), path, manifest)
        except RecursionError:
            upstream.tell(path, 0, "It is nested too deeply.")
            continue
        if draft.entities or draft.examples:
            yield Draft(
                str(PurePosixPath(path).with_suffix(".md")), draft.title, draft.entities, draft.examples
            )


def includes(upstream: Upstream) -> Include:
    """How the pages' includes are found: where mkdocs.yml says, else in the usual folders."""
    folders = [*INCLUDED_FOLDERS]
    for name in ("mkdocs.yml", "mkdocs.yaml"):
        text = upstream.text(name) if upstream.holds(name) else None
        said = _BASE_PATH.search(text) if text else None
        if said:
            folders = [*_QUOTED.findall(said[1]), *folders]

    def include(name: str) -> str | None:
        for folder in folders:
            path = f"{folder}/{name}" if folder else name
            if upstream.holds(path):
                return upstream.text(path)
        return None

    return include
