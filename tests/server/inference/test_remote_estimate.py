"""Counting for a server without a tokenizer: never too little, and the text comes back."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import bowerbird
import parts
from bowerbird.inference import remote_estimate
from bowerbird.inference.remote_estimate import FIRST_MARK, decode, encode, split_at

HERE = Path(__file__).parents[3]


def files() -> list[str]:
    """This project's own code in several languages, and its pages."""
    folders = (Path(bowerbird.__file__).parent / "inference", HERE / "clients", HERE / "tests" / "workspaces")
    names = ("*.py", "*.md", "*.lua", "*.toml", "*.pony", "*.ring", "*.pq", "*.c", "*.rs", "*.go", "*.ts")
    paths = [path for folder in folders for name in names for path in folder.rglob(name)]
    kept = sorted(path for path in paths if "node_modules" not in path.parts)[::3][:60]
    return [path.read_text(encoding="utf-8", errors="replace") for path in kept]


@pytest.mark.parametrize("name", ["qwen2", "deepseek-coder", "starcoder", "command-r", "llama-bpe"])
def test_no_real_vocabulary_needs_more_tokens(name: str, vocabulary_of: Callable[[Path], Any]) -> None:
    """Else a prompt would not fit, and the server would refuse it."""
    vocabulary = vocabulary_of(parts.require_vocabulary(name))
    texts = [text for text in files() if text]
    assert len(texts) > 30
    for text in texts:
        assert len(encode(text)) >= len(vocabulary.encode(text)), text[:200]


@given(st.text())
def test_the_text_comes_back(text: str) -> None:
    """Every text, as UTF-8 has it, in ids below those of marks."""
    tokens = encode(text)
    assert decode(tokens, {}) == text.encode("utf-8", "replace").decode("utf-8")
    assert all(0 < token < FIRST_MARK for token in tokens)


def test_marks_become_what_is_said_of_them() -> None:
    """Special tokens as their texts, others as nothing; the last mark parts a prompt."""
    tokens = [FIRST_MARK, *encode("ab"), FIRST_MARK + 1, *encode("ü")]
    assert decode(tokens, {FIRST_MARK: "<p>"}) == "<p>abü"
    before, behind = split_at(tokens, FIRST_MARK + 1)
    assert (decode(before, {}), decode(behind, {})) == ("ab", "ü")
    assert split_at(encode("ab"), FIRST_MARK) == (encode("ab"), ())
    assert remote_estimate.encode("") == []
