"""Each command as a person or a program calls it, on small workspaces, with the built-in model."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from bowerbird.cli.app import DEBUG_VARIABLE, app
from bowerbird.cli.errors import ExitCode
from bowerbird.inference.choice import Purpose, choose

Workspace = Callable[[Mapping[str, str | bytes]], Path]

CART = '''"""What is in the cart."""


class Cart:
    def __init__(self, currency):
        self.currency = currency
        self.lines = []

    def add(self, article, count):
        self.lines.append((article, count))

    def total(self):
        total = 0
        for article, count in self.lines:
            total += article.price * count
        return total
'''
BASKET = (
    CART.replace("Cart", "Basket").replace("cart", "basket").replace("        return total\n", "        ret")
)


@pytest.fixture
def shop(workspace: Workspace) -> Path:
    folder = workspace(
        {
            "cart.py": CART,
            "basket.py": BASKET,
            "image.png": b"\x89PNG\r\n\0\0",
            ".env": "PASSWORD=hunter2\n",
            "node_modules/a.js": "var a = 1;\n",
        }
    )
    (folder / ".git").mkdir()
    return folder


def bowerbird(*arguments: object) -> Any:
    return CliRunner().invoke(app, list(map(str, arguments)), catch_exceptions=False)


def cursor(folder: Path) -> str:
    """Behind the last character of the unfinished file."""
    lines = BASKET.split("\n")
    return f"{folder / 'basket.py'}:{len(lines)}:{len(lines[-1]) + 1}"


def test_complete_writes_the_completion_alone_into_a_pipe(shop: Path) -> None:
    """What a program reads from stdout can be inserted at the cursor."""
    result = bowerbird("complete", cursor(shop))

    assert result.exit_code == ExitCode.DONE, result.output
    assert result.stdout.strip()
    assert "def total" not in result.stdout


def test_complete_json_has_the_trace(shop: Path) -> None:
    """Only JSON on stdout; the other file was retrieved from and stands in the prompt."""
    result = bowerbird("complete", cursor(shop), "--json")

    told = json.loads(result.stdout)
    assert result.exit_code == ExitCode.DONE
    assert told["text"]
    assert told["reason"] == "ok"
    assert (told["name"], told["line"], told["column"]) == ("basket.py", 16, 12)
    assert "cart.py" in [hit["name"] for hit in told["iterations"][0]["hits"]]
    assert "class Cart" in told["iterations"][0]["prompt"]


def test_complete_explains(shop: Path) -> None:
    """The trace with the exact prompt stands below the completion."""
    result = bowerbird("complete", cursor(shop), "--explain", "--mode", "rag")

    assert "cart.py:1-" in result.stdout
    assert "<|fim_middle|>" in result.stdout
    assert "iteration 2" not in result.stdout


@pytest.mark.parametrize(
    ("mode", "iterations", "retrieves"),
    [("in-file", 1, False), ("rag", 1, True), ("repocoder", 2, True), ("oracle", 1, True)],
)
def test_complete_has_the_papers_modes(shop: Path, mode: str, iterations: int, retrieves: bool) -> None:
    """In-file retrieves nothing, the others do; only RepoCoder goes round more than once."""
    place = f"{shop / 'cart.py'}:13:9"

    told = json.loads(bowerbird("complete", place, "--mode", mode, "--max-new-tokens", 8, "--json").stdout)

    assert told["mode"] == mode
    assert 1 <= len(told["iterations"]) <= iterations
    assert bool(told["iterations"][0]["hits"]) == retrieves
    if mode == "oracle":
        assert "for article, count in self.lines:" in told["iterations"][0]["query"]


def test_complete_learns_from_the_workspace_that_is_named(shop: Path) -> None:
    """Without a checkout around it the file's folder is the workspace; another can be named."""
    (shop / ".git").rmdir()
    inner = shop / "inner"
    inner.mkdir()
    (inner / "basket.py").write_text(BASKET)
    place = cursor(inner)

    alone = json.loads(bowerbird("complete", place, "--mode", "rag", "--json").stdout)
    together = json.loads(bowerbird("complete", place, "--mode", "rag", "--json", "--workspace", shop).stdout)

    assert alone["name"] == "basket.py"
    assert together["name"] == "inner/basket.py"
    assert "cart.py" not in [hit["name"] for hit in alone["iterations"][0]["hits"]]
    assert "cart.py" in [hit["name"] for hit in together["iterations"][0]["hits"]]


def test_a_column_out_of_range_is_clamped_and_said(shop: Path) -> None:
    """The note goes to stderr, the completion to stdout."""
    result = bowerbird("complete", f"{shop / 'basket.py'}:16:500", "--json")

    assert json.loads(result.stdout)["column"] == 12
    assert "took 16:12" in result.stderr


@pytest.mark.parametrize(
    ("arguments", "exit_code", "sentence"),
    [
        (["complete", "{shop}/gone.py:1:1"], ExitCode.INPUT, "There is no file"),
        (["complete", "{shop}/cart.py"], ExitCode.USAGE, "FILE:LINE:COL"),
        (["complete", "{shop}/image.png:1:1"], ExitCode.INPUT, "binary"),
        (
            ["complete", "{shop}/cart.py:1:1", "--workspace", "{shop}/gone"],
            ExitCode.INPUT,
            "There is no folder",
        ),
        (["complete", "{shop}/cart.py:1:1", "--workspace", "{shop}/.git"], ExitCode.USAGE, "does not lie in"),
        (["complete", "{shop}/cart.py:1:1", "--mode", "guess"], ExitCode.USAGE, "guess"),
        (["complete", "{shop}/.env:1:9"], ExitCode.NOTHING, "kept out"),
        (["complete", "{shop}/cart.py:12:9", "--model", "{shop}/cart.py"], ExitCode.MODEL, "no GGUF"),
        (["complete", "{shop}/cart.py:12:9", "--model", "{shop}/gone.gguf"], ExitCode.MODEL, "no model file"),
        (["index", "{shop}/gone"], ExitCode.INPUT, "There is no folder"),
        (["try", "{shop}/gone"], ExitCode.INPUT, "There is no folder"),
        (["try", "{shop}/.git"], ExitCode.INPUT, "no functions"),
        (["serve", "--tcp", "0.0.0.0:2087"], ExitCode.USAGE, "this machine only"),
        (["bench", "repoeval", "--sources", "{shop}/gone"], ExitCode.INPUT, "diffusers 0.12.0"),
        (["bench", "repoeval", "--sources", "{shop}", "--modes", "psychic"], ExitCode.USAGE, "psychic"),
        (["bench", "repoeval", "--sources", "{shop}", "--tables", "both"], ExitCode.USAGE, "main,suffix"),
        (
            ["bench", "repoeval", "--sources", "{shop}", "--model", "{shop}/gone.gguf"],
            ExitCode.MODEL,
            "no model",
        ),
        (
            ["bench", "repoeval", "--sources", "{shop}/..", "--per-repo", "1", "--model", "{shop}/cart.py"],
            ExitCode.MODEL,
            "no GGUF",
        ),
        (
            ["bench", "latency", "--workspace", "{shop}", "--model", "{shop}/cart.py"],
            ExitCode.MODEL,
            "no GGUF",
        ),
        (["fly"], ExitCode.USAGE, "fly"),
    ],
)
def test_what_goes_wrong_is_one_sentence_and_an_exit_code(
    shop: Path, arguments: list[str], exit_code: ExitCode, sentence: str
) -> None:
    """No traceback; nothing on stdout; the code says which kind of trouble it is."""
    result = bowerbird(*(argument.format(shop=shop) for argument in arguments))

    assert result.exit_code == exit_code, result.output
    assert sentence in " ".join(result.stderr.replace("│", " ").split())
    assert "Traceback" not in result.output
    assert not result.stdout


def test_nothing_is_an_answer_too(shop: Path) -> None:
    """With --json the reason stands in the JSON, and the exit code says that nothing was completed."""
    result = bowerbird("complete", f"{shop / '.env'}:1:9", "--json")

    assert result.exit_code == ExitCode.NOTHING
    assert json.loads(result.stdout)["reason"] == "excluded"


def test_index_counts_and_says_what_was_left_out(shop: Path) -> None:
    """Files, lines, windows, bytes, seconds; for what was skipped a reason, a count and examples."""
    told = json.loads(bowerbird("index", shop, "--json").stdout)

    assert (told["files"], told["lines"]) == (2, 32)
    assert told["bytes"] == len(CART) + len(BASKET)
    assert told["windows"] >= 2
    assert told["seconds"] >= 0
    assert told["skipped"]["secret-name"]["examples"] == [".env"]
    assert told["skipped"]["dependencies"]["examples"] == ["node_modules"]
    assert told["skipped"]["binary"]["count"] == 1


def test_index_for_people(shop: Path) -> None:
    """The same in a table, with the reason in words."""
    result = bowerbird("index", shop)

    assert "2 files, 32 lines" in result.stdout
    assert "bytes of memory" in result.stdout
    assert "Files of this name hold secrets." in " ".join(result.stdout.split())


def test_index_is_kept_and_cleared(shop: Path) -> None:
    """What was read is kept on disk and shown; `--clear` forgets it, and the next run reads anew."""
    for _ in range(2):
        store = json.loads(bowerbird("index", shop, "--json").stdout)["store"]
        assert (store["segments"], store["lines"], store["fault"]) == (1, 32, "")
        assert store["bytes"] == sum(path.stat().st_size for path in Path(store["folder"]).glob("0*"))
        assert store["age"] >= 0
    assert "Kept on disk: " in bowerbird("index", shop).stdout
    assert f"{store['bytes']:,} bytes" in bowerbird("index", shop, "--clear").stdout
    assert not list(Path(store["folder"]).glob("0*"))
    assert "0 bytes" in bowerbird("index", shop, "--clear").stdout


def test_index_of_nothing_says_so(shop: Path) -> None:
    """A folder without text is a negative answer; with --json stdout is JSON all the same."""
    (shop / "pictures").mkdir()
    (shop / "image.png").rename(shop / "pictures" / "image.png")

    result = bowerbird("index", shop / "pictures", "--json")

    assert result.exit_code == ExitCode.NOTHING
    assert "holds no text" in result.stderr
    assert json.loads(result.stdout)["files"] == 0


def test_doctor_loads_the_model() -> None:
    """It says which model it is, its FIM tokens and its form, and that completions work."""
    result = bowerbird("doctor", "--json")

    told = json.loads(result.stdout)
    details = {finding["name"]: finding["detail"] for finding in told["findings"]}
    assert result.exit_code == ExitCode.DONE
    assert told["works"]
    assert "nestling" in details["model"]
    assert "pre 1, suf 2, mid 3" in details["prompt form"]
    assert "without a chat template" in details["generation"]
    assert {"python", "llama-cpp-python", "grammars", "detect-secrets", "watchfiles", "cache folder"} <= set(
        details
    )


def test_doctor_says_what_the_generating_model_can_do(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """The built-in one has too little room; another than the completing one is not loaded to tell."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    assert "too small for queries" in generation_finding()
    choose(Purpose.GENERATION, "http://127.0.0.1:9")
    assert generation_finding() == "http://127.0.0.1:9, which is loaded when it is first asked"


def generation_finding() -> str:
    findings = json.loads(bowerbird("doctor", "--json").stdout)["findings"]
    return next(str(one["detail"]) for one in findings if one["name"] == "generation")


def test_doctor_says_what_brings_a_missing_thing(shop: Path) -> None:
    """A model that cannot be loaded: exit code 1, with the way out."""
    result = bowerbird("doctor", "--json", "--model", shop / "cart.py")

    told = json.loads(result.stdout)
    (model,) = (finding for finding in told["findings"] if finding["name"] == "model")
    assert result.exit_code == ExitCode.NOTHING
    assert not told["works"]
    assert model["state"] == "missing"
    assert "GGUF" in model["remedy"]
    assert "Completions cannot work yet" in bowerbird("doctor", "--model", shop / "cart.py").stdout


def test_doctor_survives_a_folder_that_cannot_be_written(shop: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A cache folder below a file: a warning with a command, and completions work all the same."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(shop / "cart.py"))

    result = bowerbird("doctor", "--json")

    (cache,) = (one for one in json.loads(result.stdout)["findings"] if one["name"] == "cache folder")
    assert result.exit_code == ExitCode.DONE
    assert cache["state"] == "warning"
    assert cache["remedy"].startswith("mkdir")


def test_try_completes_real_places_over_lsp(shop: Path) -> None:
    """A real server, a completion, what stood there in truth, its trace, and a last line on what was done."""
    (shop / "basket.py").write_text(CART.replace("Cart", "Basket"))

    result = bowerbird("try", shop, "--places", 2)

    assert result.exit_code == ExitCode.DONE, result.output
    assert "The server has read 2 files" in result.stdout
    assert result.stdout.count("truth:") == 2
    assert "jaccard" in result.stdout
    assert "reused" in result.stdout
    assert "of 2 places over the Language Server Protocol" in " ".join(result.stdout.split())


def test_help_is_quick_and_tells_the_exit_codes() -> None:
    """Neither the model, the server nor a bench's libraries are loaded for it."""
    script = (
        "import sys; from bowerbird.cli.app import app; app(['complete', '--help'], standalone_mode=False); "
        "heavy = {'numpy', 'pygls', 'tree_sitter', 'llama_cpp', 'bowerbird.assembly'} & set(sys.modules); "
        "sys.exit(f'loaded {heavy}' if heavy else 0)"
    )

    result = subprocess.run([sys.executable, "-P", "-c", script], capture_output=True, text=True, check=False)

    assert result.returncode == 0, result.stderr
    assert "Exit codes: 0 done" in result.stdout
    for command in ("serve", "complete", "try", "index", "doctor", "bench"):
        assert command in bowerbird("--help").stdout


def test_debug_shows_the_traceback(shop: Path) -> None:
    """For the one who mends it, by option or by variable."""
    command = [sys.executable, "-P", "-m", "bowerbird"]
    rest = ["complete", str(shop / "gone.py:1:1")]

    plain, asked = (
        subprocess.run([*command, *option, *rest], capture_output=True, text=True, check=False)
        for option in ([], ["--debug"])
    )
    by_variable = subprocess.run(
        [*command, *rest],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, DEBUG_VARIABLE: "1"},
    )

    assert plain.returncode == ExitCode.INPUT
    assert "Traceback" not in plain.stderr
    assert "Traceback" in asked.stderr
    assert "Traceback" in by_variable.stderr
