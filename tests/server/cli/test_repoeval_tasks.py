"""RepoEval's line tasks follow the paper's rules."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from bowerbird.cli.bench.repoeval.tasks import (
    RELEASES,
    TOKEN,
    Release,
    eligible_lines,
    find_sources,
    line_tasks,
)
from bowerbird.cli.errors import InputNotFound

Workspace = Callable[[Mapping[str, str | bytes]], Path]

CODE = '''"""A module that says in one line what it is."""
import os, sys, json
# a comment with many many words in it
total = first + second
x = 1

def f(a, b):
    """Adds: a + b = c, or so it was said.

    total = within + a + docstring
    """
    query = """SELECT a, b, c
        FROM t WHERE a = b AND c = d"""
    return a + b * query  # with a remark

    # total = commented + out + code
'''

ELIGIBLE = [
    "import os, sys, json",
    "total = first + second",
    "def f(a, b):",
    '    query = """SELECT a, b, c',
    "    return a + b * query  # with a remark",
]


def test_lines_are_code_of_at_least_five_tokens() -> None:
    """No comments, docstrings, blank lines, lines that begin in a string, nor lines of under 5 tokens."""
    found = list(eligible_lines(CODE))

    assert [line for _, line in found] == ELIGIBLE
    assert all(CODE.split("\n")[number] == line for number, line in found)
    assert all(len(TOKEN.findall(line)) >= 5 for _, line in found)


def test_the_first_code_of_a_file_is_no_task() -> None:
    """Something stands above each task: without any context there is nothing to complete."""
    assert list(eligible_lines("\n\nfirst = second + third\n")) == []
    assert list(eligible_lines("a = 1\nb = c + d")) == [(1, "b = c + d")]


@pytest.mark.parametrize(
    "broken", ["def f(:\n    a = b + c\n", 'x = """\na = b + c\n', "a = 1\n\0b = c + d\n"]
)
def test_a_file_that_does_not_parse_gives_no_task(broken: str) -> None:
    """Broken files are no reason to stop."""
    assert list(eligible_lines(broken)) == []


def test_f_strings_over_several_lines_are_no_code() -> None:
    """A line that begins within an f-string is text."""
    code = 'a = 1\nb = f"""one {a} two\nthree four five six {a}\n"""\nc = a + b + 1\n'

    assert [line for _, line in eligible_lines(code)] == ['b = f"""one {a} two', "c = a + b + 1"]


def test_no_two_tasks_have_the_same_text(workspace: Workspace) -> None:
    """Non-repetitive: a text is drawn once, however often and wherever it stands."""
    folder = workspace({f"p/{name}.py": "import os\na = b + c\n    # x\n\nd = e + f\n" for name in "xyz"})

    tasks = line_tasks(find_sources(folder)[0], 100, seed=0)

    assert sorted(task.truth for task in tasks) == ["a = b + c", "d = e + f"]


def test_tasks_are_random_and_repeat(workspace: Workspace) -> None:
    """The same seed draws the same tasks, another seed others; fewer are the first of more."""
    folder = workspace({"p/a.py": "import os\n" + "".join(f"v{n} = f({n}, {n})\n" for n in range(200))})
    sources = find_sources(folder)[0]

    drawn = line_tasks(sources, 20, seed=1)

    assert drawn == line_tasks(sources, 20, seed=1)
    assert drawn[:5] == line_tasks(sources, 5, seed=1)
    assert drawn != line_tasks(sources, 20, seed=2)
    assert [task.line for task in drawn] != sorted(task.line for task in drawn)


def test_a_task_names_its_line(workspace: Workspace) -> None:
    """The id leads back to the file and the line, counted from 1; line ends of Windows do not count."""
    folder = workspace({"p/sub/a.py": b"import os\r\na = b + c\r\n"})

    (task,) = line_tasks(find_sources(folder)[0], 10, seed=0)

    assert task.id == "p/sub/a.py:2"
    assert task.truth == "a = b + c"


def test_files_that_are_not_admitted_give_no_tasks(workspace: Workspace) -> None:
    """Tasks are drawn only from files that may be completed."""
    code = "import os\na = b + c\n"
    folder = workspace(
        {"p/kept.py": code, "p/left_out.py": code.replace("a", "z"), "p/odd.py": b"\xff\xfe\n"}
    )

    tasks = line_tasks(find_sources(folder)[0], 10, 0, lambda path: path.name != "left_out.py")

    assert [task.name for task in tasks] == ["kept.py"]


@pytest.mark.parametrize("release", RELEASES)
def test_releases_are_recognised(workspace: Workspace, release: Release) -> None:
    """By the metadata folder of a wheel, or by the name of an unpacked archive, in any spelling."""
    wheel = f"{release.distribution.replace('-', '_')}-{release.version}.dist-info"
    archive = f"{release.distribution.upper()}-{release.version}"
    folder = workspace({"one/m.py": "", f"one/{wheel}/METADATA": "", f"{archive}/m.py": ""})

    assert [release, release] == [sources.release for sources in find_sources(folder)]


def test_another_version_is_not_repoevals(workspace: Workspace) -> None:
    """Another project, or another version, is measured under its folder's name."""
    folder = workspace({"diffusers-0.30.0/m.py": "", "mine/m.py": ""})

    found = find_sources(folder)

    assert [(one.name, one.release) for one in found] == [("diffusers-0.30.0", None), ("mine", None)]


def test_no_sources_is_told_with_what_is_expected(workspace: Workspace, tmp_path: Path) -> None:
    """The message names the releases that are wanted."""
    for folder in (tmp_path / "nowhere", workspace({"p/readme.txt": ""})):
        with pytest.raises(InputNotFound, match=r"diffusers 0\.12\.0.*nerfstudio 0\.1\.15"):
            find_sources(folder)
