"""Examples of how something is written: documented functions of the workspace, and what packs show.

A pair of requirement and code is AceCoder's unit of retrieval (section 3.1). Where the workspace tests a
function, those tests come along: they clarify the requirement.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from weakref import WeakKeyDictionary

from bowerbird.knowledge.packs.pack import Pack
from bowerbird.knowledge.snippet import NOWHERE, Source
from bowerbird.syntax.declarations import declarations
from bowerbird.syntax.languages import LANGUAGES
from bowerbird.syntax.lexis import tokens
from bowerbird.syntax.parser import parse
from bowerbird.syntax.symbols import flat, symbols_of
from bowerbird.text import Span

SHORTEST_WORDS = 2  # of a requirement; one word says too little to find anything by
LONGEST_CHARACTERS = 300  # of a requirement
LONGEST_LINES = 60  # of a function that may serve as an example
MOST_TESTS = 5  # as many as EVOR's inputs

TEST_FILE = re.compile(
    r"(?:^|/)(?:tests?|specs?|__tests__)/|(?:^|/)test_|[._-](?:test|spec)s?\.\w+$|Tests?\.\w+$"
)
ASSERTS = re.compile(r"assert|expect|should|require|check|equal|==|=>", re.IGNORECASE)
CALL = re.compile(r"(?<![\w.])(?:\w+\.)*(\w+)\s*(?:\[[^\]\n]*\])?\(")
NO_TEST = re.compile(r"\s*(?:def|func|function|fn|fun|class|import|from|if|for|while|#|//|--)\b|\s*[#/@]")
PARAGRAPH = re.compile(r"\n\s*\n")
DOCSTRING = ('"""', "'''")
NOTHING = re.compile(
    r"\s*(?:end\w*|[})\]]+[;,)]*"
    r"|(?:pass|\.\.\.|(?:todo|unimplemented)!\(\)|raise NotImplementedError.*);?)?\s*"
)
"""A line of a function that does nothing."""


class From(StrEnum):
    """Where an example comes from."""

    WORKSPACE = "workspace"
    PACK = "pack"
    SOUP = "soup"


@dataclass(frozen=True, slots=True, kw_only=True)
class Demonstration:
    """A requirement and code that meets it (the paper's x_i and y_i)."""

    requirement: str
    """One line, in people's words."""
    code: str
    language: str
    """Key in `syntax.languages.LANGUAGES`."""
    name: str
    """Where it stands, as in prompts and traces."""
    origin: From
    span: Span = NOWHERE
    """Its lines there."""
    signature: str = ""
    """On one line; empty for code that is no function."""
    tests: tuple[str, ...] = ()
    """Lines of the workspace's tests that call it."""
    output: str = ""
    """What the code gives, where a documentation tells that."""
    verified: str = ""
    """Who found it sound; empty where nobody looked."""

    @property
    def text(self) -> str:
        """What enters a prompt, for who judges whether it may."""
        return "\n".join((self.requirement, self.code, *self.tests, self.output))


def pack_examples(packs: Iterable[Pack]) -> list[Demonstration]:
    """What packs show, without code that must fail."""
    return [
        Demonstration(
            requirement=example.purpose,
            code=example.code,
            language=example.language,
            name=example.name,
            origin=From.PACK,
            span=example.span,
            output=example.output,
        )
        for pack in packs
        for example in pack.examples
        if not example.counter_example and example.code.strip()
    ]


class WorkspaceExamples:
    """The documented functions of the workspace; each file is looked through once for each version."""

    def __init__(self) -> None:
        self._functions: WeakKeyDictionary[Source, tuple[Demonstration, ...]] = WeakKeyDictionary()
        self._tests: WeakKeyDictionary[Source, dict[str, tuple[str, ...]]] = WeakKeyDictionary()

    def of(self, sources: Iterable[Source], language: str) -> list[Demonstration]:
        """Those of one language, in the order of the files, with the tests that call them."""
        wanted = [source for source in sources if source.language == language]
        tests = self.tests(wanted, language)
        found: list[Demonstration] = []
        for source in wanted:
            if not TEST_FILE.search(source.name):
                if source not in self._functions:
                    self._functions[source] = tuple(documented_functions(source))
                found += (_tested(one, tests) for one in self._functions[source])
        return found

    def tests(self, sources: Iterable[Source], language: str) -> dict[str, tuple[str, ...]]:
        """For each name that tests call, the lines that claim something of it."""
        found: dict[str, tuple[str, ...]] = {}
        for source in sources:
            if source.language != language or not TEST_FILE.search(source.name):
                continue
            if source not in self._tests:
                self._tests[source] = tests_in(source)
            for name, lines in self._tests[source].items():
                found[name] = (*found.get(name, ()), *lines)[:MOST_TESTS]
        return found


def documented_functions(source: Source) -> Iterator[Demonstration]:
    """Functions with a docstring or a comment above, with the code from that comment on."""
    tree = parse(source.text, source.language)
    if tree is None or source.language is None:
        return
    ends = {
        (symbol.range.start.line, symbol.name): symbol.range.end.line + 1
        for symbol in flat(symbols_of(source.text, source.language))
    }
    for declaration in declarations(tree):
        requirement = requirement_of(declaration.docstring or _comment_above(source, declaration.line))
        last = declaration.name.rpartition(".")[2]
        end = ends.get((declaration.line, last))
        if declaration.kind not in ("function", "method") or not requirement or end is None:
            continue
        lines = source.lines[declaration.line : end]
        if len(lines) <= LONGEST_LINES and not _is_empty(lines, source.language):
            yield Demonstration(
                requirement=requirement,
                code=dedented(lines),
                language=source.language,
                name=source.name,
                origin=From.WORKSPACE,
                span=Span(declaration.line, end),
                signature=declaration.signature,
            )


def requirement_of(text: str) -> str:
    """The first paragraph of what documents something, on one line; empty where it says too little."""
    first = PARAGRAPH.split(text.strip(), maxsplit=1)[0]
    line = " ".join(first.split())[:LONGEST_CHARACTERS].strip()
    return line if len(line.split()) >= SHORTEST_WORDS else ""


def dedented(lines: list[str]) -> str:
    """The lines without the white space that the first one begins with."""
    lead = lines[0][: len(lines[0]) - len(lines[0].lstrip())] if lines else ""
    return "\n".join(line.removeprefix(lead).rstrip() for line in lines).rstrip()


def _is_empty(lines: list[str], language: str) -> bool:
    """Is there nothing but a head, documentation and an end? Such a function is yet to be written."""
    text = "\n".join(lines[1:])
    for token in reversed(list(tokens(text, language))):
        if token.kind == "comment" or text.startswith(DOCSTRING, token.start):
            text = text[: token.start] + text[token.end :]
    return len(lines) > 1 and all(map(NOTHING.fullmatch, text.split("\n")))


def _comment_above(source: Source, line: int) -> str:
    """The comment lines that end above a line, for languages whose docstrings stand elsewhere."""
    row = LANGUAGES.get(source.language or "")
    said: list[str] = []
    while row and row.comment and line and source.lines[line - 1].lstrip().startswith(row.comment):
        line -= 1
        said.append(source.lines[line].strip().lstrip(row.comment).strip())
    return "\n".join(reversed(said))


def tests_in(source: Source) -> dict[str, tuple[str, ...]]:
    """For each name that is called where something is claimed, the lines that do so; whole lines only."""
    found: dict[str, list[str]] = {}
    for line in source.lines:
        if len(line) > LONGEST_CHARACTERS or not ASSERTS.search(line) or NO_TEST.match(line):
            continue
        if any(line.count(pair[0]) != line.count(pair[1]) for pair in ("()", "[]", "{}")):
            continue
        if line.rstrip().endswith(("{", ":", ",", "=>", "\\")):
            continue
        for name in dict.fromkeys(CALL.findall(line)):
            if not ASSERTS.search(name):
                found.setdefault(name, []).append(line.strip())
    return {name: tuple(dict.fromkeys(lines))[:MOST_TESTS] for name, lines in found.items()}


def _tested(function: Demonstration, tests: Mapping[str, tuple[str, ...]]) -> Demonstration:
    name = next(iter(re.findall(r"(\w+)\s*(?:\[[^\]]*\])?\(", function.signature)), "")
    lines = tests.get(name)
    return replace(function, tests=lines) if lines else function
