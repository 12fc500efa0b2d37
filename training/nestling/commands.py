"""The command line: ``python -m nestling prepare|train|export|evaluate|latency|card|all``."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence
from pathlib import Path

HERE = Path(__file__).resolve().parent.parent.parent
"""The checkout."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; 1 and a sentence where its input is wrong."""
    options = _parser().parse_args(arguments)
    try:
        options.run(options)
    except (ValueError, FileNotFoundError) as error:
        print(f"nestling: {error}", file=sys.stderr)
        return 1
    return 0


def say(text: str) -> None:
    """Tell how far the work is."""
    print(f"{time.strftime('%H:%M:%S')} {text}", flush=True)


def prepare(options: argparse.Namespace) -> None:
    """Sources -> corpus -> vocabulary -> rows. What exists already is kept."""
    from nestling.exclusion import measured, repository_texts, task_texts
    from nestling.prepare import Plan, make_corpus, make_rows, make_tokenizer

    folder: Path = options.data
    folder.mkdir(parents=True, exist_ok=True)
    held_out = tuple(name for name in options.held_out.split(",") if name)
    plan = Plan(
        megabytes=options.megabytes,
        vocabulary=options.vocabulary,
        context=options.context,
        passes=options.passes,
        million_tokens=options.million_tokens,
        held_out=held_out,
        seed=options.seed,
    )
    corpus: Path = options.corpus or folder / "corpus.jsonl.gz"
    if not corpus.exists():
        trees = _trees(options.sources)
        bench = HERE / "server" / "bowerbird" / "cli" / "bench"
        packs = HERE / "server" / "bowerbird" / "knowledge" / "packs"
        tasks = task_texts([bench, HERE / "tests", packs])
        repositories = repository_texts(options.repoeval) if options.repoeval else iter(())
        make_corpus(trees, measured(tasks, repositories), plan, corpus, say)
    if not (folder / "tokenizer.json").exists():
        say(f"training a vocabulary of {plan.vocabulary}")
        make_tokenizer(corpus, plan, folder / "tokenizer.json")
    make_rows(corpus, plan, folder, options.workers, say)


def _trees(folders: Sequence[Path]) -> list[Path]:
    """Each folder below those named is a source tree of its own."""
    trees = [child for folder in folders for child in sorted(folder.iterdir()) if child.is_dir()]
    if not trees:
        raise ValueError("There are no source trees: --sources names a folder with a folder for each.")
    return trees


def train(options: argparse.Namespace) -> None:
    """Begin a run, or go on with it."""
    from nestling.run import train
    from nestling.trainer import Wish

    shards = sorted(options.data.glob(options.shards))
    wish = Wish(
        hours=options.hours,
        minutes=options.minutes,
        finish=options.finish,
        size=options.size,
        tied=options.tied,
        seed=options.seed,
        threads=options.threads,
        compiled=options.compile,
        batch_tokens=options.batch_tokens,
        save_minutes=options.save_minutes,
    )
    train(shards, options.data / "held-out.rows", options.run_folder, wish, say)


def export(options: argparse.Namespace) -> None:
    """The newest checkpoint of a run as GGUF, F16 and Q8_0."""
    from gguf import GGMLQuantizationType

    from nestling.checkpoint import load_model
    from nestling.export import export_gguf
    from nestling.tokenizer import load_tokenizer

    model = load_model(options.run_folder)
    tokenizer = load_tokenizer(options.data / "tokenizer.json")
    for kind in (GGMLQuantizationType.F16, GGMLQuantizationType.Q8_0):
        path = options.run_folder / f"{options.name}-{kind.name.lower()}.gguf"
        export_gguf(model, tokenizer, path, options.name, kind)
        say(f"{path}: {path.stat().st_size / 1e6:.1f} MB")


def evaluate(options: argparse.Namespace) -> None:
    """Score GGUF models on the held-out requests, side by side."""
    from nestling.evaluate import evaluate

    evaluate(
        options.models, options.data / "held-out.jsonl", options.json, options.limit, options.threads, say
    )


def latency(options: argparse.Namespace) -> None:
    """Time random models of several sizes in Bowerbird's engine."""
    from nestling.latency import measure_latencies
    from nestling.tokenizer import load_tokenizer

    tokenizer = load_tokenizer(options.data / "tokenizer.json")
    sizes = options.sizes.split(",")
    print("size   parameters     Q8_0  1,024 uncached (lowest)  24 after 64 changed (lowest)")
    for one in measure_latencies(sizes, tokenizer, options.context, options.threads, options.rounds):
        print(
            f"{one.size:5} {one.parameters / 1e6:9.1f} M {one.file_bytes / 1e6:5.1f} MB"
            f" {one.uncached_ms:11.0f} ms ({one.uncached_lowest_ms:.0f})"
            f" {one.typed_ms:17.0f} ms ({one.typed_lowest_ms:.0f})"
        )


def card(options: argparse.Namespace) -> None:
    """Write the model card."""
    from nestling.card import write_card
    from nestling.corpus import report_path

    sources = report_path(options.corpus or options.data / "corpus.jsonl.gz")
    write_card(
        options.run_folder,
        sources,
        options.evaluation,
        options.repoeval_json or [],
        options.name,
        options.documented_json,
        options.remark,
    )
    say(f"{options.run_folder / 'CARD.md'}")


def everything(options: argparse.Namespace) -> None:
    """prepare, train, export, evaluate, card: one command."""
    if not list(options.data.glob("train-*.rows")):
        prepare(options)
    train(options)
    export(options)
    options.models = [options.run_folder / f"{options.name}-q8_0.gguf"]
    options.json = options.evaluation = options.run_folder / "evaluation.json"
    evaluate(options)
    card(options)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="nestling", description=__doc__)
    commands = parser.add_subparsers(required=True)
    paths = argparse.ArgumentParser(add_help=False)
    paths.add_argument("--data", type=Path, required=True, help="folder of the prepared rows")
    paths.add_argument("--corpus", type=Path, help="a corpus made before, for other rows of the same files")
    paths.add_argument("--run", dest="run_folder", type=Path, default=Path("run"), help="folder of the run")
    paths.add_argument("--name", default="nestling", help="of the model and its files")
    paths.add_argument("--seed", type=int, default=0)
    paths.add_argument("--threads", type=int, default=2)
    preparing = argparse.ArgumentParser(add_help=False)
    preparing.add_argument("--sources", type=Path, nargs="+", default=[], help="folders of source trees")
    preparing.add_argument("--repoeval", type=Path, help="copies of RepoEval's repositories, to be kept out")
    preparing.add_argument("--held-out", default="", help="trees to measure on, with commas between")
    preparing.add_argument("--megabytes", type=float, default=250, help="size of the corpus")
    preparing.add_argument("--vocabulary", type=int, default=16_384)
    preparing.add_argument("--context", type=int, default=2_048, help="tokens in a row")
    preparing.add_argument("--million-tokens", type=float, default=0, help="of rows at most; 0 takes all")
    preparing.add_argument("--workers", type=int, default=1, help="processes that make rows")
    preparing.add_argument("--passes", type=int, default=2, help="over the files of the larger languages")
    training = argparse.ArgumentParser(add_help=False)
    training.add_argument("--shards", default="train-*.rows", help="which of the shards to train on")
    training.add_argument("--hours", type=float, default=1.0, help="of training, over all pieces of the run")
    training.add_argument("--minutes", type=float, help="end this piece after so long, with a checkpoint")
    training.add_argument("--finish", action="store_true", help="let the schedule end with this piece")
    training.add_argument("--size", default="", help="a name of nestling.sizes; empty chooses")
    training.add_argument("--tied", action=argparse.BooleanOptionalAction, default=True)
    training.add_argument("--compile", action=argparse.BooleanOptionalAction, default=None)
    training.add_argument("--batch-tokens", type=int, default=0, help="0 takes what suits the machine")
    training.add_argument("--save-minutes", type=float, default=5)
    scoring = argparse.ArgumentParser(add_help=False)
    scoring.add_argument("--limit", type=int, default=0, help="requests of each language at most")
    cards = argparse.ArgumentParser(add_help=False)
    cards.add_argument("--evaluation", type=Path, help="what `evaluate --json` wrote")
    cards.add_argument("--repoeval-json", type=Path, nargs="*", help="what `bowerbird bench repoeval` wrote")
    cards.add_argument("--documented-json", type=Path, help="what `bowerbird bench documented` wrote")
    cards.add_argument("--remark", default="", help="what the card is to tell besides")

    def add(name: str, run: object, *parents: argparse.ArgumentParser) -> argparse.ArgumentParser:
        command = commands.add_parser(name, help=str(run.__doc__), parents=[paths, *parents])
        command.set_defaults(run=run)
        return command

    add("prepare", prepare, preparing)
    add("train", train, training)
    add("export", export)
    evaluating = add("evaluate", evaluate, scoring)
    evaluating.add_argument("models", type=Path, nargs="+", help="GGUF files")
    evaluating.add_argument("--json", type=Path, help="write the figures here")
    timing = add("latency", latency)
    timing.add_argument("--sizes", default="8M,12M,20M,30M,38M")
    timing.add_argument("--context", type=int, default=2_048)
    timing.add_argument("--rounds", type=int, default=9)
    add("card", card, cards)
    add("all", everything, preparing, training, scoring, cards)
    return parser
