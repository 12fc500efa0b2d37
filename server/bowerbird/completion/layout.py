"""Windows and unfinished code -> token ids, counted by the model's own tokenizer."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate

from bowerbird.completion.epoch import WindowKey, key_of, pack
from bowerbird.completion.prompt import (
    CHARACTERS_PER_TOKEN,
    Block,
    Budget,
    budget_for,
    cut_block,
    fit_prefix,
    fit_suffix,
    lines_in_prompt,
    prefix_blocks,
    suffix_lines,
)
from bowerbird.completion.query import UnfinishedCode
from bowerbird.inference.fim import Pieces, shown
from bowerbird.inference.generator import Prompt, Tokenizer
from bowerbird.inference.loaded import LoadedModel
from bowerbird.knowledge.policy import Policy
from bowerbird.knowledge.snippet import Snippet, Window
from bowerbird.settings import CompletionSettings
from bowerbird.syntax.languages import LANGUAGES
from bowerbird.text import Span

COUNTED_AT_ONCE = 3  # of the nearest windows; more seldom fit, and tokenising costs more than retrieving
DENSER = 1.5  # no window has so many more characters to a token than those nearest the cursor


@dataclass(frozen=True, slots=True)
class Code:
    """The parts of the unfinished code that stand in the prompt, secrets masked."""

    prefix: Block
    suffix: str
    lines: Span
    """The document's lines that the two show."""
    budget: Budget


@dataclass(frozen=True, slots=True)
class Layout:
    """One document's way into one model's prompts."""

    unfinished: UnfinishedCode
    model: LoadedModel
    tokenizer: Tokenizer
    policy: Policy

    def budget(self, settings: CompletionSettings, new_tokens: int, with_snippets: bool) -> Budget:
        """How many tokens each part may have here."""
        has_suffix = self.model.template.fills and bool(self.unfinished.suffix.strip())
        return budget_for(settings, self.model.context_tokens, new_tokens, has_suffix, with_snippets)

    async def fit_code(self, budget: Budget, expected: Sequence[Window] = ()) -> Code:
        """Cut the code before and behind the cursor to its budget.

        The windows that are `expected` in the prompt (nearest first) are counted in the same two calls to the
        model's process, as are the prompt's names: the tokenizer keeps by content what it has counted, and a
        call costs more than what it carries.
        """
        unfinished = self.unfinished
        reach = budget.prefix * CHARACTERS_PER_TOKEN
        # Twice as far as can be shown: masks are shorter than secrets, and none may begin cut in half.
        far = 2 * reach
        near, after = self.policy.redact_around(unfinished.prefix[-far:], unfinished.suffix[:far])
        before = "\n" * unfinished.prefix[:-far].count("\n") + near
        blocks = prefix_blocks(before, budget.prefix)
        behind = suffix_lines(after, budget.suffix)
        beside = self._texts(expected[:COUNTED_AT_ONCE])
        counts = await self._lengths([block.text for block in blocks] + behind + beside)
        prefix = fit_prefix(blocks, counts[: len(blocks)], budget.prefix)
        suffix = fit_suffix(behind, counts[len(blocks) :][: len(behind)], budget.suffix)
        beside = self._texts(await self._that_may_fit(expected, budget.snippets))
        while True:
            texts = [prefix.text, *self._strings(self._pieces((), prefix, suffix)), *beside]
            length = (await self._lengths(texts))[0]
            if length <= budget.prefix or len(prefix.text) <= 1:
                break
            prefix = cut_block(prefix, length, budget.prefix)  # joined or cut text may have other tokens
        return Code(prefix, suffix, lines_in_prompt(unfinished, prefix, suffix), budget)

    async def count(self, counted: Iterable[Snippet]) -> dict[WindowKey, int]:
        """Prompt tokens of each, its file name and marks included; one call to the model's process."""
        snippets = {key_of(snippet): self._snippet(snippet) for snippet in counted}
        texts = [text for pieces in snippets.values() for text in self._strings(pieces)]
        lengths = iter(await self._lengths(texts))
        return {
            key: sum(next(lengths) if isinstance(piece, str) else 1 for piece in pieces)
            for key, pieces in snippets.items()
        }

    async def count_ranked(self, ranked: Sequence[Window], budget_tokens: int) -> dict[WindowKey, int]:
        """As `count`, nearest first; of one that cannot fit behind the nearest few, only that it cannot."""
        tokens = dict.fromkeys(map(key_of, ranked), budget_tokens + 1)
        tokens |= await self.count(await self._that_may_fit(ranked, budget_tokens))
        return tokens | await self.count(ranked[:COUNTED_AT_ONCE])

    async def _that_may_fit(self, ranked: Sequence[Window], budget_tokens: int) -> list[Window]:
        """Those behind the nearest few that may have the room left by these, judged by their characters."""
        nearest = ranked[:COUNTED_AT_ONCE]
        tokens = await self.count(nearest)
        left = budget_tokens - sum(tokens[key_of(window)] for window in pack(nearest, tokens, budget_tokens))
        characters = sum(len(text) for _, text in tokens)
        reach = DENSER * left * characters / max(1, sum(tokens.values()))
        fitting = [window for window in ranked[COUNTED_AT_ONCE:] if len(window.text) <= reach]
        ends = accumulate(len(window.text) for window in fitting)
        return [window for window, end in zip(fitting, ends, strict=True) if end <= 2 * reach]

    async def lay_out(self, snippets: Sequence[Snippet], code: Code) -> Prompt:
        """The whole prompt. Its parts were counted one by one, so it fits."""
        pieces = self._pieces(snippets, code.prefix, code.suffix)
        encoded = iter(await self.tokenizer.encode(list(self._strings(pieces))))
        tokens: list[int] = []
        for piece in pieces:
            tokens += next(encoded) if isinstance(piece, str) else [piece]
        return Prompt(tuple(tokens), shown(pieces, self.model.template), code.budget.new)

    async def _lengths(self, texts: list[str]) -> list[int]:
        return [len(ids) for ids in await self.tokenizer.encode(texts)]

    def _pieces(self, snippets: Iterable[Snippet], prefix: Block, suffix: str) -> Pieces:
        laid_out = [self._snippet(snippet) for snippet in snippets]
        unfinished = self.unfinished
        repository, name = self.policy.redact(unfinished.repository), self.policy.redact(unfinished.name)
        return self.model.template.prompt(repository, laid_out, name, prefix.text, suffix)

    def _texts(self, windows: Iterable[Window]) -> list[str]:
        return [text for window in windows for text in self._strings(self._snippet(window))]

    @staticmethod
    def _strings(pieces: Pieces) -> Iterator[str]:
        return (piece for piece in pieces if isinstance(piece, str))

    def _snippet(self, snippet: Snippet) -> Pieces:
        language = LANGUAGES.get(self.unfinished.language or "")
        name = self.policy.redact(snippet.name)
        return self.model.template.snippet(name, snippet.text, language.comment if language else "#")
