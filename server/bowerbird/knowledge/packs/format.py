"""Pages of a pack: text to entities and examples. `writing` has the way back.

Reading never raises: what cannot be read is told, with its line, and skipped.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from bowerbird.knowledge.packs.fields import Fields
from bowerbird.knowledge.packs.manifest import Manifest
from bowerbird.knowledge.packs.markup import (
    Block,
    Fence,
    Heading,
    TextLine,
    Unclosed,
    blocks,
    one_line,
    tidy,
    without_span,
)
from bowerbird.knowledge.packs.problem import Problem, Severity
from bowerbird.knowledge.snippet import EntityKind, Example, GrammarEntity
from bowerbird.syntax.languages import LANGUAGES, language_of
from bowerbird.text import Span

OUTPUT = "output"
COUNTER_EXAMPLE = "counter-example"
ENTITY_LEVEL = 2


@dataclass(frozen=True, slots=True)
class Page:
    """What a page holds."""

    entities: tuple[GrammarEntity, ...]
    examples: tuple[Example, ...]
    problems: tuple[Problem, ...]


@dataclass(slots=True)
class _Section:
    """A heading and what stands below it, up to the next one."""

    heading: Heading
    body: list[Fence | TextLine] = field(default_factory=list)

    @property
    def span(self) -> Span:
        last = self.heading.line
        for block in reversed(self.body):
            if isinstance(block, Fence):
                last = block.end - 1
                break
            if block.text.strip():
                last = block.line
                break
        return Span(self.heading.line, last + 1)


def read_page(content: bytes | str, page: str, manifest: Manifest) -> Page:
    """The page at the path `page` of a pack's folder."""
    problems: list[Problem] = []
    if isinstance(content, bytes):
        text = content.decode("utf-8-sig", "replace")
        if "\ufffd" in text and "\ufffd".encode() not in content:
            line = text[: text.index("\ufffd")].count("\n")
            problems.append(Problem(page, line, "It is not UTF-8.", Severity.WARNING))
    else:
        text = content
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    reader = _Reader(page, manifest, problems)
    for section in _sections(blocks(text), reader):
        reader.take(section)
    return Page(tuple(reader.entities), tuple(reader.examples), tuple(sorted(problems)))


def _sections(found: Iterator[Block], reader: _Reader) -> Iterator[_Section]:
    section: _Section | None = None
    for block in found:
        if isinstance(block, Heading):
            if section is not None:
                yield section
            section = _Section(block)
        elif isinstance(block, Unclosed):
            reader.tell(block.line, "This block of code is not closed before the next one or the page's end.")
        elif section is not None:
            section.body.append(block)
        elif isinstance(block, Fence):
            reader.tell(block.line, "This code stands outside an example (a heading with ###).")
    if section is not None:
        yield section


class _Reader:
    """Puts together what a page holds."""

    def __init__(self, page: str, manifest: Manifest, problems: list[Problem]) -> None:
        self.page = page
        self.manifest = manifest
        self.problems = problems
        self.entities: list[GrammarEntity] = []
        self.examples: list[Example] = []
        self.entity = ""

    def tell(self, line: int, sentence: str, severity: Severity = Severity.ERROR) -> None:
        self.problems.append(Problem(self.page, line, sentence, severity))

    def take(self, section: _Section) -> None:
        if section.heading.level < ENTITY_LEVEL:
            self.entity = ""
            self._report_code(section.body)
        elif section.heading.level == ENTITY_LEVEL:
            self._take_entity(section)
        else:
            self._take_example(section)

    def _take_entity(self, section: _Section) -> None:
        heading = section.heading
        symbol = one_line(without_span(heading.text))
        self.entity = ""
        fields, description = self._fields(section.body)
        if not symbol:
            return self.tell(heading.line, "This heading names nothing.")
        if "kind" not in fields.single:
            return self.tell(heading.line, f"`{symbol[:60]}` has no field `- kind: ...` below its heading.")
        self.entity = symbol
        self.entities.append(
            GrammarEntity(
                kind=EntityKind(fields.single["kind"]),
                symbol=symbol,
                pack=self.manifest.name,
                language=self.manifest.language,
                signatures=tuple(fields.signatures),
                parameters=tuple(fields.parameters),
                result=fields.single.get("result", ""),
                description=description,
                module=fields.single.get("module", ""),
                since=fields.single.get("since", ""),
                related=tuple(fields.lists.get("related", ())),
                aliases=tuple(fields.lists.get("alias", ())),
                value=fields.single.get("value", ""),
                member_of=fields.single.get("member of", ""),
                source=fields.single.get("source", ""),
                page=self.page,
                span=section.span,
            )
        )
        return None

    def _fields(self, body: list[Fence | TextLine]) -> tuple[Fields, str]:
        """The fields, and the description below them."""
        fields = Fields()
        lines: list[tuple[int, list[str]]] = []
        at = 0
        for at, block in enumerate(body):  # noqa: B007 - where it stopped is wanted
            text = block.text if isinstance(block, TextLine) else None
            if text is not None and text.startswith("- "):
                lines.append((block.line, [text[2:]]))
            elif text is not None and lines and text.strip() and text[0] in " \t":
                lines[-1][1].append(text.strip())
            elif text is None or text.strip() or lines:
                break
        else:
            at = len(body)
        for line, parts in lines:
            wrong = fields.take(" ".join(parts))
            if wrong:
                self.tell(line, wrong)
        self._report_code(body[at:])
        return fields, _prose(body[at:])

    def _take_example(self, section: _Section) -> None:
        heading = section.heading
        if not heading.text:
            return self.tell(heading.line, "This example has no purpose: its heading is empty.")
        code: Fence | None = None
        output: Fence | None = None
        for block in section.body:
            if not isinstance(block, Fence):
                continue
            if block.info.split()[:1] == [OUTPUT]:
                if output is not None:
                    self.tell(block.line, "A second block of output in one example; the first counts.")
                output = output or block
            elif code is None:
                code = block
            else:
                self.tell(
                    block.line, "A second block of code in one example; write a heading with ### above it."
                )
        if code is None or not code.code.strip():
            return self.tell(heading.line, f"The example `{heading.text[:60]}` has no code.")
        language, counter_example = self._info(code)
        self.examples.append(
            Example(
                purpose=one_line(heading.text),
                code=code.code,
                pack=self.manifest.name,
                language=language,
                output=output.code if output else "",
                note=_prose(section.body),
                counter_example=counter_example,
                entity=self.entity,
                page=self.page,
                span=section.span,
            )
        )
        return None

    def _info(self, fence: Fence) -> tuple[str, bool]:
        """The language of a block of code, and whether it must fail."""
        tag, *flags = fence.info.split() or [""]
        for flag in flags:
            if flag != COUNTER_EXAMPLE:
                self.tell(fence.line, f"`{flag[:60]}` is unknown behind a language.", Severity.WARNING)
        language = tag if tag in LANGUAGES else language_of(None, tag.lower())
        if language is None:
            language = self.manifest.language
            if tag != language:
                told = f"The language `{tag[:60]}` is unknown" if tag else "This code has no language"
                self.tell(fence.line, f"{told}; it is taken for {language}.", Severity.WARNING)
        return language, COUNTER_EXAMPLE in flags

    def _report_code(self, body: list[Fence | TextLine]) -> None:
        for block in body:
            if isinstance(block, Fence):
                self.tell(block.line, "This code stands outside an example (a heading with ###).")


def _prose(body: list[Fence | TextLine]) -> str:
    return tidy("\n".join(block.text for block in body if isinstance(block, TextLine)))
