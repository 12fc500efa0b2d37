"""`bowerbird docs` as people and programs call it."""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from bowerbird.cli.app import app
from bowerbird.cli.docs.fetch import Limits, check_url, cloned
from bowerbird.cli.errors import ExitCode, InputNotFound, UsageError
from bowerbird.knowledge.packs.store import cache_folder, own_folder

TOML = 'format = 1\nname = "shop"\nlanguage = "ring"\ntitle = "A shop"\ncase_sensitive = false\n'
PAGE = """\
## addToCart
- kind: function
- signature: `addToCart(aCart, cArticle)`
- param aCart: What is bought.
- result: The cart.

Puts an article into the cart.

### Buy a pear
```ring
addToCart(aCart, "pear")
```
```output
1
```

## cartTotal
- kind: function
- signature: `cartTotal(aCart)`

Sums prices up.
"""
SOURCE = '"""Goods."""\n\ndef price(article):\n    """What it costs."""\n'


@pytest.fixture(autouse=True)
def no_packs() -> Iterator[None]:
    """The user has none, before and after."""
    import shutil

    shutil.rmtree(own_folder(), ignore_errors=True)
    yield
    shutil.rmtree(own_folder(), ignore_errors=True)


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    folder = tmp_path / "shop"
    folder.mkdir()
    (folder / "pack.toml").write_text(TOML)
    (folder / "cart.md").write_text(PAGE)
    return folder


def docs(*arguments: object) -> Any:
    return CliRunner().invoke(app, ["docs", *map(str, arguments)], catch_exceptions=False)


def told(*arguments: object) -> Any:
    return json.loads(docs(*arguments, "--json").stdout)


def own_packs() -> list[str]:
    return sorted(os.listdir(own_folder())) if own_folder().is_dir() else []


def test_check_finds_nothing_wrong_with_a_sound_pack(shop: Path) -> None:
    """It counts what is there."""
    result = docs("check", shop)
    assert result.exit_code == ExitCode.DONE, result.output
    assert result.stdout == "1 pages, 2 entities (2 function), 1 examples, 0 problems\n"


def test_check_tells_file_and_line(shop: Path) -> None:
    """As compilers do; something skipped is a failure, a warning is one only if it is wanted."""
    (shop / "cart.md").write_text(PAGE + "- colour: red\n\n## x\n- kind: what\n")
    result = docs("check", shop)
    assert result.exit_code == ExitCode.NOTHING
    assert "cart.md:25: error: The kind `what` is unknown" in result.stdout

    (shop / "cart.md").write_text(PAGE.replace("- result", "- related: nothing\n- result"))
    assert docs("check", shop).exit_code == ExitCode.DONE
    assert docs("check", shop, "--strict").exit_code == ExitCode.NOTHING
    (problem,) = told("check", shop)["problems"]
    assert (problem["page"], problem["line"], problem["severity"]) == ("cart.md", 1, "warning")


def test_check_counts_names_that_are_missing(shop: Path, tmp_path: Path) -> None:
    """The share of upstream's names that the pack has."""
    names = tmp_path / "names.txt"
    names.write_text("ADDTOCART\ncartTotal\nrefund\n")
    assert told("check", shop, "--names", names)["coverage"] == {
        "wanted": 3,
        "found": 2,
        "missing": ["refund"],
        "share": 0.6667,
    }
    assert "2 of 3 names (66.7%); missing: refund" in docs("check", shop, "--names", names).stdout


def test_check_of_what_is_no_pack(tmp_path: Path) -> None:
    """Neither a folder without a manifest nor nothing at all is one."""
    assert docs("check", tmp_path).exit_code == ExitCode.INPUT
    assert docs("check", tmp_path / "nowhere").exit_code == ExitCode.INPUT


def test_a_pack_is_added_listed_shown_searched_and_removed(shop: Path) -> None:
    """All that one does with a pack."""
    assert told("add", "mine", shop)["entities"] == 2
    (mine,) = (one for one in told("list") if one["name"] == "mine")
    assert (mine["language"], mine["entities"], mine["examples"], mine["shipped"]) == ("ring", 2, 1, False)

    (entity,) = told("show", "ADDtoCART", "--pack", "mine")
    assert entity["name"] == "docs/mine/addToCart"
    assert Path(entity["file"]).read_text().split("\n")[entity["line"] - 1] == "## addToCart"
    assert [one["purpose"] for one in entity["examples"]] == ["Buy a pear"]
    shown = docs("show", "addToCart", "--pack", "mine").stdout
    assert "addToCart(aCart, cArticle)" in shown
    assert "Buy a pear" in shown

    best, *_ = told("search", "what", "do", "prices", "sum", "to", "--pack", "mine")
    assert best["symbol"] == "cartTotal"
    assert "cartTotal" in docs("search", "prices", "--pack", "mine").stdout

    assert docs("remove", "mine").exit_code == ExitCode.DONE
    assert own_packs() == []
    assert not any(file.name.startswith("mine-") for file in cache_folder().iterdir())


def test_a_pack_is_built_of_sources(tmp_path: Path) -> None:
    """A private library becomes a pack without any documentation."""
    (tmp_path / "goods.py").write_text(SOURCE)
    result = docs("add", "goods", tmp_path)
    assert result.exit_code == ExitCode.DONE, result.output
    assert "goods: 2 entities and 0 examples on 1 pages, by the builder sources" in result.stdout
    assert told("show", "price", "--pack", "goods")[0]["symbol"] == "goods.price"


def test_a_single_file_can_be_added(tmp_path: Path) -> None:
    """What lies beside it does not count."""
    (tmp_path / "goods.py").write_text(SOURCE)
    (tmp_path / "other.py").write_text(SOURCE)
    assert told("add", "goods", tmp_path / "goods.py")["pages"] == 1


def test_a_pack_can_be_built_to_be_mended(tmp_path: Path) -> None:
    """In a folder of the user's, which is never overwritten."""
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "goods.py").write_text(SOURCE)
    assert docs("build", tmp_path / "in", tmp_path / "out").exit_code == ExitCode.DONE
    assert docs("check", tmp_path / "out").exit_code == ExitCode.DONE
    assert docs("build", tmp_path / "in", tmp_path / "out").exit_code == ExitCode.USAGE
    assert sorted(os.listdir(tmp_path)) == ["in", "out"]


def test_a_pack_is_replaced_only_on_demand(shop: Path) -> None:
    """And then whole."""
    docs("add", "mine", shop)
    assert docs("add", "mine", shop).exit_code == ExitCode.USAGE
    (shop / "cart.md").rename(shop / "other.md")
    assert docs("add", "mine", shop, "--replace").exit_code == ExitCode.DONE
    assert own_packs() == ["mine"]
    assert sorted(os.listdir(own_folder() / "mine")) == ["other.md", "pack.toml"]


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["add", "../mine", "."], ExitCode.USAGE),
        (["add", "Mine", "."], ExitCode.USAGE),
        (["add", "mine", "nowhere"], ExitCode.INPUT),
        (["add", "mine", ".", "--builder", "klingon"], ExitCode.USAGE),
        (["add", "mine", ".", "--language", "klingon"], ExitCode.USAGE),
        (["add", "mine", ".", "--subfolder", ".."], ExitCode.USAGE),
        (["add", "mine", "."], ExitCode.NOTHING),
        (["add", "mine", "http://127.0.0.1/a.git"], ExitCode.USAGE),
        (["add", "mine", "https://127.0.0.1:1/a.git"], ExitCode.INPUT),
        (["remove", "mine"], ExitCode.INPUT),
        (["remove", ".."], ExitCode.INPUT),
        (["show", "no-such-name"], ExitCode.NOTHING),
        (["show", "len", "--pack", "klingon"], ExitCode.INPUT),
        (["search", "qqqqzzzz"], ExitCode.NOTHING),
    ],
)
def test_what_cannot_be_done_leaves_nothing_behind(
    arguments: list[str], code: ExitCode, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each failure has its exit code and one sentence, and no half-made pack stays."""
    (tmp_path / "image.png").write_bytes(b"\x89PNG\0")
    monkeypatch.chdir(tmp_path)
    result = docs(*arguments)
    assert result.exit_code == code, result.output
    assert result.stderr.startswith("bowerbird: ")
    assert result.stderr.count("\n") == 1
    assert own_packs() == []


def test_what_is_shipped_stays() -> None:
    """`remove` is for the user's own packs."""
    shipped = [one for one in told("list") if one["shipped"]]
    assert shipped
    result = docs("remove", shipped[0]["name"])
    assert result.exit_code == ExitCode.USAGE
    assert Path(shipped[0]["folder"]).is_dir()


@pytest.mark.parametrize(
    "url",
    [
        "file:///etc",
        "ext::sh -c id",
        "git@github.com:a/b",
        "ssh://a/b",
        "http://a/b",
        "https://user:secret@a/b",
        "https://",
        "https://a/b\n-u x",
        "https://[a/b",
    ],
)
def test_only_https_is_fetched(url: str) -> None:
    """No other transport, no password, nothing that git could take for an option."""
    with pytest.raises(UsageError):
        check_url(url)


@pytest.fixture
def git(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A git that writes its arguments and environment down, then does as the file `then` says."""
    program = tmp_path / "bin" / "git"
    program.parent.mkdir()
    program.write_text(
        "#!/bin/sh\nfor last; do :; done\n"
        f'printf "%s\\n" "$@" >{tmp_path}/arguments\nenv >{tmp_path}/environment\n. {tmp_path}/then\n'
    )
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    (tmp_path / "then").write_text('mkdir -p "$last"; echo "# A" >"$last/a.md"\n')
    monkeypatch.setenv("PATH", str(program.parent), prepend=os.pathsep)
    monkeypatch.setenv("GIT_SSH_COMMAND", "evil")
    return tmp_path


def test_git_runs_nothing_of_what_it_fetches(git: Path) -> None:
    """One commit, no hooks, no submodules, no questions, no other transport; the clone is gone afterwards."""
    with cloned("https://example.invalid/a.git") as clone:
        assert (clone / "a.md").is_file()
    assert not clone.exists()
    arguments = (git / "arguments").read_text().split("\n")
    for wanted in (
        "--depth=1",
        "--no-recurse-submodules",
        "protocol.allow=never",
        f"core.hooksPath={os.devnull}",
    ):
        assert wanted in arguments
    assert arguments[-4:-2] == ["--", "https://example.invalid/a.git"]
    environment = (git / "environment").read_text()
    assert "GIT_TERMINAL_PROMPT=0" in environment
    assert "GIT_SSH_COMMAND" not in environment


@pytest.mark.parametrize(
    ("then", "limits", "part"),
    [
        ("sleep 60", Limits(seconds=0.3), "did not come within"),
        (
            'mkdir "$last"; head -c 2000 /dev/zero >"$last/a"; sleep 60',
            Limits(bytes=1000),
            "more than 1,000 bytes",
        ),
        ('mkdir "$last"; echo "fatal: no such thing" >&2; exit 128', Limits(), "no such thing"),
    ],
)
def test_a_fetch_that_fails_leaves_nothing(git: Path, then: str, limits: Limits, part: str) -> None:
    """Too slow, too large, or refused."""
    (git / "then").write_text(then)
    with pytest.raises(InputNotFound, match=part), cloned("https://example.invalid/a.git", limits):
        pass
    target = Path((git / "arguments").read_text().split("\n")[-2])
    assert not target.parent.exists()
