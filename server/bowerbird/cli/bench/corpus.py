"""Sources for benches: real trees, or made-up code whose words are as frequent as in real code."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from itertools import count, cycle, islice
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from bowerbird.knowledge.snippet import Source, Window
from bowerbird.knowledge.window import slide_windows
from bowerbird.settings import CompletionSettings
from bowerbird.syntax.languages import language_of
from bowerbird.text import normalize_line_ends

Names = NDArray[np.str_]

PAPER = CompletionSettings()
LARGEST_BYTES = 1_000_000

SHARED_NAMES = 6_000  # of a workspace; the first are as frequent as keywords
OWN_NAMES = 20  # of a file
OWN_SHARE = 0.35
WORDS_A_LINE = 2.3
"""So a window holds 73 tokens and shares 5.9 with another on average; in RepoEval's projects 64 and 6.9."""
SYLLABLES = [a + b for a in "bdfghjklmnprstvz" for b in "aeiou"]
MARKS = np.array([" ", ", ", ".", " = ", "("])


def real_sources(folder: Path) -> Iterator[Source]:
    """The readable files below `folder` whose language is known, by path; no ignore rule counts."""
    for root, folders, files in os.walk(folder):
        folders.sort()
        for path in (Path(root) / name for name in sorted(files)):
            try:
                if language_of(path) is None or not path.is_file() or path.stat().st_size > LARGEST_BYTES:
                    continue
                text = normalize_line_ends(path.read_text(encoding="utf-8", errors="replace"))
            except OSError:
                continue
            yield Source(path, path.relative_to(folder).as_posix(), text)


def made_up_sources(seed: int) -> Iterator[Source]:
    """Files without end, the same for the same seed.

    Word frequencies follow Zipf's law; a share of each file's words are names of its own, so that the
    vocabulary grows with the lines. Lines a file: log-normal around 120.
    """
    rng = np.random.default_rng(seed)
    shared = _names(rng, SHARED_NAMES)
    for number in count():
        name = f"folder{number // 40}/file{number}.txt"
        yield Source(Path("/made-up") / name, name, _text(rng, shared))


def windows_of(sources: Iterable[Source], wanted: int) -> list[list[Window]]:
    """Plain line windows file by file, until there are `wanted` or no more sources."""
    files: list[list[Window]] = []
    left = wanted
    for source in sources:
        if left <= 0:
            break
        files.append(slide_windows(source, PAPER.window_lines, PAPER.slide_lines, snap=False))
        left -= len(files[-1])
    return [windows for windows in files if windows]


def long_sources(files: list[list[Window]], lines: int, wanted: int) -> list[Source]:
    """`wanted` sources of `lines` lines each, made of the files' lines, under paths of these files."""
    stream = cycle([line for windows in files for line in windows[0].source.lines])
    firsts = [files[at % len(files)][0].source for at in range(wanted)]
    return [Source(first.path, first.name, "\n".join(islice(stream, lines))) for first in firsts]


def _text(rng: np.random.Generator, shared: Names) -> str:
    lines = int(np.clip(rng.lognormal(np.log(120), 1.0), 5, 3000))
    words = rng.poisson(WORDS_A_LINE, lines)
    total = int(words.sum())
    own = _names(rng, OWN_NAMES)[_zipf(rng, OWN_NAMES, total)]
    picked = np.where(rng.random(total) < OWN_SHARE, own, shared[_zipf(rng, SHARED_NAMES, total)])
    marked = np.char.add(picked, MARKS[rng.integers(0, MARKS.size, total)]).tolist()
    ends = np.cumsum(words).tolist()
    starts = [0, *ends]
    return "".join("".join(marked[start:end]) + "\n" for start, end in zip(starts, ends, strict=False))


def _zipf(rng: np.random.Generator, ranks: int, draws: int) -> NDArray[np.intp]:
    """`draws` ranks from 0, rank `r` with a probability in proportion to ``1 / (r + 3)``."""
    shares = np.cumsum(1 / (np.arange(ranks) + 3))
    found: NDArray[np.intp] = shares.searchsorted(rng.random(draws) * shares[-1])
    return found


def _names(rng: np.random.Generator, wanted: int) -> Names:
    """Names of one or two parts of three syllables each: ``habelo_mutupo``."""
    syllables = np.array(SYLLABLES)[rng.integers(0, len(SYLLABLES), (wanted, 6))].tolist()
    return np.array(
        ["".join(row[:3]) + ("_" + "".join(row[3:])) * (at % 2) for at, row in enumerate(syllables)]
    )
