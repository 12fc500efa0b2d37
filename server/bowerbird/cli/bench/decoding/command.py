"""`bowerbird bench decoding`: drafts from the prompt against plain writing, and both beside llama-server."""

from __future__ import annotations

import asyncio
import json
import shlex
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from rich.console import Console

    from bowerbird.cli.bench.decoding.beside import OwnContext, SameTokens
    from bowerbird.cli.bench.decoding.drafts import Drafted


def decoding_command(
    workspace: Annotated[Path, typer.Option(help="Code to complete in.")] = Path(),
    places: Annotated[int, typer.Option(min=1, help="Places of each kind.")] = 20,
    seed: Annotated[int, typer.Option(help="Which places.")] = 0,
    model: Annotated[str, typer.Option(help="A GGUF file; empty takes the built-in model.")] = "",
    llama_server: Annotated[str, typer.Option(help="Its executable; empty looks on the PATH.")] = "",
    server_options: Annotated[
        str, typer.Option(help="More for its command line; --no-repack keeps it from AMX, as we are on some.")
    ] = "",
    json_file: Annotated[Path | None, typer.Option("--json", help="Write every measurement here.")] = None,
) -> None:
    """Measure writing: with drafts from the prompt, without, and beside a llama-server if there is one."""
    from bowerbird.cli.bench.printing import output
    from bowerbird.cli.model.option import model_file, model_setting
    from bowerbird.cli.place import existing_folder
    from bowerbird.inference.engine import find_llama_server

    model_file(model)
    server = find_llama_server(llama_server)
    folder = existing_folder(workspace)
    command = () if server is None else (str(server), *shlex.split(server_options))
    drafted, same, own = asyncio.run(_measure(folder, places, seed, model_setting(model), command))
    console = output()
    _print_drafts(console, drafted)
    if server is None:
        console.print("No llama-server was found, so nothing is compared with it: see --llama-server.")
    else:
        _print_beside(console, same, own)
    if json_file is not None:
        told = {
            "bench": "decoding",
            "drafts": [{**asdict(one), "near_tie": one.near_tie} for one in drafted],
            "same_tokens": [asdict(one) for one in same],
            "own_context": [asdict(one) for one in own],
        }
        json_file.write_text(json.dumps(told, indent=1) + "\n")


async def _measure(
    folder: Path, places: int, seed: int, model: str, server: Sequence[str]
) -> tuple[list[Drafted], list[SameTokens], list[OwnContext]]:
    from bowerbird.assembly import assemble
    from bowerbird.cli.bench.decoding.drafts import compare_drafts
    from bowerbird.cli.bench.decoding.places import KINDS, prompts_by_kind
    from bowerbird.cli.bench.own import OWN
    from bowerbird.cli.model.option import model_file
    from bowerbird.cli.progress import bar
    from bowerbird.cli.try_ import find_spots
    from bowerbird.settings import CompletionSettings, IndexSettings, Settings

    settings = Settings(
        completion=CompletionSettings(model=model), index=IndexSettings(store=False), inference=OWN
    )
    spots = await asyncio.to_thread(find_spots, folder, places, seed)
    assembly = assemble(settings, [folder])
    try:
        await asyncio.to_thread(assembly.repository.scan)
        prompts = await prompts_by_kind(assembly, spots, seed)
        with bar("drafts", len(KINDS) * len(spots)) as advance:
            drafted = await asyncio.to_thread(
                compare_drafts, model_file(model), settings.inference, prompts, advance
            )
        if not server:
            return drafted, [], []
        ordinary = prompts["ordinary places"]
        return drafted, *await _beside(assembly, server, model_file(model), ordinary, spots, seed)
    finally:
        await assembly.close()


async def _beside(
    assembly: Any, server: Sequence[str], model: Path, prompts: Sequence[Any], spots: Sequence[Any], seed: int
) -> tuple[list[SameTokens], list[OwnContext]]:
    from bowerbird.cli.bench.decoding.beside import own_context, same_tokens
    from bowerbird.cli.bench.decoding.peer import started
    from bowerbird.cli.progress import bar
    from bowerbird.inference.loading import threads_for

    context_tokens = (await assembly.model.load()).context_tokens
    threads = threads_for(assembly.settings.inference.threads)
    new_tokens = assembly.settings.completion.max_new_tokens
    async with started(server, model, threads, context_tokens, new_tokens) as peer:
        with bar("beside llama-server", len(prompts) + len(spots) + 2) as advance:
            same = await same_tokens(assembly.model, peer, prompts, advance)
            return same, await own_context(assembly, peer, spots, seed, advance)


def _print_drafts(console: Console, drafted: Sequence[Drafted]) -> None:
    from bowerbird.cli.bench.decoding.drafts import summed
    from bowerbird.cli.bench.decoding.places import KINDS
    from bowerbird.cli.bench.printing import figures

    table = figures(
        "Tokens a second, one by one and with drafts from the prompt (best of three)",
        ("", "places", "plain", "drafted", "ratio", "kept", "same"),
    )
    for kind in KINDS:
        sums = summed([one for one in drafted if one.kind == kind])
        table.add_row(
            kind,
            str(sums.prompts),
            f"{sums.plain_tokens_per_s:.0f}",
            f"{sums.looked_up_tokens_per_s:.0f}",
            f"{sums.ratio:.2f}",
            f"{sums.acceptance:.0%}",
            f"{sums.same_tokens:.2%}",
        )
    console.print(table)
    differ = [one for one in drafted if not one.same]
    if differ:
        ties = sum(one.near_tie for one in differ)
        console.print(
            f"{len(differ)} of {len(drafted)} texts differ; {ties} of them part where two tokens were nearly "
            f"equal (the largest margin: {max(one.margin for one in differ):.3f} logits)."
        )


def _print_beside(console: Console, same: Sequence[SameTokens], own: Sequence[OwnContext]) -> None:
    from statistics import median

    from bowerbird.cli.bench.decoding.beside import side
    from bowerbird.cli.bench.printing import figures

    differences = median(one.ours_ms - one.theirs_ms for one in same)
    table = figures(
        f"Beside llama-server: ms at {len(same)} places, and characters that need not be typed",
        ("", "same tokens", "own context", "line right", "saved"),
    )
    rows = {
        "bowerbird": (median(one.ours_ms for one in same), side([one.ours for one in own])),
        "llama-server (llama.vim)": (median(one.theirs_ms for one in same), side([o.theirs for o in own])),
    }
    for name, (same_ms, own_context) in rows.items():
        cells = (f"{own_context.median_ms:.1f}", f"{own_context.exact:.1%}", f"{own_context.saved:.1%}")
        table.add_row(name, f"{same_ms:.1f}", *cells)
    console.print(table)
    console.print(
        f"Same tokens: ours less theirs {differences:+.1f} ms at the median; "
        f"{sum(one.same for one in same)} of {len(same)} texts are the same."
    )
    console.print(
        "With its own context llama-server writes prefix, suffix, middle. A model trained on another form, "
        "as the built-in one was, does worse there than its context deserves: see --model."
    )
