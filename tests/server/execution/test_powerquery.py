"""Microsoft's language services for Power Query M, as a checker."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest

from bowerbird.execution.executor import Feedback, Level, Program, Severity
from bowerbird.execution.powerquery import PACKAGES, PowerQuery, why_missing
from bowerbird.execution.powerquery_symbols import library_symbols
from bowerbird.execution.sandbox import Sandbox
from bowerbird.knowledge.packs.pack import Pack
from bowerbird.knowledge.packs.store import load_pack, shipped_folder


@pytest.fixture(scope="module")
def pack() -> Pack:
    """The shipped documentation."""
    loaded = load_pack(shipped_folder() / "powerquery")
    assert isinstance(loaded, Pack)
    return loaded


async def said(services: PowerQuery, pack: Pack, code: str) -> Feedback:
    answer = await services.check(Program(language="powerquery", code=code), (pack,))
    assert isinstance(answer, Feedback), answer
    return answer


async def test_faults_are_found_with_their_places(
    sandbox: Sandbox, powerquery_folder: Path, pack: Pack
) -> None:
    """Syntax, unknown names with the nearest, numbers of arguments, duplicates; columns in code points."""
    services = PowerQuery(sandbox, powerquery_folder)
    cases = {
        'let a = "abc" in Table.AddColum(a)': (0, 17, "'Table.AddColumn'"),
        '"😀😀" & Text.Fro(1)': (0, 7, "'Text.From'"),
        "let a = 1 in": (0, None, "end-of-stream"),
        "let\n  a = Text.Upper()\nin a": (1, 16, "between 1-2 arguments"),
        "let a = 1, a = 2 in a": (0, 4, "Duplicate identifier"),
        'let a = "abc\nin a': (0, 8, "Unterminated string"),
        "let\n a = 0x in a": (1, 5, ""),
    }
    try:
        for code, (line, column, words) in cases.items():
            answer = await said(services, pack, code)
            assert (answer.passed, answer.level) == (False, Level.CHECKED), code
            assert answer.messages[0].line == line, code
            assert column is None or answer.messages[0].column == column, code
            assert words in answer.messages[0].text
        assert (await said(services, pack, "let a = Int64.Type in Text.Upper(Text.From(a))")).passed
    finally:
        await services.close()


async def test_where_the_services_fail_the_parser_answers(
    sandbox: Sandbox, powerquery_folder: Path, pack: Pack
) -> None:
    """A call of a field of `_`, which two functions around have as parameter, is too much for them."""
    services = PowerQuery(sandbox, powerquery_folder)
    try:
        answer = await said(services, pack, "each ((_) => [a](1))")
        assert (answer.passed, answer.level, answer.by) == (True, Level.PARSED, ("powerquery-parser",))
        assert "failed" in answer.note
        assert (await said(services, pack, "each 1")).level is Level.CHECKED  # it goes on
    finally:
        await services.close()


async def test_the_packages_may_lie_behind_a_link(
    sandbox: Sandbox, powerquery_folder: Path, pack: Pack, tmp_path: Path
) -> None:
    """As where a user keeps the data folder on another disk."""
    (tmp_path / "link").symlink_to(powerquery_folder)
    services = PowerQuery(sandbox, tmp_path / "link")
    try:
        assert (await said(services, pack, "1 + 1")).passed
    finally:
        await services.close()


async def test_types_are_hints(sandbox: Sandbox, powerquery_folder: Path, pack: Pack) -> None:
    """The services are often wrong about types, so these do not fail a program; vague ones are left out."""
    services = PowerQuery(sandbox, powerquery_folder)
    try:
        answer = await said(services, pack, "Text.Upper(1)")
        assert answer.passed
        assert [message.severity for message in answer.messages] == [Severity.HINT]
        vague = await said(services, pack, "(x) => Text.Upper(x)")
        assert (vague.passed, vague.messages) == (True, ())
    finally:
        await services.close()


async def test_every_shipped_example_passes(powerquery_folder: Path, pack: Pack) -> None:
    """What we show is what the checker accepts; some 500 in a second or two, without a sandbox."""
    services = PowerQuery(None, powerquery_folder)
    internal = []
    try:
        for example in pack.examples:
            answer = await services.check(Program(language="powerquery", code=example.code), (pack,))
            if isinstance(answer, str):
                internal.append(example.purpose)
            else:
                assert answer.passed is not example.counter_example, (example.code, answer.messages)
    finally:
        await services.close()
    # FIXME: version 1.1.2 fails on a comparison of `#nan` ("Expected value to be instanceof Error").
    assert len(internal) <= 1


async def test_the_services_are_kept_warm_and_come_back(
    sandbox: Sandbox, powerquery_folder: Path, pack: Pack
) -> None:
    """Requests share one process; after it was killed, the next request but one has a new one."""
    services = PowerQuery(sandbox, powerquery_folder)
    try:
        await asyncio.gather(*(said(services, pack, f"{n} + 1") for n in range(5)))
        process = services._process
        assert process is not None
        process.kill()
        await process.wait()
        assert (await said(services, pack, "1")).passed
        assert services._process is not process
    finally:
        await services.close()
        await services.close()


async def test_a_cancelled_request_does_not_answer_the_next(
    sandbox: Sandbox, powerquery_folder: Path, pack: Pack
) -> None:
    """The answer on its way is never taken for another's."""
    services = PowerQuery(sandbox, powerquery_folder)
    try:
        assert (await said(services, pack, "1")).passed
        for _ in range(3):
            task = asyncio.create_task(said(services, pack, "1 +"))
            await asyncio.sleep(0)
            await asyncio.sleep(0)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            assert (await said(services, pack, "1 + 1")).passed
    finally:
        await services.close()


def test_symbols_come_from_the_pack(pack: Pack) -> None:
    """Functions with their parameters, enumerations with their members, constants."""
    symbols = {symbol["name"]: symbol for symbol in library_symbols((pack,))}
    assert sum(symbol["functionParameters"] is not None for symbol in symbols.values()) == 663
    upper = symbols["Text.Upper"]
    assert [(one["name"], one["isRequired"]) for one in upper["functionParameters"]] == [
        ("text", True),
        ("culture", False),
    ]
    assert upper["type"] == "nullable text"
    assert symbols["Int64.Type"]["type"] == "type"
    assert symbols["Number.PI"]["type"] == "number"
    assert symbols["JoinKind.Inner"]["type"] == "number"


def test_wrong_versions_are_not_used(tmp_path: Path) -> None:
    """A folder with other releases, broken files or nothing counts as missing, and the remedy is told."""
    assert "bowerbird setup powerquery" in why_missing(tmp_path)
    for name, version in PACKAGES.items():
        file = tmp_path / "node_modules" / name / "package.json"
        file.parent.mkdir(parents=True)
        file.write_text(json.dumps({"version": version}))
    assert why_missing(tmp_path) == ""
    file.write_text(json.dumps({"version": "0.1.0"}))
    assert "is 0.1.0, not" in why_missing(tmp_path)
    file.write_text("{")
    assert "is not installed" in why_missing(tmp_path)


async def test_without_packages_there_is_a_reason(tmp_path: Path) -> None:
    """Nothing is started."""
    services = PowerQuery(None, tmp_path)
    answer = await services.check(Program(language="powerquery", code="1"), ())
    assert isinstance(answer, str)
    assert "bowerbird setup powerquery" in answer
