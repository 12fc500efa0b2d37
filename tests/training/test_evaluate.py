"""Models are scored side by side on requests that all of them can read."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path

import pytest

from bowerbird.inference.models import built_in_model
from nestling.evaluate import ALL, MIDDLE_CHARACTERS, evaluate
from nestling.examples import Request

WINDOW = (
    "shop/cart.py",
    "class Cart:\n    def __init__(self, customer, currency):\n        self.currency = currency\n",
)
PREFIX = "class Wishlist:\n    def __init__(self, customer, currency):\n        self.cur"


def request(prefix: str = PREFIX, middle: str = "rency = currency") -> Request:
    return Request("shop", (WINDOW,), "shop/wishlist.py", "python", prefix, "", middle, True, "code", "line")


def write(path: Path, *requests: Request) -> Path:
    path.write_text("".join(json.dumps(asdict(one)) + "\n" for one in requests))
    return path


def test_windows_help_and_models_stand_side_by_side(tmp_path: Path) -> None:
    """What stands in a window costs fewer nats with it; the same weights cost the same."""
    twin = tmp_path / "twin.gguf"
    twin.symlink_to(built_in_model())

    found = evaluate([built_in_model(), twin], write(tmp_path / "r.jsonl", request()), None, 0, 2, print)

    assert found["twin.gguf"] == found[built_in_model().name]
    assert found["twin.gguf"]["python"] == found["twin.gguf"][ALL]
    assert 0 < found["twin.gguf"][ALL]["with windows"] < found["twin.gguf"][ALL]["in-file"]


def test_what_is_too_long_counts_for_nobody(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A prompt beyond the context is left out and told; of a long answer only its beginning is scored."""
    long = request(prefix="x = 1\n" * 2000)
    endless = request(middle="rency = currency\n" + "y" * 100_000)
    cut = request(middle=endless.middle[:MIDDLE_CHARACTERS])

    found = evaluate([built_in_model()], write(tmp_path / "r.jsonl", long, endless), None, 0, 2, print)
    same = evaluate([built_in_model()], write(tmp_path / "s.jsonl", cut), None, 0, 2, print)

    assert "1 of 2 requests are too long" in capsys.readouterr().out
    assert found == same
    assert found[built_in_model().name][ALL]["requests"] == 1
