"""Real checkers and interpreters where they are installed; how each one's messages are read, everywhere."""

# ruff: noqa: ASYNC240 - nothing else waits for the loop meanwhile

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path, PurePosixPath

import pytest

from bowerbird.execution.compilers import CHECKERS, Checker
from bowerbird.execution.executor import Feedback, File, Level, Message, Program, Severity
from bowerbird.execution.interpreters import INTERPRETERS
from bowerbird.execution.job import Job, Outcome
from bowerbird.execution.sandbox import Sandbox
from bowerbird.execution.toolchain import on_path
from bowerbird.execution.tools import Ready, Tools, judge
from bowerbird.syntax.languages import LANGUAGES

ROWS = {row.name: row for row in CHECKERS}

BROKEN = {
    "python": ("import os\n\nprint(oss.name)\n", (2, 6), "Undefined name `oss`"),
    "javascript": ("const a = 1;\nlet b = ;\n", (1, 8), "Unexpected token ';'"),
    "c": ("#include <stdio.h>\nint main(void) {\n  prinf(\"x\");\n}\n", (2, 2), "did you mean"),
    "cpp": ("#include <string>\nint f(std::string s) { return s.lenght(); }\n", (1, 32), "length"),
    "shell": ("if true; then\n  echo x\nfi fi\n", (2, None), "unexpected token `fi'"),
    "perl": ("use strict;\nmy $a = 1;\nprint $b2;\n", (2, None), 'Global symbol "$b2"'),
    "rust": ("fn f(mut v: Vec<u8>) {\n    v.psh(1);\n}\n", (1, 6), "`push` with a similar name|`psh`"),
    "java": ("public class Shop {\n  int total() { return toal; }\n}\n", (1, 23), "variable toal"),
}  # fmt: skip
"""Code, the place of its first fault, and a part of what is said of it (one of several)."""


@pytest.mark.parametrize("language", BROKEN)
async def test_what_is_installed_finds_faults(sandbox: Sandbox, language: str) -> None:
    """Place and words of a fault arrive; where nothing is installed, that is the answer."""
    code, place, words = BROKEN[language]
    answer = await Tools(sandbox).check(Program(language=language, code=code))
    if isinstance(answer, str):
        assert answer.endswith("is not installed")
        assert not any([*on_path(row.executables)] for row in CHECKERS if language in row.languages)
        return
    assert not answer.passed
    assert (answer.messages[0].line, answer.messages[0].column) == place
    assert any(part in answer.messages[0].text for part in words.split("|")), answer.messages[0].text


@pytest.mark.parametrize("language", sorted(INTERPRETERS))
async def test_what_is_installed_runs_programs(sandbox: Sandbox, language: str) -> None:
    """A sound program passes; where nothing is installed, that is the answer."""
    row = INTERPRETERS[language]
    answer = await Tools(sandbox).run(Program(language=language, code=row.good))
    if isinstance(answer, str):
        assert answer.endswith("is not installed")
    else:
        assert (answer.passed, answer.level) == (True, Level.RUN)


async def test_a_failed_test_is_told_at_its_line(sandbox: Sandbox) -> None:
    """The test stands behind the code; stdout, stdin and the reason are there."""
    program = Program(
        language="python",
        code="def double(x):\n    return x + 1\n",
        test="print(input())\nassert double(2) == 4, 'double(2) is no 4'\n",
        stdin="hello\n",
    )
    answer = await Tools(sandbox).run(program)
    assert isinstance(answer, Feedback)
    assert not answer.passed
    assert answer.stdout == "hello\n"
    assert answer.messages == (Message("AssertionError: double(2) is no 4", line=4),)
    assert "/scratch" not in answer.stderr


async def test_an_endless_program_is_told(sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    """What ended it is the message."""
    from bowerbird.execution import tools
    from bowerbird.execution.job import Limits

    monkeypatch.setattr(tools, "RUN_LIMITS", Limits(wall_s=0.5))
    answer = await Tools(sandbox).run(Program(language="shell", code="while :; do :; done\n"))
    assert isinstance(answer, Feedback)
    assert answer.errors[0].text == "the program ran for longer than 0.5 seconds"


async def test_admitted_files_can_be_read_and_are_told(sandbox: Sandbox) -> None:
    """A header beside the program is found; a fault in it is told with its path."""
    header = File(PurePosixPath("shop/price.h"), "int price(void);\nint broken(;\n")
    program = Program(
        language="c",
        code='#include "price.h"\nint main(void) { return price(); }\n',
        path=PurePosixPath("shop/main.c"),
        files=(header,),
    )
    answer = await Tools(sandbox).check(program)
    assert isinstance(answer, Feedback)
    assert ("shop/price.h", 1) in [(message.path, message.line) for message in answer.errors]


async def test_what_stands_on_unseen_files_is_not_judged(sandbox: Sandbox) -> None:
    """A header that was not admitted is no fault of the program's."""
    program = Program(language="c", code='#include "price.h"\nint main(void) { return price(); }\n')
    answer = await Tools(sandbox).check(program)
    assert isinstance(answer, str)
    assert "cannot see" in answer
    assert "price.h" in answer


@pytest.mark.parametrize("path", ["/etc/passwd.c", "../../x.c", "-o.c", "a b/ü.c"])
async def test_any_path_will_do(sandbox: Sandbox, path: str) -> None:
    """A name that leads out, looks like an option or has blanks does no harm."""
    program = Program(language="c", code="int main(void) { return 0; }\n", path=PurePosixPath(path))
    answer = await Tools(sandbox).check(program)
    assert isinstance(answer, Feedback)
    assert answer.passed


async def test_a_checker_that_does_not_work_is_left_out(
    sandbox: Sandbox, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A `ruff` that says yes to all is found out by its samples, once."""
    fake = tmp_path / "bin" / "ruff"
    fake.parent.mkdir()
    fake.write_text("#!/bin/sh\nexit 0\n")
    fake.chmod(0o755)
    tmp_path.chmod(0o755)  # under root, programs are nobody's
    monkeypatch.setenv("PATH", f"{fake.parent}:/usr/bin:/bin")
    tools = Tools(sandbox)
    answer = await tools.check(Program(language="python", code="print(oss)\n"))
    assert isinstance(answer, str)
    assert "finds no fault with a bad one" in answer
    assert answer == await tools.check(Program(language="python", code="1\n"))


def test_a_workspace_cannot_name_a_checker(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A PATH that begins with ``.`` finds nothing in the folder that is open."""
    (tmp_path / "ruff").write_text("#!/bin/sh\n")
    (tmp_path / "ruff").chmod(0o755)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", f".::{Path('.')}")
    assert [*on_path(("ruff",))] == []


def test_a_home_is_never_a_toolchain(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of ``~/.local/bin/ruff`` and ``~/bin/ruff`` the file alone may be read."""
    monkeypatch.setenv("HOME", str(tmp_path))
    for folder in ("bin", ".local/bin", "tools/bin"):
        (tmp_path / folder).mkdir(parents=True)
        (tmp_path / folder / "ruff").write_text(folder)
        (tmp_path / folder / "ruff").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}/bin:{tmp_path}/.local/bin:{tmp_path}/tools/bin")
    readable = [tool.readable for tool in on_path(("ruff",))]
    assert readable == [
        (tmp_path / "bin" / "ruff",),
        (tmp_path / ".local" / "bin" / "ruff",),
        (tmp_path / "tools",),
    ]


SAID: dict[str, tuple[str, Sequence[Message]]] = {
    "tsc": (
        "program.ts(2,7): error TS2322: Type 'string' is not assignable to type 'number'.\n",
        [Message("Type 'string' is not assignable to type 'number'.", 1, 6, "TS2322")],
    ),
    "gofmt": (
        "program.go:3:12: expected ')', found '{'\n",
        [Message("expected ')', found '{'", 2, 11)],
    ),
    "luac": (
        "luac5.4: program.lua:2: unexpected symbol near <eof>\n",
        [Message("unexpected symbol near <eof>", 1)],
    ),
    "ruby": (
        "program.rb:3: syntax error, unexpected end-of-input\n",
        [Message("syntax error, unexpected end-of-input", 2)],
    ),
    "php": (
        'PHP Parse error:  syntax error, unexpected token ";" in program.php on line 4\n',
        [Message('syntax error, unexpected token ";"', 3)],
    ),
    "ponyc": (
        "Error:\n/scratch/main.pony:3:16: right side must be a subtype of left side\n    let x = y\n",
        [Message("right side must be a subtype of left side", 2, 15)],
    ),
    "ring": (
        "program.ring Line (3) Error (C27) : Syntax Error! \n",
        [Message("Syntax Error!", 2, None, "C27")],
    ),
    "rustc": (
        "warning: unused variable: `x`\n --> program.rs:1:9\n  |\n\n"
        "error[E0599]: no method named `psh` found\n --> program.rs:2:7\n  |\n2 |   v.psh(1);\n  |     ^^^\n"
        "help: there is a method `push`\n  |\n\nerror: aborting due to 1 previous error\n",
        [
            Message("unused variable: `x`", 0, 8, severity=Severity.HINT),
            Message("no method named `psh` found (help: there is a method `push`)", 1, 6, "E0599"),
        ],
    ),
}  # fmt: skip
"""What tools that may not be installed say, and what is made of it."""


@pytest.mark.parametrize("name", SAID)
def test_messages_are_read(name: str) -> None:
    """Each row knows its tool's own way to speak."""
    said, messages = SAID[name]
    answer = judge(ROWS[name], Outcome(code=1, stderr=said), ROWS[name].file)
    assert isinstance(answer, Feedback)
    assert list(answer.messages) == messages


def test_a_failure_in_unknown_words_is_no_pass() -> None:
    """A tool that fails and says nothing that a row can read has still found fault."""
    answer = judge(ROWS["bash"], Outcome(code=2, stderr="something else"), "program.sh")
    assert isinstance(answer, Feedback)
    assert not answer.passed
    assert answer.messages[0].text == "something else"


@pytest.mark.parametrize("row", CHECKERS, ids=lambda row: row.name)
def test_rows_fit_the_languages(row: Checker) -> None:
    """Every row is for languages that there are."""
    assert set(row.languages) <= LANGUAGES.keys()
    assert set(INTERPRETERS) <= LANGUAGES.keys()


async def test_doctor_learns_which_work(sandbox: Sandbox) -> None:
    """Every row is ready or has a reason."""
    available = await Tools(sandbox).available()
    assert list(available) == [row.name for row in CHECKERS]
    assert isinstance(available["bash"], Ready)
    assert all(found for found in available.values())


async def test_samples_are_tried_once(sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    """Asking again starts the checker once, not three times."""
    jobs = []
    run = Sandbox.run

    async def counted(self: Sandbox, job: Job) -> Outcome:
        jobs.append(job)
        return await run(self, job)

    monkeypatch.setattr(Sandbox, "run", counted)
    tools = Tools(sandbox)
    for _ in range(2):
        assert isinstance(await tools.check(Program(language="shell", code="echo\n")), Feedback)
    assert len(jobs) == 4


@pytest.mark.parametrize(
    ("language", "code", "whole"),
    [
        ("python", "def f(): ...\n", "def f(): ...\n\nf()\n"),
        ("c", "int f(void) {}", "int f(void) {}\n\nint main(void) {\nf();\nreturn 0;\n}\n"),
        ("c", "int main(void) {}", "int main(void) {}"),
        ("rust", "fn f() {}", "fn f() {}\n\nfn main() {\nf();\n}\n"),
        ("rust", "pub fn main() {}", "pub fn main() {}"),
        ("ring", "func f\n\tsee 1", "func f\n\tsee 1\n\nfunc main\nf()\n"),
        ("shell", "f() { :; }", "f() { :; }\n\nf() || test $? -lt 126 || exit\n"),
    ],
)
def test_a_test_stands_where_it_runs(language: str, code: str, whole: str) -> None:
    """In the function that is started where a language has one, unless the program has its own."""
    assert INTERPRETERS[language].whole(code, "f()") == whole


async def test_a_function_alone_is_compiled_and_passes(sandbox: Sandbox) -> None:
    """Without a test, too: C's and Rust's linkers want something to start."""
    tools = Tools(sandbox)
    for language, code in (("c", "int f(int a) { return a; }"), ("rust", "pub fn f(a: i32) -> i32 { a }")):
        ran = await tools.run(Program(language=language, code=code))
        assert isinstance(ran, str) or ran.passed, ran
