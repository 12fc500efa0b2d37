"""`bowerbird bench`: every figure that the README gives comes from one of these."""

from __future__ import annotations

from collections.abc import Callable

import typer

from bowerbird.cli.bench.constrained import constrained_command
from bowerbird.cli.bench.decoding.command import decoding_command
from bowerbird.cli.bench.documented import documented_command
from bowerbird.cli.bench.filters.command import filters_command
from bowerbird.cli.bench.fuzz.command import fuzz_command
from bowerbird.cli.bench.generate.command import generate_bench_command
from bowerbird.cli.bench.generate.examples import examples_command
from bowerbird.cli.bench.grammars.command import grammars_command
from bowerbird.cli.bench.hover import hover_command
from bowerbird.cli.bench.index import index_command
from bowerbird.cli.bench.latency import latency_command
from bowerbird.cli.bench.rar.command import rar_command
from bowerbird.cli.bench.remote import remote_command
from bowerbird.cli.bench.repoeval.command import repoeval_command
from bowerbird.cli.bench.retrieval import retrieval_command
from bowerbird.cli.bench.scale.command import scale_command
from bowerbird.cli.bench.soak.command import soak_command
from bowerbird.cli.bench.typing.command import typing_command
from bowerbird.cli.errors import EXIT_CODES

bench = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    help="Measure: quality, retrieval, indexing, latency.",
    epilog=EXIT_CODES,
)

COMMANDS: dict[str, Callable[..., None]] = {
    "repoeval": repoeval_command,
    "retrieval": retrieval_command,
    "scale": scale_command,
    "rar": rar_command,
    "index": index_command,
    "hover": hover_command,
    "latency": latency_command,
    "decoding": decoding_command,
    "constrained": constrained_command,
    "documented": documented_command,
    "remote": remote_command,
    "grammars": grammars_command,
    "filters": filters_command,
    "generate": generate_bench_command,
    "examples": examples_command,
    "typing": typing_command,
    "soak": soak_command,
    "fuzz": fuzz_command,
}

for name, command in COMMANDS.items():
    bench.command(name, epilog=EXIT_CODES)(command)
