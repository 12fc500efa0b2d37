"""Calls made by rule: they fit the function's head, and what is made can really be run."""

from __future__ import annotations

from pathlib import PurePosixPath

import pytest

from bowerbird.execution.engine import ExecutionEngine
from bowerbird.execution.executor import Level, Permission
from bowerbird.execution.interpreters import INTERPRETERS
from bowerbird.knowledge.soup import Soup
from bowerbird.synthesis.engine import SynthesisEngine
from bowerbird.synthesis.options import Options
from bowerbird.synthesis.request import request_at
from bowerbird.synthesis.sources import Sources
from bowerbird.synthesis.values import ROWS, calls_with_values
from bowerbird.synthesis.writer import Writer
from scripted import ScriptedModel

HEADS = {
    "python": (
        "def f(n: int, xs: list[int]) -> int:",
        ["f(2, [5])", "f(7, [2, 2])", "f(1, [3, 1, 2])"],
    ),
    "javascript": ("export function f(firstName, n) {", ["f('Hello world', 7)", "f('a', 1)", "f('b c', 2)"]),
    "lua": ("local function f(items, n)", ["f({3, 1, 2}, 7)", "f({5}, 1)", "f({3, 1, 2}, 2)"]),
    "ring": ("func f aNumbers, nCount", ["f([3, 1, 2], 7)", "f([5], 1)", "f([2, 2], 2)"]),
    "rust": (
        "pub fn f<'a>(a: &[i32], s: &'a str, b: usize) -> i32 {",
        [],
    ),
    "c": (
        "static int f(unsigned n, const char *s)",
        ['f(2, "a")', 'f(7, "b c")', 'f(1, "Hello world")'],
    ),
    "shell": ("f() {", ["f 2 7"]),
}


@pytest.mark.parametrize("language", HEADS)
def test_values_fit_the_parameters(language: str) -> None:
    """By type, or by the name where a language has no types."""
    head, calls = HEADS[language]
    assert calls_with_values(language, "f", head) == calls


@pytest.mark.parametrize(
    ("language", "head", "calls"),
    [
        ("python", "def f():", ["f()"]),
        ("python", "def g(a: int):\ndef f(b: bool):", ["f(True)", "f(False)"]),
        ("python", "def f(cart: Cart):", []),
        ("python", "def f(a: int = 1):", []),
        ("python", "def f(*a: int):", []),
        ("python", "def f(a):", []),
        ("python", "def f(a: dict[str, int], b: float)", ["f({'a': 1, 'b': 2}, 2.25)", "f({'a': 1}, 0.5)"]),
        ("c", "int f(void)", ["f()"]),
        ("c", "int f(int *xs, size_t n)", []),
        ("rust", "fn f(v: Vec<i64>, s: String)", ['f(vec![3, 1, 2], "a".to_string())']),
        ("rust", "fn f(&self, n: u8)", []),
        ("javascript", "function f(callback)", []),
        ("javascript", "function g(n)", []),
        ("go", "func f(n int)", []),
        ("c", "int Cart::f(int n)", ["f(2)"]),
    ],
)
def test_heads(language: str, head: str, calls: list[str]) -> None:
    """Where a value would have to be made up there is no call."""
    assert calls_with_values(language, "f", head)[: len(calls) or None] == calls


def test_no_name_that_is_none() -> None:
    """What belongs to something else cannot be called by itself."""
    assert calls_with_values("c", "Cart::f", "int Cart::f(int n)") == []


SOUND = {
    "python": ("# sum of the numbers\ndef f(numbers: list[int]) -> int:\n", "return sum(numbers)"),
    "javascript": (
        "// sum of the numbers\nfunction f(numbers) {\n}\n",
        "return numbers.reduce((a, b) => a + b)",
    ),
    "shell": ("# print the sum\nf() {\n}\n", 'echo "$(($1 + 1))"'),
    "lua": ("-- sum of the numbers\nfunction f(numbers)\nend\n", "return numbers[1]"),
    "c": ("// sum of both numbers\nint f(int a, int b) {\n}\n", "return a + b;"),
    "rust": ("// sum of the numbers\nfn f(a: &[i32]) -> i32 {\n}\n", "a.iter().sum()"),
}
FAULTY = {
    "python": "return numbers.total()",
    "javascript": "return numbers.total()",
    "shell": "sum_of_all $1",
    "lua": "return numbers:total()",
    "c": "return *(volatile int *)0 + a + b;",
    "rust": "a[a.len()]",
}


@pytest.mark.parametrize("language", SOUND)
async def test_inputs_run(language: str) -> None:
    """A sound function passes with its inputs; one that only looks sound does not."""
    execution = ExecutionEngine(lambda: (), Permission.RUN)
    if await execution.tools() is None:
        pytest.skip("no sandbox works here")
    text, body = SOUND[language]
    request = request_at(text, language, 1)
    assert request is not None
    row = INTERPRETERS[language]
    nothing = Sources(lambda _: [], lambda _: [], lambda _: None, lambda *_: [], lambda _: False)

    async def outcome(code: str) -> tuple[bool, Level, int]:
        model = ScriptedModel([f"```\n{code}\n```", "none"], description="9.0M")
        engine = SynthesisEngine(Writer(model), execution, nothing, Soup(None, lambda _: False), str)
        found = await engine.generate(
            request, Options(run=True, rounds=1, example_instead=False), path=PurePosixPath(row.file)
        )
        assert found.feedback is not None
        assert found.rounds[0].inputs
        return found.passed, found.feedback.level, len(found.rounds)

    passed, level, _ = await outcome(body)
    if level < Level.RUN:
        pytest.skip(f"nothing here runs {language}")
    assert passed
    assert (await outcome(FAULTY[language]))[0] is False


def test_every_row_can_run() -> None:
    """Inputs are made for languages that something runs."""
    assert ROWS.keys() <= INTERPRETERS.keys()
