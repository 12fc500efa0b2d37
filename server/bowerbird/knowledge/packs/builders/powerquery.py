"""Microsoft's reference of Power Query M: a page for each function, enumeration and constant."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from bowerbird.knowledge.packs.builders.blocks import Block, Code, Html, Prose, Table, Title, sentences
from bowerbird.knowledge.packs.builders.document import Draft, parameters_in, prose_of, read_document
from bowerbird.knowledge.packs.builders.examples import example, is_code
from bowerbird.knowledge.packs.builders.markdown import front_title, read_markdown
from bowerbird.knowledge.packs.builders.upstream import Upstream
from bowerbird.knowledge.packs.manifest import Manifest
from bowerbird.knowledge.packs.markup import one_line, without_span
from bowerbird.knowledge.snippet import EntityKind, Example, GrammarEntity

INDEX = "-functions.md"
USAGE, OUTPUT = "usage", "output"

_NAME = re.compile(r"#?[A-Za-z][\w]*(?:\.\w+)*")
_MARK = re.compile(r"</?\w+[^<>]*>")
_VALUE = re.compile(r"represents ([-\d.]+\d),")
_RESULT = re.compile(r".*\)\s+as\s+(.+)", re.DOTALL)


def powerquery_drafts(upstream: Upstream, manifest: Manifest) -> Iterator[Draft]:
    """A page for each of the reference's modules, and one for each page of the specification."""
    modules: dict[str, tuple[list[GrammarEntity], list[Example]]] = {}
    categories = _categories(upstream)
    for path in upstream.having(".md"):
        text = upstream.text(path)
        if text is None:
            continue
        try:
            blocks = read_markdown(text)
        except RecursionError:
            upstream.tell(path, 0, "It is nested too deeply.")
            continue
        name = _page_name(text, blocks)
        if not name or path.endswith(INDEX):
            if not path.endswith(INDEX):
                draft = read_document(blocks, path, manifest)
                concepts = tuple(replace(one, kind=EntityKind.CONCEPT) for one in draft.entities)
                draft = replace(draft, entities=concepts)
                if draft.entities or draft.examples:
                    yield draft
            continue
        entities, examples = _reference_page(name, blocks, path, manifest)
        if not entities:
            upstream.tell(path, 0, f"Neither a syntax nor values were found for {name}.")
            continue
        module = name.partition(".")[0].lstrip("#")
        kept = modules.setdefault(module, ([], []))
        kept[0].extend(replace(one, module=categories.get(one.symbol, module)) for one in entities)
        kept[1].extend(examples)
    for module, (entities, examples) in sorted(modules.items()):
        yield Draft(f"reference/{module.lower()}.md", module, tuple(entities), tuple(examples))


def _page_name(text: str, blocks: Sequence[Block]) -> str:
    """The name that a page of the reference documents; empty for a page of prose."""
    title = next((block.text for block in blocks if isinstance(block, Title)), "")
    name = without_span(one_line(html.unescape(title))).replace("\\", "")
    if not _NAME.fullmatch(name) or name not in (front_title(text).replace("\\", ""), name):
        return ""
    dotted = "." in name or name.startswith("#")
    return name if dotted else ""


def _reference_page(
    name: str, blocks: Sequence[Block], path: str, manifest: Manifest
) -> tuple[list[GrammarEntity], list[Example]]:
    sections: dict[str, list[Block]] = {}
    examples: list[Example] = []
    section = sections.setdefault("", [])
    for block in blocks:
        if isinstance(block, Title):
            section = sections.setdefault(f"{one_line(block.text).lower()}", [])
        else:
            section.append(block)
    for title, body in sections.items():
        if title.startswith("example"):
            examples += _example(name, body, manifest)
    about = sections.get("about", [])
    signature = next(
        (_signature(one.text) for one in sections.get("syntax", []) if isinstance(one, Html)), ""
    )
    entity = GrammarEntity(
        kind=EntityKind.FUNCTION if signature else EntityKind.CONSTANT,
        symbol=name,
        pack=manifest.name,
        language=manifest.language,
        signatures=(signature,) if signature else (),
        parameters=tuple(
            one
            for one in parameters_in(prose_of(about))
            if re.search(rf"\b{re.escape(one.name)} as\b", signature)
        ),
        result=match[1].strip() if (match := _RESULT.match(signature)) else "",
        description=prose_of(about),
        source=path.removesuffix(".md"),
    )
    members = _members(name, sections.get("allowed values", []), path, manifest)
    if members:
        return [replace(entity, kind=EntityKind.ENUMERATION), *members], examples
    if not signature:
        value = _VALUE.search(entity.description)
        entity = replace(entity, value=value[1] if value else "")
    return ([entity] if signature or about else []), examples


def _signature(pre: str) -> str:
    """``<pre>`` without marks, on one line, as people write a call."""
    text = one_line(html.unescape(_MARK.sub("", pre)))
    return text.replace("( ", "(").replace(" )", ")")


def _members(name: str, blocks: Sequence[Block], path: str, manifest: Manifest) -> list[GrammarEntity]:
    """The rows of a table of allowed values."""
    found: list[GrammarEntity] = []
    for block in blocks:
        if not isinstance(block, Table):
            continue
        for row in block.rows[1:]:
            symbol, value, description = (*map(one_line, row), "", "", "")[:3]
            symbol = without_span(symbol.strip("*"))
            if symbol:
                found.append(
                    GrammarEntity(
                        kind=EntityKind.MEMBER,
                        symbol=symbol,
                        pack=manifest.name,
                        language=manifest.language,
                        value=without_span(value),
                        description=description,
                        member_of=name,
                        source=path.removesuffix(".md"),
                    )
                )
    return found


def _example(name: str, body: Sequence[Block], manifest: Manifest) -> list[Example]:
    """What is said, the code below **Usage**, and below **Output** what it gives."""
    said: list[str] = []
    role = code = output = ""
    for block in body:
        text = one_line(block.text).strip("*: ").lower() if isinstance(block, Prose) else ""
        if text in (USAGE, OUTPUT):
            role = text
        elif role == USAGE and isinstance(block, Code):
            code = code or block.text
        elif role == OUTPUT and isinstance(block, Code | Prose):
            output = output or (block.text if isinstance(block, Code) else without_span(block.text.strip()))
        elif not role and isinstance(block, Prose):
            said.append(block.text)
        elif not role and isinstance(block, Code) and is_code(block.tag, manifest.language):
            code = code or block.text
    if not code.strip():
        return []
    purpose = one_line(" ".join(sentences(" ".join(said)))) or name
    return [example(code, purpose.rstrip(":"), name, manifest, output=output)]


def _categories(upstream: Upstream) -> dict[str, str]:
    """The category of each function, from the pages that list them; a row may lack its first bar."""
    found: dict[str, str] = {}
    row = re.compile(r"^\|?\s*\[([^\]\s|]+)\]\([^()\s]*\)\s*\|", re.MULTILINE)
    for path in upstream.having(INDEX):
        text = upstream.text(path)
        if text is None or path.startswith("m-spec") or "understanding" in path:
            continue
        title = front_title(text).removesuffix(" functions")
        for part in re.split(r"^## ", text, flags=re.MULTILINE):
            heading = one_line(part.partition("\n")[0]) if not part.startswith("---") else ""
            for name in row.findall(part):
                found.setdefault(name.replace("\\", ""), f"{title}: {heading}" if heading else title)
    return found
