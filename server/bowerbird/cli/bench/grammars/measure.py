"""How well a grammar agrees with the language's own parser, what survives a mistake, and how fast it is."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from random import Random

from bowerbird.cli.bench.grammars.mutations import KINDS, deletions, mutations
from bowerbird.cli.bench.grammars.sample import Contest, Judge, Mutation, Sample
from bowerbird.syntax.parser import LARGEST_BYTES, Tree, parse
from bowerbird.syntax.soundness import is_sound, nodes_of, tokens

MOST_DELETIONS = 200  # of one text, evenly spread
TIMED_S = 1.0  # of this thread's own time
UNEXPLAINED = "not explained"


@dataclass(frozen=True, slots=True)
class Disagreement:
    """A mutation that one of the two accepts."""

    accepted_by: str
    """``ours`` or ``judge``."""
    explanation: str
    """One of the contest's, or `UNEXPLAINED`."""
    mutation: Mutation
    complaint: str
    """The judge's; empty where the judge accepts."""


@dataclass(frozen=True, slots=True)
class Agreement:
    """What both say of mutations."""

    asked: dict[str, int]
    """Mutations of each kind."""
    agreed: dict[str, int]
    """Of those, how many both accept or both reject."""
    sound: int
    """How many the judge accepts."""
    disagreements: tuple[Disagreement, ...]

    @property
    def share(self) -> float:
        """Of all mutations, how many both say the same of."""
        return sum(self.agreed.values()) / max(sum(self.asked.values()), 1)


@dataclass(frozen=True, slots=True)
class Survival:
    """What is left of the other bindings when a token is deleted."""

    deletions: int
    others: int
    """Bindings that do not hold the deleted token, over all deletions."""
    kept: int
    """Of those, how many keep their nodes."""

    @property
    def share(self) -> float:
        """Of the other bindings, how many keep their nodes."""
        return self.kept / max(self.others, 1)


@dataclass(frozen=True, slots=True)
class Report:
    """All that is measured of one grammar."""

    language: str
    seed: int
    samples: int
    sound: int
    """Samples that the judge accepts; the rest is measured with them."""
    parsed: int
    """Of those, how many have a tree without errors."""
    unparsed: tuple[str, ...]
    """Where the others stand."""
    lenient: tuple[str, ...]
    """Where samples stand that only our grammar accepts."""
    agreement: Agreement
    survival: Survival
    mb_per_s: float
    """Of one long text, as the server parses it, by this thread's own time."""


def measure(
    contest: Contest,
    samples: Sequence[Sample],
    judge: Judge,
    count: int,
    seed: int,
    tell: Callable[[str], None] = lambda _: None,
) -> Report:
    """Measure one grammar with `samples` and `count` mutations of those that the judge accepts."""
    tell(f"{contest.language}: judging {len(samples):,} samples")
    complaints = judge([sample.text for sample in samples])
    trees = [_tree(contest, sample.text) for sample in samples]
    judged = list(zip(samples, trees, complaints, strict=True))
    accepted = [tree for _, tree, complaint in judged if complaint is None]
    sound = [tree for tree in accepted if is_sound(tree)]
    tell(f"{contest.language}: judging {count:,} mutations")
    agreement = agree(contest, sound, judge, count, Random(seed))
    tell(f"{contest.language}: deleting tokens")
    survival = survive(contest, sound)
    tell(f"{contest.language}: timing")
    return Report(
        language=contest.language,
        seed=seed,
        samples=len(samples),
        sound=len(accepted),
        parsed=len(sound),
        unparsed=tuple(one.origin for one, tree, said in judged if said is None and not is_sound(tree)),
        lenient=tuple(one.origin for one, tree, said in judged if said is not None and is_sound(tree)),
        agreement=agreement,
        survival=survival,
        mb_per_s=speed(contest, [tree.data.decode() for tree in sound]),
    )


def agree(contest: Contest, trees: Sequence[Tree], judge: Judge, count: int, random: Random) -> Agreement:
    """Make mistakes in sound code, and compare what both parsers say of them."""
    texts = [(tree.data, tokens(tree, contest.whole, contest.without)) for tree in trees]
    mutated = list(mutations(texts, count, random))
    complaints = judge([mutation.text for mutation in mutated])
    agreed = Counter[str]()
    disagreements = []
    for mutation, complaint in zip(mutated, complaints, strict=True):
        ours = is_sound(_tree(contest, mutation.text))
        if ours == (complaint is None):
            agreed[mutation.kind] += 1
            continue
        said = complaint or ""
        holding = (name for name, holds in contest.explanations.items() if holds(mutation, said))
        disagreements.append(
            Disagreement("ours" if ours else "judge", next(holding, UNEXPLAINED), mutation, said)
        )
    asked = Counter(mutation.kind for mutation in mutated)
    return Agreement(
        asked={kind: asked[kind] for kind in KINDS},
        agreed={kind: agreed[kind] for kind in KINDS},
        sound=complaints.count(None),
        disagreements=tuple(disagreements),
    )


def survive(contest: Contest, trees: Sequence[Tree]) -> Survival:
    """Delete one token at a time, and look for the bindings that did not hold it."""
    total = others = kept = 0
    for tree in trees:
        bindings = nodes_of(tree, contest.bindings)
        found = tokens(tree, contest.whole, contest.without)
        step = len(found) // MOST_DELETIONS + 1
        for token, data in deletions(tree.data, found[::step]):
            untouched = {one for one in bindings if token.end <= one.start or one.end <= token.start}
            if untouched:
                total += 1
                others += len(untouched)
                kept += len(untouched & nodes_of(_tree(contest, data.decode()), contest.bindings))
    return Survival(total, others, kept)


def speed(contest: Contest, texts: Sequence[str]) -> float:
    """Megabytes a second of one text made of `texts`, over and over for `TIMED_S`."""
    text = contest.join(texts)
    begin, rounds = time.thread_time(), 0
    while time.thread_time() < begin + TIMED_S:
        _tree(contest, text)
        rounds += 1
    return rounds * len(text.encode()) / 1e6 / (time.thread_time() - begin)


def _tree(contest: Contest, text: str) -> Tree:
    tree = parse(text, contest.language)
    if tree is None:
        raise ValueError(f"more than {LARGEST_BYTES:,} bytes, or no grammar")
    return tree
