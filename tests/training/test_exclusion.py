"""Nothing that Bowerbird is measured with is trained on, under whatever name and wherever it stands."""

from __future__ import annotations

from pathlib import Path

import pytest

from nestling.corpus import File, Tally
from nestling.exclusion import (
    REPOEVAL,
    Measured,
    measured,
    path_reason,
    task_texts,
    tree_reason,
    without_measured,
)

CHECKOUT = Path(__file__).parent.parent.parent
BENCH = CHECKOUT / "server" / "bowerbird" / "cli" / "bench"
PACKS = CHECKOUT / "server" / "bowerbird" / "knowledge" / "packs"
COMPLETION = CHECKOUT / "server" / "bowerbird" / "completion"


@pytest.fixture(scope="module")
def against() -> Measured:
    """The real tasks; one of our own folders stands for the copies of RepoEval's repositories."""
    repositories = [path.read_text() for path in sorted(COMPLETION.glob("*.py"))]
    return measured(task_texts([BENCH, CHECKOUT / "tests" / "golden", PACKS]), repositories)


@pytest.mark.parametrize("repository", REPOEVAL)
def test_each_repository_is_known_by_its_name(repository: str) -> None:
    """Itself, a fork of it, its bare name, and its package."""
    name = repository.split("/")[1]
    for tree in (repository.replace("/", "+"), f"somebody+{name}", name, name.upper()):
        assert tree_reason(tree) == f"RepoEval's {repository}"
    for package in REPOEVAL[repository]:
        assert tree_reason(f"pypi+{package}") is not None


def test_others_are_let_in() -> None:
    """A name that only holds one of theirs is another project."""
    for tree in ("pytorch+pytorch", "somebody+evaluator", "google+gson", "pypi+face-recognition"):
        assert tree_reason(tree, ["src", "tests", "evaluate"]) is None


def test_a_package_in_a_tree_of_another_name_is_found() -> None:
    """Somebody's monorepo."""
    assert (
        tree_reason("somebody+research", ["diffusers", "tests"]) == "holds RepoEval's huggingface/diffusers"
    )


def test_a_vendored_copy_goes_by_its_folder() -> None:
    """Where the folder's name is telling; elsewhere the content decides."""
    assert path_reason("app/libs/nerfstudio/cameras/rays.py") is not None
    assert path_reason("app/evaluate/metrics.py") is None


def test_a_copy_goes_by_its_content(against: Measured) -> None:
    """Under another name, with a changed head, renamed here and there, and inside a larger file."""
    original = (COMPLETION / "prompt.py").read_text()
    other = (CHECKOUT / "server" / "bowerbird" / "meter.py").read_text()
    changed = original.replace("suffix", "tail").replace('"""', "'''")
    assert against.reason(original) == "content of a measured repository"
    assert against.reason(changed) == "content of a measured repository"
    assert against.reason(other + original) == "content of a measured repository"
    assert against.reason(other) is None


@pytest.mark.parametrize("language", ["python", "pony", "ring", "powerquery"])
def test_every_task_of_the_benches_is_found(against: Measured, language: str) -> None:
    """Each solution and each given file that is long enough to be told, planted in other code."""
    other = (CHECKOUT / "server" / "bowerbird" / "meter.py").read_text()
    planted = 0
    for text in task_texts([BENCH / "generate" / f"tasks_{language}.toml"]):
        if measured([text], []).tasks:
            planted += 1
            assert against.reason(f"{other}\n\n{text}\n") == "content of a task", text
    assert planted > 5


def test_every_example_of_the_documentation_is_found(against: Measured) -> None:
    """The packs' blocks of code are what retrieval is measured with."""
    planted = [text for text in task_texts([PACKS]) if measured([text], []).tasks]
    assert len(planted) > 100
    for text in planted[::7]:
        assert against.reason(f"x = 1\n{text}\ny = 2\n") is not None, text


def test_traces_and_golden_cases_are_found(against: Measured) -> None:
    """What the typing bench types, and what tests complete."""
    for folder in (BENCH / "typing" / "traces", CHECKOUT / "tests" / "golden" / "python"):
        planted = [text for text in task_texts([folder]) if measured([text], []).tasks]
        assert planted
        for text in planted:
            assert against.reason(text) is not None


def test_what_is_excluded_is_counted(against: Measured) -> None:
    """The model card tells how many files were left out, and why."""
    tally = Tally()
    text = (COMPLETION / "prompt.py").read_text()
    copy = File("somebody+thing", "thing/prompts.py", "python", "MIT", text)
    fine = File(
        "somebody+thing", "thing/fine.py", "python", "MIT", "def area(r):\n    return 3.14 * r * r\n" * 3
    )
    assert list(without_measured([copy, fine], against, tally)) == [fine]
    assert tally.left_out == {"measured with: content of a measured repository": 1}
