"""`bowerbird bench constrained`: what a grammar makes of a model's answers, and what it costs."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import aclosing
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from bowerbird.cli.errors import NothingDone
from bowerbird.synthesis.mode import Mode

if TYPE_CHECKING:
    from bowerbird.cli.bench.generate.tasks import Task
    from bowerbird.execution.powerquery import PowerQuery
    from bowerbird.inference.generator import Prompt, Token
    from bowerbird.inference.loaded import LoadedModel
    from bowerbird.knowledge.packs.pack import Pack
    from bowerbird.synthesis.engine import SynthesisEngine
    from bowerbird.synthesis.options import Options
    from bowerbird.synthesis.writer import Model

LANGUAGES = ("powerquery", "ring", "pony")
OFFICIAL, TREE = "Microsoft", "tree-sitter"
"""Whose parser judges."""
FAULTS = ("Error.Lex", "Error.Parse")
BUILT_IN = "built-in"


@dataclass(frozen=True, slots=True)
class Answered:
    """One answer to one request."""

    language: str
    text: str
    """The request."""
    constrained: bool
    code: str
    parses: bool
    """In its document."""
    judge: str
    cut: bool
    """The model had not ended when its tokens were used up."""
    tokens: int
    """Behind the first, of the answer that holds the code."""
    seconds: float
    """What those took."""


class Timed:
    """A model whose last answer is timed, from its first token on."""

    def __init__(self, model: Model) -> None:
        self._model = model
        self.tokens = 0
        self.seconds = 0.0
        self.stopped = ""

    async def load(self) -> LoadedModel:
        """See `Model.load`."""
        return await self._model.load()

    async def encode(self, texts: Sequence[str]) -> list[list[int]]:
        """See `Tokenizer.encode`."""
        return await self._model.encode(texts)

    async def generate(self, prompt: Prompt) -> AsyncGenerator[Token, None]:
        """See `Generator.generate`."""
        self.tokens, self.seconds, self.stopped, began = 0, 0.0, "", 0.0
        async with aclosing(self._model.generate(prompt)) as stream:
            async for token in stream:
                now = time.perf_counter()
                if token.usage is not None:
                    self.stopped = token.usage.stopped
                elif began and token.count:
                    self.tokens, self.seconds = self.tokens + token.count, now - began
                elif token.count:
                    began = now
                yield token


@dataclass(frozen=True, slots=True)
class Judge:
    """Says whether a document parses."""

    services: PowerQuery
    packs: tuple[Pack, ...]
    official: bool
    """Microsoft's packages are there."""

    async def judge(self, language: str, document: str) -> tuple[bool, str]:
        """Whether it parses, and who says so."""
        from bowerbird.execution.executor import Program
        from bowerbird.execution.tree import is_sound

        program = Program(language=language, code=document)
        if language != "powerquery" or not self.official:
            return is_sound(program), TREE
        said = await self.services.check(program, self.packs)
        if isinstance(said, str):  # they failed, and nobody can call that parsing
            return False, OFFICIAL
        return not any(one.code in FAULTS for one in said.errors), OFFICIAL


def constrained_command(
    model: Annotated[str, typer.Option(help="built-in, a GGUF file, or a llama-server's URL.")] = BUILT_IN,
    languages: Annotated[list[str] | None, typer.Option("--language", help="Default: all three.")] = None,
    requests: Annotated[int, typer.Option(min=0, help="So many of each language; 0 takes all.")] = 0,
    mode: Annotated[Mode, typer.Option(help="What is shown with a request.")] = Mode.FEW,
    tokens: Annotated[int, typer.Option(min=8, max=2_000, help="Of an answer at most.")] = 200,
    judge: Annotated[
        Path | None,
        typer.Option(help="Folder with Microsoft's packages; default: where bowerbird setup puts them."),
    ] = None,
    json_file: Annotated[Path | None, typer.Option("--json", help="Write all that was written here.")] = None,
) -> None:
    """Have a model answer requests freely and by a grammar, in turn: which share parses, how fast is it?

    The requests are those of `bowerbird bench generate`. Answers that are cut off count like others. Below
    stands which share of the documentation's examples each grammar allows, and an answer of middle length.
    """
    from bowerbird.cli.bench.constrained_view import allowed, show
    from bowerbird.cli.bench.generate.tasks import read_tasks
    from bowerbird.cli.errors import UsageError
    from bowerbird.synthesis.options import Options

    wrong = set(languages or ()) - set(LANGUAGES)
    if wrong:
        raise UsageError(
            f"There is no grammar for {', '.join(sorted(wrong))}; only for {', '.join(LANGUAGES)}."
        )
    tasks = [task for one in languages or LANGUAGES for task in read_tasks(one)[: requests or None]]
    options = Options(mode=mode, rounds=1, answer_tokens=tokens, example_instead=False)
    answers = asyncio.run(_measure(model, tasks, options, judge))
    show(answers, model)
    if json_file is not None:
        shares = {one: allowed(one) for one in languages or LANGUAGES}
        results = list(map(asdict, answers))
        told = {"bench": "constrained", "model": model, "results": results, "examples": shares}
        json_file.write_text(json.dumps(told, indent=1) + "\n")


async def _measure(
    model: str, tasks: Sequence[Task], options: Options, folder: Path | None
) -> list[Answered]:
    from bowerbird.assembly import assemble
    from bowerbird.cli.bench.generate.services import services_folder
    from bowerbird.cli.bench.own import OWN
    from bowerbird.cli.progress import bar
    from bowerbird.execution.powerquery import PowerQuery, why_missing
    from bowerbird.inference.models import built_in_model
    from bowerbird.settings import GenerationSettings, Settings

    named = str(built_in_model()) if model == BUILT_IN else model
    settings = Settings(generation=GenerationSettings(model=named, learn=False), inference=OWN)
    assembly = assemble(settings, [])
    folder = services_folder(folder)
    services = PowerQuery(None, folder)
    packs = tuple(assembly.lookup.library.of("powerquery"))
    judge = Judge(services, packs, official=not why_missing(folder))
    timed = Timed(assembly.synthesis.writer.model)
    assembly.synthesis.writer.model = timed
    try:
        with bar(model, 2 * len(tasks)) as tell:
            return await measure(assembly.synthesis, timed, judge, tasks, options, tell)
    finally:
        await services.close()
        await assembly.close()


async def measure(
    engine: SynthesisEngine,
    timed: Timed,
    judge: Judge,
    tasks: Sequence[Task],
    options: Options,
    tell: Callable[[int], None] = lambda _: None,
) -> list[Answered]:
    """Each request twice, one way after the other; `timed` is the engine's model. The soup stays empty."""
    from bowerbird.knowledge.soup import Soup
    from bowerbird.synthesis.place import without_margin

    answers = []
    for number, task in enumerate(tasks):
        ways = (False, True) if number % 2 else (True, False)  # neither always finds the prompt evaluated
        for constrained in ways:
            engine.soup = Soup(None, engine.sources.holds_secret, time.time)
            outcome = await engine.generate(task.request, replace(options, constrained=constrained))
            if not outcome.rounds:
                raise NothingDone(outcome.problem or "The model wrote nothing.")
            last = outcome.rounds[-1]
            code = last.code or (without_margin(last.answer) if constrained else "")
            document = task.request.program(code)
            parses, by = await judge.judge(task.language, document) if code else (False, "")
            answers.append(
                Answered(
                    language=task.language,
                    text=task.text,
                    constrained=constrained,
                    code=code,
                    parses=parses,
                    judge=by,
                    cut=timed.stopped == "length",
                    tokens=timed.tokens,
                    seconds=timed.seconds,
                )
            )
            tell(1)
    return answers
