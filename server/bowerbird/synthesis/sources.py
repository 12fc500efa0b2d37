"""The knowledge soup K and its retriever R: all that may be shown for a query (EVOR, section 2.2)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from bowerbird.knowledge.examples import Demonstration, From
from bowerbird.knowledge.snippet import Snippet
from bowerbird.knowledge.soup import Entry, Soup
from bowerbird.retrieval.documentation import Documentation
from bowerbird.retrieval.rar import AMOUNTS, retrieve_context
from bowerbird.retrieval.selector import select, similar
from bowerbird.synthesis.analyzer import Preliminary, analyze, calls_in_tests
from bowerbird.synthesis.mode import Mode
from bowerbird.synthesis.options import Options
from bowerbird.synthesis.outcome import Source
from bowerbird.synthesis.prompt import Material
from bowerbird.synthesis.request import Request, name_in

MOST_FEEDBACK = 2
MOST_ENTITIES = 20


@dataclass(frozen=True, slots=True)
class Sources:
    """What is known beside the soup. Each is asked with a language; all may take a while."""

    workspace: Callable[[str], Sequence[Demonstration]]
    packs: Callable[[str], Sequence[Demonstration]]
    documentation: Callable[[str], Documentation | None]
    """None for a language without a pack."""
    tests: Callable[[str, str], Sequence[str]]
    """Lines of the workspace's tests that call a function: language, name."""
    holds_secret: Callable[[str], bool]


def retrieve(query: str, request: Request, sources: Sources, soup: Soup, options: Options) -> Material:
    """K_r <- R(q, K). What holds a secret is not retrieved, wherever it comes from."""
    if options.mode is Mode.ZERO:
        return Material()
    if options.mode is Mode.RAR:
        return _by_influence(query, request, sources, options)
    candidates = examples_for(query, request, sources, soup, options.similar)
    if options.mode is Mode.FEW:
        chosen = candidates[: options.examples]
        kind, triples = analyze(chosen, Preliminary.NONE)
        return Material(tuple(triples), kind)
    requirements = [one.requirement for one in candidates]
    chosen = [candidates[at] for at in select(query, requirements, options.examples, options.decay)]
    kind, triples = analyze(chosen, options.preliminary)
    given = given_preliminary(request, sources) if options.preliminary is Preliminary.TESTS else ""
    material = Material(tuple(triples), Preliminary.TESTS if given else kind, given=given)
    if options.mode is Mode.ACECODER:
        return material
    documented = _by_influence(query, request, sources, options).documentation
    return replace(material, feedback=feedback_for(query, request, soup), documentation=documented)


def examples_for(query: str, request: Request, sources: Sources, soup: Soup, m: int) -> list[Demonstration]:
    """AceCoder's retriever: the `m` most similar examples, the same code once."""
    everything = [
        *map(as_example, (entry for entry in soup.of(request.language) if entry.passed)),
        *sources.workspace(request.language),
        *sources.packs(request.language),
    ]
    found: dict[str, Demonstration] = {}
    for at in similar(query, [one.requirement for one in everything], 2 * m):
        example = everything[at]
        is_the_place = request.signature and example.signature == request.signature
        if not is_the_place and not sources.holds_secret(example.text):
            found.setdefault(example.code, example)
    return list(found.values())[:m]


def feedback_for(query: str, request: Request, soup: Soup) -> tuple[Entry, ...]:
    """What was wrong with programs: the last ones for this request, else those for similar ones."""
    failed = [entry for entry in soup.of(request.language) if not entry.passed]
    own = [entry for entry in reversed(failed) if entry.requirement == request.requirement]
    others = [failed[at] for at in similar(query, [f"{one.requirement} {one.feedback}" for one in failed])]
    distinct = {(one.feedback, one.faulty_line): one for one in reversed([*own, *others])}
    return tuple(distinct.values())[::-1][:MOST_FEEDBACK]


def given_preliminary(request: Request, sources: Sources) -> str:
    """The tests that the workspace has already for the function that is to be written."""
    name = name_in(request.signature)
    lines = sources.tests(request.language, name) if name else ()
    return "\n".join(line for line in lines if not sources.holds_secret(line))


def given_inputs(request: Request, sources: Sources) -> list[str]:
    """The calls in those tests."""
    return calls_in_tests(given_preliminary(request, sources).split("\n"), name_in(request.signature))


def as_example(entry: Entry) -> Demonstration:
    """A program of the soup that was found sound."""
    return Demonstration(
        requirement=entry.requirement,
        code=entry.program,
        language=entry.language,
        name=entry.name,
        origin=From.SOUP,
        verified=entry.by,
    )


def sources_of(material: Material) -> list[Source]:
    """What to cite."""
    examples = (triple.example for triple in material.triples)
    return [
        *map(as_source, examples),
        *(Source(one.name, "entity", From.PACK.value) for one in material.documentation),
        *(Source(one.name, "feedback", From.SOUP.value) for one in material.feedback),
    ]


def as_source(example: Demonstration) -> Source:
    """An example as it is cited: those of the workspace with their lines."""
    lines = f":{example.span}" if example.origin is From.WORKSPACE else ""
    return Source(f"{example.name}{lines}", "example", example.origin.value, example.requirement)


def _by_influence(query: str, request: Request, sources: Sources, options: Options) -> Material:
    """RAR in both directions: entities influenced by examples, examples influenced by entities."""
    documentation = sources.documentation(request.language)
    if documentation is None:
        return Material()
    amounts = replace(AMOUNTS, entities=MOST_ENTITIES, examples=2 * options.examples)
    entities = [hit.snippet for hit in retrieve_context(documentation, query, "RAR_D", amounts).entities]
    shown: list[Snippet] = [one for one in entities if not sources.holds_secret(one.text)]
    by_code = {one.code: one for one in sources.packs(request.language)}
    examples: dict[str, Demonstration] = {}
    for hit in retrieve_context(documentation, query, "RAR_E", amounts).examples:
        code = getattr(hit.snippet, "code", "")
        if code in by_code and not sources.holds_secret(by_code[code].text):
            examples.setdefault(code, by_code[code])
    kind, triples = analyze(list(examples.values()), Preliminary.NONE)
    return Material(tuple(triples), kind, documentation=tuple(shown))
