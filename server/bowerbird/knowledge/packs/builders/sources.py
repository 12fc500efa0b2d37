"""Sources -> entities: what a library declares, and what its docstrings or comments say."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import PurePosixPath

from bowerbird.knowledge.packs.builders.blocks import Block, Code, Title
from bowerbird.knowledge.packs.builders.docstring import Docstring, read_docstring
from bowerbird.knowledge.packs.builders.document import Draft, prose_of
from bowerbird.knowledge.packs.builders.examples import examples_in
from bowerbird.knowledge.packs.builders.upstream import Upstream
from bowerbird.knowledge.packs.manifest import Manifest
from bowerbird.knowledge.snippet import EntityKind, Example, GrammarEntity
from bowerbird.syntax.declarations import MODULE, Declaration, declarations
from bowerbird.syntax.languages import LANGUAGES
from bowerbird.syntax.parser import parse

NOT_LIBRARY = re.compile(
    r"(?:^|/)(?:tests?/|test_[^/]*$|[^/]*_tests?\.(?!pony)\w+$|_[^/]*test\.pony$|[^/]*[._]spec\.\w+$"
    r"|(?:examples?|scripts|benchmarks?)/|(?:setup|conf|conftest)\.py$)"
)
"""Paths of tests and the like, whose declarations nobody calls."""

KINDS = {
    "function": EntityKind.FUNCTION,
    "method": EntityKind.METHOD,
    "constructor": EntityKind.CONSTRUCTOR,
    "constant": EntityKind.CONSTANT,
    "module": EntityKind.MODULE,
    "namespace": EntityKind.MODULE,
    "enum": EntityKind.ENUMERATION,
    "field": EntityKind.FIELD,
    "macro": EntityKind.FUNCTION,
}
"""The categories of tags; all others are types."""

BY_WORD = {("pony", "new"): EntityKind.CONSTRUCTOR, ("pony", "be"): EntityKind.BEHAVIOUR}
"""Where the first word of a declaration says more than its category."""

LIBRARY_FOLDERS = frozenset({"src", "lib", "packages", "python"})
"""Folders that are no part of a module's name."""


@dataclass(frozen=True, slots=True)
class Module:
    """A file of a library."""

    path: str
    name: str
    """Dotted."""


def source_drafts(upstream: Upstream, manifest: Manifest) -> Iterator[Draft]:
    """A page for each file of the language that declares something public."""
    row = LANGUAGES.get(manifest.language)
    if row is None or row.grammar is None:
        return
    package = upstream.root.name if upstream.holds("__init__.py") else ""
    for path in upstream.having(*row.extensions):
        if NOT_LIBRARY.search(path):
            continue
        draft = _guarded(upstream, path, manifest, package)
        if draft is not None and (draft.entities or draft.examples):
            yield draft


def _guarded(upstream: Upstream, path: str, manifest: Manifest, package: str) -> Draft | None:
    text = upstream.text(path)
    if text is None:
        return None
    tree = parse(text, manifest.language)
    if tree is None:
        upstream.tell(path, 0, "It cannot be parsed.")
        return None
    try:
        return read_source(declarations(tree), module_of(path, manifest, package), manifest)
    except RecursionError:
        upstream.tell(path, 0, "A docstring is nested too deeply.")
        return None


def read_source(found: list[Declaration], module: Module, manifest: Manifest) -> Draft:
    """The public declarations of a file. `module` leads names where the language imports modules."""
    entities: list[GrammarEntity] = []
    examples: list[Example] = []
    for declaration in found:
        if any(part.startswith("_") for part in declaration.name.split(".")):
            continue
        docstring = read_docstring(declaration.docstring)
        entity = _entity(declaration, docstring, module, manifest)
        if entity is None:
            continue
        entities.append(entity)
        blocks = docstring.blocks
        title = next((block.text for block in blocks if isinstance(block, Title)), "") or entity.symbol
        title = entity.symbol if title.lower() in ("example", "examples", "usage") else title
        told = [_with_tag(one) for one in blocks]
        examples += examples_in(told, title, entity.symbol, manifest, untagged=manifest.language != "pony")
    path = str(PurePosixPath(module.path).with_suffix(".md"))
    return Draft(path, module.name, tuple(entities), tuple(examples))


def module_of(path: str, manifest: Manifest, package: str = "") -> Module:
    """What a file is called by those who import it; `package` is the folder's name if it is one itself."""
    parts = [*PurePosixPath(path).with_suffix("").parts]
    while len(parts) > 1 and parts[0] in LIBRARY_FOLDERS:
        parts = parts[1:]
    if manifest.language == "pony":  # a package is a folder
        parts = parts[:-1]
    if manifest.language == "python":  # what private modules hold is given to users by those above them
        parts = [part for part in parts if not part.startswith("_") or part == "__init__"]
    if parts and parts[-1] in ("__init__", "mod", "lib", "index"):
        parts = parts[:-1]
    return Module(path, ".".join([package, *parts] if package else parts))


def _entity(
    declaration: Declaration, docstring: Docstring, module: Module, manifest: Manifest
) -> GrammarEntity | None:
    kind = BY_WORD.get((manifest.language, declaration.word)) or KINDS.get(declaration.kind, EntityKind.TYPE)
    owner = declaration.name.rpartition(".")[0]
    if kind is EntityKind.FUNCTION and owner:
        kind = EntityKind.METHOD  # Python's tags do not tell the two apart
    symbol = declaration.name
    if manifest.language == "python":
        owner = f"{module.name}.{owner}" if owner and module.name else owner
        symbol = ".".join(filter(None, (module.name, symbol)))
    if declaration.kind == MODULE:
        symbol = module.name
        if not symbol or not declaration.docstring:
            return None
    return GrammarEntity(
        kind=kind,
        symbol=symbol,
        pack=manifest.name,
        language=manifest.language,
        signatures=(declaration.signature,) if declaration.signature else (),
        parameters=docstring.parameters,
        result=docstring.result,
        description=prose_of(docstring.blocks),
        module="" if declaration.kind == MODULE else module.name,
        member_of=owner,
        source=module.path,
    )


def _with_tag(block: Block) -> Block:
    """Doctests are known by what they begin with."""
    if isinstance(block, Code) and block.text.lstrip().startswith(">>>"):
        return Code(block.line, "pycon", block.text)
    return block
