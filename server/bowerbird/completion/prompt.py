"""Windows and unfinished code -> a prompt inside a token budget (section 2.3, figure 3).

The model's tokenizer is asked elsewhere: everything here is a function of token counts.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from bowerbird.completion.query import UnfinishedCode
from bowerbird.settings import CompletionSettings
from bowerbird.text import Span

GRID_LINES = 32
TOKENS_PER_LINE = 12  # of ordinary code, rounded up; only the grid's coarseness hangs on it
CHARACTERS_PER_TOKEN = 6  # more than any tokenizer needs on average, so that no long text is tokenised whole
DEFAULT_PROMPT_TOKENS = 2048


@dataclass(frozen=True, slots=True)
class Budget:
    """How many tokens each part of a prompt may have."""

    snippets: int
    prefix: int
    suffix: int
    new: int
    """What the model may write."""


def budget_for(
    settings: CompletionSettings, context_tokens: int, new_tokens: int, suffix: bool, snippets: bool
) -> Budget:
    """Share out the prompt: snippets (half of it, section 4.2), then the suffix; the rest is code so far.

    Without `suffix` or `snippets` their share is the code's: the paper's in-file baseline fills the prompt.
    """
    new = max(1, min(new_tokens, context_tokens // 4))
    room = context_tokens - new
    total = min(room, settings.prompt_tokens or DEFAULT_PROMPT_TOKENS)
    head = min(48, total // 8)  # repository and file names, marks between the parts
    beside = int((total - head) * settings.snippet_share) if snippets else 0
    behind = int((total - head) * settings.suffix_share) if suffix else 0
    return Budget(beside, max(1, total - head - beside - behind), behind, new)


def grid_lines(prefix_tokens: int) -> int:
    """Lines between two places where the code before the cursor may begin.

    A prefix that begins anywhere slides by a line at every line break, and nothing of the KV cache
    survives. On a grid it stays for a while; a step takes at most a quarter of the budget.
    """
    grid = GRID_LINES
    while grid > 1 and grid * TOKENS_PER_LINE * 4 > prefix_tokens:
        grid //= 2
    return grid


@dataclass(frozen=True, slots=True)
class Block:
    """Some lines of the code before the cursor, from one grid line to the next."""

    first_line: int
    text: str


def prefix_blocks(prefix: str, prefix_tokens: int) -> list[Block]:
    """The end of `prefix` cut at grid lines, in reading order; only as much as the budget could ever hold."""
    kept = prefix[-prefix_tokens * CHARACTERS_PER_TOKEN :]
    cut_off = prefix[: len(prefix) - len(kept)]
    line = cut_off.count("\n")
    if cut_off and not cut_off.endswith("\n"):
        # The first line is only part of one. It stays where it is all there is, in a file of one huge line.
        broken = kept.find("\n")
        if broken >= 0:
            kept = kept[broken + 1 :]
            line += 1
    grid = grid_lines(prefix_tokens)
    blocks: list[Block] = []
    lines = kept.split("\n")
    begin = 0
    while begin < len(lines):
        end = min(len(lines), begin + grid - (line + begin) % grid)
        text = "\n".join(lines[begin:end]) + ("\n" if end < len(lines) else "")
        blocks.append(Block(line + begin, text))
        begin = end
    return blocks


def fit_prefix(blocks: Sequence[Block], tokens: Sequence[int], budget_tokens: int) -> Block:
    """The last of `blocks` that fit together, as one; the very last is cut if it alone is too long."""
    total = 0
    start = len(blocks)
    while start > 0 and total + tokens[start - 1] <= budget_tokens:
        start -= 1
        total += tokens[start]
    if start < len(blocks):
        return Block(blocks[start].first_line, "".join(block.text for block in blocks[start:]))
    return cut_block(blocks[-1], tokens[-1], budget_tokens)


def cut_block(block: Block, tokens: int, budget_tokens: int) -> Block:
    """The end of one block that is too long by itself, by its own ratio of characters to tokens."""
    keep = max(1, len(block.text) * budget_tokens // max(1, tokens))
    text = block.text[-keep:]
    line_break = text.find("\n", 0, -1)
    if line_break >= 0:
        text = text[line_break + 1 :]
    return Block(block.first_line + block.text[: len(block.text) - len(text)].count("\n"), text)


def suffix_lines(suffix: str, suffix_tokens: int) -> list[str]:
    """The beginning of `suffix` line by line, line ends kept; only as much as the budget could ever hold."""
    lines = suffix[: suffix_tokens * CHARACTERS_PER_TOKEN].split("\n")
    return [f"{line}\n" for line in lines[:-1]] + ([lines[-1]] if lines[-1] else [])


def fit_suffix(lines: Sequence[str], tokens: Sequence[int], budget_tokens: int) -> str:
    """The first of `lines` that fit together."""
    total = 0
    end = 0
    while end < len(lines) and total + tokens[end] <= budget_tokens:
        total += tokens[end]
        end += 1
    return "".join(lines[:end])


def likely_lines(unfinished: UnfinishedCode, budget: Budget) -> Span:
    """About the lines that the prompt will show as code, before any token is counted."""
    first = max(0, unfinished.line - budget.prefix // TOKENS_PER_LINE)
    return Span(first, unfinished.line + 1 + budget.suffix // TOKENS_PER_LINE)


def lines_in_prompt(unfinished: UnfinishedCode, prefix: Block, suffix: str) -> Span:
    """The document's lines that the prompt shows as code."""
    return Span(prefix.first_line, unfinished.line + suffix.count("\n") + 1)
