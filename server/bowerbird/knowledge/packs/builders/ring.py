"""Ring's manual: RST pages with the suffix .txt, and lists of functions such as ``len(list) ---> count``.

Words before a block of code, such as ``Syntax:`` or ``Output:``, say what it is; its tag says nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import PurePosixPath

from bowerbird.knowledge.packs.builders.blocks import Block, Code, Prose, Title
from bowerbird.knowledge.packs.builders.document import Draft, prose_of
from bowerbird.knowledge.packs.builders.examples import example, purpose_of
from bowerbird.knowledge.packs.builders.rst import read_rst
from bowerbird.knowledge.packs.builders.upstream import Upstream
from bowerbird.knowledge.packs.manifest import Manifest
from bowerbird.knowledge.packs.markup import one_line
from bowerbird.knowledge.snippet import EntityKind, Example, GrammarEntity, Parameter

SUFFIXES = (".txt", ".rst")
FEWEST_LINES = 3  # of a list of functions; a single arrow in prose is none

LINE = re.compile(
    r"[ \t]*(?P<name>[A-Za-z_]\w*)[ \t]*\((?P<arguments>[^\n]*?)\)"
    r"(?:[ \t]*-{1,4}>[ \t]*(?P<told>[^\n]*?))?[ \t]*"
)
GENERATED = re.compile(r"funcsdoc|classesdoc|functionslist")

_LABEL = re.compile(r"(?P<role>syntax|examples?|output|result)\s*(?:\(?\d+\)?)?\s*:?", re.IGNORECASE)
_NAMED = re.compile(r"(?P<names>\w+\(\)(?:\s*(?:,|and|/)\s*\w+\(\))*)(?:\s+functions?)?", re.IGNORECASE)
_TYPES = {"c": "string", "n": "number", "a": "list", "o": "object", "l": "logical", "p": "pointer"}
_PREFIXED = re.compile(r"([cnaolp])[A-Z]\w*")


def ring_drafts(upstream: Upstream, manifest: Manifest) -> Iterator[Draft]:
    """A page for each page; generated lists of extensions' functions are left out."""
    found: dict[str, GrammarEntity] = {}
    home: dict[str, int] = {}  # where each function is described, else where it is listed
    pages: list[Draft] = []
    for path in upstream.having(*SUFFIXES):
        if GENERATED.search(PurePosixPath(path).name) or (text := upstream.text(path)) is None:
            continue
        draft = _page(text, path, manifest)
        for function in draft.entities:
            if function.kind is EntityKind.FUNCTION:
                key = function.symbol.lower()
                _add(found, function)
                if function.description or key not in home:
                    home[key] = len(pages)
        pages.append(draft)
    for number, page in enumerate(pages):
        symbols = dict.fromkeys(
            one.symbol.lower() for one in page.entities if one.kind is EntityKind.FUNCTION
        )
        functions = tuple(found[symbol] for symbol in symbols if home[symbol] == number)
        concepts = tuple(one for one in page.entities if one.kind is not EntityKind.FUNCTION)
        if functions or concepts or page.examples:
            named = {one.symbol.lower(): one.symbol for one in functions}
            examples = tuple(
                replace(one, entity=named.get(one.entity.lower(), one.entity)) for one in page.examples
            )
            yield replace(page, entities=(*concepts, *functions), examples=examples)


def _page(text: str, path: str, manifest: Manifest) -> Draft:
    blocks = read_rst(text)
    page = next((block.text for block in blocks if isinstance(block, Title)), "")
    entities: list[GrammarEntity] = [_function(line, manifest, path) for line in _listed(text)]
    examples: list[Example] = []
    for title, body in _sections(blocks):
        described, shown = _section(title or page, body, manifest, path)
        entities += described
        examples += shown
    entities = [replace(one, module=one.module or page) for one in entities]
    title = page or PurePosixPath(path).stem
    return Draft(str(PurePosixPath(path).with_suffix(".md")), title, tuple(entities), tuple(examples))


def _listed(text: str) -> list[re.Match[str]]:
    """The lines of lists of functions; there are several together, and they are indented."""
    lines = [LINE.fullmatch(line) if len(line) < 500 else None for line in text.split("\n")]
    found: list[re.Match[str]] = []
    run: list[re.Match[str]] = []
    for line in [*lines, None]:
        if line is not None and line[0][0] in " \t":
            run.append(line)
            continue
        if len(run) >= FEWEST_LINES and any(one["told"] for one in run):
            found += run
        run = []
    return found


def _function(line: re.Match[str], manifest: Manifest, path: str) -> GrammarEntity:
    told = one_line(line["told"] or "")
    return GrammarEntity(
        kind=EntityKind.FUNCTION,
        symbol=line["name"],
        pack=manifest.name,
        language=manifest.language,
        signatures=(f"{line['name']}({one_line(line['arguments'])})",),
        parameters=tuple(map(_parameter, filter(None, map(one_line, line["arguments"].split(","))))),
        result=told,
        source=path,
    )


def _parameter(text: str) -> Parameter:
    """The prefix of a name tells its type, as in ``cName`` and ``nCount``."""
    name = text.strip("[] ")
    prefixed = _PREFIXED.match(name)
    return Parameter(name, _TYPES[prefixed[1]] if prefixed else "", optional=text.startswith("["))


def _add(found: dict[str, GrammarEntity], entity: GrammarEntity) -> None:
    """Join what several places say of one function, whatever the case of its letters there."""
    key = entity.symbol.lower()
    known = found.setdefault(key, entity)
    if known is entity:
        return
    first, second = (known, entity) if known.description or not entity.description else (entity, known)
    signatures: dict[str, str] = {}
    for one in (*first.signatures, *second.signatures):
        signatures.setdefault(one.lower().replace(" ", ""), one)
    parameters = {one.name.lower(): one for one in (*first.parameters, *second.parameters)}
    found[key] = replace(
        first,
        symbol=known.symbol,
        signatures=tuple(signatures.values()),
        parameters=tuple(parameters.values()),
        result=first.result or second.result,
        module=first.module or second.module,
    )


def _sections(blocks: Sequence[Block]) -> Iterator[tuple[str, list[Block]]]:
    title, body = "", list[Block]()
    for block in blocks:
        if isinstance(block, Title):
            yield title, body
            title, body = one_line(block.text), []
        else:
            body.append(block)
    yield title, body


def _section(
    title: str, body: Sequence[Block], manifest: Manifest, path: str
) -> tuple[list[GrammarEntity], list[Example]]:
    functions: list[GrammarEntity] = []
    examples: list[Example] = []
    role, said = "", ""
    prose = [
        block for block in body if isinstance(block, Prose) and not _LABEL.fullmatch(one_line(block.text))
    ]
    named = _NAMED.fullmatch(title)
    for block in body:
        if isinstance(block, Prose):
            label = _LABEL.fullmatch(one_line(block.text))
            role = label["role"].lower().rstrip("s") if label else ""
            said = said if label else block.text
        elif isinstance(block, Code):
            lines = [match for one in block.text.split("\n") if (match := LINE.fullmatch(one))]
            if role == "syntax":
                functions += (_function(line, manifest, path) for line in lines)
            elif role in ("output", "result"):
                if examples and not examples[-1].output:
                    examples[-1] = replace(examples[-1], output=block.text)
            elif not (lines and all(line["told"] for line in lines)):
                examples.append(example(block.text, purpose_of(said, title), "", manifest))
                said = ""
            role = ""
    if named and not functions:
        functions = [
            GrammarEntity(
                kind=EntityKind.FUNCTION,
                symbol=name.strip("() "),
                pack=manifest.name,
                language=manifest.language,
                source=path,
            )
            for name in re.split(r",|\band\b|/", named["names"])
        ]
    described = prose_of(prose)
    functions = [replace(one, description=described) for one in functions]
    concept = [] if functions or not described or not title else [_concept(title, described, manifest, path)]
    owner = functions[0].symbol if functions else concept[0].symbol if concept else ""
    return [*functions, *concept], [replace(one, entity=owner) for one in examples]


def _concept(title: str, description: str, manifest: Manifest, path: str) -> GrammarEntity:
    return GrammarEntity(
        kind=EntityKind.CONCEPT,
        symbol=title,
        pack=manifest.name,
        language=manifest.language,
        description=description,
        source=path,
    )
