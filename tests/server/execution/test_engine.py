"""The executor that chooses: the best there is, never nothing, and an answer that says how far it went."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from bowerbird.execution import engine as engine_module
from bowerbird.execution.engine import ExecutionEngine
from bowerbird.execution.executor import Executor, Feedback, Level, Message, Permission, Program, Want
from bowerbird.execution.job import SandboxError
from bowerbird.execution.sandbox import Sandbox
from bowerbird.knowledge.packs.pack import Pack
from bowerbird.knowledge.packs.store import load_pack, shipped_folder
from bowerbird.syntax.languages import LANGUAGES


@pytest.fixture(scope="module")
def packs() -> tuple[Pack, ...]:
    """The shipped documentation."""
    found = [load_pack(shipped_folder() / name) for name in ("powerquery", "ring", "pony")]
    return tuple(pack for pack in found if isinstance(pack, Pack))


@pytest.fixture
def no_sandbox(monkeypatch: pytest.MonkeyPatch) -> None:
    """As on macOS."""

    async def none(_hidden: Sequence[Path]) -> SandboxError:
        return SandboxError("there is none")

    monkeypatch.setattr(engine_module, "find_sandbox", none)


def engine(packs: tuple[Pack, ...], permission: Permission = Permission.CHECK) -> ExecutionEngine:
    return ExecutionEngine(lambda: packs, permission, powerquery_folder=Path("/nonexistent"))


@pytest.mark.parametrize("language", [*LANGUAGES, "nonsense"])
@pytest.mark.parametrize("code", ["", "\0(([{ \ud800 é\n" * 3])
@pytest.mark.usefixtures("no_sandbox")
async def test_whatever_comes_the_answer_is_feedback(
    packs: tuple[Pack, ...], language: str, code: str
) -> None:
    """Broken code of any language gets an answer that says how much it is worth."""
    executor: Executor = engine(packs)
    answer = await executor.execute(Program(language=language, code=code))
    assert answer.level in (Level.UNCHECKED, Level.PARSED)
    assert answer.note


@pytest.mark.usefixtures("no_sandbox")
async def test_without_a_sandbox_code_is_only_parsed(packs: tuple[Pack, ...]) -> None:
    """Nothing is started, and the answer says so; Python's own parser is at hand."""
    answer = await engine(packs, Permission.RUN).execute(
        Program(language="python", code="def f(:\n    pass\n", want=Want.RUN)
    )
    assert (answer.passed, answer.level) == (False, Level.PARSED)
    assert answer.messages[0].line == 0
    assert "do not run without a sandbox" in answer.note
    assert "there is none" in answer.note


async def test_running_is_off_by_default(packs: tuple[Pack, ...], sandbox: Sandbox) -> None:
    """A program that wants to run is checked instead; with the permission it runs."""
    del sandbox  # one must work
    program = Program(language="shell", code="echo ran\n", want=Want.RUN)
    checked = await engine(packs).execute(program)
    assert (checked.level, checked.stdout) == (Level.PARSED, "")
    assert "Running programs is off." in checked.note
    ran = await engine(packs, Permission.RUN).execute(program)
    assert (ran.level, ran.stdout, ran.passed) == (Level.RUN, "ran\n", True)


async def test_a_failed_run_is_also_checked(packs: tuple[Pack, ...], sandbox: Sandbox) -> None:
    """A run ends at its first fault; the checker's are told, too."""
    del sandbox
    program = Program(language="c", code="int main(void) {\n  return one() + two();\n}\n", want=Want.RUN)
    answer = await engine(packs, Permission.RUN).execute(program)
    assert not answer.passed
    assert {"one", "two"} <= {
        word for one in answer.errors for word in one.text.replace("‘", " ").replace("’", " ").split()
    }


@pytest.mark.parametrize(
    ("language", "code", "words"),
    [
        ("powerquery", "let a = Table.AddColum(b) in a", "did you mean `Table.AddColumn`"),
        ("ring", 'see lefft("pear", 2)\n', "did you mean `left`"),
        ("pony", 'actor Main\n  new create(env: Env) =>\n    env.out.prnt("x")\n', "did you mean `print`"),
        ("powerquery", "let a = 1 in", "is missing"),
        ("kotlin", "fun main() {}\n", ""),
    ],
)
@pytest.mark.usefixtures("no_sandbox")
async def test_grammar_and_packs_serve_without_checkers(
    packs: tuple[Pack, ...], language: str, code: str, words: str
) -> None:
    """Unknown library names come with the nearest ones; faults of syntax are told; else nobody knows."""
    answer = await engine(packs).execute(Program(language=language, code=code))
    assert answer.passed is not bool(words)
    assert any(words in message.text for message in answer.messages) is bool(words)
    assert answer.level is (Level.PARSED if words else Level.UNCHECKED)


async def test_a_mistake_of_the_services_lexer_is_no_fault(
    packs: tuple[Pack, ...], sandbox: Sandbox, powerquery_folder: Path
) -> None:
    """``.05`` is a number of Power Query's, which Microsoft's lexer does not know."""
    del sandbox
    executor = ExecutionEngine(lambda: packs, powerquery_folder=powerquery_folder)
    try:
        sound = await executor.execute(Program(language="powerquery", code="[a = .05]"))
        assert (sound.passed, sound.level) == (True, Level.PARSED)
        broken = await executor.execute(Program(language="powerquery", code='[a = .05, b = "]'))
        assert not broken.passed
        unknown = await executor.execute(Program(language="powerquery", code="Text.Uper(.05)"))
        assert "Text.Upper" in unknown.messages[0].text
        checked = await executor.execute(Program(language="powerquery", code="Text.Upper(x)"))
        assert (checked.level, checked.messages[0].text) == (Level.CHECKED, "Cannot find the name 'x'.")
    finally:
        await executor.close()


def test_rounds_that_say_the_same_have_the_same_key() -> None:
    """Places, addresses and other numbers make no difference; words and codes do."""

    def key(text: str, line: int = 0, code: str = "", stderr: str = "") -> str:
        return Feedback(
            passed=False, level=Level.CHECKED, messages=(Message(text, line, code=code),), stderr=stderr
        ).key

    assert key("no `x` at 0x7ffe") == key("no `x`  at 0x1000", 12)
    assert key("a", stderr="line 3") == key("a", stderr="line 14")
    assert key("no `x`") != key("no `y`")
    assert key("a", code="E1x") != key("a", code="E1y")


def test_a_message_counts_as_people_do() -> None:
    """From 1, and without a column where there is none."""
    assert str(Message("no `x`", 2, 4, "E1")) == "3:5: no `x` [E1]"
    assert str(Message("no `x`", 2, path="a.h")) == "a.h:3: no `x`"
