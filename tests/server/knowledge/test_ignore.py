"""Ignore files, beside git itself."""

import os
import re
import shutil
import subprocess
from collections.abc import Callable, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from bowerbird.knowledge.rulebook import RuleBook
from bowerbird.knowledge.walking import walk
from bowerbird.knowledge.wildmatch import parse_pattern

Workspace = Callable[[Mapping[str, str | bytes]], Path]

NAMES = ("a", "b", "ab", "B", "a.c", "a b", "é", "*", "]", "-", "a\\", "!a", "#a", " ")
"""Names of files and folders; some look like patterns."""

PIECES = (
    *"abB*?/-] !#\\.\t",
    *("**", "***", "**/", "/**", ".c", "é"),
    *(
        "[ab]",
        "[!a]",
        "[^b-z]",
        "[]a]",
        "[a",
        "[z-a]",
        "[a\\]]",
        "[[:alpha:]]",
        "[[:nope:]]",
        "[!/]",
        "\\*",
        "\\ ",
    ),
)
"""Patterns are put together from these."""

patterns = st.one_of(
    st.lists(st.sampled_from(PIECES), min_size=1, max_size=5).map("".join),
    st.tuples(
        st.sampled_from(("", "!", "/", "!/", "**/")),
        st.sampled_from(NAMES),
        st.sampled_from(("", "/", "/**", " ")),
    ).map("".join),
)
ignore_files = st.lists(patterns, max_size=5).flatmap(
    lambda lines: st.sampled_from(("\n", "\r\n")).map(lambda end: end.join(lines))
)
paths = st.lists(st.sampled_from(NAMES), min_size=1, max_size=4).map("/".join)
trees = st.fixed_dictionaries(
    {
        "files": st.lists(paths, min_size=1, max_size=12),
        "ignore": st.dictionaries(
            st.one_of(st.just(""), paths.map(lambda path: f"{path}/")), ignore_files, min_size=1, max_size=3
        ),
        "exclude": st.one_of(st.none(), ignore_files),
        "users": st.one_of(st.none(), ignore_files),
        "ignores_case": st.booleans(),
    }
)


def make_repository(top: Path, *, ignores_case: bool = False) -> None:
    """As much of a repository as git wants to see; `git init` would take most of the time of these tests."""
    for folder in ("objects", "refs", "info"):
        (top / ".git" / folder).mkdir(parents=True)
    (top / ".git/HEAD").write_text("ref: refs/heads/main\n")
    (top / ".git/config").write_text(f"[core]\n\tbare = false\n\tignoreCase = {str(ignores_case).lower()}\n")


def ignored_by_git(top: Path, files: list[str]) -> set[str]:
    """What `git check-ignore` says."""
    answer = subprocess.run(
        ["git", "-C", top, "check-ignore", "--stdin", "-z", "--no-index"],
        input=b"\0".join(map(os.fsencode, files)),
        stdout=subprocess.PIPE,
        check=False,
    )
    assert answer.returncode in (0, 1)
    return {os.fsdecode(path) for path in answer.stdout.split(b"\0") if path}


def walked(folder: Path) -> set[str]:
    """The files that are let in, relative to `folder`."""
    rules = RuleBook([folder], ())
    found = set(walk(rules, str(folder), lambda *_: None))
    assert found == {path for path in all_files(folder) if rules.file(path).exclusion is None}
    return {os.path.relpath(path, folder) for path in found}


def all_files(folder: Path) -> list[str]:
    """All but git's own."""
    found = []
    for place, folders, files in os.walk(folder):
        if ".git" in folders:
            folders.remove(".git")
        found += [os.path.join(place, name) for name in files]
    return found


def write(path: Path, text: str) -> None:
    """Write a file, unless a file stands where a folder is needed or the other way round."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, newline="")
    except (FileExistsError, NotADirectoryError, IsADirectoryError):
        pass


@pytest.mark.skipif(shutil.which("git") is None, reason="needs git")
@settings(max_examples=100)
@given(tree=trees)
@example(
    tree={
        "files": ["a/b/ab", "ab/B/a.c"],
        "ignore": {"": "a**/ab\n[a\\]]*/B/", "a/": "!ab"},
        "exclude": "a.c",
        "users": None,
        "ignores_case": True,
    }
)
def test_random_trees_are_ignored_as_by_git(tree: dict) -> None:
    """Whatever the patterns, exactly the files are let in that git does not ignore."""
    with TemporaryDirectory() as folder:
        top = Path(folder).resolve()
        make_repository(top, ignores_case=tree["ignores_case"])
        for name in tree["files"]:
            write(top / name, "")
        for place, patterns in tree["ignore"].items():
            write(top / place / ".gitignore", patterns)
        if tree["exclude"] is not None:
            write(top / ".git/info/exclude", tree["exclude"])
        if tree["users"] is not None:
            write(top / ".git/users", tree["users"])
            with (top / ".git/config").open("a") as config:
                config.write(f'\texcludesFile = "{top}/.git/users"\n')
        files = [os.path.relpath(path, top) for path in all_files(top)]
        assert set(files) - ignored_by_git(top, files) == walked(top)


@pytest.mark.parametrize(
    ("pattern", "matches", "others"),
    [
        ("*.log", ("a.log", ".log"), ("a.log.c", "log")),
        ("a?c", ("abc", "a*c"), ("ac", "abbc")),
        ("foo**bar", ("foobar", "fooxbar"), ()),
        ("a/**/b", ("a/b", "a/x/b", "a/x/y/b"), ("b", "ab", "x/a/b")),
        ("**/b", ("b", "a/b"), ("ab", "a/cb")),
        ("a/**", ("a/b", "a/b/c"), ("a", "b/a/c")),
        ("name**/x", ("name/x", "names/y/x"), ()),
        ("[[:digit:]]x", ("1x",), ("ax", "[x")),
        ("[a-]x", ("ax", "-x"), ("bx",)),
        ("trailing\\ ", ("trailing ",), ("trailing", "trailing\\ ")),
        ("\\#a", ("#a",), ("a",)),
    ],
)
def test_a_pattern_matches(pattern: str, matches: tuple[str, ...], others: tuple[str, ...]) -> None:
    """What a pattern of an ignore file means, by example."""
    parsed = parse_pattern(pattern)
    assert parsed is not None
    assert [name for name in (*matches, *others) if re.fullmatch(parsed.regex, name)] == list(matches)


@pytest.mark.parametrize("line", ["", "   ", "# a", "!", "/", "!/"])
def test_a_line_without_pattern(line: str) -> None:
    """Comments and blank lines hold no pattern."""
    assert parse_pattern(line) is None


@pytest.mark.timeout(20)
@pytest.mark.parametrize(
    ("pattern", "name"), [("*a" * 25 + "b", "a" * 250), ("**/a/" * 12 + "b", "a/" * 120 + "c")]
)
def test_hostile_patterns_are_quick(pattern: str, name: str) -> None:
    """A pattern made to take exponential time does not."""
    parsed = parse_pattern(pattern)
    assert parsed is not None
    assert not re.fullmatch(parsed.regex, name)


def test_git_need_not_be_installed(workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ignore files are read by us: without git, and without a repository, they hold as well."""
    monkeypatch.setenv("PATH", "")
    folder = workspace({".gitignore": "*.log\n", "a.log": "", "a.txt": ""})
    assert walked(folder) == {".gitignore", "a.txt"}
