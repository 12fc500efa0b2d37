"""`bowerbird explain`: the last completions of whatever editors run, from files that may be damaged."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import typer
from typer.testing import CliRunner

from bowerbird import journal
from bowerbird.cli.errors import InputNotFound, NothingDone
from bowerbird.cli.explain import explain_command
from bowerbird.cli.history import last_traces
from bowerbird.journal import LastLines
from bowerbird.trace import HitTrace, IterationTrace, Reason, Trace

ITERATION = IterationTrace(
    query="\n".join(f"query {number}" for number in range(9)),
    hits=(HitTrace("shop/[odd]\x1b[2J.py", "1-20", 0.41666, "jaccard", "prompt"),),
    prompt="the prompt\x1b]0;title\x07",
    prompt_tokens=900,
    tokens_reused=800,
    tokens_evaluated=100,
    tokens_generated=64,
    prediction="total()",
    stopped="length",
    retrieve_ms=1.0,
    pack_ms=1.0,
    evaluate_ms=20.0,
    generate_ms=40.0,
)
TRACE = Trace("shop/a.py", 1, 2, "rag", "nestling", Reason.OK, (ITERATION,), text="total()", total_ms=80.0)


@pytest.fixture
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The user's state folder."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    return journal.state_folder()


@pytest.fixture
def two_servers(state: Path) -> Path:
    """Each has kept two traces, in turns."""
    for pid in range(2):
        lines = LastLines(state / journal.TRACES / f"1-{pid}.jsonl", keep=50, max_bytes=1_000_000)
        for number in range(2):
            asked_at = 1_700_000_000.0 + 2 * number + pid
            trace = replace(TRACE, name=f"{pid}/{number}.py", asked_at=asked_at, debounce_ms=9.0)
            lines.append(trace.as_json())
    return state / journal.TRACES


def explain(*arguments: object) -> Any:
    app = typer.Typer()
    app.command()(explain_command)
    result = CliRunner().invoke(app, list(map(str, arguments)))
    if result.exception and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result


@pytest.mark.usefixtures("two_servers")
def test_the_last_completion_is_explained() -> None:
    """Whatever server it was of; as `bowerbird complete --explain` does, and with a bar of the times."""
    text = explain().stdout.replace("\N{NO-BREAK SPACE}", " ")

    assert "1/1.py:1:2" in text
    assert "0/" not in text
    for told in (
        "query: 9 lines",
        "0.417",
        "900 tokens, 800 reused",
        "time ",
        "debounce 9.0",
        "evaluate 1 20.0",
        "█",
    ):
        assert told in text
    assert "the prompt" not in text


@pytest.mark.usefixtures("two_servers")
def test_several_completions_end_with_the_newest() -> None:
    """It stands above the shell's next line."""
    text = explain("--last", 3, "--full").stdout

    places = [text.index(name) for name in ("1/0.py", "0/1.py", "1/1.py")]
    assert places == sorted(places)
    assert "0/0.py" not in text
    assert text.count("the prompt") == 3


@pytest.mark.usefixtures("two_servers")
def test_nothing_quoted_steers_the_terminal() -> None:
    """Control characters of names and prompts are shown as pictures."""
    text = explain("--full").stdout

    assert not {"\x1b", "\x07"} & set(text)
    assert "shop/[odd]␛[2J.py" in text
    assert "the prompt␛]0;title␇" in text


@pytest.mark.usefixtures("two_servers")
def test_json_is_the_traces() -> None:
    """The newest first, with the times of their steps."""
    told = json.loads(explain("--json", "--last", 99).stdout)

    assert [trace["name"] for trace in told] == ["1/1.py", "0/1.py", "1/0.py", "0/0.py"]
    assert told[0]["iterations"][0]["prompt"] == ITERATION.prompt
    assert [step["name"] for step in told[0]["steps"]][:2] == ["debounce", "retrieve"]
    assert told[0]["sentence"] == "A completion was shown."


@pytest.mark.usefixtures("two_servers")
def test_html_is_a_page(tmp_path: Path) -> None:
    """In the named file; the terminal stays quiet, unless JSON is wanted too."""
    file = tmp_path / "why.html"

    assert explain("--html", file, "--last", 2).stdout == ""
    page = file.read_text(encoding="utf-8")
    assert page.index("1/1.py") < page.index("0/1.py")
    assert json.loads(explain("--html", file, "--json").stdout)


@pytest.mark.usefixtures("two_servers")
def test_a_page_that_cannot_be_written(tmp_path: Path) -> None:
    """Says so in one sentence."""
    with pytest.raises(InputNotFound, match="cannot be written"):
        explain("--html", tmp_path / "no" / "folder.html")


@pytest.mark.usefixtures("state")
def test_nothing_to_explain() -> None:
    """Where no editor has asked yet; JSON stays JSON."""
    with pytest.raises(NothingDone, match="No completion is kept"):
        explain()
    with pytest.raises(NothingDone):
        explain("--json")


def test_damaged_traces_are_left_out(two_servers: Path) -> None:
    """Torn, of another shape, not even text: the others are explained."""
    whole = json.dumps(TRACE.as_json())
    damage = [
        whole[:-30].encode(),
        json.dumps({**TRACE.as_json(), "line": "one"}).encode(),
        json.dumps({**TRACE.as_json(), "iterations": [{}]}).encode(),
        b"\xff\0[]",
        b"{}",
        b"[1]",
    ]
    with (two_servers / "1-0.jsonl").open("ab") as file:
        file.write(b"\n".join([b"", *damage]))
    (two_servers / "2-9.jsonl").mkdir()

    assert len(last_traces(two_servers.parent, 99)) == 4
    assert "1/1.py" in explain().stdout


def test_traces_can_be_removed(two_servers: Path) -> None:
    """All of them, whoever wrote them."""
    assert "removed: 2" in explain("--clear").stdout
    assert not list(two_servers.iterdir())
