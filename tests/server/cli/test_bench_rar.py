"""`bowerbird bench rar`: what is asked, what counts, what is printed."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path

import numpy as np
import pytest
import typer
from typer.testing import CliRunner

from bowerbird.cli.bench.rar import cases
from bowerbird.cli.bench.rar.cases import (
    Case,
    Suite,
    has_requests,
    left_out_suites,
    read_corpus,
    request_suites,
    shipped_pack,
    shipped_packs,
)
from bowerbird.cli.bench.rar.command import rar_command
from bowerbird.cli.bench.rar.measure import bootstrap, measure
from bowerbird.cli.errors import InputNotFound
from bowerbird.knowledge.packs.pack import Pack
from bowerbird.knowledge.packs.store import load_pack

FENCE = "```"
MANIFEST = 'format = 1\nname = "shop"\nlanguage = "powerquery"\n'
PAGE = f"""\
## Table.Sort
- kind: function
- signature: `Table.Sort(table as table, criteria as any) as table`

Sorts the rows of a table.

### Name the champions
{FENCE}powerquery
Table.Sort(players, {{"points", Order.Descending}})
{FENCE}

### Put the oldest first
{FENCE}powerquery
Table.Sort(people, {{"age", Order.Descending}})
{FENCE}

## Order.Descending
- kind: member

From large to small.

## Text.Upper
- kind: function
- signature: `Text.Upper(text as text) as text`

Makes letters capital.

### Write loudly
{FENCE}powerquery
Text.Upper("hello")
{FENCE}
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A small pack."""
    folder = tmp_path / "shop"
    folder.mkdir()
    (folder / "pack.toml").write_text(MANIFEST)
    (folder / "page.md").write_text(PAGE)
    return folder


@pytest.fixture
def pack(folder: Path, tmp_path: Path) -> Pack:
    pack = load_pack(folder, tmp_path / "cache")
    assert isinstance(pack, Pack)
    return pack


@pytest.mark.parametrize(("name", "least"), [("powerquery", 60), ("ring", 25), ("pony", 25)])
def test_half_of_the_requests_are_held_out(name: str, least: int) -> None:
    """No request stands twice, each wants something, and the halves are equal."""
    text = (Path(cases.__file__).parent / f"requests_{name}.toml").read_text()
    told = tomllib.loads(text)
    assert sorted(told) == ["development", "held_out"]
    assert len(told["development"]) == len(told["held_out"])
    requests = told["development"] + told["held_out"]
    assert len({one["text"] for one in requests}) == len(requests) >= least
    assert all(one["wanted"] for one in requests)


@pytest.mark.parametrize(
    "pack", [one for one in shipped_packs() if has_requests(one.name)], ids=lambda one: one.name
)
def test_what_is_wanted_is_in_the_pack(pack: Pack) -> None:
    """A misspelt name could never be found."""
    assert [suite.unknown for suite in request_suites(pack)] == [(), ()]


def test_for_requests_of_users_rar_finds_more_than_plain_retrieval() -> None:
    """The reason why there is a second step (section 6.2.2), on our pack of M and the held-out half."""
    _, held_out = request_suites(shipped_pack("powerquery"))
    plain, rar = measure(held_out, ["Ret_D", "RAR_D"]).rows
    assert rar.recall.mean > plain.recall.mean


def test_left_out_examples_do_not_help(pack: Pack) -> None:
    """A purpose asked as a request finds its own example neither, nor, in the second suite, its neighbour."""
    one_out, entity_out = left_out_suites("shop", pack)
    assert [len(one_out.cases), len(entity_out.cases)] == [3, 3]
    first = next(at for at, case in enumerate(one_out.cases) if case.text == "Name the champions")
    assert one_out.cases[first].wanted == {"Table.Sort", "Order.Descending"}
    assert [len(suite.cases[first].left_out) for suite in (one_out, entity_out)] == [1, 2]
    [neighbour] = entity_out.cases[first].left_out - one_out.cases[first].left_out
    assert one_out.documentation.examples[neighbour].purpose == "Put the oldest first"
    [row] = measure(Suite("shop", "all", one_out.documentation, (one_out.cases[first],)), ["RAR_D"]).rows
    assert row.recall.mean == 0  # no other example has a word of it


def test_halves_of_left_out_examples_part_no_entity(pack: Pack) -> None:
    """Examples of one entity resemble one another: they are all tuned on, or none is."""
    suites = {suite.half: suite for suite in left_out_suites("shop", pack, halves=True)}
    wanted = {half: {case.wanted for case in suite.cases} for half, suite in suites.items()}
    assert sum(len(suite.cases) for suite in suites.values()) == 3
    assert wanted["development"].isdisjoint(wanted["held out"])


def test_recall_precision_and_length_are_means_over_cases(pack: Pack) -> None:
    """Of two requests one finds one of two entities, the other its only one."""
    documentation = next(left_out_suites("shop", pack)).documentation
    asked = (
        Case("capital letters", frozenset({"Text.Upper", "Table.Sort"})),
        Case("the champions", frozenset({"Table.Sort"})),
    )
    plain, rar = measure(Suite("x", "all", documentation, asked), ["Ret_D", "RAR_D"]).rows
    assert plain.recall.mean == 25  # of the first request a half, and no word of the second is documented
    assert rar.recall.mean == 75
    assert rar.gain is not None
    assert rar.gain.mean == 50
    assert rar.precision == 75  # Table.Sort comes with Order.Descending
    text = {entity.symbol: len(entity.text) for entity in documentation.entities}
    assert rar.tokens == (text["Text.Upper"] + text["Table.Sort"] + text["Order.Descending"]) / 2 / 4


def test_lambdas_are_swept_on_development_cases_only() -> None:
    """Nothing may be tuned on what is held out. A large lambda brings the negative list near Ret_D."""
    suites = list(request_suites(shipped_pack("powerquery")))
    results = [
        measure(Suite(one.name, one.half, one.documentation, one.cases[:2]), ["RAR_D"]) for one in suites
    ]
    assert [bool(result.sweep) for result in results] == [True, False]
    assert results[0].sweep[-1].overlap >= results[0].sweep[0].overlap


def test_intervals_are_the_same_for_the_same_seed() -> None:
    """The mean lies in its interval; equal values leave no doubt; no values give no error."""
    values = np.array([0.0, 1.0, 1.0, 0.5])
    first, again, other = (bootstrap(values, seed) for seed in (1, 1, 2))
    assert first == again
    assert first.mean == other.mean == 62.5
    assert first.low < first.mean < first.high
    assert bootstrap(np.ones(5), 0).low == bootstrap(np.ones(5), 0).high == 100
    assert bootstrap(np.zeros(0), 0).mean == 0


def test_a_corpus_whose_examples_use_its_own_entities_stands_alone(folder: Path) -> None:
    """A reference is searched by itself."""
    corpus = read_corpus(folder)
    assert {entity.symbol for entity in corpus.entities} == {"Table.Sort", "Order.Descending", "Text.Upper"}
    assert len(corpus.examples) == 3


def test_a_tutorial_borrows_the_entities_of_its_language(tmp_path: Path) -> None:
    """Where pages tell of other things than they use, the shipped pack says what the code uses."""
    (tmp_path / "page.md").write_text(
        f"# Lists\n\nSum up a list:\n\n{FENCE}powerquery\nList.Sum({{1}})\n{FENCE}\n"
    )
    corpus = read_corpus(tmp_path)
    [used] = corpus.used
    assert "List.Sum" in {corpus.entities[index].symbol for index in used}


def test_the_command_prints_tables_and_writes_json(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, pack: Pack
) -> None:
    """People get tables with what they must not be compared with, programs get the same figures."""
    monkeypatch.setattr(cases, "shipped_packs", lambda: (pack,))
    app = typer.Typer()
    app.command()(rar_command)
    told = tmp_path / "told.json"
    arguments = ["--pack", "shop", "--corpus", str(folder), "--json", str(told)]
    result = CliRunner().invoke(app, arguments)
    assert result.exit_code == 0, result.output
    assert "shop examples, one out, all: 3 cases" in result.output
    assert "Not to be compared with the paper's table 5" in result.output
    report = json.loads(told.read_text())
    halves = [(one["suite"], one["half"]) for one in report["results"]]
    assert halves[:2] == [("shop examples, one out", "all"), ("shop examples, entity's out", "all")]
    assert ("shop, one out", "held out") in halves
    assert report["results"][0]["rows"][0]["method"] == "Ret_D"
    assert report["speed"][0]["examples"] == 3


def test_a_pack_that_nobody_ships_is_an_error() -> None:
    """The name is told."""
    with pytest.raises(InputNotFound, match="no pack 'cobol'"):
        shipped_pack("cobol")
