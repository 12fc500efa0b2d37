"""Fetching models from a stand-in for the hub on the loopback: never the net."""

from __future__ import annotations

import hashlib
import os
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from bowerbird.inference import hub as fetching
from bowerbird.inference.catalog import catalog, listed
from bowerbird.inference.hub import HubFile, fetch, find_at, find_on_hub, is_same, split_hub_path
from bowerbird.inference.hub_errors import HubError, HubMissing
from hub_stand_in import Hub, serving

CONTENT = b"GGUF" + os.urandom(300_000)
REPO, FILE = "some/models", "small.gguf"


@pytest.fixture
def hub(monkeypatch: pytest.MonkeyPatch) -> Iterator[Hub]:
    with serving(Hub({f"{REPO}/{FILE}": CONTENT})) as hub:
        monkeypatch.setenv("HF_ENDPOINT", hub.url)
        yield hub


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "models"


def brought(folder: Path, repo: str = REPO, file: str = FILE) -> Path:
    return fetch(find_on_hub(repo, file), folder, lambda _done, _total: None)


@pytest.mark.parametrize("elsewhere", [False, True])
def test_a_file_comes_whole_and_is_checked(hub: Hub, folder: Path, elsewhere: bool) -> None:
    """Its name, its bytes, nothing beside it; the bytes may lie elsewhere than the hub's own path."""
    hub.elsewhere = elsewhere
    told: list[tuple[int, int | None]] = []
    found = find_on_hub(REPO, FILE)
    assert (found.bytes, found.sha256) == (len(CONTENT), hashlib.sha256(CONTENT).hexdigest())
    path = fetch(found, folder, lambda done, total: told.append((done, total)))
    assert path.read_bytes() == CONTENT
    assert os.listdir(folder) == [FILE]
    assert told[0] == (0, len(CONTENT))
    assert told[-1] == (len(CONTENT), len(CONTENT))
    assert is_same(path, found)


def test_a_broken_connection_is_taken_up_again(
    hub: Hub, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Within one run the rest is asked for, not the whole."""
    monkeypatch.setattr("huggingface_hub.constants.DOWNLOAD_CHUNK_SIZE", 50_000)
    hub.cut_at = [100_000]
    assert brought(folder).read_bytes() == CONTENT
    assert [asked for method, _, asked in hub.asked if method == "GET"] == ["", "bytes=100000-"]


def test_a_later_run_goes_on_where_an_earlier_one_broke_off(hub: Hub, folder: Path) -> None:
    """What was fetched is kept under the file's version, and only the rest is fetched."""
    found = find_on_hub(REPO, FILE)
    folder.mkdir()
    fetching._part(found, folder).write_bytes(CONTENT[:123_456])
    assert brought(folder).read_bytes() == CONTENT
    assert [asked for method, _, asked in hub.asked if method == "GET"] == ["bytes=123456-"]
    assert os.listdir(folder) == [FILE]


def test_a_server_without_ranges_starts_over(hub: Hub, folder: Path) -> None:
    """The part is not put before the whole file."""
    hub.ranges = False
    folder.mkdir()
    fetching._part(find_on_hub(REPO, FILE), folder).write_bytes(CONTENT[:1000])
    assert brought(folder).read_bytes() == CONTENT


def test_a_part_of_another_version_is_not_gone_on_with(hub: Hub, folder: Path) -> None:
    """The hub has another file of that name now."""
    folder.mkdir()
    old = fetching._part(find_on_hub(REPO, FILE), folder)
    old.write_bytes(CONTENT[:1000])
    hub.files[f"{REPO}/{FILE}"] = other = b"GGUF" + os.urandom(5000)
    assert brought(folder).read_bytes() == other
    assert fetching.remove_parts(folder, FILE) == 1
    assert os.listdir(folder) == [FILE]


def test_a_wrong_checksum_never_gets_the_name(hub: Hub, folder: Path) -> None:
    """What came is removed, and the sentence has both checksums."""
    hub.promised[f"{REPO}/{FILE}"] = "ab" * 32
    with pytest.raises(HubError, match=r"checksum of small.gguf is wrong.*abababababab"):
        brought(folder)
    assert os.listdir(folder) == []


def test_what_is_no_gguf_is_removed(hub: Hub, folder: Path) -> None:
    """Such as a page that says that one must log in."""
    hub.files[f"{REPO}/{FILE}"] = b"<html>please log in</html>"
    with pytest.raises(HubError, match="no GGUF file"):
        brought(folder)
    assert os.listdir(folder) == []


def test_what_the_hub_does_not_have_is_said(hub: Hub) -> None:
    """A missing file, a missing repository, a gated one, a server in trouble, and nobody at all."""
    with pytest.raises(HubError, match=r"has no file some/models/other\.gguf"):
        find_on_hub(REPO, "other.gguf")
    with pytest.raises(HubError, match="no repository for nobody/nothing"):
        find_on_hub("nobody/nothing", FILE)
    hub.statuses = [500]
    with pytest.raises(HubError, match="status 500"):
        find_on_hub(REPO, FILE)
    hub.gated = True
    with pytest.raises(HubError, match="HF_TOKEN"):
        find_on_hub(REPO, FILE)


def test_no_net(monkeypatch: pytest.MonkeyPatch) -> None:
    """The sentence names who does not answer."""
    with socket.socket() as nobody:
        nobody.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{nobody.getsockname()[1]}"
        monkeypatch.setenv("HF_ENDPOINT", f"http://{address}")
        with pytest.raises(HubError, match=f"{address} does not answer"):
            find_on_hub(REPO, FILE)


def test_a_full_disk_is_told_before_anything_is_fetched(
    hub: Hub, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And it says how much is missing."""
    monkeypatch.setattr(fetching, "SPARE_BYTES", 10**18)
    with pytest.raises(HubError, match="too full"):
        brought(folder)
    assert not [one for one in hub.asked if one[0] == "GET"]


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
@pytest.mark.usefixtures("hub")
def test_a_disk_that_fills_up_meanwhile_keeps_what_came(folder: Path) -> None:
    """Somebody else may have taken the room."""
    folder.mkdir()
    fetching._part(find_on_hub(REPO, FILE), folder).symlink_to("/dev/full")
    with pytest.raises(HubError, match="disk is full"):
        brought(folder)


@pytest.mark.usefixtures("hub")
def test_a_folder_that_cannot_be_written(tmp_path: Path) -> None:
    """A file stands where the folder should be."""
    (tmp_path / "models").write_text("")
    with pytest.raises(HubError, match="cannot be written"):
        brought(tmp_path / "models")


@pytest.mark.usefixtures("hub")
def test_two_downloads_of_one_file_do_not_mix(folder: Path) -> None:
    """The second is refused while the first runs."""
    found = find_on_hub(REPO, FILE)

    def second(done: int, _total: int | None) -> None:
        if done == 0:
            with pytest.raises(HubError, match="another process"):
                fetch(found, folder, lambda _done, _total: None)

    assert fetch(found, folder, second).read_bytes() == CONTENT


def test_any_address_of_a_gguf(hub: Hub, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file's own address serves too, and the hub's key is not sent there."""
    monkeypatch.setenv("HF_TOKEN", "hf_notForOthers")
    monkeypatch.setenv("HF_ENDPOINT", "https://hub.example.invalid")
    hub.files["models/plain.gguf"] = CONTENT
    found = find_at(f"{hub.url}/models/plain.gguf")
    assert fetch(found, folder, lambda _done, _total: None).read_bytes() == CONTENT
    assert hub.keys == []
    with pytest.raises(HubError, match="does not end with the name of a GGUF"):
        find_at(f"{hub.url}/models/")


@pytest.mark.parametrize(
    "url",
    ["http://models.example.invalid/x.gguf", "ftp://127.0.0.1/x.gguf", "https:///x.gguf", "file:///x.gguf"],
)
def test_only_https_is_asked(url: str) -> None:
    """Plain http would let anybody on the way change a model."""
    with pytest.raises(HubError, match="no https address"):
        find_at(url)


def test_a_part_of_a_split_model_is_refused(hub: Hub) -> None:
    """It could not be loaded by itself."""
    hub.files[f"{REPO}/big-00001-of-00003.gguf"] = CONTENT
    with pytest.raises(HubError, match="part of a model"):
        find_on_hub(REPO, "big-00001-of-00003.gguf")


def test_without_the_library_the_command_that_brings_it_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is optional."""
    monkeypatch.setattr("importlib.util.find_spec", lambda _name: None)
    with pytest.raises(HubMissing, match=r"pip install 'bowerbird\[hub\]'"):
        find_on_hub(REPO, FILE)


def test_how_files_of_the_hub_are_named() -> None:
    """Owner, repository and file; all else is no path of the hub."""
    assert split_hub_path("a/b/c.gguf") == ("a/b", "c.gguf")
    assert split_hub_path("a/b/d/c.GGUF") == ("a/b", "d/c.GGUF")
    assert split_hub_path("a/b") == ("a/b", "")
    for text in ("a", "a/b/c.txt", "./a/b", "../a/b.gguf", "~/a/b.gguf", "/a/b.gguf", "a//b.gguf", "a/b/"):
        assert split_hub_path(text) is None, text


def test_the_table_is_sound() -> None:
    """Names and files differ, sizes grow, and a row is found by its name and by its file."""
    rows = catalog()
    assert len({row.name for row in rows}) == len({row.file for row in rows}) == len(rows)
    assert [row.bytes for row in rows] == sorted(row.bytes for row in rows)
    for row in rows:
        assert split_hub_path(f"{row.repo}/{row.file}") == (row.repo, row.file)
        assert set(row.good_for) <= {"completion", "generation"}
        assert 0.3 < row.bytes / row.parameters < 1.2
        assert listed(row.name) is listed(row.file) is listed(row.file.removesuffix(".gguf")) is row
    assert listed("no such model") is None


def test_a_file_is_known_again_without_a_checksum(tmp_path: Path) -> None:
    """Then its size must do."""
    path = tmp_path / "a.gguf"
    path.write_bytes(CONTENT)
    assert is_same(path, HubFile("a.gguf", "", "", len(CONTENT), "", ""))
    assert not is_same(path, HubFile("a.gguf", "", "", len(CONTENT) + 1, "", ""))
    assert not is_same(path, HubFile("a.gguf", "", "", len(CONTENT), "00" * 32, ""))
