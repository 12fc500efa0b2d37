"""`bowerbird bench grammars`: what it counts, with a judge that needs nothing installed."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from random import Random

import pytest
import typer
from typer.testing import CliRunner

from bowerbird.cli.bench.grammars import command
from bowerbird.cli.bench.grammars.measure import UNEXPLAINED, Report, measure
from bowerbird.cli.bench.grammars.mutations import KINDS, mutations
from bowerbird.cli.bench.grammars.powerquery import POWERQUERY
from bowerbird.cli.bench.grammars.sample import Contest, Judge, Sample, ask
from bowerbird.cli.errors import InputNotFound, UsageError
from bowerbird.syntax.soundness import Range

PAGE = """# Text.Upper

```powerquery-m
let
    a = "b",
    c = Text.Upper(a)
in
    c
```

**Output**

`"B"`

```json
{}
```

**Output**

``` powerquery-m
[Reason = "none"
```
"""

SAMPLES = [Sample(f"a.md:{rows}", f"let {'a = {1, b(c)}, ' * rows}d = 1 in d") for rows in range(2, 6)]


def accepting(texts: Sequence[str]) -> list[str | None]:
    """A judge who finds nothing wrong."""
    return [None] * len(texts)


def report_of(judge: Judge = accepting, count: int = 40, seed: int = 0) -> Report:
    return measure(POWERQUERY, SAMPLES, judge, count, seed)


@pytest.fixture(autouse=True)
def short(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody wants to know here how fast it is."""
    monkeypatch.setattr("bowerbird.cli.bench.grammars.measure.TIMED_S", 0.001)


def test_code_is_found_in_documentation(tmp_path: Path) -> None:
    """Fences of the language and outputs in a line are samples, each with its line; a file is one."""
    (tmp_path / "text-upper.md").write_text(PAGE)
    (tmp_path / "query.pq").write_text("1 + 1")
    found = list(POWERQUERY.samples(tmp_path))
    assert [one.origin for one in found] == [
        "query.pq",
        "text-upper.md:3",
        "text-upper.md:11",
        "text-upper.md:21",
    ]
    assert [one.text.split("\n")[0] for one in found] == ["1 + 1", "let", '"B"', '[Reason = "none"']


def test_mutations_are_of_every_kind_and_the_same_for_a_seed() -> None:
    """The four kinds take turns; what is changed is a token, and a seed stands for its mutations."""
    texts = [(b"f(1)", [Range(0, 1), Range(1, 2), Range(2, 3), Range(3, 4)])]
    first, again = (list(mutations(texts, 40, Random(1))) for _ in range(2))
    assert first == again
    assert first != list(mutations(texts, 40, Random(2)))
    assert [one.kind for one in first[:4]] == list(KINDS)
    for one in first:
        expected = 3 + len(one.new) + (one.kind in {"duplicate", "insert"})
        assert len(one.text.replace(" ", "")) == expected, one


def test_agreement_and_its_exceptions_are_counted() -> None:
    """With a judge who accepts everything, the two agree where our grammar accepts as well."""
    agreement = report_of().agreement
    assert agreement.asked == dict.fromkeys(KINDS, 10)
    assert agreement.sound == 40
    assert len(agreement.disagreements) == 40 - sum(agreement.agreed.values()) > 20
    assert {one.accepted_by for one in agreement.disagreements} == {"judge"}
    assert {one.explanation for one in agreement.disagreements} == {UNEXPLAINED}


def test_samples_are_sorted_by_the_judge() -> None:
    """What the judge rejects and our grammar accepts is told, and is measured no further."""
    report = report_of(lambda texts: ["no" if "c)}, d" in text else None for text in texts], count=0)
    assert (report.samples, report.sound, report.parsed) == (4, 0, 0)
    assert report.lenient == tuple(one.origin for one in SAMPLES)
    assert report_of(count=0).parsed == 4


def test_bindings_that_survive_are_counted() -> None:
    """Of the bindings that do not hold the deleted token most keep their nodes, but not all."""
    survival = report_of(count=0).survival
    assert survival.deletions > 100
    assert 0.8 < survival.share < 1


def test_explanations_are_for_what_they_say() -> None:
    """Each explanation holds for a case of its own."""
    cases = [
        ("// nothing\n", "Parse: end"),
        ("{.05}", "Lex: Error on line(s): 0"),
        ("type [1st = text]", "Parse: expected an identifier, but a numeric literal was found instead"),
        ('[#"a" b = 1]', ""),
    ]
    for (text, complaint), explanation in zip(cases, POWERQUERY.explanations.values(), strict=True):
        made = next(mutations([(b"1", [Range(0, 1)])], 1, Random(0)))
        mutation = type(made)("delete", "1", "", text)
        holding = [one for one in POWERQUERY.explanations.values() if one(mutation, complaint)]
        assert holding == [explanation], text


def test_a_judge_is_asked_line_by_line(tmp_path: Path) -> None:
    """A program answers each line of JSON with one; one that says less than it is asked is an error."""
    texts = ["a\nb", "c"]
    assert ask(["cat"], texts) == texts
    with pytest.raises(InputNotFound, match="0 of 2 answers: No such"):
        ask(["sh", "-c", "echo 'No such thing' >&2"], texts)
    with pytest.raises(InputNotFound, match="not on the PATH"):
        ask([str(tmp_path / "none")], texts)


def test_the_command_prints_shares_and_writes_json(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The table has the shares, the JSON the same figures."""
    (tmp_path / "page.md").write_text(PAGE)
    monkeypatch.setattr(command, "contests", lambda: {"powerquery": with_judge(POWERQUERY)})
    app = typer.Typer()
    app.command()(command.grammars_command)
    told = tmp_path / "told.json"
    arguments = ["powerquery", "--corpus", str(tmp_path), "--judge", str(tmp_path), "--mutations", "8"]
    result = CliRunner().invoke(app, [*arguments, "--json", str(told)])
    assert result.exit_code == 0, result.output
    assert "66.67%" in result.output
    assert "Not parsed: page.md:21." in result.output
    report = json.loads(told.read_text())
    assert (report["samples"], report["parsed"], report["unparsed"]) == (3, 2, ["page.md:21"])


def with_judge(contest: Contest) -> Contest:
    """The contest with a judge who accepts everything."""
    return Contest(
        language=contest.language,
        samples=contest.samples,
        judge=lambda _folder: accepting,
        join=contest.join,
        bindings=contest.bindings,
        explanations=contest.explanations,
    )


def test_what_is_missing_is_named(tmp_path: Path) -> None:
    """An unknown language, a folder without code and one without a judge are told apart."""
    with pytest.raises(UsageError, match="none of powerquery"):
        command.run("cobol", tmp_path, tmp_path, 0, 0, print)
    with pytest.raises(InputNotFound, match="no code of powerquery"):
        command.run("powerquery", tmp_path, tmp_path, 0, 0, print)
    (tmp_path / "a.pq").write_text("1")
    with pytest.raises(InputNotFound, match="npm install @microsoft/powerquery-parser"):
        command.run("powerquery", tmp_path, tmp_path, 0, 0, print)
