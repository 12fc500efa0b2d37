"""Source files -> documents in prompt form 1, as Bowerbird itself would ask for a completion.

A place in a file is drawn, the code before it becomes the prefix, and what a user would want next the middle.
The windows beside it are found by Bowerbird's own retrieval: by the code so far (RepoCoder's first
iteration), or by the true continuation (what a good second iteration finds).
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from bowerbird.completion.epoch import key_of, pack
from bowerbird.completion.guides import GUIDE_SHARE, GUIDING_LINES, MOST_GUIDES
from bowerbird.completion.prompt import (
    CHARACTERS_PER_TOKEN,
    Block,
    Budget,
    budget_for,
    cut_block,
    fit_prefix,
    fit_suffix,
    prefix_blocks,
    suffix_lines,
)
from bowerbird.completion.query import UnfinishedCode, evolve_query, formulate_query
from bowerbird.knowledge.snippet import GrammarEntity, Snippet
from bowerbird.retrieval.guidance import Guidance
from bowerbird.text import Span
from nestling.corpus import File
from nestling.places import Place, draw_places
from nestling.repository import TEMPLATE, Repository
from nestling.shards import COUNTED, IGNORED, MIDDLE
from nestling.tokenizer import END_ID

LAST_LINE = 1 << 30
LINES_PER_PLACE = 30
MAX_PLACES = 24  # of one file in one pass
MIDDLE_TOKENS = 96  # with a suffix; 64 is what an editor asks for


@dataclass(frozen=True, slots=True)
class Mixture:
    """How often each thing occurs among the documents."""

    retrieval: tuple[float, float, float] = (0.4, 0.4, 0.2)
    """Windows by the code so far, by the true continuation, none."""
    suffix: float = 0.5
    """The rest has an empty suffix and no end: the file goes on."""
    cuts: tuple[float, float, float, float] = (0.3, 0.35, 0.15, 0.2)
    """Rest of a line, whole lines, a block, from within a word."""
    guides: float = 0.7
    """Documentation in the prompt, where the language has a pack."""


@dataclass(frozen=True, slots=True)
class Request:
    """All that is in one prompt, as text, and what should be answered; for any model's tokenizer."""

    repository: str
    snippets: tuple[tuple[str, str], ...]
    """Name and text of each, in the prompt's order."""
    name: str
    language: str
    prefix: str
    suffix: str
    middle: str
    ends: bool
    """Whether the end token follows the middle."""
    found_by: str
    """``code``, ``truth`` or ``nothing``."""
    cut: str


@dataclass(frozen=True, slots=True)
class Document:
    """A request in tokens."""

    ids: list[int]
    kinds: list[int]
    """What each token is to the loss, as in `shards`. A snippet counts where it is shown the first time:
    those that are retrieved often would be learnt by heart."""
    request: Request


FOUND_BY = ("code", "truth", "nothing")


@dataclass(frozen=True)
class Maker:
    """Makes the documents of one repository."""

    repository: Repository
    rng: random.Random
    context: int
    mixture: Mixture = Mixture()
    guidance: Guidance | None = None
    """The packs' documentation, prepared."""

    def documents(self, files: Sequence[File]) -> Iterator[Document]:
        """One pass over some of its files: a document for every `LINES_PER_PLACE` lines."""
        for file in files:
            wanted, rest = divmod(file.text.count("\n") + 1, LINES_PER_PLACE)
            wanted = min(MAX_PLACES, wanted + (self.rng.random() < rest / LINES_PER_PLACE))
            for place in draw_places(file.text, self.rng, self.mixture.cuts, wanted):
                yield self.document(file, place)

    def document(self, file: File, place: Place) -> Document:
        """The prompt that Bowerbird would make at this place, and the answer that it should get."""
        repository = self.repository
        has_suffix = self.rng.random() < self.mixture.suffix
        found_by = self.rng.choices(FOUND_BY, self.mixture.retrieval)[0]
        before, behind = file.text[: place.start], file.text[place.end :]
        answer = repository.encode(file.text[place.start : place.end])[: MIDDLE_TOKENS + 1]
        ends = has_suffix and len(answer) <= MIDDLE_TOKENS
        budget = self._budget(has_suffix and bool(behind.strip()), found_by != "nothing", len(answer) + 1)
        prefix = self._fit_prefix(file, before, budget)
        suffix = (
            self._fit_suffix(file, file.text.count("\n", 0, place.end), behind, budget) if has_suffix else ""
        )
        snippets = self._snippets(file, place, prefix, suffix, found_by, budget)
        ids, kinds = self._prompt(file, snippets, prefix, suffix)
        if not has_suffix:  # the file goes on as far as there is room
            rest = file.text[place.start : place.start + (self.context - len(ids)) * CHARACTERS_PER_TOKEN]
            answer = repository.encode(rest)
            ends = place.start + len(rest) == len(file.text)
        answer = answer + [END_ID] * ends
        request = Request(
            repository=repository.name,
            snippets=tuple((one.name, one.text) for one in snippets),
            name=file.name,
            language=file.language,
            prefix=prefix.text,
            suffix=suffix,
            middle=file.text[place.start : place.end],
            ends=ends,
            found_by=found_by,
            cut=place.cut,
        )
        size = self.context + 1
        return Document((ids + answer)[:size], (kinds + [MIDDLE] * len(answer))[:size], request)

    def _budget(self, suffix: bool, snippets: bool, answer: int) -> Budget:
        budget = budget_for(self.repository.settings, self.context, 1, suffix, snippets)
        new = answer if suffix else self.context // 8
        return replace(budget, prefix=max(16, budget.prefix - new), new=new)

    def _prompt(
        self, file: File, snippets: Sequence[Snippet], prefix: Block, suffix: str
    ) -> tuple[list[int], list[int]]:
        repository = self.repository
        ids = repository.piece_ids(TEMPLATE.header(repository.name))
        kinds = [COUNTED] * len(ids)
        for snippet in snippets:
            kind = IGNORED if key_of(snippet) in repository.shown else COUNTED
            repository.shown.add(key_of(snippet))
            more = repository.snippet_ids(snippet)
            ids, kinds = ids + more, kinds + [kind] * len(more)
        last = repository.piece_ids(TEMPLATE.file(file.name, prefix.text, suffix))
        return ids + last, kinds + [COUNTED] * len(last)

    def _fit_prefix(self, file: File, before: str, budget: Budget) -> Block:
        blocks = prefix_blocks(before, budget.prefix)
        ends = [*(block.first_line for block in blocks[1:]), before.count("\n") + 1]
        counts = [
            self.repository.tokens_between(file, block.first_line, end)
            for block, end in zip(blocks, ends, strict=True)
        ]
        prefix = fit_prefix(blocks, counts, budget.prefix)
        while (length := len(self.repository.encode(prefix.text))) > budget.prefix and len(prefix.text) > 1:
            prefix = cut_block(prefix, length, budget.prefix)
        return prefix

    def _fit_suffix(self, file: File, line: int, behind: str, budget: Budget) -> str:
        lines = suffix_lines(behind, budget.suffix)
        counts = [self.repository.tokens_between(file, line + at, line + at + 1) for at in range(len(lines))]
        return fit_suffix(lines, counts, budget.suffix)

    def _snippets(
        self, file: File, place: Place, prefix: Block, suffix: str, found_by: str, budget: Budget
    ) -> tuple[Snippet, ...]:
        """Documentation first, then windows, the nearest last."""
        if found_by == "nothing":
            return ()
        repository, settings = self.repository, self.repository.settings
        path = repository.sources[file.name].path
        before = file.text[: place.start]
        unfinished = UnfinishedCode(path, file.name, repository.name, file.language, before, "")
        guides = self._guides(unfinished, budget)
        room = budget.snippets - sum(repository.lengths(guides).values())
        query = formulate_query(unfinished, settings.window_lines)
        if found_by == "truth":
            truth = file.text[place.start :]
            query = evolve_query(unfinished, truth, settings.window_lines, settings.slide_lines)
        # A bench hides all of the file from the prompt on; an editor's index has what stands behind it.
        editing = bool(suffix) and self.rng.random() < 0.5
        end = unfinished.line + suffix.count("\n") + 1 if editing else LAST_LINE
        windows = repository.near(query, path, Span(prefix.first_line, end))
        return (*guides, *pack(windows, repository.lengths(windows), room))

    def _guides(self, unfinished: UnfinishedCode, budget: Budget) -> tuple[GrammarEntity, ...]:
        if self.guidance is None or self.rng.random() >= self.mixture.guides:
            return ()
        hits = self.guidance.guide(
            unfinished.language, formulate_query(unfinished, GUIDING_LINES), MOST_GUIDES
        )
        # Entities alone: the packs' examples are what retrieval is measured with.
        entities = [hit.snippet for hit in hits if isinstance(hit.snippet, GrammarEntity)]
        return pack(entities, self.repository.lengths(entities), round(budget.snippets * GUIDE_SHARE))
