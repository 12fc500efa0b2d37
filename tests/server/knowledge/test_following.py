"""The disk is followed, without anybody's help."""

import asyncio
import contextlib
import os
import shutil
import subprocess
import tempfile
import threading
import time
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from watchfiles._rust_notify import RustNotify

from bowerbird.knowledge import following, watching
from bowerbird.knowledge.policy import Policy
from bowerbird.knowledge.repository import Repository
from bowerbird.knowledge.snippet import Source
from bowerbird.settings import IndexSettings

Workspace = Callable[[Mapping[str, str | bytes]], Path]

MANY = 5000
LIVELINESS_S = 60
"""Far more than it takes, for a busy machine."""


class Heard:
    """A listener that keeps what it is told."""

    def __init__(self) -> None:
        self.sources: dict[Path, Source] = {}

    def replaced(self, source: Source) -> None:
        self.sources[source.path] = source

    def removed(self, path: Path) -> None:
        del self.sources[path]


def opened(*folders: Path) -> tuple[Repository, Heard]:
    """A repository that has read its folders."""
    heard, index = Heard(), IndexSettings()
    repository = Repository(folders, index, Policy(folders, index), heard)
    repository.scan()
    return repository, heard


def texts(repository: Repository) -> dict[str, str]:
    return {source.name: source.text for source in repository.sources()}


@asynccontextmanager
async def watched_by(repository: Repository) -> AsyncIterator[asyncio.Task[None]]:
    """The repository follows the disk; leaving takes no longer than a moment."""
    task = asyncio.create_task(repository.watch())
    try:
        yield task
    finally:
        began = time.perf_counter()
        task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await task
        assert time.perf_counter() - began < LIVELINESS_S / 2


async def becomes(is_so: Callable[[], bool]) -> None:
    """Wait until it is so."""
    async with asyncio.timeout(LIVELINESS_S):
        while not is_so():  # noqa: ASYNC110 - what is waited for happens in other threads
            await asyncio.sleep(0.02)


async def is_watching(repository: Repository, folder: Path) -> None:
    """Wait until changes are noticed: nothing says when the system begins to tell of them."""
    probe = folder / "probe.txt"
    for turn in range(LIVELINESS_S * 10):
        await asyncio.to_thread(probe.write_text, str(turn))
        await asyncio.sleep(0.1)
        if repository.source(probe) is not None:
            break
    probe.unlink()
    await becomes(lambda: repository.source(probe) is None)


async def test_changes_arrive(workspace: Workspace) -> None:
    """Files that are written, changed, renamed and deleted arrive by themselves, and folders likewise."""
    folder = workspace({"a.py": "a", "d/b.py": "b", "c.py": "c"})
    repository, heard = opened(folder)
    async with watched_by(repository):
        await is_watching(repository, folder)
        (folder / "new/deep").mkdir(parents=True)
        (folder / "new/deep/n.py").write_text("n")
        (folder / "a.py").write_text("a2")
        (folder / "d").rename(folder / "e")
        (folder / "c.py").unlink()
        expected = {"a.py": "a2", "e/b.py": "b", "new/deep/n.py": "n"}
        await becomes(lambda: texts(repository) == expected)
        (folder / "e/x.py").write_text("x")  # in a folder that came by its new name
        await becomes(lambda: "e/x.py" in texts(repository))
    assert {source.name for source in heard.sources.values()} == {*expected, "e/x.py"}


async def test_ignore_files_are_followed(workspace: Workspace) -> None:
    """A line in an ignore file, in git's own folder as well, takes effect when it is written."""
    folder = workspace({".git/info/exclude": "", "a.txt": "a", "b.py": "b"})
    repository, _ = opened(folder)
    async with watched_by(repository):
        await is_watching(repository, folder)
        (folder / ".gitignore").write_text("*.txt\n")
        await becomes(lambda: set(texts(repository)) == {".gitignore", "b.py"})
        (folder / ".git/info/exclude").write_text("b.py\n")
        await becomes(lambda: set(texts(repository)) == {".gitignore"})


async def test_dependencies_use_up_no_watches(workspace: Workspace) -> None:
    """Directories that are kept out are not watched; what is let in by a new rule is."""
    folder = workspace(
        {"src/a.py": "", "node_modules/m/lib/a.js": "", ".git/objects/x": "", "out/b/c.py": ""}
    )
    (folder / ".gitignore").write_text("out/\n")
    policy, stop = Policy([folder], IndexSettings()), threading.Event()
    watched: list[set[str]] = []

    class Told(watching.Watch):
        def move(self, directories: watching.Identities) -> set[str]:
            watched.append({os.path.relpath(path, folder) for path in directories})
            stop.set()
            return super().move(directories)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(following, "Watch", Told)
        following.follow(policy, print, stop)
    assert watched == [{".", "src"}]
    repository, _ = opened(folder)
    async with watched_by(repository):
        await is_watching(repository, folder)
        (folder / ".gitignore").unlink()
        await becomes(lambda: "out/b/c.py" in texts(repository))
        (folder / "out/b/d.py").write_text("d")
        await becomes(lambda: "out/b/d.py" in texts(repository))


def test_a_directory_made_just_before_it_would_be_told(workspace: Workspace) -> None:
    """What is made while the watch is being set up is watched as well."""
    folder = workspace({"a/x.py": ""})
    policy, stop = Policy([folder], IndexSettings()), threading.Event()
    watched: list[watching.Identities] = []

    class Late(watching.Watch):
        def move(self, directories: watching.Identities) -> set[str]:
            (folder / "a/late").mkdir(exist_ok=True)
            watched.append(directories)
            return super().move(directories)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(following, "Watch", Late)
        threading.Timer(0.5, stop.set).start()
        following.follow(policy, print, stop)
    assert os.fspath(folder / "a/late") in watched[-1]


async def test_names_that_are_not_utf8(workspace: Workspace) -> None:
    """A file or folder whose name the watching library cannot tell disturbs nothing."""
    folder = workspace({"a.py": "a"})
    repository, _ = opened(folder)
    odd = os.fsencode(folder) + b"/\xff"
    async with watched_by(repository):
        await is_watching(repository, folder)
        os.mkdir(odd)
        (folder / os.fsdecode(b"\xff/x.py")).write_text("x")
        (folder / os.fsdecode(b"\xff.py")).write_text("y")
        (folder / "b.py").write_text("b")
        await becomes(lambda: "b.py" in texts(repository))
        await is_watching(repository, folder)


async def test_what_the_watchers_own_filter_would_hide(workspace: Workspace) -> None:
    """Only our policy decides what is read: a folder called like an editor's, a file called like a backup."""
    folder = workspace({".bowerbirdignore": "!.idea/\n"})
    repository, _ = opened(folder)
    async with watched_by(repository):
        await is_watching(repository, folder)
        (folder / ".idea").mkdir()
        (folder / ".idea/a.xml").write_text("x")
        (folder / "b.swp").write_text("x")
        await becomes(lambda: {".idea/a.xml", "b.swp"} <= set(texts(repository)))


async def test_a_folder_that_disappears_and_comes_back(workspace: Workspace, tmp_path: Path) -> None:
    """A deleted workspace folder's sources go, the others are followed, and it is read when it is back."""
    other = workspace({"o.py": "o"})
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "a.py").write_text("a")
    repository, _ = opened(folder, other)
    async with watched_by(repository):
        await is_watching(repository, folder)
        shutil.rmtree(folder)
        await becomes(lambda: set(texts(repository)) == {"workspace/o.py"})
        (other / "p.py").write_text("p")
        await becomes(lambda: "workspace/p.py" in texts(repository))
        folder.mkdir()
        (folder / "b.py").write_text("b")
        await becomes(lambda: "folder/b.py" in texts(repository))
        await is_watching(repository, folder)


async def test_a_new_folder_of_the_workspace_is_followed(workspace: Workspace) -> None:
    """Folders that are added later are watched, too; at first there may be none."""
    folder = workspace({"a.py": "a"})
    repository, _ = opened()
    async with watched_by(repository):
        await asyncio.sleep(0.2)
        repository.set_folders([folder])
        await asyncio.to_thread(repository.scan)
        await is_watching(repository, folder)


async def test_polling_where_the_system_tells_nothing(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """When the system has no watches left, the folders are looked through, and the log says so."""
    folder = workspace({"a.py": "a"})
    repository, _ = opened(folder)

    def exhausted(paths: list[str], debug: bool, polls: bool, *rest: Any) -> RustNotify:
        if not polls:
            raise OSError("OS file watch limit reached.")
        return RustNotify(paths, debug, polls, *rest)

    monkeypatch.setattr(watching, "RustNotify", exhausted)
    monkeypatch.setattr(watching, "POLL_MS", 50)
    async with watched_by(repository):
        await is_watching(repository, folder)
        (folder / "b.py").write_text("b")
        await becomes(lambda: "b.py" in texts(repository))
    assert "watch limit reached" in caplog.text


async def test_cancelling_ends_a_refresh_too(workspace: Workspace) -> None:
    """When the watch is cancelled no thread goes on reading for long."""
    folder = workspace({})
    going, let_go = threading.Event(), threading.Event()
    read: list[str] = []

    class Slow(Heard):
        def replaced(self, source: Source) -> None:
            read.append(source.name)
            going.set()
            let_go.wait(LIVELINESS_S)

    index = IndexSettings()
    repository = Repository([folder], index, Policy([folder], index), Slow())
    task = asyncio.create_task(repository.watch())
    while not going.is_set():
        for number in range(50):
            (folder / f"{number}.py").write_text(str(time.time()))
        await asyncio.sleep(0.3)
    task.cancel()
    await asyncio.sleep(0)
    let_go.set()
    with contextlib.suppress(asyncio.CancelledError):
        await task
    assert len(read) < 50


@pytest.fixture(scope="module")
def project() -> Iterator[Path]:
    """A repository whose branches differ in thousands of files: some changed, some moved, some deleted."""
    memory = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None  # on a disk a checkout may take 10 s
    with tempfile.TemporaryDirectory(prefix="bowerbird-test-", dir=memory) as folder:
        fill(Path(folder).resolve())
        yield Path(folder).resolve()


def fill(folder: Path) -> None:
    git(folder, "init", "-q", "-b", "main")
    for number in range(MANY):
        file = folder / f"p{number % 50}/m{number}.py"
        file.parent.mkdir(exist_ok=True)
        file.write_text(f"def f{number % 50}(): return 1\n")
    (folder / ".gitignore").write_text("ignored/\n")
    git(folder, "add", ".")
    git(folder, "commit", "-qm", "one")
    git(folder, "checkout", "-qb", "other")
    for number in range(MANY):
        file = folder / f"p{number % 50}/m{number}.py"
        if number % 5 == 0:
            file.unlink()
        elif number % 5 == 1:
            (folder / f"q{number % 50}").mkdir(exist_ok=True)
            file.rename(folder / f"q{number % 50}/m{number}.py")
        else:
            file.write_text(f"def g{number % 50}(): return 2\n")
    (folder / ".gitignore").write_text("p7/\n")
    git(folder, "add", "-A", "-f", ".")
    git(folder, "commit", "-qm", "two")
    git(folder, "checkout", "-q", "main")


def git(folder: Path, *arguments: str) -> str:
    command = ["git", "-C", os.fspath(folder), "-c", "core.fsync=none", *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def test_a_checkout_told_by_the_editor(project: Path) -> None:
    """After `git checkout` changed thousands of files, refreshing what changed equals a fresh scan."""
    git(project, "checkout", "-q", "main")
    names = git(project, "diff", "--name-only", "--no-renames", "main", "other").split()
    changed = [project / name for name in names]
    assert len(changed) >= MANY
    repository, heard = opened(project)
    for branch in ("other", "main"):
        git(project, "checkout", "-q", branch)
        assert repository.refresh(changed) >= MANY * 0.9
        assert repository.refresh(changed) == 0
        fresh = texts(opened(project)[0])
        assert texts(repository) == fresh
        assert {source.name: source.text for source in heard.sources.values()} == fresh


async def test_a_checkout_that_nobody_tells_of(project: Path) -> None:
    """After `git checkout` in a terminal the watch brings the same as a fresh scan."""
    git(project, "checkout", "-q", "main")
    repository, _ = opened(project)
    async with watched_by(repository):
        await is_watching(repository, project)
        before = texts(repository)
        await asyncio.to_thread(git, project, "checkout", "-q", "other")
        fresh = texts(opened(project)[0])
        assert sum(before[name] != fresh.get(name) for name in before) > MANY / 2
        await becomes(lambda: texts(repository) == fresh)
