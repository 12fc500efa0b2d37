"""What is kept on disk: recalled as it was, never wrong, whoever dies, whatever is damaged."""

from __future__ import annotations

import os
import random
import signal
import stat
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from bowerbird.assembly import assemble
from bowerbird.knowledge import archive as archive_module
from bowerbird.knowledge import repository as repository_module
from bowerbird.knowledge import saving
from bowerbird.knowledge.reading import Reading, read_file
from bowerbird.knowledge.repository import Repository
from bowerbird.knowledge.store import container
from bowerbird.knowledge.store.place import make_room, store_folder, stores_folder
from bowerbird.retrieval.retriever import Query
from bowerbird.retrieval.workspace import WindowRetriever
from bowerbird.settings import IndexSettings, Settings

Workspace = Callable[[Mapping[str, str | bytes]], Path]
Answer = list[tuple[object, ...]]

SECRET = "AKIAQ7MZ3NWLXRT5VBCD"
WORDS = ["heron", "stork", "crane", "ibis", "egret", "bittern", "spoonbill"]
KILLS = 200

pytestmark = pytest.mark.skipif(os.name == "nt", reason="the tests kill processes as POSIX does")


class Session:
    """A server's index of one folder, from start to end."""

    def __init__(self, folder: Path, scan: bool = True, **index: Any) -> None:
        self.assembly = assemble(Settings(index=IndexSettings(**index)), [folder])
        if scan:
            self.report = self.repository.scan()

    def __enter__(self) -> Session:
        return self

    def __exit__(self, *_: object) -> None:
        self.repository.close()

    @property
    def repository(self) -> Repository:
        return self.assembly.repository

    @property
    def retriever(self) -> WindowRetriever:
        return self.assembly.retriever

    @property
    def stored(self) -> archive_module.Figures:
        assert self.repository.archive is not None
        return self.repository.archive.figures

    def mapped(self) -> int:
        """How many sources have their text in the store."""
        return sum(source.body.mapped for source in self.repository.sources())

    def answers(self) -> Answer:
        """What is found, with everything that enters a prompt."""
        found: Answer = []
        for retriever in (self.assembly.retriever, self.assembly.functions):
            for words in (*WORDS, " ".join(WORDS), "return total"):
                hits = retriever.retrieve(Query(words), 10)
                found += [(hit.score, hit.snippet.name, hit.snippet.text) for hit in hits]
        return found


def cold(folder: Path) -> Answer:
    """What an index finds that was made from nothing."""
    with Session(folder, store=False) as session:
        return session.answers()


def code(chance: random.Random, lines: int = 30) -> str:
    """Some lines of a few words each."""
    return "".join(f"{' '.join(chance.choices(WORDS, k=3))} = {chance.randrange(99)}\n" for _ in range(lines))


@pytest.fixture
def birds(workspace: Workspace) -> Path:
    chance = random.Random(1)
    files: dict[str, str | bytes] = {f"pond{n % 3}/bird{n}.py": code(chance) for n in range(12)}
    files |= {"empty.py": "", "latin.txt": "Höhe = 3\n".encode("latin-1"), "picture.dat": b"\0\1\2" * 99}
    folder = workspace(files)
    for path in folder.rglob("*"):  # as if written a while ago: such stamps are trusted
        os.utime(path, (time.time() - 60,) * 2)
    return folder


def segments(folder: Path) -> list[Path]:
    return sorted(store_folder(str(folder)).glob("*.text"))


def test_files_that_are_edited_and_closed_leave_nothing_behind(birds: Path) -> None:
    """What was typed and not saved is forgotten: however often, the kept postings stand in one segment."""
    with Session(birds) as session:
        for path in sorted(birds.rglob("bird*.py")):
            session.repository.open_document(path, f"heron = 1\n{path.read_text()}", "python")
            session.repository.close_document(path)
            session.repository.save()
            assert len(session.retriever.index._state.segments) == 1
        assert session.mapped() == len(session.repository)
        assert session.answers() == cold(birds)


def test_a_file_that_was_saved_and_closed_is_kept(birds: Path) -> None:
    """As the editor wrote it: its text lies on disk as all others do, and the next start need not read it."""
    with Session(birds) as session:
        path = birds / "pond1" / "bird1.py"
        session.repository.open_document(path, "a new heron\n", "python")
        path.write_text("a new heron\n")
        os.utime(path, (time.time() - 30,) * 2)
        session.repository.refresh([path])
        session.repository.close_document(path)
        source = session.repository.source(path)
        assert source is not None
        assert not source.open
        session.repository.save()
        assert session.mapped() == len(session.repository)
    with Session(birds) as second:
        assert second.mapped() == len(second.repository)
        assert second.answers() == cold(birds)


def test_cold_warm_and_rebuilt_give_the_same(birds: Path) -> None:
    """What is found does not depend on whether the index was read, recalled, or repaired; nor its order."""
    expected = cold(birds)
    assert expected
    with Session(birds) as first:
        assert first.answers() == expected
        first.repository.save()  # with the postings for whole functions, which were built meanwhile
        assert first.answers() == expected
        assert first.stored.segments == 1
        assert first.stored.files == 15
    with Session(birds) as warm:
        assert warm.answers() == expected
        assert warm.mapped() == len(warm.repository.sources()) == 14
        assert warm.assembly.functions.index.holds(warm.repository.sources()[0])
    segments(birds)[0].unlink()
    with Session(birds) as rebuilt:
        assert rebuilt.answers() == expected
        assert rebuilt.stored.damaged == 1
        assert rebuilt.mapped() == 14


def test_a_warm_start_reads_only_what_changed(birds: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Files as they were are not opened; one that changed is, and one of another time and the same text."""
    with Session(birds):
        pass
    (birds / "pond1/bird1.py").write_text("heron = 1\n" * 3)
    os.utime(birds / "pond2/bird2.py", (time.time() - 30,) * 2)
    read: list[str] = []

    def reading(path: str, *rest: Any) -> Reading:
        read.append(Path(path).name)
        return read_file(path, *rest)

    monkeypatch.setattr("bowerbird.knowledge.policy.read_file", reading)
    with Session(birds) as warm:
        assert set(read) == {"bird1.py", "bird2.py"}
        assert warm.answers() == cold(birds)
        assert warm.stored.segments <= 2
    read.clear()
    os.utime(birds / "pond1/bird1.py", (time.time() - 30,) * 2)
    with Session(birds):
        assert read == ["bird1.py"]
    read.clear()
    with Session(birds) as last:
        assert read == []
        assert last.mapped() == 14


def test_what_is_gone_or_no_longer_let_in_leaves_the_disk(birds: Path) -> None:
    """A removed file and a newly ignored one are found no more, and no file of the store has their bytes."""
    (birds / "gone.py").write_text("flamingo_of_old = 1\n")
    (birds / "hidden.py").write_text("pelican_of_old = 1\n")
    with Session(birds):
        assert b"flamingo_of_old" in _bytes(birds)
    (birds / "gone.py").unlink()
    (birds / ".bowerbirdignore").write_text("hidden.py\n")
    with Session(birds) as warm:
        assert warm.answers() == cold(birds)
        assert not warm.retriever.retrieve(Query("flamingo_of_old pelican_of_old"), 3)
    for word in (b"flamingo_of_old", b"pelican_of_old"):
        assert word not in _bytes(birds)


def test_no_secret_is_kept(birds: Path) -> None:
    """A file with a secret is read anew at each start: nothing of it is in the store, and answers stay."""
    (birds / "keys.py").write_text(f"heron_of_keys = 1\nAWS_KEY = '{SECRET}'\n")
    os.utime(birds / "keys.py", (time.time() - 60,) * 2)
    with Session(birds) as first:
        assert first.retriever.retrieve(Query("heron_of_keys"), 1)
        expected = first.answers()
    for _ in range(2):
        with Session(birds) as warm:
            assert warm.answers() == expected
            assert warm.stored.segments == 1
    assert SECRET.encode() not in _bytes(birds)
    assert b"heron_of_keys" not in _bytes(birds)


def test_a_rule_change_invalidates(birds: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What was kept under other rules of reading or secrets is not used, and goes."""
    with Session(birds):
        before = segments(birds)
    monkeypatch.setattr(archive_module, "fingerprint", lambda _: "other rules")
    with Session(birds, scan=False) as other:
        assert other.repository.archive is not None
        other.repository.archive.open([str(birds)])
        assert other.stored.segments == 0
        other.repository.scan()
        assert other.answers() == cold(birds)
    assert not set(before) & set(segments(birds))


def test_files_are_for_their_owner_only(birds: Path) -> None:
    """Nobody else may read what was kept."""
    with Session(birds):
        pass
    folder = store_folder(str(birds))
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert {stat.S_IMODE(path.stat().st_mode) for path in folder.iterdir()} == {0o600}


def test_damage_anywhere_is_seen_and_mended(birds: Path) -> None:
    """Whichever byte of whichever file is another one, or whatever is cut off: the answers stay right."""
    expected = cold(birds)
    chance = random.Random(2)
    for attempt in range(60):
        with Session(birds) as whole:
            whole.assembly.functions.build()
            whole.repository.save()
        files = [path for path in store_folder(str(birds)).iterdir() if path.name != "lock"]
        path = chance.choice(files)
        content = bytearray(path.read_bytes())
        if attempt % 4 == 0:
            content = content[: chance.randrange(len(content))]
        else:
            content[chance.randrange(len(content))] ^= 1 << chance.randrange(8)
        path.write_bytes(content)
        with Session(birds) as damaged:
            assert damaged.answers() == expected, (attempt, path)
    with Session(birds) as last:
        assert last.stored.damaged == 0
        assert last.mapped() == 14


@pytest.mark.parametrize(("suffix", "read_anew"), [("text", 5), ("index", 0)])
def test_damage_costs_only_what_it_hit(
    birds: Path, monkeypatch: pytest.MonkeyPatch, suffix: str, read_anew: int
) -> None:
    """Of a damaged segment the files are read anew, of a damaged index none; the other segments serve on."""
    monkeypatch.setattr(saving, "SEGMENT_FILES", 5)
    with Session(birds):
        assert len(segments(birds)) == 3
    path = sorted(store_folder(str(birds)).glob(f"*.{suffix}"))[0]
    path.write_bytes(path.read_bytes()[:-1])
    others = set(segments(birds)) - {path}
    read: list[str] = []

    def reading(path: str, *rest: Any) -> Reading:
        read.append(Path(path).name)
        return read_file(path, *rest)

    monkeypatch.setattr("bowerbird.knowledge.policy.read_file", reading)
    monkeypatch.setattr(saving, "GROWTH", 0)  # so that none is written again for its size
    with Session(birds) as mended:
        assert mended.stored.damaged == 1
        assert len(read) == read_anew
        assert mended.answers() == cold(birds)
        assert others <= set(segments(birds))
    with Session(birds) as last:
        assert last.stored.damaged == 0
        assert last.mapped() == 14


@pytest.mark.timeout(900)
def test_a_writer_that_is_killed_leaves_a_right_index(birds: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """However far it came, to the byte: whoever opens the store then finds what the disk says, no more."""
    monkeypatch.setattr(saving, "SMALL_BYTES", 2_000)  # so that segments differ in size
    monkeypatch.setattr(os, "fsync", lambda _: None)  # what a process wrote outlives it without
    chance = random.Random(3)
    killed = 0
    for attempt in range(KILLS):
        name = f"pond{chance.randrange(3)}/bird{chance.randrange(15)}.py"
        if chance.random() < 0.15:
            (birds / name).unlink(missing_ok=True)
        else:
            (birds / name).write_text(code(chance, chance.randrange(1, 60)))
            if chance.random() < 0.7:
                os.utime(birds / name, (time.time() - chance.randrange(5, 999),) * 2)
        child = os.fork()
        if child == 0:
            _write_until_killed(birds, chance.randrange(40_000) if attempt % 3 else None)
        if attempt % 3 == 0:
            time.sleep(chance.random() * 0.03)
            os.kill(child, signal.SIGKILL)
        _, status = os.waitpid(child, 0)
        killed += os.WIFSIGNALED(status)
        with Session(birds, scan=False) as after:
            assert after.repository.archive is not None
            # half of them write, so that the next child begins where this one ended
            if attempt % 2:
                monkeypatch.setattr(after.repository.archive, "save", lambda *_: None)
            after.repository.scan()
            assert after.answers() == cold(birds), attempt
    assert killed > KILLS / 3


def _write_until_killed(folder: Path, budget: int | None) -> None:
    """In a child: scan and save; after `budget` bytes were written it dies in the midst of a write."""
    write, left = os.write, [budget or 0]

    def dying(descriptor: int, part: memoryview) -> int:
        if len(part) > left[0]:
            write(descriptor, part[: left[0]])
            os.kill(os.getpid(), signal.SIGKILL)
        left[0] -= len(part)
        return write(descriptor, part)

    try:
        if budget is not None:
            container.os = type("os", (), {**vars(os), "write": staticmethod(dying)})  # type: ignore[assignment]
        with Session(folder) as session:
            session.assembly.functions.build()
            session.repository.save()
    finally:
        os._exit(0)


def test_several_processes_share_a_store(birds: Path) -> None:
    """The first writes; others read, notice what it wrote, and one of them writes when it has gone."""
    first, second = Session(birds), Session(birds)
    assert (first.stored.writer, second.stored.writer) == (True, False)
    assert second.mapped() == 14
    path = birds / "pond0/new.py"
    path.write_text("heron_and_stork = 1\n" * 40)
    for session in (first, second):
        session.repository.refresh([path])
    second.repository.save()
    assert second.mapped() == 14
    first.repository.save()
    second.repository.save()
    assert first.mapped() == second.mapped() == 15
    assert second.answers() == first.answers() == cold(birds)
    first.repository.close()
    path.write_text("crane_and_stork = 1\n" * 40)
    second.repository.refresh([path])
    second.repository.save()
    assert second.stored.writer
    assert second.mapped() == 15
    second.repository.close()
    with Session(birds) as third:
        assert third.answers() == cold(birds)


def test_a_file_that_changes_while_it_is_written_is_not_lost(birds: Path) -> None:
    """An edit between reading and keeping wins: the store does not bring the old text back."""
    with Session(birds, scan=False) as session:
        retriever = session.retriever
        export = retriever.export
        path = birds / "pond1/bird1.py"

        def slow(sources: object) -> object:
            arrays = export(sources)  # type: ignore[arg-type]
            path.write_text("spoonbill_of_today = 1\n")
            session.repository.refresh([path])
            return arrays

        retriever.export = slow  # type: ignore[method-assign, assignment]
        session.repository.scan()
        assert session.retriever.retrieve(Query("spoonbill_of_today"), 1)
        assert session.answers() == cold(birds)
        retriever.export = export  # type: ignore[method-assign]
        session.repository.save()
    with Session(birds) as warm:
        assert warm.answers() == cold(birds)


def test_open_documents_are_not_kept(birds: Path) -> None:
    """What is only in the editor never reaches the disk; the disk's version stays there."""
    path = birds / "pond1/bird1.py"
    with Session(birds):
        pass
    with Session(birds) as session:
        session.repository.open_document(path, "unsaved_pelican = 1\n", "python")
        session.repository.save()
        assert b"unsaved_pelican" not in _bytes(birds)
        assert session.retriever.retrieve(Query("unsaved_pelican"), 1)
        session.repository.close_document(path)
        assert session.answers() == cold(birds)


def test_without_room_work_goes_on_in_memory(birds: Path) -> None:
    """A store that may not grow is told in a sentence, and costs no answer."""
    with Session(birds, max_disk_bytes=100) as session:
        assert "index.maxDiskBytes" in session.stored.fault
        assert session.repository.counts.index_message == session.stored.fault
        assert session.answers() == cold(birds)
        assert session.mapped() == 0


def test_the_store_stays_within_its_bytes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of all workspaces together, indexes that are built later included; what has room is kept."""
    monkeypatch.setattr(repository_module, "SAVE_BYTES", 20_000)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    chance = random.Random(5)
    words = ["".join(chance.choices("abcdefghij", k=6)) for _ in range(300)]
    folders = [tmp_path / name for name in ("first", "second")]
    for folder in folders:
        folder.mkdir()
        for number in range(40):
            lines = (f"{' '.join(chance.choices(words, k=4))} = {chance.randrange(99)}" for _ in range(200))
            (folder / f"bird{number}.py").write_text("\n".join(lines))
    most = 400_000

    def taken() -> int:
        return sum(path.stat().st_size for path in stores_folder().rglob("*") if path.is_file())

    assembly = assemble(Settings(index=IndexSettings(max_disk_bytes=most)), folders)
    assembly.repository.scan()
    assert "index.maxDiskBytes" in assembly.repository.counts.index_message
    assert most / 2 < taken() <= most
    assembly.functions.build()
    assembly.repository.save()
    assert taken() <= most
    assert "index.maxDiskBytes" in assembly.repository.counts.index_message
    assert assembly.repository.counts.disk_bytes == pytest.approx(taken(), rel=0.05)
    assembly.repository.close()

    less = assemble(Settings(index=IndexSettings(max_disk_bytes=most // 4)), folders)
    less.repository.scan()
    less.repository.save()
    assert taken() <= most // 4
    less.repository.close()


def test_a_cache_that_cannot_be_written_is_told(
    birds: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """A read-only or full disk is a sentence, and no answer is lost."""
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    with Session(birds) as session:
        assert "cannot be kept on disk" in session.stored.fault
        assert session.answers() == cold(birds)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))

    def full(*_: object) -> int:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(container, "_write", full)
        with Session(birds) as session:
            assert "No space left" in session.stored.fault
            assert session.answers() == cold(birds)
    with Session(birds) as session:
        assert session.stored.fault == ""
        assert session.mapped() == 14


def test_memory_has_a_limit(birds: Path) -> None:
    """What has no room in memory is left out, counted and told."""
    for number in range(100):
        (birds / f"more{number}.py").write_text("heron = 1\n")
    with Session(birds, max_memory_bytes=1, store=False) as session:
        assert session.report.files == 50
        assert session.report.skipped["no-memory"] > 0
        assert "index.maxMemoryBytes" in session.repository.counts.index_message


def test_many_edits_leave_few_segments(birds: Path) -> None:
    """Small segments are merged, and what died in them goes."""
    with Session(birds) as session:
        for number in range(40):
            path = birds / f"pond0/edited{number % 5}.py"
            path.write_text(f"heron{number} = stork\n" * 20)
            session.repository.refresh([path])
            session.repository.save()
        assert session.stored.segments < 5
        assert session.stored.files == 20
        assert session.answers() == cold(birds)


def test_old_stores_make_room(birds: Path, tmp_path: Path) -> None:
    """Those that nobody used for long go, then the oldest until the rest has room; one in use stays."""
    folders = []
    for number in range(3):
        other = tmp_path / f"other{number}"
        other.mkdir()
        (other / "a.py").write_text("heron = 1\n")
        with Session(other):
            pass
        folders.append(store_folder(str(other)))
        os.utime(folders[-1] / "manifest", (time.time() - 86_400 * 30 * (3 - number) * 5 / 6,) * 2)
    own = store_folder(str(birds))
    with Session(birds):
        assert [folder.exists() for folder in folders] == [False, True, True]
        assert make_room(own, 10**9) == 0
        with Session(tmp_path / "other1") as used:
            assert used.stored.writer
            os.utime(folders[1] / "manifest", (time.time() - 86_400 * 30,) * 2)
            assert make_room(own, 0) >= 1
            assert [folder.exists() for folder in folders] == [False, True, False]
    assert own.parent == stores_folder()


def test_a_folder_that_leaves_the_workspace_stays_kept(birds: Path, tmp_path: Path) -> None:
    """Its store is let go as it is, and used again when the folder comes back."""
    other = tmp_path / "other"
    other.mkdir()
    (other / "a.py").write_text("heron_elsewhere = 1\n")
    with Session(birds) as session:
        session.repository.set_folders([birds, other])
        session.repository.scan()
        assert session.stored.files == 16
        session.repository.set_folders([other])
        session.repository.save()
        assert not session.retriever.retrieve(Query("stork"), 1)
        assert segments(birds)
        session.repository.set_folders([birds, other])
        session.repository.scan()
        assert session.stored.files == 16
        names = {hit.snippet.name for hit in session.retriever.retrieve(Query("heron_elsewhere"), 1)}
        assert names == {"other/a.py"}


def test_other_window_shapes_find_the_texts(birds: Path) -> None:
    """With other settings the texts are recalled and cut anew; one form is kept, that which was used last."""
    from bowerbird.settings import CompletionSettings

    with Session(birds):
        pass
    settings = Settings(completion=CompletionSettings(window_lines=10, slide_lines=5))
    for _ in range(2):
        assembly = assemble(settings, [birds])
        assembly.repository.scan()
        assert len(assembly.retriever.index) > 40
        assert all(source.body.mapped for source in assembly.repository.sources())
        assembly.repository.close()
    assert len(list(store_folder(str(birds)).glob("*.index"))) == 1
    with Session(birds) as session:
        assert session.answers() == cold(birds)


def _bytes(folder: Path) -> bytes:
    return b"".join(path.read_bytes() for path in sorted(store_folder(str(folder)).iterdir()))
