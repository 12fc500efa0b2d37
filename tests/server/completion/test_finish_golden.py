"""What is shown of a prediction, case by case: one folder each in ``tests/golden/LANGUAGE/CASE``.

``document.*`` has the ``<cursor>``; ``prediction.txt`` holds what the model wrote, ``expected.txt`` what is
shown, each with one line end that is the file's own. ``note.md`` says why. ``case.toml`` may name fields of
`Draft`, and how many characters before and behind the cursor are replaced.

``pytest tests/server/completion/test_finish_golden.py --update-golden`` writes what is shown now.
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from pathlib import Path

import pytest

from bowerbird.completion.finish import FILTERS, Draft, Finished, finished
from bowerbird.syntax.languages import LANGUAGES

GOLDEN = Path(__file__).parents[2] / "golden"
CURSOR = "<cursor>"
CASES = sorted(path.parent for path in GOLDEN.glob("*/*/prediction.txt"))
REPLACED = ("replaces_before", "replaces_behind")


@dataclass(frozen=True, slots=True)
class Case:
    """A folder, read."""

    draft: Draft
    prediction: str
    expected: str
    options: dict[str, object]


def read_case(folder: Path) -> Case:
    document = next(folder.glob("document.*")).read_text("utf-8")
    prefix, cursor, suffix = document.partition(CURSOR)
    assert cursor, f"{folder} has no {CURSOR}"
    table = folder / "case.toml"
    options = tomllib.loads(table.read_text("utf-8")) if table.exists() else {}
    shown = {"stopped": "end", "may_replace": True} | options
    fields = {key: value for key, value in shown.items() if key not in REPLACED}
    return Case(
        Draft(prefix, suffix, language=folder.parent.name, **fields),
        (folder / "prediction.txt").read_text("utf-8").removesuffix("\n"),
        (folder / "expected.txt").read_text("utf-8").removesuffix("\n"),
        options,
    )


def update(folder: Path, options: dict[str, object], done: Finished) -> None:
    """Write what is shown now; what the user must not see twice is for people to read."""
    (folder / "expected.txt").write_text(f"{done.text}\n" if done.text else "", "utf-8")
    kept = {key: value for key, value in options.items() if key not in REPLACED}
    kept |= {key: value for key in REPLACED if (value := getattr(done, key))}
    rows = (
        f"{key} = {str(value).lower() if isinstance(value, bool) else repr(value)}\n"
        for key, value in kept.items()
    )
    if kept:
        (folder / "case.toml").write_text("".join(rows).replace("'", '"'), "utf-8")
    else:
        (folder / "case.toml").unlink(missing_ok=True)


@pytest.mark.parametrize("folder", CASES, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_golden(folder: Path, request: pytest.FixtureRequest) -> None:
    """Each folder's prediction is shown as its expectation says."""
    case = read_case(folder)
    done = finished(case.prediction, case.draft, FILTERS)
    if request.config.getoption("--update-golden"):
        update(folder, case.options, done)
        return
    replaced = {key: case.options.get(key, 0) for key in REPLACED}
    assert done.text == case.expected, done.trimmed
    assert {key: getattr(done, key) for key in REPLACED} == replaced


def test_every_language_has_cases() -> None:
    """The folders are keys of `LANGUAGES`, and there are at least ten cases for each."""
    languages = {path.parent.name for path in CASES}
    assert languages >= {"python", "typescript", "go", "rust", "c", "pony", "ring", "powerquery"}
    assert languages <= set(LANGUAGES)
    assert all(sum(path.parent.name == language for path in CASES) >= 10 for language in languages)
