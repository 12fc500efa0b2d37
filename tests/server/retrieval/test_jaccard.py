"""The inverted index answers as a scan of all windows would."""

from __future__ import annotations

import gc
import random
import sys
import threading
import weakref
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import cache
from pathlib import Path

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from bowerbird.knowledge.snippet import Source, Window
from bowerbird.knowledge.window import slide_windows
from bowerbird.retrieval import jaccard, merging, segment
from bowerbird.retrieval.jaccard import JaccardIndex
from bowerbird.retrieval.kept import Array, arrays_of, segment_from
from bowerbird.retrieval.retriever import Hit, Query
from bowerbird.retrieval.tokens import tokens_of
from bowerbird.text import Span

known_tokens_of = cache(tokens_of)  # a scan asks for the same windows again and again

Found = list[tuple[Fraction, Window]]

PATHS = [Path("/w") / name for name in ("b.py", "b/a.py", "b-a.py", "B.py", "é.py", "c/d/e.py")]
WORDS = ["a", "b", "c", "d", "a_b", "aB", "é", "变", "2"]  # few, so that scores tie often

lines = st.lists(st.sampled_from(WORDS), min_size=1, max_size=4).map(" ".join) | st.just("")
texts = st.lists(lines, min_size=1, max_size=14).map("\n".join)
cuts = st.builds(
    lambda path, text, window_lines, slide_lines, some: cut(path, text, window_lines, slide_lines)[some],
    st.sampled_from(PATHS),
    texts,
    st.integers(1, 5),
    st.integers(1, 3),
    st.sampled_from([slice(None), slice(None, None, -1), slice(2, None)]),
)
"""A file's windows, of several shapes, in any order, and not always of all its lines."""


def cut(path: Path, text: str, window_lines: int = 3, slide_lines: int = 1) -> list[Window]:
    """The windows of a file of plain text."""
    return slide_windows(Source(path, path.name, text), window_lines, slide_lines)


def scan(windows: Iterable[Window], query: Query, k: int) -> Found:
    """What the index must find: every window's Jaccard index, as the paper defines it."""
    wanted = tokens_of(query.text)
    found = []
    for window in windows:
        if window.path == query.exclude_path and window.span.overlaps(query.exclude_lines):
            continue
        tokens = known_tokens_of(window.text)
        if wanted & tokens:
            found.append((Fraction(len(wanted & tokens), len(wanted | tokens)), window))
    found.sort(key=lambda hit: (-hit[0], hit[1].path.as_posix(), hit[1].span))
    return found[:k]


def pairs(hits: Iterable[Hit]) -> Found:
    """Scores and windows of hits whose scores are exact."""
    found = []
    for hit in hits:
        assert hit.origin == "jaccard"
        assert isinstance(hit.score, Fraction)
        assert isinstance(hit.snippet, Window)
        found.append((hit.score, hit.snippet))
    return found


def filled(files: Iterable[Sequence[Window]]) -> JaccardIndex:
    """A fresh index."""
    index = JaccardIndex()
    for windows in files:
        if windows:
            index.replace(windows[0].path, windows)
    return index


class Edits(RuleBasedStateMachine):
    """Files come, change and go in any order; at which sizes the index takes another form is drawn too."""

    @initialize(
        most=st.integers(1, 40),
        loose=st.integers(0, 20),
        asked=st.integers(0, 4),
        bits=st.integers(1, 30),
        folds=st.integers(1, 4),
        files=st.lists(cuts, min_size=2, max_size=6),
    )
    def begin(
        self, most: int, loose: int, asked: int, bits: int, folds: int, files: list[list[Window]]
    ) -> None:
        self.patch = pytest.MonkeyPatch()
        self.patch.setattr(jaccard, "MAX_SEGMENT_WINDOWS", most)
        self.patch.setattr(jaccard, "MAX_LOOSE_WINDOWS", loose)
        self.patch.setattr(jaccard, "MAX_LOOSE_ASKED", asked)
        self.patch.setattr(merging, "MIN_WINDOWS_FOR_BITS", bits)
        self.patch.setattr(segment, "FOLDS", folds)
        self.index = JaccardIndex()
        self.files: dict[Path, list[Window]] = {}
        self.stored: tuple[Mapping[str, Array], dict[str, list[Window]]] | None = None
        for windows in files:
            self.replace(windows)

    def teardown(self) -> None:
        self.patch.undo()

    @rule(windows=cuts)
    def replace(self, windows: list[Window]) -> None:
        if windows:
            self.files[windows[0].path] = windows
            self.index.replace(windows[0].path, windows)

    @rule(path=st.sampled_from(PATHS), by_replacing=st.booleans())
    def remove(self, path: Path, by_replacing: bool) -> None:
        self.files.pop(path, None)
        if by_replacing:
            self.index.replace(path, [])
        else:
            self.index.remove(path)

    @rule(paths=st.sets(st.sampled_from(PATHS)), stale=st.sets(st.sampled_from(PATHS)), gone=st.booleans())
    def keep(self, paths: set[Path], stale: set[Path], gone: bool) -> None:
        """Some files' postings go to arrays and come back; what is stale meanwhile stays as it is."""
        files = sorted((path.as_posix(), path) for path in paths & self.files.keys())
        sources = [self.files[path][0].source for _, path in files]
        arrays = arrays_of(self.index.gather(frozenset(sources)), sources)
        given = [None if gone and source.path in stale else source for source in sources]
        kept = segment_from([name for name, _ in files], given, arrays)
        if kept is not None:
            self.index.adopt(kept, lambda source: source.path not in stale)
            self.stored = arrays, {name: self.files[path] for name, path in files}

    @precondition(lambda self: self.stored is not None)
    @rule(paths=st.sets(st.sampled_from(PATHS)))
    def keep_again(self, paths: set[Path]) -> None:
        """Some of the files that were kept last are again as they were then, whatever happened since."""
        assert self.stored is not None
        arrays, stored = self.stored
        given: list[Source | None] = []
        for windows in stored.values():
            old = windows[0].source
            given.append(Source(old.path, old.name, old.text) if old.path in paths else None)
            if given[-1] is not None:
                self.files[old.path] = [Window(given[-1], window.span) for window in windows]
        kept = segment_from(list(stored), given, arrays)
        assert kept is not None
        self.index.adopt(kept, lambda _: True)

    @precondition(lambda self: len(self.files) == len(PATHS))
    @rule()
    def clear(self) -> None:
        self.files.clear()
        self.index.clear()

    @rule(
        asked=st.lists(texts, min_size=1, max_size=4),
        k=st.integers(0, 12),
        path=st.none() | st.sampled_from(PATHS),
        excluded=st.builds(Span, st.integers(0, 9), st.integers(0, 12)),
    )
    def ask(self, asked: list[str], k: int, path: Path | None, excluded: Span) -> None:
        fresh = filled(self.files.values())
        for text in asked:
            query = Query(text, path, excluded)
            found = pairs(self.index.retrieve(query, k))
            assert found == scan((window for file in self.files.values() for window in file), query, k)
            assert found == pairs(fresh.retrieve(query, k))

    @invariant()
    def count(self) -> None:
        if hasattr(self, "index"):
            assert len(self.index) == sum(map(len, self.files.values()))


Edits.TestCase.settings = settings(max_examples=150, stateful_step_count=20)
TestEdits = Edits.TestCase


def test_thousands_of_windows_are_ranked_as_a_scan_ranks_them() -> None:
    """With words as frequent as in code and many files, all scores and their order are those of a scan."""
    rng = random.Random(1)
    words = [f"name_{i}" for i in range(3000)]
    weights = [1 / (i + 1) for i in range(3000)]
    files = []
    for number in range(150):
        text = "\n".join(" ".join(rng.choices(words, weights, k=5)) for _ in range(rng.randrange(1, 400)))
        files.append(cut(Path(f"/w/{number}.py"), text, 20, 10))
    index = filled(files)
    for file in rng.sample(files, 60):
        index.replace(file[0].path, file)
    windows = [window for file in files for window in file]
    assert len(index) == len(windows) > 2000
    for window in rng.sample(windows, 10):
        query = Query(window.text, window.path, window.span)
        assert pairs(index.retrieve(query, 10)) == scan(windows, query, 10)


def test_a_file_that_is_as_it_was_kept_takes_its_old_place() -> None:
    """However often files are edited and closed again, there is one segment of the kept arrays to ask."""
    paths = sorted(PATHS, key=Path.as_posix)
    files = [cut(path, f"word_{number} of many\n" * 9) for number, path in enumerate(paths)]
    index = filled(files)
    sources = [windows[0].source for windows in files]
    names = [source.posix for source in sources]
    arrays = arrays_of(index.gather(frozenset(sources)), sources)
    given: list[Source | None] = [*sources]
    for number, path in enumerate((*paths, None)):
        kept = segment_from(names, given, arrays)
        assert kept is not None
        index.adopt(kept, lambda _: True)
        assert len(index._state.segments) == 1
        if path is not None:
            index.replace(path, cut(path, "something else"))
            closed = Source(path, path.name, sources[number].text)
            files[number] = slide_windows(closed, 3, 1)
            given = [closed if other == number else None for other in range(len(paths))]
    windows = [window for file in files for window in file]
    assert len(index) == len(windows)
    assert pairs(index.retrieve(Query("word_3 of"), 20)) == scan(windows, Query("word_3 of"), 20)


def test_one_huge_file_is_ranked_as_a_scan_ranks_it() -> None:
    """A file with more windows than 16 bits can count is no exception."""
    text = "\n".join(f"line {i}" for i in range(70_000))
    windows = cut(Path("/w/huge.txt"), text, 1, 1)
    index = filled([windows, cut(Path("/w/a.txt"), "line 69999 too")])
    assert len(index) == 70_001
    for query in (Query("line 69999"), Query("line", Path("/w/a.txt"), Span(0, 1))):
        everything = [*windows, *cut(Path("/w/a.txt"), "line 69999 too")]
        assert [(s, w.path, w.span) for s, w in pairs(index.retrieve(query, 5))] == [
            (s, w.path, w.span) for s, w in scan(everything, query, 5)
        ]


def test_hundreds_of_common_tokens_are_counted() -> None:
    """A query that shares over 255 tokens with most windows scores right."""
    line = " ".join(f"n{chr(97 + i // 26)}{chr(97 + i % 26)}" for i in range(400))
    windows = cut(Path("/w/wide.txt"), "\n".join([line] * 600), 1, 1)
    assert len(windows) >= merging.MIN_WINDOWS_FOR_BITS
    hits = filled([windows]).retrieve(Query(line + " other"), 3)
    assert [hit.score for hit in hits] == [Fraction(400, 401)] * 3


def test_ties_go_by_path_as_text_then_by_first_line() -> None:
    """Equal windows come in the order of their paths' characters, not of their folders."""
    files = [cut(path, "same words\nsame words", 1, 1) for path in PATHS]
    hits = pairs(filled(files).retrieve(Query("same words"), 5))
    assert [(window.path.as_posix(), window.span.first) for _, window in hits] == [
        ("/w/B.py", 0),
        ("/w/B.py", 1),
        ("/w/b-a.py", 0),
        ("/w/b-a.py", 1),
        ("/w/b.py", 0),
    ]


def test_an_empty_index_finds_nothing() -> None:
    """Neither before any file came nor after the last one went is there a hit."""
    index = JaccardIndex()
    assert index.retrieve(Query("a"), 10) == []
    index.replace(PATHS[0], cut(PATHS[0], "a"))
    index.replace(PATHS[0], [])
    index.remove(PATHS[1])
    assert index.retrieve(Query("a"), 10) == []
    assert len(index) == 0


@pytest.mark.parametrize(("text", "k"), [("", 10), (" ()\n", 10), ("unknown", 10), ("a", 0), ("a", -1)])
def test_a_query_without_known_tokens_or_room_finds_nothing(text: str, k: int) -> None:
    """No hit has score 0, and none comes where none is asked for."""
    assert filled([cut(PATHS[0], "a")]).retrieve(Query(text), k) == []


def test_tokens_unknown_to_the_index_lower_the_score() -> None:
    """The query's set counts whole, whether or not any window holds its tokens."""
    hits = filled([cut(PATHS[0], "a b")]).retrieve(Query("a unheard of"), 1)
    assert [hit.score for hit in hits] == [Fraction(1, 4)]


def test_excluded_lines_make_room_for_others() -> None:
    """Windows that overlap the excluded lines are replaced by the next nearest, of the same file too."""
    index = filled([cut(PATHS[0], "a\na\na\na b\na c", 1, 1), cut(PATHS[1], "a b c")])
    hits = pairs(index.retrieve(Query("a", PATHS[0], Span(1, 4)), 3))
    assert [(window.path, window.span) for _, window in hits] == [
        (PATHS[0], Span(0, 1)),
        (PATHS[0], Span(4, 5)),
        (PATHS[1], Span(0, 1)),
    ]


def test_a_replaced_source_is_let_go() -> None:
    """After an edit the index holds on to no old text."""
    index = filled([cut(path, "a b c\n" * 50) for path in PATHS])
    old = cut(PATHS[2], "old words\n" * 10)
    index.replace(PATHS[2], old)
    source = weakref.ref(old[0].source)
    del old
    index.replace(PATHS[2], cut(PATHS[2], "new words"))
    gc.collect()
    assert source() is None


def test_editing_one_file_for_ever_takes_no_more_memory() -> None:
    """What dies is cleared away: a thousand edits cost hardly more memory than one."""
    files = [cut(Path(f"/w/{i}.py"), f"common word{i}\n" * 200, 2, 1) for i in range(10)]
    index = filled(files)
    once = index.memory_bytes
    assert once > 0
    for edit in range(1000):
        path = Path(f"/w/{edit % 10}.py")
        index.replace(path, cut(path, f"common word{edit}\n" * 200, 2, 1))
    assert index.memory_bytes < 2 * once
    index.clear()
    assert index.memory_bytes == 0


def test_removing_most_files_gives_their_memory_back() -> None:
    """What is left of a large index takes little more than had it always been small."""

    def of_its_own(number: int) -> list[Window]:
        words = " ".join(f"w{number}x{i}" for i in range(100))
        return cut(Path(f"/w/{number}.py"), f"{words}\n" * 20, 2, 1)

    files = [of_its_own(number) for number in range(50)]
    index = filled(files)
    index.retrieve(Query("w"), 1)  # merges them
    for file in files[:48]:
        index.remove(file[0].path)
    assert index.memory_bytes < 3 * filled(files[48:]).memory_bytes


@pytest.fixture
def hasty_threads() -> Iterator[None]:
    """Threads take turns as often as they can."""
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(interval)


@pytest.mark.usefixtures("hasty_threads")
def test_several_threads_may_change_the_index() -> None:
    """No thread's change is lost to another's."""
    files = [cut(Path(f"/w/{i}.py"), f"word{i} common", 2, 1) for i in range(400)]
    index = JaccardIndex()

    def write(mine: list[list[Window]]) -> None:
        for file in mine:
            index.replace(file[0].path, file)

    writers = [threading.Thread(target=write, args=(files[i::4],)) for i in range(4)]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    assert len(index) == 400
    assert len(index.retrieve(Query("common"), 1000)) == 400


@pytest.mark.usefixtures("hasty_threads")
def test_a_query_sees_a_file_wholly_old_or_wholly_new(monkeypatch: pytest.MonkeyPatch) -> None:
    """While files change in one thread, no query in another meets a mixture, a gap or an error."""
    monkeypatch.setattr(jaccard, "MAX_LOOSE_WINDOWS", 0)  # merging at every change, so that each takes long
    path = Path("/w/changing.py")
    versions = [cut(path, f"marker version{n % 2}\n" * (40 + n % 2), 2, 1) for n in range(2)]
    index = filled([versions[0]])
    done = threading.Event()
    faults: list[object] = []

    def ask() -> None:
        while not done.is_set():
            try:
                windows = [window for _, window in pairs(index.retrieve(Query("marker"), 100_000))]
                changing = [window for window in windows if window.path == path]
                if changing not in versions:
                    faults.append(changing)
            except Exception as error:
                faults.append(error)

    readers = [threading.Thread(target=ask) for _ in range(2)]
    for reader in readers:
        reader.start()
    for n in range(200):
        index.replace(path, versions[n % 2])
        other = Path(f"/w/{n % 37}.py")
        index.replace(other, cut(other, f"marker {n}\n" * (n % 20), 2, 1))
        if n % 3 == 0:
            index.remove(Path(f"/w/{(n + 5) % 37}.py"))
    done.set()
    for reader in readers:
        reader.join()
    assert faults == []
