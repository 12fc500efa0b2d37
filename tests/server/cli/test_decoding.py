"""`bowerbird bench decoding` writes with the real model; how fast it is stands in no assertion."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import pytest
from typer.testing import CliRunner

import parts
from bowerbird.cli.app import app
from bowerbird.cli.bench.decoding.beside import Answer, side
from bowerbird.cli.bench.decoding.peer import CHUNK_LINES, CHUNKS, ring
from bowerbird.cli.bench.decoding.places import KINDS, copy_of, repetitive_spot
from bowerbird.cli.spots import Spot
from bowerbird.knowledge.snippet import Source
from bowerbird.text import Position

FUNCTION = '''
def {name}_total(lines, rates):
    """Adds up {name}."""
    total = 0
    for line in lines.of(rates):
        total += line.price * rates[line.{name}]
    return total
'''


def run(folder: Path, file: Path, server: str) -> tuple[str, Mapping[str, Sequence[Mapping[str, object]]]]:
    """What a short run prints, and what it writes."""
    places = ["--workspace", str(folder), "--places", "2", "--json", str(file)]
    result = CliRunner().invoke(
        app, ["bench", "decoding", *places, "--llama-server", server], catch_exceptions=False
    )
    assert result.exit_code == 0, result.output
    return result.stdout, json.loads(file.read_text())


@pytest.fixture
def shop(workspace: Callable[[Mapping[str, str]], Path]) -> Path:
    """A workspace of three files that are much alike."""
    return workspace({f"{n}.py": FUNCTION.format(name=n) * 3 for n in ("cart", "shop", "nest")})


def test_each_kind_is_written_in_both_ways(shop: Path, tmp_path: Path) -> None:
    """Each place is written in both ways; texts part at near ties only; a missing peer is told."""
    shown, told = run(shop, tmp_path / "told.json", str(tmp_path / "none"))
    assert {str(one["kind"]) for one in told["drafts"]} == set(KINDS)
    assert len(told["drafts"]) == 2 * len(KINDS)
    for one in told["drafts"]:
        assert one["near_tie"]
    assert sum(int(str(one["drafted"])) for one in told["drafts"]) > 0
    assert "No llama-server was found" in shown
    assert told["same_tokens"] == told["own_context"] == []


def test_a_real_llama_server_stands_beside(shop: Path, tmp_path: Path) -> None:
    """The same prompts go through both engines, and each completes every place in its own way."""
    shown, told = run(shop, tmp_path / "told.json", str(parts.require_part("llama-server")))
    assert len(told["same_tokens"]) == len(told["own_context"]) == 2
    assert all(float(str(one["theirs_ms"])) > 0 for one in told["same_tokens"])
    assert any(one["same"] for one in told["same_tokens"])
    assert "ours less theirs" in shown


def test_saved_characters_end_at_the_first_wrong_one() -> None:
    """Only what need not be typed counts, and a line is right or not."""
    answers = [Answer("a + b", 2.0, "a + b"), Answer("a - b", 4.0, "a + b"), Answer("", 9.0, "a + b")]
    assert [one.saved for one in answers] == [5, 2, 0]
    figures = side(answers)
    assert (figures.median_ms, figures.exact, figures.saved) == (4.0, 1 / 3, 7 / 15)


def test_a_planted_window_holds_the_line() -> None:
    """The copy of a place has the line whole, under another name."""
    text = "\n".join(f"line {number} = {number}" for number in range(60))
    spot = Spot(Source(Path("/w/a.py"), "a.py", text, "python"), Position(30, 7), " = 30")
    window = copy_of(spot)
    assert "line 30 = 30" in window.text
    assert window.name != "a.py"
    made_up = repetitive_spot(random.Random(1))
    assert not made_up.text.endswith(made_up.truth)
    assert (made_up.text + made_up.truth).count("return self") >= 7


def test_the_ring_holds_pieces_of_the_nearest_files() -> None:
    """No more chunks than llama.vim keeps, none of the file itself, those of its own folder last."""
    text = "\n".join(str(number) for number in range(200))
    names = [
        "src/shop/cart.py",
        *(f"src/shop/{n}.py" for n in range(3)),
        *(f"docs/{n}.py" for n in range(30)),
    ]
    sources = [Source(Path("/w") / name, name, text) for name in names]
    chunks = ring(sources, Spot(sources[0], Position(5, 0), "5"), seed=0)
    assert len(chunks) == CHUNKS
    assert all(len(chunk["text"].splitlines()) == CHUNK_LINES for chunk in chunks)
    assert [chunk["filename"] for chunk in chunks[-3:]] == ["src/shop/2.py", "src/shop/1.py", "src/shop/0.py"]
    assert not any(chunk["filename"] == "src/shop/cart.py" for chunk in chunks)
