"""What `bowerbird bench constrained` prints."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from textwrap import indent
from typing import TYPE_CHECKING

import typer

from bowerbird.explanation.visible import visible

if TYPE_CHECKING:
    from bowerbird.cli.bench.constrained import Answered

SAMPLE = 200  # characters


def show(answers: Sequence[Answered], model: str) -> None:
    """The table, what each grammar allows, and an answer of middle length, by which junk is seen."""
    from bowerbird.cli.bench.printing import figures, output

    headings = ("language", "decoding", "answers", "parses", "was cut off", "characters", "tokens/s", "judge")
    table = figures(f"Answers of {model}: the share that", headings, words=("decoding", "judge"))
    for language in dict.fromkeys(one.language for one in answers):
        for constrained in (False, True):
            some = [one for one in answers if (one.language, one.constrained) == (language, constrained)]
            seconds = sum(one.seconds for one in some)
            table.add_row(
                language,
                "grammar" if constrained else "free",
                f"{len(some)}",
                f"{sum(one.parses for one in some) / len(some):.0%}",
                f"{sum(one.cut for one in some) / len(some):.0%}",
                f"{sum(len(one.code) for one in some) / len(some):,.0f}",
                f"{sum(one.tokens for one in some) / seconds:,.0f}" if seconds else "",
                next((one.judge for one in some if one.judge), ""),
            )
    output().print(table)
    _show_grammars(answers)


@cache
def allowed(language: str) -> tuple[int, int]:
    """How many examples of the documentation are texts of the grammar, and how many have no faults."""
    from bowerbird.execution.executor import Program
    from bowerbird.execution.tree import is_sound
    from bowerbird.knowledge.packs.pack import Pack
    from bowerbird.knowledge.packs.store import load_pack, shipped_folder
    from bowerbird.syntax.gbnf.constraint import grammar_for
    from bowerbird.syntax.gbnf.following import accepts

    pack = load_pack(shipped_folder() / language)
    assert isinstance(pack, Pack)
    codes = [one.code.strip("\n") for one in pack.examples]
    sound = [code for code in codes if is_sound(Program(language=language, code=code))]
    grammar = grammar_for(language)
    return sum(accepts(grammar, code) for code in sound), len(sound)


def _show_grammars(answers: Sequence[Answered]) -> None:
    for language in dict.fromkeys(one.language for one in answers):
        count, of = allowed(language)
        typer.echo(f"{language}: the grammar allows {count} of {of} sound examples ({count / of:.0%}).")
        by_length = sorted(
            (one for one in answers if one.language == language and one.constrained),
            key=lambda one: len(one.code),
        )
        sample = by_length[len(by_length) // 2]
        typer.echo(f"By the grammar, for {sample.text!r}:")
        typer.echo(visible(indent(_beginning(sample.code), "    ")))


def _beginning(code: str) -> str:
    return code if len(code) <= SAMPLE else f"{code[:SAMPLE]} ..."
