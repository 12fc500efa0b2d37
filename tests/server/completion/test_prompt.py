"""Unfinished code inside a token budget."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bowerbird.completion.prompt import (
    Block,
    budget_for,
    fit_prefix,
    fit_suffix,
    grid_lines,
    lines_in_prompt,
    prefix_blocks,
    suffix_lines,
)
from bowerbird.completion.query import UnfinishedCode
from bowerbird.settings import CompletionSettings
from bowerbird.text import Span


def words(text: str) -> int:
    return len(text.split())


@given(st.integers(8, 40_000), st.integers(1, 600), st.booleans(), st.booleans(), st.integers(0, 9000))
def test_a_budget_fits_the_context(context: int, new: int, suffix: bool, snippets: bool, prompt: int) -> None:
    """Prompt and prediction together never outgrow the model's context."""
    budget = budget_for(CompletionSettings(prompt_tokens=prompt), context, new, suffix, snippets)

    assert budget.snippets + budget.prefix + budget.suffix + budget.new <= context
    assert min(budget.prefix, budget.new) >= 1
    assert suffix or budget.suffix == 0
    assert snippets or budget.snippets == 0


def test_snippets_have_half_of_the_prompt() -> None:
    """Section 4.2: the retrieved snippets fill half of the prompt."""
    budget = budget_for(
        CompletionSettings(), context_tokens=2048, new_tokens=100, suffix=False, snippets=True
    )

    assert budget.snippets == pytest.approx((2048 - 100) / 2, abs=30)


@pytest.mark.parametrize(("tokens", "lines"), [(10, 1), (330, 4), (800, 16), (2000, 32), (9000, 32)])
def test_the_grid_takes_at_most_a_quarter(tokens: int, lines: int) -> None:
    """A small budget has a fine grid, so that a step costs little of the code before the cursor."""
    assert lines == grid_lines(tokens)


@given(st.lists(st.text("ab ", max_size=9), min_size=1, max_size=80), st.integers(1, 400))
def test_blocks_are_the_end_of_the_prefix(lines: list[str], budget: int) -> None:
    """Blocks joined are the end of the prefix, each begins on a grid line but perhaps the first."""
    prefix = "\n".join(lines)

    blocks = prefix_blocks(prefix, budget)

    joined = "".join(block.text for block in blocks)
    assert prefix.endswith(joined)
    assert blocks[0].first_line == prefix[: len(prefix) - len(joined)].count("\n")
    assert all(block.first_line % grid_lines(budget) == 0 for block in blocks[1:])


def test_the_prefix_stays_while_lines_are_added() -> None:
    """Within a grid step, what is typed only appends: the KV cache keeps the rest."""
    starts = []
    for count in range(60, 92):
        prefix = "word word\n" * count
        blocks = prefix_blocks(prefix, 200)
        starts.append(fit_prefix(blocks, [words(b.text) for b in blocks], 40).first_line)

    assert len(set(starts)) <= 32 / grid_lines(200) + 1
    assert starts == sorted(starts)


@given(st.lists(st.text("ab ", max_size=30), min_size=1, max_size=50), st.integers(1, 60))
def test_a_fitted_prefix_is_within_budget_and_ends_at_the_cursor(lines: list[str], budget: int) -> None:
    """What is kept ends where the cursor stands and starts on the line it says."""
    prefix = "\n".join(lines)
    blocks = prefix_blocks(prefix, budget)

    kept = fit_prefix(blocks, [len(b.text) for b in blocks], budget)

    assert prefix.endswith(kept.text)
    assert len(kept.text) <= budget
    assert kept.first_line == prefix[: len(prefix) - len(kept.text)].count("\n")


def test_one_huge_line_is_cut_before_it_is_counted() -> None:
    """Of a line of ten million characters only its end is ever tokenised."""
    blocks = prefix_blocks("x = 1\n" + "y" * 10_000_000, 100)

    assert sum(len(block.text) for block in blocks) <= 800
    assert len(fit_prefix(blocks, [400] * len(blocks), 100).text) > 0


@given(st.text("ab\n\x0c", max_size=60), st.integers(0, 20))
def test_a_fitted_suffix_is_its_beginning(suffix: str, budget: int) -> None:
    """The suffix keeps whole lines from its beginning."""
    lines = suffix_lines(suffix, 100)

    kept = fit_suffix(lines, [len(line) for line in lines], budget)

    assert "".join(lines) == suffix
    assert suffix.startswith(kept)
    assert len(kept) <= budget
    assert kept == suffix or kept == "" or kept.endswith("\n")


def test_lines_in_prompt_are_those_shown() -> None:
    """From the prefix's first line to the suffix's last."""
    code = UnfinishedCode(Path("/w/a.py"), "a.py", "w", "python", "a\nb\nc\nd", "e\nf\ng\n")

    assert lines_in_prompt(code, Block(2, "c\nd"), "e\nf\n") == Span(2, 6)
