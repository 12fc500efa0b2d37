"""`bowerbird bench repoeval`: the command line, the progress bar, the files."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Annotated

import typer

from bowerbird.cli.bench.repoeval.options import MODES, Comparison, Options, Table
from bowerbird.cli.errors import InputNotFound, UsageError
from bowerbird.settings import CompletionSettings

PAPER = CompletionSettings()
"""The defaults are the paper's, where it names them."""


def repoeval_command(
    sources: Annotated[
        Path, typer.Option(help="Folder with the unpacked releases, one folder each. Nothing is fetched.")
    ],
    per_repo: Annotated[int, typer.Option(min=1, help="Lines drawn from each repository.")] = 200,
    repos: Annotated[str, typer.Option(help="Only these repositories, by name, with commas between.")] = "",
    seed: Annotated[int, typer.Option(help="Which lines are drawn.")] = 0,
    modes: Annotated[
        str, typer.Option(help="Columns: in-file, a number of iterations, oracle; with commas between.")
    ] = ",".join(MODES),
    tables: Annotated[
        str, typer.Option(help="main (nothing behind the line, as in the paper), suffix, or main,suffix.")
    ] = Table.MAIN.value,
    suffix: Annotated[
        bool | None, typer.Option("--suffix/--no-suffix", help="Short for --tables suffix and --tables main.")
    ] = None,
    replay: Annotated[
        bool,
        typer.Option("--replay", help="Type each task key by key: the paper's order beside the editor's."),
    ] = False,
    replay_keys: Annotated[int, typer.Option(min=1, help="Keys typed before each task.")] = 40,
    compare: Annotated[
        Comparison | None, typer.Option(help="Measure the values of this setting on the same tasks.")
    ] = None,
    shift: Annotated[
        int, typer.Option(min=0, help="Lines by which first-round windows are moved down.")
    ] = PAPER.shift_lines,
    snap: Annotated[
        bool, typer.Option("--snap/--no-snap", help="Windows begin at definitions and statements.")
    ] = PAPER.snap,
    window_lines: Annotated[int, typer.Option(min=1, help="Lines in a window.")] = PAPER.window_lines,
    slide_lines: Annotated[int, typer.Option(min=1, help="Lines between windows.")] = PAPER.slide_lines,
    max_snippets: Annotated[int, typer.Option(min=0, help="Snippets in a prompt.")] = PAPER.max_snippets,
    budget: Annotated[
        int, typer.Option(min=0, help="Tokens in a prompt; 0 takes what the model has room for.")
    ] = PAPER.prompt_tokens,
    model: Annotated[str, typer.Option(help="A GGUF file; empty takes the built-in model.")] = "",
    beside: Annotated[
        str, typer.Option(help="A second model, GGUF file or built-in, to get the same tasks.")
    ] = "",
    reach: Annotated[
        bool, typer.Option("--reach", help="Measure what retrieval brings, without the model: in minutes.")
    ] = False,
    embedding_model: Annotated[
        str, typer.Option(help="A GGUF file that turns code into vectors, for --compare dense.")
    ] = "",
    json_file: Annotated[
        Path | None, typer.Option("--json", help="Write everything here; a broken-off run goes on from it.")
    ] = None,
    resume: Annotated[
        Path | None, typer.Option(help="Where finished tasks are kept; beside the JSON file unless named.")
    ] = None,
    traces: Annotated[
        bool, typer.Option("--traces", help="Put each task's trace into the JSON file.")
    ] = False,
) -> None:
    """RepoEval's line tasks (RepoCoder, sections 3 to 5), rebuilt from the releases that --sources holds."""
    first, second = ("", "") if reach else _models(model, beside, compare)
    options = Options(
        repositories=_names(repos),
        per_repository=per_repo,
        seed=seed,
        modes=_modes(modes),
        tables=(Table.REPLAY,) if replay else _tables(tables, suffix),
        compare=compare,
        beside=second,
        replay_keys=replay_keys,
        traces=traces,
        completion=CompletionSettings(
            model=first,
            window_lines=window_lines,
            slide_lines=slide_lines,
            shift_lines=shift,
            snap=snap,
            max_snippets=max_snippets,
            prompt_tokens=budget,
            embedding_model=_embedding_model(embedding_model, compare),
        ),
    )
    if reach:
        _run_reach(options, sources, json_file)
    else:
        _run(options, sources, json_file, resume)


def _run_reach(options: Options, sources: Path, json_file: Path | None) -> None:
    try:
        from bowerbird.cli.bench.repoeval import plan, reach
    except ModuleNotFoundError as error:
        raise _missing(error) from error
    from bowerbird.cli.bench.printing import output
    from bowerbird.cli.progress import bar

    tasks = plan.make_plan(options, sources)
    with bar("RepoEval", sum(map(len, tasks.tasks)) * len(options.variants())) as advance:
        reached = asyncio.run(reach.measure_reach(tasks, advance))
    reach.print_reach(output(), tasks, reached)
    if json_file is not None:
        json_file.write_text(json.dumps(reach.reach_json(tasks, reached), indent=1) + "\n")


def _run(options: Options, sources: Path, json_file: Path | None, resume: Path | None) -> None:
    try:
        from bowerbird.cli.bench.repoeval import plan, report, run
    except ModuleNotFoundError as error:
        raise _missing(error) from error
    from bowerbird import __version__
    from bowerbird.cli.bench.printing import output
    from bowerbird.cli.bench.repoeval.journal import Journal
    from bowerbird.cli.bench.repoeval.options import file_digest, run_key
    from bowerbird.cli.progress import bar

    models = [Path(one) for one in (options.completion.model, options.beside) if one]
    digests = [file_digest(one) for one in models]
    tasks = plan.make_plan(options, sources)
    kept = resume or (json_file.with_name(f"{json_file.name}.tasks.jsonl") if json_file else None)
    key = run_key(options, tasks.digest(), digests, __version__)
    with Journal(kept, key) as journal, bar("RepoEval", tasks.units) as advance:
        outcomes = asyncio.run(run.run(tasks, journal, advance))
    names = [one.name for one in models]
    report.print_report(output(), tasks, outcomes, " and ".join(names))
    if json_file is not None:
        told = {"name": names[0], "sha256": digests[0], "beside": names[1:], "bowerbird": __version__}
        json_file.write_text(json.dumps(report.report_json(tasks, outcomes, told), indent=1) + "\n")


def _missing(error: ModuleNotFoundError) -> Exception:
    """What is to be told of a package that is not there; the error itself if it is our own."""
    if str(error.name).startswith("bowerbird"):
        return error
    return UsageError(f"This bench needs {error.name}: pip install 'bowerbird[bench]'.")


def _models(model: str, beside: str, compare: Comparison | None) -> tuple[str, str]:
    """Paths of the model and of the one beside it; the second is empty where none is."""
    from bowerbird.cli.model.option import model_file

    first = model_file(model)
    if not beside:
        return str(first), ""
    second = model_file(beside)
    if compare is not None:
        raise UsageError("--beside compares models, and --compare settings: one at a time.")
    if second.stem == first.stem:
        raise UsageError(f"Both models are called {first.stem}: the tables could not tell them apart.")
    return str(first), str(second)


def _embedding_model(path: str, compare: Comparison | None) -> str:
    if compare is Comparison.DENSE and not path:
        raise UsageError("--compare dense needs --embedding-model, a GGUF file of an embedding model.")
    if path and not Path(path).is_file():
        raise InputNotFound(f"There is no file {path}.")
    return str(Path(path).resolve()) if path else ""


def _names(text: str) -> tuple[str, ...]:
    return tuple(name for part in text.split(",") if (name := part.strip()))


def _modes(text: str) -> tuple[str, ...]:
    modes = _names(text)
    wrong = [mode for mode in modes if mode not in MODES and not (mode.isdigit() and int(mode) > 0)]
    if wrong or not modes:
        raise UsageError(f"--modes takes {', '.join(MODES)}; not {', '.join(wrong) or 'nothing'}.")
    return modes


def _tables(text: str, suffix: bool | None) -> tuple[Table, ...]:
    if suffix is not None:
        return (Table.SUFFIX if suffix else Table.MAIN,)
    try:
        tables = tuple(Table(name) for name in _names(text))
    except ValueError as error:
        raise UsageError("--tables takes main, suffix, or main,suffix.") from error
    if not tables:
        raise UsageError("--tables takes main, suffix, or main,suffix.")
    return tables
