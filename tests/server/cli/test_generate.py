"""`bowerbird generate` and `bowerbird soup`, with the built-in model and with a scripted one."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from bowerbird import assembly
from bowerbird.cli.app import app
from bowerbird.cli.errors import ExitCode
from bowerbird.knowledge.soup import Entry, Soup, soup_file
from bowerbird.synthesis.writer import by_size
from scripted import ScriptedModel

Workspace = Callable[[Mapping[str, str | bytes]], Path]


class ClosableModel(ScriptedModel):
    async def close(self) -> None:
        return


def bowerbird(*arguments: object) -> Any:
    return CliRunner().invoke(app, list(map(str, arguments)), catch_exceptions=False)


@pytest.fixture
def answering(monkeypatch: pytest.MonkeyPatch) -> Callable[..., ClosableModel]:
    """`answering("...")` makes these the model's answers."""

    def script(*answers: str) -> ClosableModel:
        model = ClosableModel(answers)
        monkeypatch.setattr(assembly, "choose_engine", lambda *_: model)
        monkeypatch.setattr(assembly, "tried_out", by_size)
        return model

    return script


def test_the_code_alone_goes_to_stdout(answering: Callable[..., ClosableModel]) -> None:
    """And how far it was looked at to stderr."""
    answering("```python\ndef total(items):\n    return sum(items)\n```")
    done = bowerbird("generate", "python", "sum of a list")
    assert (done.exit_code, done.stdout) == (ExitCode.DONE, "def total(items):\n    return sum(items)\n")
    assert "nothing was found wrong" in done.stderr


def test_json_and_rounds(answering: Callable[..., ClosableModel]) -> None:
    """All rounds with query, prompt, program and feedback; a program that never passes has exit code 1."""
    answering("```ring\nsee (1\n```")
    done = bowerbird("generate", "ring", "print one", "--rounds", "2", "--json")
    told = json.loads(done.stdout)
    assert done.exit_code == ExitCode.NOTHING
    assert (len(told["rounds"]), told["end"], told["passed"]) == (2, "rounds", False)
    assert told["rounds"][0]["query"] == "print one"
    assert told["rounds"][0]["feedback"]["messages"]


def test_explain(answering: Callable[..., ClosableModel]) -> None:
    """Below the code: the rounds and what was shown."""
    answering('```ring\nsee "x"\n```')
    done = bowerbird("generate", "ring", "print the numbers from 1 to 10", "--explain", "--mode", "acecoder")
    assert done.stdout.startswith('see "x"\n')
    assert "round 1 (given)" in done.stdout
    assert "example of the pack docs/ring/" in done.stdout


def test_a_place_in_a_file(answering: Callable[..., ClosableModel], workspace: Workspace) -> None:
    """The comment there is the request, the workspace is learned from, and the file stays as it is."""
    text = "def used(items):\n    # sum of a list\n"
    folder = workspace(
        {"a.py": text, "b.py": 'def total(items):\n    """Sum of a list."""\n    return sum(items)\n'}
    )
    model = answering("```python\nreturn sum(items)\n```")
    done = bowerbird("generate", "python", "--file", f"{folder / 'a.py'}:2", "--workspace", folder)
    assert (done.exit_code, done.stdout) == (ExitCode.DONE, "return sum(items)\n")
    assert "def total(items):" in model.asked[0].text
    assert (folder / "a.py").read_text() == text


def test_a_comment_for_a_place(answering: Callable[..., ClosableModel], workspace: Workspace) -> None:
    """A comment of one's own goes above the line."""
    folder = workspace({"a.py": "def used(items):\n    return 1\n"})
    model = answering("```python\nx = 1\n```")
    done = bowerbird("generate", "python", "largest item", "--file", f"{folder / 'a.py'}:2")
    assert done.exit_code == ExitCode.DONE
    assert "largest item" in model.asked[0].text


def test_a_file_with_secrets_is_not_read_to_the_model(
    answering: Callable[..., ClosableModel], workspace: Workspace
) -> None:
    """What the policy keeps out of prompts stays out."""
    folder = workspace({".env": "# sum of a list\nPASSWORD=hunter2\n"})
    model = answering("x")
    done = bowerbird("generate", "python", "--file", f"{folder / '.env'}:1")
    assert done.exit_code == ExitCode.INPUT
    assert model.asked == []


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["klingon", "x y"], ExitCode.USAGE),
        (["python"], ExitCode.USAGE),
        (["python", "--file", "a.py"], ExitCode.USAGE),
        (["python", "--file", "nowhere.py:1"], ExitCode.INPUT),
        (["python", "x y", "--model", "nowhere"], ExitCode.MODEL),
        (["powerquery", "sum of a list", "--model", "nowhere"], ExitCode.MODEL),
        (["powerquery", "sum of a list", "--model", "http://127.0.0.1:9"], ExitCode.MODEL),
    ],
)
def test_wrong_arguments(arguments: list[str], code: ExitCode) -> None:
    """Each has its exit code and one sentence."""
    done = bowerbird("generate", *arguments)
    assert done.exit_code == code
    assert done.stderr.count("bowerbird: ") == 1
    assert done.stdout == ""


def test_the_built_in_model() -> None:
    """It is too small: the nearest example is given, and that is said."""
    done = bowerbird("generate", "powerquery", "multiply price by quantity in every row", "--rounds", "1")
    assert done.exit_code == ExitCode.NOTHING
    assert "Table.AddColumn" in done.stdout
    assert "nearest example" in done.stderr
    assert "too small" in done.stderr


def test_soup(workspace: Workspace) -> None:
    """What was learned can be looked at and cleared."""
    folder = workspace({"a.py": ""})
    soup = Soup(soup_file(folder), lambda _: False)
    soup.add(Entry(requirement="sum\x1b of", language="ring", program="see 1", passed=True, by="ring"))
    soup.save()
    shown = bowerbird("soup", folder).stdout
    assert "ring: sum␛ of" in shown
    assert "1 in " in shown
    assert json.loads(bowerbird("soup", folder, "--json").stdout)["entries"][0]["program"] == "see 1"
    assert bowerbird("soup", folder, "--clear").stdout == "1 forgotten.\n"
    assert "nothing yet" in bowerbird("soup", folder).stdout


@pytest.mark.parametrize("content", [b"garbage{{{\n", b"\0\xff" * 99, b'{"requirement": 3}\n', None])
def test_a_soup_that_cannot_be_read(workspace: Workspace, content: bytes | None) -> None:
    """Is empty, and generating goes on; what cannot be removed is told. (None: a folder in its place.)"""
    folder = workspace({"a.py": ""})
    file = soup_file(folder)
    file.parent.mkdir(parents=True, exist_ok=True)
    file.mkdir() if content is None else file.write_bytes(content)
    assert "nothing yet" in bowerbird("soup", folder).stdout
    done = bowerbird("soup", folder, "--clear")
    if content is None:
        assert done.exit_code == ExitCode.NOTHING
        assert "cannot be removed" in done.stderr
        file.rmdir()
    else:
        assert done.stdout == "0 forgotten.\n"
