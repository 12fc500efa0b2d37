"""Which rules hold where."""

import os
import subprocess
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from pathlib import Path

import pytest

from bowerbird.knowledge.exclusion import Exclusion
from bowerbird.knowledge.rulebook import RuleBook
from bowerbird.knowledge.walking import walk

Workspace = Callable[[Mapping[str, str | bytes]], Path]


def reason(
    folder: Path, name: str, exclude: tuple[str, ...] = (), folders: tuple[Path, ...] = ()
) -> str | None:
    """Why a file is out, by names and rules alone."""
    return RuleBook(folders or (folder,), exclude).file(str(folder / name)).exclusion


def test_the_users_own_file_is_stronger_than_gitignore(workspace: Workspace) -> None:
    """.bowerbirdignore lets in what .gitignore keeps out, and keeps out what it lets in."""
    folder = workspace({".gitignore": "*.gen\n!keep.txt\n", ".bowerbirdignore": "!a.gen\nkeep.txt\n"})
    assert reason(folder, "a.gen") is None
    assert reason(folder, "b.gen") == "ignored"
    assert reason(folder, "keep.txt") == "ignored"


def test_a_weaker_file_further_down_does_not_win(workspace: Workspace) -> None:
    """A .bowerbirdignore at the root is stronger than a .gitignore next to the file."""
    folder = workspace({".bowerbirdignore": "*.txt\n", "a/.gitignore": "!b.txt\n"})
    assert reason(folder, "a/b.txt") == "ignored"


def test_the_nearest_of_the_users_own_files_is_stronger(workspace: Workspace) -> None:
    """Among .bowerbirdignore files the one further down decides, as among .gitignore files."""
    folder = workspace({".bowerbirdignore": "*.txt\n!c.md\n", "a/.bowerbirdignore": "!b.txt\nc.md\n"})
    assert reason(folder, "a/b.txt") is None
    assert reason(folder, "a/c.md") == "ignored"


def test_the_setting_is_strongest(workspace: Workspace) -> None:
    """Patterns of index.exclude count from the folder's root, before all ignore files."""
    folder = workspace({".bowerbirdignore": "!a/x.py\nb.py\n"})
    assert reason(folder, "a/x.py", exclude=("/a/x.py",)) == "ignored"
    assert reason(folder, "b.py", exclude=("!b.py",)) is None


def test_nothing_comes_back_from_a_folder_that_is_out(workspace: Workspace) -> None:
    """As git has it, a file cannot be let in again when its folder is kept out."""
    folder = workspace({".gitignore": "a/\n!a/b.py\n", "a/.bowerbirdignore": "!b.py\n"})
    assert reason(folder, "a/b.py") == "ignored"


@pytest.mark.parametrize(
    ("mark", "file"),
    [
        ("", "node_modules/react/index.js"),
        ("", "src/__pycache__/x.py"),
        ("", "Shop.egg-info/notes.txt"),
        ("", "a/.TOX/py/x.py"),
        ("env/pyvenv.cfg", "env/lib/x.py"),
        ("out/CACHEDIR.TAG", "out/x.py"),
        ("vendor/modules.txt", "vendor/github.com/x.go"),
    ],
)
def test_dependencies_stay_out_until_they_are_wanted(workspace: Workspace, mark: str, file: str) -> None:
    """Dependencies and caches are out, whatever .gitignore says, until a ! of the user's own lets them in."""
    folder = workspace({file: "", mark or "mark": "", ".gitignore": "!*/\n!*\n"})
    assert reason(folder, file) == "dependencies"
    top = file.split("/")[0]
    if top in ("src", "a"):
        top = "/".join(file.split("/")[:2])
    (folder / ".bowerbirdignore").write_text(f"!{top}/\n")
    assert reason(folder, file) is None


@pytest.mark.parametrize(
    "file", ["env/x.py", "vendor/x.py", "build/x.py", "target/x.rs", "dist/x.js", "lib/x.c"]
)
def test_a_name_alone_makes_no_dependency(workspace: Workspace, file: str) -> None:
    """Folders that may as well hold the user's code are in, unless an ignore file names them."""
    assert reason(workspace({file: ""}), file) is None


@pytest.mark.parametrize(
    ("file", "expected"),
    [(".git/config", "version-control"), (".hg/x", "version-control"), (".ssh/config", "secret-name")],
)
def test_nothing_lets_in_what_is_always_out(workspace: Workspace, file: str, expected: str) -> None:
    """Version control's own folders and secrets stay out even if the user's ignore file lets them in."""
    folder = workspace({".bowerbirdignore": "!*\n!.git/\n!.hg/\n!.ssh/\n!.env\n"})
    assert reason(folder, file, exclude=("!*",)) == expected
    assert reason(folder, ".env", exclude=("!*",)) == "secret-name"


def test_a_bang_lets_in_what_a_program_wrote(workspace: Workspace) -> None:
    """A lock file is out as generated; the user's own ! lets it in."""
    folder = workspace({"poetry.lock": ""})
    assert reason(folder, "poetry.lock") == "generated"
    assert reason(folder, "poetry.lock", exclude=("!poetry.lock",)) is None


def test_a_folder_inside_a_repository_obeys_the_files_above(workspace: Workspace) -> None:
    """A workspace folder in a repository obeys the ignore files up to the repository's top, no further."""
    outer = workspace(
        {
            ".gitignore": "*.py\n",
            "repo/.git/info/exclude": "*.local\n",
            "repo/.gitignore": "*.log\n/packages/a/x.txt\n/packages/a/\n",
            "repo/packages/a/x.txt": "",
        }
    )
    folder = outer / "repo/packages/a"
    assert reason(folder, "b.log") == "ignored"
    assert reason(folder, "b.local") == "ignored"
    assert reason(folder, "x.txt") == "ignored"
    assert reason(folder, "b.py") is None
    assert reason(folder, "y.txt") is None  # the user did open the ignored folder


def test_a_repository_within_has_its_own_say(workspace: Workspace) -> None:
    """Inside a nested repository the outer one's .gitignore does not count; the user's own file does."""
    folder = workspace(
        {
            ".gitignore": "*.txt\n",
            ".bowerbirdignore": "*.md\n",
            "inner/.git/info/exclude": "*.log\n",
            "inner/.gitignore": "*.tmp\n",
        }
    )
    found = {name: reason(folder, f"inner/{name}") for name in ("a.txt", "a.md", "a.log", "a.tmp")}
    assert found == {"a.txt": None, "a.md": "ignored", "a.log": "ignored", "a.tmp": "ignored"}


def test_a_worktree_shares_the_repositorys_excludes(tmp_path: Path) -> None:
    """In a linked working tree info/exclude is the main repository's."""
    main = tmp_path / "main"
    git = ["git", "-C", str(main)]
    subprocess.run(["git", "init", "-q", str(main)], check=True)
    subprocess.run([*git, "commit", "-q", "--allow-empty", "-m", "first"], check=True)
    subprocess.run([*git, "worktree", "add", "-q", str(tmp_path / "tree")], check=True)
    (main / ".git/info/exclude").write_text("*.log\n")
    assert reason(tmp_path / "tree", "a.log") == "ignored"
    assert reason(tmp_path / "tree", ".git") == "version-control"


def test_the_users_own_excludes_hold_in_a_repository(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    """git's ignore file for all of a user's repositories counts in repositories."""
    folder = workspace({"home/git/ignore": "*.swp\n", "repo/.git/HEAD": "", "plain/a.swp": ""})
    monkeypatch.setenv("XDG_CONFIG_HOME", str(folder / "home"))
    assert reason(folder / "repo", "a.swp") == "ignored"
    assert reason(folder / "plain", "a.swp") is None


def test_the_innermost_folder_wins(workspace: Workspace) -> None:
    """Of nested workspace folders the inner one's rules count, even where the outer one keeps it out."""
    outer = workspace({".gitignore": "inner/\n*.txt\n", "inner/a.txt": "", "inner/.gitignore": "*.md\n"})
    rules = RuleBook([outer, outer / "inner"], ())
    assert rules.folder_of(str(outer / "inner/a.txt")) == str(outer / "inner")
    assert rules.file(str(outer / "inner/a.txt")).exclusion is None
    assert rules.file(str(outer / "inner/a.md")).exclusion == "ignored"
    assert rules.file(str(outer / "a.txt")).exclusion == "ignored"
    assert rules.file(str(outer.parent / "a.txt")).exclusion == "outside"
    assert rules.file(str(outer) + "-more/a.txt").exclusion == "outside"


def test_an_ignore_file_that_cannot_be_read_closes_its_folder(workspace: Workspace) -> None:
    """What the user wanted kept out is not known, so nothing is let in."""
    folder = workspace({"a/x.py": "", "b/x.py": ""})
    os.mkfifo(folder / "a/.bowerbirdignore")
    (folder / "b/.gitignore").symlink_to("nowhere")  # git does not follow it, either
    assert reason(folder, "a/x.py") == "unreadable"
    assert reason(folder, "b/x.py") is None


def test_rules_are_read_anew_when_forgotten(workspace: Workspace) -> None:
    """A changed ignore file counts after `forget`."""
    folder = workspace({".gitignore": "*.log\n"})
    rules = RuleBook([folder], ())
    assert rules.file(str(folder / "a.log")).exclusion == "ignored"
    (folder / ".gitignore").write_text("")
    rules.forget()
    assert rules.file(str(folder / "a.log")).exclusion is None


def test_links_are_judged_by_what_they_lead_to(workspace: Workspace) -> None:
    """A linked folder is read as what it leads to: outside, kept out, or another way to the same files."""
    folder = workspace({"here/a.py": "", "node_modules/m/a.js": "", "../elsewhere/a.py": ""})
    for name, target in {
        "out": "../elsewhere",
        "same": "here",
        "linked": "node_modules/m",
        "loop": "loop",
        "up": ".",
    }.items():
        (folder / name).symlink_to(target)
    rules = RuleBook([folder], ())
    verdicts = {
        name: rules.file(str(folder / name / "a.py")) for name in ("out", "same", "linked", "loop", "up")
    }
    assert {name: verdict.exclusion for name, verdict in verdicts.items()} == {
        "out": "outside",
        "same": None,
        "linked": "dependencies",
        "loop": "outside",
        "up": None,
    }
    assert verdicts["same"].linked


def test_walking_survives_what_a_disk_can_hold(workspace: Workspace) -> None:
    """Loops of links, pipes, broken links and names that are not UTF-8: each is passed by or met once."""
    folder = workspace({"a/x.py": "", "a/b/y.py": ""})
    (folder / "a/b/loop").symlink_to("..")
    (folder / "z.py").symlink_to("a/x.py")
    (folder / "broken").symlink_to("nowhere")
    os.mkfifo(folder / "pipe.py")
    odd = os.fsencode(folder / "a") + b"/\xff.py"
    with open(odd, "w"):
        pass
    skipped: dict[str, Exclusion] = {}
    found = list(walk(RuleBook([folder], ()), str(folder), skipped.__setitem__))
    assert found == [str(folder / "a/x.py"), os.fsdecode(odd), str(folder / "a/b/y.py")]
    assert skipped == {
        str(folder / "a/b/loop"): "link",
        str(folder / "z.py"): "link",
        str(folder / "broken"): "link",
        str(folder / "pipe.py"): "special",
    }


def test_two_folders_that_are_one_are_walked_once(workspace: Workspace, tmp_path: Path) -> None:
    """A folder given twice under two names brings its files once."""
    folder = workspace({"a.py": ""})
    (tmp_path / "link").symlink_to(folder)
    rules, visited = RuleBook([folder, tmp_path / "link"], ()), set[tuple[int, int]]()
    found = [path for start in rules.folders for path in walk(rules, start, lambda *_: None, visited)]
    assert found == [str(folder / "a.py")]


def test_what_is_unreadable_is_told(
    public_workspace: Workspace, as_nobody: Callable[[], AbstractContextManager[None]]
) -> None:
    """A folder that may not be opened, or whose ignore file may not, is counted; the others are walked."""
    folder = public_workspace({"a/x.py": "", "b/y.py": "", "c/.gitignore": "", "c/z.py": ""})
    (folder / "a").chmod(0)
    (folder / "c/.gitignore").chmod(0)
    skipped: dict[str, Exclusion] = {}
    with as_nobody():
        found = list(walk(RuleBook([folder], ()), str(folder), skipped.__setitem__))
    (folder / "a").chmod(0o700)
    assert found == [str(folder / "b/y.py")]
    assert skipped == {str(folder / "a"): "unreadable", str(folder / "c"): "unreadable"}
