"""`bowerbird bench documented`: what documentation in the prompt does for completions of its language."""

from __future__ import annotations

import asyncio
import json
import random
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from bowerbird.assembly import Assembly
    from bowerbird.completion.guides import Guide
    from bowerbird.completion.query import UnfinishedCode
    from bowerbird.retrieval.retriever import Hit

LANGUAGES = ("powerquery", "ring", "pony")
SHORTEST = 8  # characters of a line that is asked for
NEW_TOKENS = 48
SPARE = 8
"""Snippets asked for beyond those shown, as some are left out."""


@dataclass(frozen=True, slots=True)
class Case:
    """A line of an example of the documentation; the cursor stands somewhere in it."""

    unfinished: UnfinishedCode
    line: str
    """All of it, without its margin."""
    truth: str
    """What of it stands behind the cursor."""


@dataclass(frozen=True, slots=True)
class Answered:
    """One completion of a case."""

    language: str
    documented: bool
    """Documentation was in the prompt."""
    name: str
    text: str
    parses: bool
    """The document with it; False where nothing was shown."""
    exact_match: float
    edit_similarity: float
    log_likelihood: float | None
    """Of the true rest, in nats a character."""


class Apart:
    """Documentation without what holds the very line that is asked for."""

    def __init__(self, guide: Guide) -> None:
        self._guide = guide
        self.line = ""

    def prepare(self, language: str | None) -> None:
        """See `Guide.prepare`."""
        self._guide.prepare(language)

    def guide(self, language: str | None, code: str, k: int) -> list[Hit]:
        """See `Guide.guide`."""
        found = self._guide.guide(language, code, k + SPARE)
        return [hit for hit in found if self.line not in hit.snippet.text][:k]


def cases(language: str, count: int, seed: int, folder: Path) -> list[Case]:
    """Lines of examples that parse, one of each, drawn by `seed`; half of the cursors stand within the line.

    Above the example stands its purpose as a comment, as users write it. Files would lie in `folder`.
    """
    from bowerbird.cli.bench.rar.cases import shipped_pack
    from bowerbird.execution.executor import Program
    from bowerbird.execution.tree import is_sound

    chance = random.Random(seed)
    examples = [one for one in shipped_pack(language).examples if not one.counter_example]
    chance.shuffle(examples)
    found: list[Case] = []
    for number, example in enumerate(examples):
        if len(found) == count:
            break
        if not is_sound(Program(language=language, code=example.text)):
            continue
        lines = example.text.split("\n")
        numbers = [at for at, line in enumerate(lines) if at and _is_code(line, language)]
        if numbers:
            found.append(_case(lines, chance.choice(numbers), language, folder / str(number), chance))
    return found


def _is_code(line: str, language: str) -> bool:
    from bowerbird.syntax.languages import LANGUAGES as TABLE

    return len(line.strip()) >= SHORTEST and not line.strip().startswith(TABLE[language].comment or "\0")


def _case(lines: Sequence[str], number: int, language: str, stem: Path, chance: random.Random) -> Case:
    from bowerbird.completion.query import UnfinishedCode
    from bowerbird.syntax.languages import LANGUAGES as TABLE

    line = lines[number]
    margin = len(line) - len(line.lstrip())
    column = margin if chance.random() < 0.5 else chance.randrange(margin + 1, len(line.rstrip()))
    path = stem.with_suffix(TABLE[language].extensions[0])
    prefix = "\n".join([*lines[:number], line[:column]])
    suffix = "".join(f"\n{one}" for one in lines[number + 1 :])
    unfinished = UnfinishedCode(path, path.name, path.parent.name, language, prefix, suffix)
    return Case(unfinished, line.strip(), line[column:])


async def measure(
    assembly: Assembly, documented: bool, wanted: Sequence[Case], tell: Callable[[int], None] = lambda _: None
) -> list[Answered]:
    """Complete each case once, as for an editor, without a workspace."""
    from bowerbird.cli.bench.repoeval.measure import checked, likelihood
    from bowerbird.cli.bench.repoeval.metrics import edit_similarity, exact_match
    from bowerbird.completion.engine import CompletionEngine
    from bowerbird.completion.request import Mode, Request
    from bowerbird.execution.executor import Program
    from bowerbird.execution.tree import is_sound

    parts = assembly.completion
    apart = Apart(parts.guide) if parts.guide is not None and documented else None
    answers = []
    for case in wanted:
        if apart is not None:
            apart.line = case.line
        engine = CompletionEngine(
            parts.retriever, parts.function_retriever, parts.model, parts.policy, parts.settings, apart
        )  # a new one, without memory of other cases
        request = Request(mode=Mode.RAG, max_new_tokens=NEW_TOKENS, invoked=True, time_budget_ms=None)
        done = checked(await engine.complete(case.unfinished, request))
        code = case.unfinished
        prefix = code.prefix[: len(code.prefix) - done.replaces_before]
        document = prefix + done.text + code.suffix[done.replaces_behind :]
        language = code.language or ""
        shown = done.text.strip() != ""
        answers.append(
            Answered(
                language=language,
                documented=documented,
                name=code.name,
                text=done.text,
                parses=shown and is_sound(Program(language=language, code=document)),
                exact_match=exact_match(done.text, case.truth),
                edit_similarity=edit_similarity(done.text, case.truth),
                log_likelihood=await likelihood(assembly.model, done.prompt, case.truth)
                if done.prompt
                else None,
            )
        )
        tell(1)
    return answers


def documented_command(
    model: Annotated[str, typer.Option(help="A GGUF file; empty takes the built-in model.")] = "",
    languages: Annotated[list[str] | None, typer.Option("--language", help="Default: all three.")] = None,
    count: Annotated[int, typer.Option("--cases", min=1, help="Lines of each language.")] = 100,
    seed: Annotated[int, typer.Option(help="Which lines.")] = 0,
    json_file: Annotated[Path | None, typer.Option("--json", help="Write each completion here.")] = None,
) -> None:
    """Complete lines of Power Query M, Ring and Pony with and without their documentation in the prompt.

    The lines are those of the documentation's own examples; nothing that holds the very line is shown.
    """
    from bowerbird.cli.errors import UsageError
    from bowerbird.cli.model.option import model_file, model_setting

    if wrong := set(languages or ()) - set(LANGUAGES):
        raise UsageError(f"Not among {', '.join(LANGUAGES)}: {', '.join(sorted(wrong))}.")
    name = model_file(model).name
    answers = asyncio.run(_run(model_setting(model), languages or LANGUAGES, count, seed))
    print(f"Completions by {name}, one line each:\n")
    print(*_rows(answers), sep="\n")
    if json_file is not None:
        told = {"bench": "documented", "model": name, "seed": seed, "results": list(map(asdict, answers))}
        json_file.write_text(json.dumps(told, indent=1) + "\n")


async def _run(model: str, languages: Sequence[str], count: int, seed: int) -> list[Answered]:
    from bowerbird.assembly import assemble
    from bowerbird.cli.progress import bar
    from bowerbird.settings import CompletionSettings, Settings

    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        assembly = assemble(Settings(completion=CompletionSettings(model=model)), [folder])
        wanted = {language: cases(language, count, seed, folder) for language in languages}
        answers: list[Answered] = []
        try:
            with bar("Completing", 2 * sum(map(len, wanted.values()))) as tell:
                for some in wanted.values():
                    for documented in (False, True):
                        answers += await measure(assembly, documented, some, tell)
        finally:
            await assembly.close()
    return answers


def _rows(answers: Sequence[Answered]) -> Iterator[str]:
    headings = ("shown", "parses", "exact", "edit", "nats")
    yield f"{'language':12}{'pack':10}{'lines':>6}" + "".join(f"{one:>9}" for one in headings)
    for language in dict.fromkeys(one.language for one in answers):
        for documented in (False, True):
            some = [one for one in answers if (one.language, one.documented) == (language, documented)]
            scored = [-one.log_likelihood for one in some if one.log_likelihood is not None]
            shares = (
                sum(bool(one.text.strip()) for one in some),
                sum(one.parses for one in some),
                sum(one.exact_match for one in some),
                sum(one.edit_similarity for one in some),
            )
            yield (
                f"{language:12}{'in prompt' if documented else 'without':10}{len(some):6}"
                + "".join(f"{share / len(some):9.1%}" for share in shares)
                + f"{sum(scored) / max(1, len(scored)):9.3f}"
            )
    yield "\nParses: of all lines; a line for which nothing was shown does not. Nats: of a true character."
