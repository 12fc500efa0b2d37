"""Blocks of code -> examples: which are code, which tell what code gives, and what the code is for."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace

from bowerbird.knowledge.packs.builders.blocks import MAX_SENTENCE, Block, Code, Prose, sentences
from bowerbird.knowledge.packs.manifest import Manifest
from bowerbird.knowledge.packs.markup import one_line, tidy
from bowerbird.knowledge.snippet import Example
from bowerbird.syntax.languages import LANGUAGES, language_of

OUTPUT_TAGS = frozenset({"output", "text", "txt", "console", "none", "plaintext", "plain", "stdout"})
_GIVES = re.compile(
    r"(?:(?:the |its )?(?:results?|output)"
    r"|this (?:will )?(?:prints?|outputs?|gives|evaluates? to))\b[^:]{0,60}:",
    re.IGNORECASE,
)
"""A sentence that leads from code to what it gives."""
_BY_EXTENSION = {one[1:]: row.name for row in LANGUAGES.values() for one in row.extensions}


def examples_in(
    blocks: Sequence[Block], title: str, entity: str, manifest: Manifest, untagged: bool = False
) -> list[Example]:
    """The blocks of code in the pack's language, each with a purpose that the words around it give."""
    found: list[Example] = []
    said = ""
    code_at = -2
    for at, block in enumerate(blocks):
        if isinstance(block, Prose):
            said = block.text
        if not isinstance(block, Code) or not block.text.strip():
            continue
        if found and not found[-1].output and _GIVES.fullmatch(one_line(said)):
            found[-1], said = replace(found[-1], output=block.text), ""
        elif is_code(block.tag, manifest.language, untagged):
            found.append(example(block.text, purpose_of(said, title), entity, manifest, block.flags))
            code_at, said = at, ""
        elif block.tag.lower() == "pycon" and manifest.language == "python":
            shown = [
                replace(one, entity=entity) for one in doctests(block.text, purpose_of(said, title), manifest)
            ]
            found += shown
            said = ""
        elif found and not found[-1].output and is_output(block.tag, blocks[code_at + 1 : at]):
            found[-1] = replace(found[-1], output=block.text)
    return found


def example(
    code: str, purpose: str, entity: str, manifest: Manifest, flags: Iterable[str] = (), output: str = ""
) -> Example:
    """An example as builders make it."""
    return Example(
        purpose=one_line(purpose)[: 2 * MAX_SENTENCE] or manifest.title or manifest.name,
        code=code,
        pack=manifest.name,
        language=manifest.language,
        output=output,
        counter_example="counter-example" in flags or "compile_fail" in flags or "should_panic" in flags,
        entity=entity,
    )


def is_code(tag: str, language: str, untagged: bool = False) -> bool:
    """Does a block so tagged hold code of this language?"""
    if not tag:
        return untagged
    name = tag.lower().lstrip(".")
    # Documentation has names of its own: ```powerquery-m, ```M, ```py, ```rs.
    found = name if name in LANGUAGES else language_of(None, name) or _BY_EXTENSION.get(name)
    return found == language or name == language or name.partition("-")[0] == language


def is_output(tag: str, between: Sequence[Block]) -> bool:
    """Is a block, with only `between` after the code, what the code gives?"""
    if tag.lower() == "output":
        return True
    if tag.lower() not in OUTPUT_TAGS | {""}:
        return False
    said = " ".join(block.text for block in between if isinstance(block, Prose)).lower()
    return any(word in said for word in ("output", "print", "result", "gives", "display"))


def purpose_of(said: str, title: str) -> str:
    """One line that says what code is for: the sentence that leads to it, or the title it stands under."""
    told = sentences(tidy(said).rpartition("\n\n")[2])
    title = one_line(title.replace("`", ""))
    if not told:
        return title
    if told[-1].endswith(":"):
        last = told[-1].rstrip(": ")
        return last if len(last) <= 2 * MAX_SENTENCE else title
    first = told[0].rstrip(". ")
    return f"{title}: {first}" if title and len(first) <= MAX_SENTENCE else title or first[:MAX_SENTENCE]


def doctests(text: str, purpose: str, manifest: Manifest) -> list[Example]:
    """``>>>`` lines as code, what stands below them as output."""
    code: list[str] = []
    output: list[str] = []
    for line in text.split("\n"):
        if line.startswith((">>>", "...")):
            code.append(line[4:])
        elif code:
            output.append(line)
    if not code:
        return []
    return [example("\n".join(code).strip("\n"), purpose, "", manifest, output="\n".join(output).strip("\n"))]
