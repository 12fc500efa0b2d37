"""Windows and unfinished code -> token ids, counted by the model's own tokenizer."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

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
from bowerbird.knowledge.snippet import Window
from bowerbird.settings import CompletionSettings
from bowerbird.syntax.languages import LANGUAGES
from bowerbird.text import Span


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

    async def fit_code(self, settings: CompletionSettings, new_tokens: int, with_snippets: bool) -> Code:
        """Cut the code before and behind the cursor to its budget."""
        unfinished = self.unfinished
        has_suffix = self.model.template.fills and bool(unfinished.suffix.strip())
        budget = budget_for(settings, self.model.context_tokens, new_tokens, has_suffix, with_snippets)
        reach = budget.prefix * CHARACTERS_PER_TOKEN
        before = unfinished.prefix[:-reach] + self.policy.redact(unfinished.prefix[-reach:])
        blocks = prefix_blocks(before, budget.prefix)
        behind = suffix_lines(self.policy.redact(unfinished.suffix[:reach]), budget.suffix)
        counts = await self._lengths([block.text for block in blocks] + behind)
        prefix = fit_prefix(blocks, counts[: len(blocks)], budget.prefix)
        while (length := (await self._lengths([prefix.text]))[0]) > budget.prefix and len(prefix.text) > 1:
            prefix = cut_block(prefix, length, budget.prefix)  # joined or cut text may have other tokens
        suffix = fit_suffix(behind, counts[len(blocks) :], budget.suffix)
        return Code(prefix, suffix, lines_in_prompt(unfinished, prefix, suffix), budget)

    async def _lengths(self, texts: list[str]) -> list[int]:
        return [len(ids) for ids in await self.tokenizer.encode(texts)]

    async def count(self, windows: Iterable[Window]) -> list[int]:
        """Prompt tokens of each window, its file name and marks included; one call to the model's process."""
        snippets = [self._snippet(window) for window in windows]
        texts = [piece for pieces in snippets for piece in pieces if isinstance(piece, str)]
        lengths = iter(await self._lengths(texts))
        return [sum(next(lengths) if isinstance(p, str) else 1 for p in pieces) for pieces in snippets]

    async def lay_out(self, windows: Sequence[Window], code: Code) -> Prompt:
        """The whole prompt. Its parts were counted one by one, so it fits."""
        template, unfinished = self.model.template, self.unfinished
        snippets = [self._snippet(window) for window in windows]
        pieces = template.prompt(
            unfinished.repository, snippets, unfinished.name, code.prefix.text, code.suffix
        )
        encoded = iter(await self.tokenizer.encode([piece for piece in pieces if isinstance(piece, str)]))
        tokens: list[int] = []
        for piece in pieces:
            tokens += next(encoded) if isinstance(piece, str) else [piece]
        return Prompt(tuple(tokens), shown(pieces, template), code.budget.new)

    def _snippet(self, window: Window) -> Pieces:
        language = LANGUAGES.get(self.unfinished.language or "")
        return self.model.template.snippet(window.name, window.text, language.comment if language else "#")
