"""Our grammars: their houses are in order, their trees stand mistakes, and without them nothing breaks."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from bowerbird.syntax import grammars
from bowerbird.syntax.entities import outline
from bowerbird.syntax.grammars import OWN, NoGrammarError, grammar_of, why_missing
from bowerbird.syntax.languages import language_of
from bowerbird.syntax.parser import parse
from bowerbird.syntax.soundness import Range, is_sound, nodes_of, tokens
from parts import require_part

HOUSES = Path(__file__).parents[3] / "grammars"
EXAMPLES = sorted(HOUSES.glob("tree-sitter-*/examples/*"))
POWERQUERY = [path for path in EXAMPLES if path.suffix == ".pq"]


def tree_sitter(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run the real command in a house; it keeps what it compiles beside it."""
    environment = {"PATH": "/usr/bin:/bin", "HOME": str(folder), "XDG_CACHE_HOME": str(folder / "cache")}
    command = [str(require_part("tree-sitter")), *arguments]
    return subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, timeout=120, check=False
    )


@pytest.fixture
def house(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """A copy of the grammar's house."""
    return Path(shutil.copytree(HOUSES / f"tree-sitter-{request.param}", tmp_path / "house"))


@pytest.mark.parametrize("house", sorted(OWN), indirect=True)
def test_trees_are_as_they_stand_in_the_corpus(house: Path) -> None:
    """Every piece of code in ``test`` has the tree, the colours and the tags that stand beside it."""
    done = tree_sitter(house, "test")
    assert done.returncode == 0, done.stdout[-2000:]


@pytest.mark.parametrize("house", sorted(OWN), indirect=True)
def test_the_parser_is_generated_from_the_grammar(house: Path) -> None:
    """What is committed in ``src`` is what `tree-sitter generate` makes of the grammar."""
    committed = (house / "src" / "parser.c").read_text()
    done = tree_sitter(house, "generate")
    assert done.returncode == 0, done.stderr
    assert (house / "src" / "parser.c").read_text() == committed


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.name)
def test_examples_are_sound(example: Path) -> None:
    """Whole files of ordinary code have trees without errors."""
    tree = parse(example.read_text("utf-8"), language_of(example))
    assert tree is not None
    assert is_sound(tree)
    assert outline(tree).beginnings


@pytest.mark.parametrize("example", POWERQUERY, ids=lambda path: path.name)
def test_a_missing_token_leaves_the_other_bindings_alone(example: Path) -> None:
    """Whichever token is deleted, at least nine in ten of all other bindings keep their nodes."""
    bindings = frozenset({"variable", "section_member", "field"})
    tree = parse(example.read_text("utf-8"), "powerquery")
    assert tree is not None
    whole = nodes_of(tree, bindings)
    others = kept = 0
    for token, text in without_one_token(tree.data, tokens(tree, without={"comment"})):
        broken = parse(text, "powerquery")
        assert broken is not None
        untouched = {one for one in whole if token.end <= one.start or one.end <= token.start}
        others += len(untouched)
        kept += len(untouched & nodes_of(broken, bindings))
    assert others > 1000
    assert kept >= 0.9 * others


def without_one_token(data: bytes, found: list[Range]) -> Iterator[tuple[Range, str]]:
    """Each token blanked out in its turn."""
    for start, end in found:
        yield Range(start, end), (data[:start] + b" " * (end - start) + data[end:]).decode()


@pytest.mark.parametrize(
    ("text", "sound"),
    [
        ("let a = 1 in a", True),
        ("let a = 1, in a", False),
        ("let a = 1", False),
        ("if a then b", False),
        ("{1, 2,}", False),
        ("[a = 1, b]", False),
        ("let in = 1 in in", False),
        ("[in = 1, let each = 2][in]", True),
        ("type [optional a b = text, ...]", True),
        ("1(2)", False),
        ("1 + each 2", False),
        ("\uffff", False),
    ],
)
def test_what_is_no_code_is_known_for_it(text: str, sound: bool) -> None:
    """What the grammar lets be missing, so as to understand the rest, is an error all the same."""
    tree = parse(text, "powerquery")
    assert tree is not None
    assert is_sound(tree) is sound


def test_tokens_may_be_taken_whole() -> None:
    """A node may count as one token or as none; what the parser made up is none."""
    tree = parse("f({1}, // one\n2", "powerquery")
    assert tree is not None
    found = tokens(tree, whole={"list_expression"}, without={"comment"})
    assert [tree.data[one.start : one.end] for one in found] == [b"f", b"(", b"{1}", b",", b"2"]


@pytest.fixture
def no_library(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Bowerbird as it is where no compiler was when it was installed."""
    grammars._load.cache_clear()
    monkeypatch.setattr(grammars, "_LIBRARY", "bowerbird.syntax.not_compiled")
    yield
    grammars._load.cache_clear()


@pytest.mark.usefixtures("no_library")
def test_without_the_library_there_are_no_trees() -> None:
    """Without our library its languages have no trees, and one is told why; other languages have theirs."""
    assert parse("let a = 1 in a", "powerquery") is None
    assert "not compiled" in why_missing("powerquery")
    assert parse("x = 1\n", "python") is not None
    with pytest.raises(NoGrammarError, match="not compiled"):
        grammar_of("powerquery")


def test_a_library_that_does_not_fit_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """A grammar that the library lacks is told by its name, and a parse raises nothing."""
    grammars._load.cache_clear()
    monkeypatch.setattr(grammars, "OWN", OWN | {"python"})
    assert "tree_sitter_python" in why_missing("python")
    assert parse("x = 1\n", "python") is None
    grammars._load.cache_clear()


def test_a_language_without_grammar_says_so() -> None:
    """Where no grammar is known, that is the reason."""
    assert why_missing("markdown") == "no grammar is known"
