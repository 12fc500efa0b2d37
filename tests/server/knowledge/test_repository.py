"""The workspace's files as they are now."""

import os
import random
import shutil
import threading
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from bowerbird.knowledge.policy import Policy
from bowerbird.knowledge.report import Progress
from bowerbird.knowledge.repository import Repository
from bowerbird.knowledge.snippet import Source
from bowerbird.settings import IndexSettings

Workspace = Callable[[Mapping[str, str | bytes]], Path]


class Heard:
    """A listener that keeps what a retriever would, and knows when it is told nonsense."""

    def __init__(self) -> None:
        self.sources: dict[Path, Source] = {}
        self.calls: list[tuple[str, str]] = []

    def replaced(self, source: Source) -> None:
        before = self.sources.get(source.path)
        assert before is None or (before.text, before.name, before.language) != (
            source.text,
            source.name,
            source.language,
        )
        self.sources[source.path] = source
        self.calls.append(("replaced", source.name))

    def removed(self, path: Path) -> None:
        del self.sources[path]
        self.calls.append(("removed", path.name))


def opened(*folders: Path, **settings: object) -> tuple[Repository, Heard]:
    """A repository that has read its folders, and what its listener heard till then."""
    heard, index = Heard(), IndexSettings(**settings)  # type: ignore[arg-type]
    repository = Repository(folders, index, Policy(folders, index), heard)
    repository.scan()
    return repository, heard


def texts(repository: Repository) -> dict[str, str]:
    """What the repository holds."""
    return {source.name: source.text for source in repository.sources()}


def assert_fresh(repository: Repository, heard: Heard, *folders: Path, **settings: object) -> None:
    """The repository, and what its listener put together, are what a fresh scan finds."""
    fresh, _ = opened(*folders, **settings)
    assert texts(repository) == texts(fresh)
    assert {source.name: source.text for source in heard.sources.values()} == texts(fresh)


def test_a_scan_reads_what_is_let_in(workspace: Workspace) -> None:
    """Sources have names, decoded texts and languages; the report counts what was read and what was not."""
    folder = workspace(
        {
            "shop/cart.py": b"\xef\xbb\xbfa = 1\r\nb = 2",
            "main.go": "package main\n",
            "tool": "#!/usr/bin/env python3\n",
            ".gitignore": "*.log\n",
            "a.log": "",
            "b.log": "",
            ".env": "",
            "logo.png": b"\0",
            "node_modules/m/a.js": "",
            "node_modules/m/b.js": "",
        }
    )
    heard, seen = Heard(), list[Progress]()
    index = IndexSettings()
    repository = Repository([folder], index, Policy([folder], index), heard)
    report = repository.scan(seen.append)
    assert [(s.name, s.text, s.language) for s in repository.sources() if s.name != ".gitignore"] == [
        ("main.go", "package main\n", "go"),
        ("shop/cart.py", "a = 1\nb = 2", "python"),
        ("tool", "#!/usr/bin/env python3\n", "python"),
    ]
    assert (report.files, report.lines, report.bytes) == (4, 5, 57)
    assert report.skipped == {"ignored": 2, "secret-name": 1, "binary": 1, "dependencies": 1}
    assert report.examples["dependencies"] == (folder / "node_modules",)
    assert report.seconds > 0
    assert not report.cancelled
    assert seen[-1] == Progress(4, 4)
    assert heard.sources == {source.path: source for source in repository.sources()}
    assert repository.source(folder / "main.go") is heard.sources[folder / "main.go"]


def test_a_second_scan_tells_only_what_changed(workspace: Workspace) -> None:
    """Unchanged files are not told again; vanished ones are removed, changed ones replaced."""
    folder = workspace({"a.py": "a", "b.py": "b", "c.py": "c"})
    repository, heard = opened(folder)
    (folder / "b.py").write_text("B")
    (folder / "c.py").unlink()
    heard.calls.clear()
    assert repository.scan().files == 2
    assert heard.calls == [("replaced", "b.py"), ("removed", "c.py")]


def test_a_settled_file_is_not_read_twice(workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    """A second scan opens no file that has the stamp of its last reading, and counts it all the same."""
    folder = workspace({"a.py": "a\n", "b.py": b"\0", "c.py": "# @generated\n"})
    for path in folder.iterdir():
        os.utime(path, (1_000_000_000, 1_000_000_000))
    repository, _ = opened(folder)
    first = repository.scan()
    monkeypatch.setattr(os, "open", None)
    again = repository.scan()
    assert (again.files, again.lines, again.bytes) == (1, 1, 2)
    assert again.skipped == first.skipped == {"binary": 1, "generated": 1}


def test_a_scan_can_be_ended(workspace: Workspace) -> None:
    """A cancelled scan stops soon, keeps what it has, removes nothing and says so."""
    folder = workspace({f"{number}.py": "x" for number in range(200)})
    heard, index = Heard(), IndexSettings()
    repository = Repository([folder], index, Policy([folder], index), heard)
    report = repository.scan(cancelled=lambda: len(heard.sources) >= 10)
    assert report.cancelled
    assert report.files == len(heard.sources) == 10
    assert repository.scan(cancelled=lambda: True).files == 0
    assert len(heard.sources) == 10


def test_the_number_of_files_is_capped(workspace: Workspace) -> None:
    """No more files than the setting allows, by scan or by refresh; the report tells."""
    folder = workspace({f"{number}.py": "x" for number in range(5)})
    for path in folder.iterdir():
        os.utime(path, (1_000_000_000, 1_000_000_000))
    repository, _ = opened(folder, max_files=3)
    assert sorted(texts(repository)) == ["0.py", "1.py", "2.py"]
    assert repository.scan().skipped == {"too-many": 1}
    assert repository.refresh([folder / "3.py", folder / "4.py"]) == 0
    (folder / "0.py").unlink()
    assert repository.refresh([folder / "0.py", folder / "4.py"]) == 2
    (folder / "1.py").unlink()
    repository.refresh([folder / "1.py"])
    repository.scan()
    assert sorted(texts(repository)) == ["2.py", "3.py", "4.py"]


def test_names_in_several_folders(workspace: Workspace) -> None:
    """Names are led by the folder's name where there are several; of nested folders the innermost counts."""
    top = workspace({"a/x.py": "1", "a/inner/y.py": "2", "b/x.py": "3"})
    repository, heard = opened(top / "a", top / "b", top / "a/inner", top / "a")
    assert texts(repository) == {"a/x.py": "1", "inner/y.py": "2", "b/x.py": "3"}
    assert repository.folder_of(top / "a/inner/y.py") == top / "a/inner"
    assert repository.folder_of(top / "c.py") is None
    assert repository.name_of(top / "a/new/z.py") == "a/new/z.py"
    repository.set_folders([top / "a"])
    assert texts(repository) == {"x.py": "1", "inner/y.py": "2"}
    assert {source.name for source in heard.sources.values()} == {"x.py", "inner/y.py"}
    repository.set_folders([top / "b"])
    assert texts(repository) == {}
    repository.scan()
    assert texts(repository) == {"x.py": "3"}


def test_names_that_are_not_utf8(workspace: Workspace) -> None:
    """A file whose name is not UTF-8 is read; its name can enter a prompt, its path leads to it."""
    folder = workspace({})
    with open(os.fsencode(folder) + b"/\xff.py", "w") as file:
        file.write("x")
    (source,) = opened(folder)[0].sources()
    assert source.name == "\ufffd.py"
    assert source.path.read_text() == "x"


def test_what_the_editor_has_counts(workspace: Workspace) -> None:
    """An open document overrides the disk, changes on disk wait, and closing brings them."""
    folder = workspace({"a.py": "disk\n"})
    repository, heard = opened(folder)
    repository.open_document(folder / "a.py", "editor\r\n", "python")
    assert texts(repository) == {"a.py": "editor\n"}
    assert heard.sources[folder / "a.py"].open
    (folder / "a.py").write_text("disk 2\n")
    assert repository.refresh([folder / "a.py"]) == 0
    repository.scan()
    assert texts(repository) == {"a.py": "editor\n"}
    repository.close_document(folder / "a.py")
    assert texts(repository) == {"a.py": "disk 2\n"}
    assert [call for call, _ in heard.calls] == ["replaced"] * 3


def test_a_document_that_says_what_the_disk_says_changes_nothing(workspace: Workspace) -> None:
    """Opening, saving and closing an unchanged file tells the listener nothing."""
    folder = workspace({"a.py": "x\n"})
    repository, heard = opened(folder)
    heard.calls.clear()
    repository.open_document(folder / "a.py", "x\r\n", "python")
    repository.close_document(folder / "a.py")
    assert repository.refresh([folder / "a.py", folder]) == 0
    assert heard.calls == []


def test_a_document_without_a_file(workspace: Workspace) -> None:
    """A new document is a source while it is open, and one whose file was deleted stays."""
    folder = workspace({"a.py": "a"})
    repository, _ = opened(folder)
    repository.open_document(folder / "new.py", "n", None)
    repository.open_document(folder / "a.py", "a2", None)
    (folder / "a.py").unlink()
    repository.refresh([folder / "a.py"])
    assert texts(repository) == {"new.py": "n", "a.py": "a2"}
    assert repository.source(folder / "new.py").language == "python"  # type: ignore[union-attr]
    repository.close_document(folder / "new.py")
    repository.close_document(folder / "a.py")
    assert texts(repository) == {}


@pytest.mark.parametrize(
    ("name", "text"),
    [(".env", "A=1"), ("a.log", ""), ("../x.py", ""), ("ok.py", "a;" * 2000), ("ok.py", "x\n" * 1_000_000)],
)
def test_what_is_kept_out_stays_out_when_open(workspace: Workspace, name: str, text: str) -> None:
    """To open a document is not to let it in; nor may its unsaved text be what no file may be."""
    folder = workspace({".bowerbirdignore": "*.log\n"})
    repository, heard = opened(folder)
    repository.open_document(folder / name, text, None)
    assert list(texts(repository)) == [".bowerbirdignore"]
    repository.close_document(folder / name)
    assert len(heard.sources) == 1


def test_renamed_files_and_folders(workspace: Workspace) -> None:
    """The old paths go and the new ones come, told file by file or folder by folder."""
    folder = workspace({"a.py": "a", "old/b.py": "b", "old/deep/c.py": "c", "old-er/d.py": "d"})
    repository, heard = opened(folder)
    (folder / "a.py").rename(folder / "z.py")
    (folder / "old").rename(folder / "new")
    changed = repository.refresh([folder / name for name in ("a.py", "z.py", "old", "new")])
    assert changed == 6
    assert texts(repository) == {"z.py": "a", "new/b.py": "b", "new/deep/c.py": "c", "old-er/d.py": "d"}
    assert_fresh(repository, heard, folder)


def test_a_file_becomes_a_folder_and_back(workspace: Workspace) -> None:
    """What stands at a path may be another thing than before."""
    folder = workspace({"a": "text"})
    repository, heard = opened(folder)
    (folder / "a").unlink()
    (folder / "a").mkdir()
    (folder / "a/b.py").write_text("b")
    repository.refresh([folder / "a"])
    assert texts(repository) == {"a/b.py": "b"}
    shutil.rmtree(folder / "a")
    (folder / "a").write_text("text")
    repository.refresh([folder / "a"])
    assert_fresh(repository, heard, folder)


@pytest.mark.parametrize(
    ("rules", "content"),
    [
        (".gitignore", "*.txt\n"),
        (".bowerbirdignore", "sub/\n"),
        (".git/info/exclude", "a.py\n"),
        ("sub/pyvenv.cfg", ""),
    ],
)
def test_a_changed_ignore_file_counts(workspace: Workspace, rules: str, content: str) -> None:
    """What an ignore file now names goes, and comes back when the line is gone."""
    folder = workspace({".git/info/x": "", "a.py": "", "b.txt": "", "sub/c.py": "", "sub/d.txt": ""})
    repository, heard = opened(folder)
    before = texts(repository)
    (folder / rules).write_text(content)
    repository.refresh([folder / rules])
    assert len(set(before) - set(texts(repository))) >= 1
    assert_fresh(repository, heard, folder)
    (folder / rules).unlink()
    repository.refresh([folder / rules])
    assert texts(repository) == before


def test_a_listener_that_fails_does_not_stop_the_others(
    workspace: Workspace, caplog: pytest.LogCaptureFixture
) -> None:
    """A file that a listener cannot bear is logged, and the next is read."""
    folder = workspace({"a.py": "", "b.py": "", "c.py": ""})

    class Squeamish(Heard):
        def replaced(self, source: Source) -> None:
            if source.name == "b.py":
                raise RuntimeError("not this one")
            super().replaced(source)

    heard, index = Squeamish(), IndexSettings()
    Repository([folder], index, Policy([folder], index), heard).scan()
    assert [path.name for path in heard.sources] == ["a.py", "c.py"]
    assert "b.py" in caplog.text


def test_a_path_is_told_by_one_thread_at_a_time(workspace: Workspace) -> None:
    """Who changes a document while its change before is being told waits; the last one stands."""
    folder = workspace({})
    going, let_go = threading.Event(), threading.Event()
    told: list[str] = []

    class Slow(Heard):
        def replaced(self, source: Source) -> None:
            if source.text == "first":
                going.set()
                let_go.wait(30)
            told.append(source.text)

    repository = Repository([folder], IndexSettings(), Policy([folder], IndexSettings()), Slow())
    first = threading.Thread(target=repository.open_document, args=(folder / "a.py", "first", None))
    second = threading.Thread(target=repository.open_document, args=(folder / "a.py", "second", None))
    first.start()
    assert going.wait(30)
    second.start()
    second.join(0.2)
    let_go.set()
    first.join()
    second.join()
    assert told == ["first", "second"]


def test_rules_that_change_while_a_file_is_told(workspace: Workspace) -> None:
    """A file that an ignore file has come to name just now does not stay."""
    folder = workspace({"a.py": "a", "b.py": "b"})
    index = IndexSettings()
    policy = Policy([folder], index)

    class Ignoring(Heard):
        def replaced(self, source: Source) -> None:
            super().replaced(source)
            if source.name == "a.py":
                (folder / ".gitignore").write_text("a.py\n")
                policy.forget()

    heard = Ignoring()
    Repository([folder], index, policy, heard).scan()
    assert [path.name for path in heard.sources] == ["b.py"]


def test_documents_and_the_disk_change_at_once(workspace: Workspace) -> None:
    """While threads open, close, refresh and scan, each path is told in order: the last state stands."""
    folder = workspace({f"{number}.py": "disk 0" for number in range(8)})
    repository, heard = opened(folder)
    paths = [folder / f"{number}.py" for number in range(8)]

    def edit(seed: int) -> None:
        draw = random.Random(seed)
        for turn in range(150):
            path = draw.choice(paths)
            if draw.random() < 0.6:
                repository.open_document(path, f"editor {seed} {turn}", None)
            else:
                repository.close_document(path)

    def write() -> None:
        draw = random.Random(9)
        for turn in range(150):
            draw.choice(paths).write_text(f"disk {turn}")
            repository.refresh(draw.sample(paths, 3))

    def scan() -> None:
        for _ in range(10):
            repository.scan()

    threads = [threading.Thread(target=edit, args=(seed,)) for seed in (1, 2)]
    threads += [threading.Thread(target=write), threading.Thread(target=scan)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    repository.open_document(paths[0], "last", None)
    for path in paths[1:]:
        repository.close_document(path)
    expected = {"0.py": "last"} | {path.name: path.read_text() for path in paths[1:]}
    assert texts(repository) == expected
    assert {source.name: source.text for source in heard.sources.values()} == expected


NAMES = (
    "a.py",
    "b.txt",
    "d/a.py",
    "d/b.txt",
    "d/e/c.py",
    "f/c.py",
    ".gitignore",
    "d/.bowerbirdignore",
    ".env",
)
CONTENTS = ("x = 1\n", "y = 2\n", "*.txt\n", "d/\n!b.txt\n", "", "\0")


class RepositoryBesideADisk(RuleBasedStateMachine):
    """Random changes on disk and in the editor, told by refresh: always equal to a scan that begins anew."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = Path(os.path.realpath(os.environ["HOME"]), f"disk-{os.getpid()}")
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir()
        self.repository, self.heard = opened(self.folder)
        self.open: dict[Path, str] = {}

    @rule(name=st.sampled_from(NAMES), content=st.sampled_from(CONTENTS))
    def write(self, name: str, content: str) -> None:
        (self.folder / name).parent.mkdir(parents=True, exist_ok=True)
        (self.folder / name).write_text(content)
        self.repository.refresh([self.folder / name])

    @rule(name=st.sampled_from((*NAMES, "d", "d/e", "f")))
    def delete(self, name: str) -> None:
        path = self.folder / name
        if path.is_dir():
            shutil.rmtree(path)
        else:
            path.unlink(missing_ok=True)
        self.repository.refresh([path])

    @rule(old=st.sampled_from(("d", "d/e", "f")), new=st.sampled_from(("d", "g", "f")))
    def rename(self, old: str, new: str) -> None:
        if (self.folder / old).exists() and not (self.folder / new).exists():
            (self.folder / old).rename(self.folder / new)
            self.repository.refresh([self.folder / old, self.folder / new])

    @rule(name=st.sampled_from(NAMES), content=st.sampled_from(CONTENTS))
    def open_document(self, name: str, content: str) -> None:
        self.open[self.folder / name] = content
        self.repository.open_document(self.folder / name, content, None)

    @rule(name=st.sampled_from(NAMES))
    def close_document(self, name: str) -> None:
        self.open.pop(self.folder / name, None)
        self.repository.close_document(self.folder / name)

    @rule()
    def scan(self) -> None:
        self.repository.scan()

    @invariant()
    def is_fresh(self) -> None:
        fresh, _ = opened(self.folder)
        for path, text in self.open.items():
            fresh.open_document(path, text, None)
        expected = texts(fresh)
        assert texts(self.repository) == expected
        assert {source.name: source.text for source in self.heard.sources.values()} == expected


TestRepositoryBesideADisk = RepositoryBesideADisk.TestCase
TestRepositoryBesideADisk.settings = hypothesis_settings(max_examples=40, stateful_step_count=20)
