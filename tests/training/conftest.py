"""Small real parts for the training's tests: a vocabulary of our own code, a model of chance weights."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
from tokenizers import Tokenizer

from nestling.model import Llama, Shape
from nestling.tokenizer import train_tokenizer

CHECKOUT = Path(__file__).parent.parent.parent
VOCABULARY = 1024
CONTEXT = 256


@pytest.fixture(scope="session")
def code() -> list[str]:
    """Some files of real code."""
    paths = sorted((CHECKOUT / "server" / "bowerbird" / "completion").glob("*.py"))
    return [path.read_text(encoding="utf-8") for path in paths]


@pytest.fixture(scope="session")
def tokenizer(code: list[str]) -> Tokenizer:
    """A small vocabulary."""
    return train_tokenizer(code, VOCABULARY)


@pytest.fixture(scope="session")
def model() -> Llama:
    """A model whose every weight matters."""
    torch.manual_seed(0)
    model = Llama(Shape(VOCABULARY, 128, 2, CONTEXT))
    for weight in model.parameters():
        if weight.ndim == 2:
            torch.nn.init.normal_(weight, std=0.08)
    return model.eval()
