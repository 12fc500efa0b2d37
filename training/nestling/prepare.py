"""Source trees -> a corpus, a vocabulary, and rows to train and to measure on."""

from __future__ import annotations

import json
import os
import random
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
from tokenizers import Tokenizer

from bowerbird.knowledge.library import Library
from bowerbird.retrieval.guidance import Guidance
from nestling.corpus import File, Tally, read_corpus, report_path, write_corpus
from nestling.duplicates import without_copies
from nestling.examples import Document, Maker
from nestling.exclusion import Measured, tree_reason, without_measured
from nestling.places import draw_places
from nestling.repository import Repository
from nestling.shards import Piece, pack_rows, write_shard
from nestling.sources import SHARES, lot, read_tree
from nestling.tokenizer import load_tokenizer, train_tokenizer

Say = Callable[[str], None]

PASSES = {"pony": 4, "ring": 4, "powerquery": 4}
"""How often the files of a language are gone through, at other places each time; the others `Plan.passes`."""

MAX_TREE_SHARE = 0.02  # of the corpus; no project's habits should become the model's
TOKENIZER_CHARACTERS = 60_000_000
HELD_OUT_REQUESTS = 40  # of each language
SHARD_ROWS_BYTES = 16_000_000  # before compression; about a third remains


@dataclass(frozen=True, slots=True)
class Plan:
    """What `prepare` was asked for."""

    megabytes: float
    """Size of the corpus at most."""
    vocabulary: int
    context: int
    passes: int
    million_tokens: float
    """In rows at most; 0 makes rows of everything."""
    held_out: tuple[str, ...]
    """Names of trees that are measured on and not trained on."""
    seed: int


def make_corpus(trees: Sequence[Path], against: Measured, plan: Plan, path: Path, say: Say) -> None:
    """Read, filter and thin out the trees; writes the corpus and a report beside it."""
    tally = Tally()
    files = list(_balanced(_clean(trees, against, plan, tally, say), plan, tally))
    tally.count(files)
    write_corpus(path, files)
    report_path(path).write_text(json.dumps({"plan": asdict(plan), **tally.as_json()}, indent=1) + "\n")
    say(f"{len(files)} files, {sum(len(file.text) for file in files) / 1e6:.0f} million characters")


def _clean(trees: Sequence[Path], against: Measured, plan: Plan, tally: Tally, say: Say) -> Iterator[File]:
    def admitted() -> Iterator[File]:
        for number, folder in enumerate(trees):
            tops = [child.name for child in folder.iterdir() if child.is_dir()]
            reason = tree_reason(folder.name, tops)
            if reason is not None:
                tally.trees_left_out[folder.name] = reason
                continue
            if number % 25 == 0:
                say(f"tree {number} of {len(trees)}: {folder.name}")
            yield from read_tree(folder, tally, MAX_TREE_SHARE * plan.megabytes * 1e6)

    return without_copies(without_measured(admitted(), against, tally), tally)


def _balanced(files: Iterable[File], plan: Plan, tally: Tally) -> Iterator[File]:
    """No language above its share; which files stay is drawn by lot, and they keep their order."""
    by_language: dict[str, list[File]] = defaultdict(list)
    for file in files:
        by_language[file.language].append(file)
    kept: list[File] = []
    for language, those in by_language.items():
        left = SHARES[language] * plan.megabytes * 1e6
        for file in sorted(those, key=lambda file: (file.tree not in plan.held_out, _lot(file))):
            left -= len(file.text)
            if left < 0:
                tally.left_out["its language has its share"] += 1
            else:
                kept.append(file)
    return iter(sorted(kept, key=lambda file: (file.tree, file.name)))


def _lot(file: File) -> bytes:
    return lot(file.tree, file.name)


def make_tokenizer(corpus: Path, plan: Plan, path: Path) -> Tokenizer:
    """Train the vocabulary on a part of every language."""
    left = {language: share * TOKENIZER_CHARACTERS for language, share in SHARES.items()}

    def texts() -> Iterator[str]:
        for file in sorted(read_corpus(corpus), key=_lot):
            if file.tree not in plan.held_out and left[file.language] > 0:
                left[file.language] -= len(file.text)
                yield file.text

    tokenizer = train_tokenizer(texts(), plan.vocabulary)
    tokenizer.save(str(path))
    return tokenizer


def make_rows(corpus: Path, plan: Plan, folder: Path, workers: int, say: Say) -> None:
    """Write ``train-*.rows``, ``held-out.rows`` and ``held-out.jsonl``.

    ``rows.jsonl`` tells which trees are in which shard; an interrupted run goes on behind the last.
    """
    by_tree: dict[str, list[File]] = defaultdict(list)
    for file in read_corpus(corpus):
        by_tree[file.tree].append(file)
    _write_held_out(by_tree, _Kit.of(folder, plan), folder)
    names = sorted(set(by_tree) - set(plan.held_out))
    random.Random(plan.seed).shuffle(names)
    index = folder / "rows.jsonl"
    done = [json.loads(line) for line in index.read_text().splitlines()] if index.exists() else []
    left = [name for name in names if name not in {name for shard in done for name in shard["trees"]}]
    rows: list[Piece] = []
    trees: list[str] = []
    made = _rows_by_tree([(name, by_tree[name]) for name in left], folder, plan, workers)
    for number, (name, more) in enumerate(zip(left, made, strict=True)):
        rows += more
        trees.append(name)
        full = len(rows) * (plan.context + 1) * 2 >= SHARD_ROWS_BYTES
        if rows and (full or number == len(left) - 1):
            path = folder / f"train-{len(done):02}.rows"
            size = write_shard(path, rows, plan.context, plan.vocabulary)
            done.append({"shard": path.name, "rows": len(rows), "bytes": size, "trees": trees})
            with index.open("a", encoding="utf-8") as out:
                out.write(json.dumps(done[-1]) + "\n")
            tokens = sum(shard["rows"] for shard in done) * plan.context
            say(f"{path.name}: {size / 1e6:.1f} MB; {tokens / 1e6:.0f} million tokens so far")
            rows, trees = [], []
            if plan.million_tokens and tokens >= plan.million_tokens * 1e6:
                break


Tree = tuple[str, Sequence[File]]


@dataclass(frozen=True, slots=True)
class _Kit:
    """What makes documents, in each process its own."""

    tokenizer: Tokenizer
    guidance: Guidance
    plan: Plan

    @staticmethod
    def of(folder: Path, plan: Plan) -> _Kit:
        os.environ["TOKENIZERS_PARALLELISM"] = "false"  # threads cost more than such short texts
        guidance = Guidance(Library().of)
        for language in PASSES:
            guidance.prepare(language)
        return _Kit(load_tokenizer(folder / "tokenizer.json"), guidance, plan)

    def maker(self, tree: str, files: Sequence[File]) -> Maker:
        repository = Repository(_shown_name(tree), files, self.tokenizer)
        rng = random.Random(f"{self.plan.seed}/{tree}")
        return Maker(repository, rng, self.plan.context, guidance=self.guidance)

    def rows(self, tree: Tree) -> list[Piece]:
        """All passes over one tree."""
        name, files = tree
        maker = self.maker(name, files)
        pieces: list[Piece] = []
        for number in range(max(self.plan.passes, *PASSES.values())):
            wanted = [file for file in files if number < PASSES.get(file.language, self.plan.passes)]
            pieces += map(_piece, maker.documents(wanted))
        return list(pack_rows(pieces, self.plan.context))


_kit: _Kit


def _rows_by_tree(trees: Sequence[Tree], folder: Path, plan: Plan, workers: int) -> Iterator[list[Piece]]:
    """The rows of each tree, in order."""
    if workers == 1:
        yield from map(_Kit.of(folder, plan).rows, trees)
        return
    with ProcessPoolExecutor(workers, initializer=_begin, initargs=(folder, plan)) as pool:
        yield from pool.map(_work, trees)


def _begin(folder: Path, plan: Plan) -> None:
    global _kit
    _kit = _Kit.of(folder, plan)


def _work(tree: Tree) -> list[Piece]:
    return _kit.rows(tree)


def _write_held_out(by_tree: dict[str, list[File]], kit: _Kit, folder: Path) -> None:
    chosen: list[Document] = []
    plan = kit.plan
    for language in SHARES:
        trees = [tree for tree in plan.held_out if any(file.language == language for file in by_tree[tree])]
        for tree in trees:
            files = [file for file in by_tree[tree] if file.language == language]
            maker = kit.maker(tree, files)
            wanted = -(-HELD_OUT_REQUESTS // len(trees))
            for file in maker.rng.choices(files, [len(file.text) for file in files], k=wanted):
                places = draw_places(file.text, maker.rng, maker.mixture.cuts, 1)
                chosen += (maker.document(file, place) for place in places)
    if not chosen:
        raise ValueError("No held-out tree has files: name some with --held-out.")
    rows = list(pack_rows(map(_piece, chosen), plan.context))
    write_shard(folder / "held-out.rows", rows, plan.context, plan.vocabulary)
    with (folder / "held-out.jsonl").open("w", encoding="utf-8") as out:
        for document in chosen:
            out.write(json.dumps(asdict(document.request)) + "\n")


def _piece(document: Document) -> Piece:
    return np.array(document.ids, np.uint16), np.array(document.kinds, np.uint8)


def _shown_name(tree: str) -> str:
    """A workspace goes by its folder's name: ``OWNER+NAME`` was cloned into NAME."""
    return tree.split("+")[-1]
