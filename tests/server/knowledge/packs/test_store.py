"""Where packs lie, and how their built forms are kept."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from hashlib import blake2b
from pathlib import Path

import pytest

from bowerbird.knowledge.packs import store
from bowerbird.knowledge.packs.built import cache_file
from bowerbird.knowledge.packs.pack import Pack
from bowerbird.knowledge.packs.store import Place, find_packs, load_pack, load_packs
from bowerbird.knowledge.packs.usage import entities_used

TOML = 'format = 1\nname = "{name}"\nlanguage = "ring"\ncase_sensitive = false\n'
PAGE = """\
## len
- kind: function
- signature: `len(aList, [nFrom])`

Counts.

### Count
```ring
? len([1, 2])
```
## upper
- kind: function
"""


def make(folder: Path, page: str = PAGE) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "pack.toml").write_text(TOML.format(name=folder.name))
    (folder / "deep").mkdir(exist_ok=True)
    (folder / "deep" / "page.md").write_text(page)
    return folder


def load(folder: Path, cache: Path) -> Pack:
    pack = load_pack(folder, cache)
    assert isinstance(pack, Pack)
    return pack


def signed(content: bytes) -> bytes:
    return blake2b(content, digest_size=16).hexdigest().encode() + b"\n" + content


def same(one: Pack, other: Pack) -> bool:
    return (one.manifest, one.entities, one.examples, one.used, one.problems, one.folder) == (
        other.manifest,
        other.entities,
        other.examples,
        other.used,
        other.problems,
        other.folder,
    )


def test_a_pack_is_looked_up(tmp_path: Path) -> None:
    """By name, from an example to entities and back, and to the page's file."""
    pack = load(make(tmp_path / "ring"), tmp_path / "cache")
    (entity,) = pack.find("LEN")
    assert entity.parameters[1].optional
    assert entities_used(pack.examples[0], pack) == (entity,)
    assert pack.used == ((0,),)
    assert pack.using == ((0,), ())
    assert pack.path(entity) == tmp_path / "ring" / "deep" / "page.md"


def test_the_built_form_is_the_same_as_the_pages(tmp_path: Path) -> None:
    """What comes from the cache is equal to what was read."""
    folder, cache = make(tmp_path / "ring"), tmp_path / "cache"
    first = load(folder, cache)
    (file,) = cache.iterdir()
    before = file.stat().st_mtime_ns, file.stat().st_ino
    assert same(first, load(folder, cache))
    assert (file.stat().st_mtime_ns, file.stat().st_ino) == before, "it was read, not built"


def test_other_processes_use_the_built_form(tmp_path: Path) -> None:
    """Its key is made of what counts, not of where things lie in this process's memory."""
    asked = "from bowerbird.knowledge.packs.built import _SHAPE; print(_SHAPE)"
    answers = {
        subprocess.run(
            [sys.executable, "-P", "-c", asked], capture_output=True, text=True, check=True, cwd=tmp_path
        ).stdout
        for _ in range(2)
    }
    assert len(answers) == 1
    assert " at 0x" not in answers.pop()


def test_a_changed_page_is_read_anew(tmp_path: Path) -> None:
    """And its built form takes the place of the old one."""
    folder, cache = make(tmp_path / "ring"), tmp_path / "cache"
    load(folder, cache)
    make(folder, PAGE.replace("Counts.", "Measures."))
    assert load(folder, cache).entities[0].description == "Measures."
    assert len(list(cache.iterdir())) == 1


def test_a_damaged_built_form_is_built_anew(tmp_path: Path) -> None:
    """Whatever happened to the file: cut short, a letter changed, nonsense with a right digest."""
    folder, cache = make(tmp_path / "ring"), tmp_path / "cache"
    first = load(folder, cache)
    file = cache_file(cache, folder)
    good = file.read_bytes()
    for bad in (
        *map(signed, (b"null", b"{}", b"[" * 99_999, good.partition(b"\n")[2].replace(b"[[0]]", b"7"))),
        b"",
        good[:-9],
        good.replace(b"Counts.", b"Countz."),
        b"\xff" * 99,
        good[:33] + b"[" * 99_999,
        b"null",
    ):
        file.write_bytes(bad)
        assert same(first, load(folder, cache))
        assert file.read_bytes() == good


def test_a_cache_that_cannot_be_written_costs_nothing_but_time(tmp_path: Path) -> None:
    """The pack is built each time."""
    cache = tmp_path / "cache"
    cache.write_text("a file where the folder should be")
    assert load(make(tmp_path / "ring"), cache).entities


def test_an_interrupted_write_leaves_the_old_built_form(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A file is replaced whole or not at all, and nothing is left over."""
    folder, cache = make(tmp_path / "ring"), tmp_path / "cache"
    load(folder, cache)
    before = cache_file(cache, folder).read_bytes()
    make(folder, PAGE.replace("Counts.", "Measures."))

    def fail(*_: object) -> None:
        raise OSError("the disk is full")

    monkeypatch.setattr(os, "replace", fail)
    load(folder, cache)
    assert [file.read_bytes() for file in cache.iterdir()] == [before]


def test_the_users_packs_stand_before_those_that_are_shipped(tmp_path: Path) -> None:
    """Folders without a pack.toml are none, hidden ones neither."""
    own, shipped = tmp_path / "own", tmp_path / "shipped"
    for folder in (shipped / "ring", shipped / "pony", own / "ring", own / ".half-built"):
        make(folder)
    (shipped / "builders").mkdir()
    assert find_packs(own, shipped) == [
        Place("pony", shipped / "pony", True),
        Place("ring", own / "ring", False),
    ]
    assert find_packs(tmp_path / "nowhere", tmp_path / "neither") == []


def test_a_pack_beyond_reading_is_told_and_the_others_serve(tmp_path: Path) -> None:
    """One writer's fault is not everybody's."""
    make(tmp_path / "good")
    bad = make(tmp_path / "bad")
    (bad / "pack.toml").write_text("format = ")
    loaded = load_packs(find_packs(tmp_path, tmp_path / "none"), tmp_path / "cache")
    assert [pack.name for pack in loaded.packs] == ["good"]
    assert "TOML" in loaded.failures[str(bad)][0].sentence


def test_links_are_not_followed(tmp_path: Path) -> None:
    """A pack holds what lies in its folder."""
    folder = make(tmp_path / "ring")
    (tmp_path / "secret.md").write_text("## secret\n- kind: type\n")
    (folder / "link.md").symlink_to(tmp_path / "secret.md")
    assert load(folder, tmp_path / "cache").find("secret") == ()


def test_of_two_entities_of_one_kind_and_name_the_first_counts(tmp_path: Path) -> None:
    """And it is said where both stand; another kind may have the same name."""
    page = "## a\n- kind: type\n\nOne.\n\n## a\n- kind: type\n\nTwo.\n\n## a\n- kind: function\n"
    pack = load(make(tmp_path / "ring", page), tmp_path / "cache")
    assert [(str(entity.kind), entity.description) for entity in pack.entities] == [
        ("type", "One."),
        ("function", ""),
    ]
    assert pack.problems == 1


def test_shipped_packs_can_be_read(tmp_path: Path) -> None:
    """Each is what its folder is called, and its pages hold no errors."""
    places = find_packs(tmp_path / "own")
    loaded = load_packs(places, tmp_path / "cache")
    assert not loaded.failures
    assert [pack.name for pack in loaded.packs] == [place.name for place in places]
    for pack in loaded.packs:
        assert json.loads(cache_file(tmp_path / "cache", pack.folder).read_bytes().partition(b"\n")[2])[
            "entities"
        ]


def test_packs_lie_in_the_users_own_folders() -> None:
    """The home of this test run, where the user's files would be."""
    assert str(store.own_folder()).startswith(os.environ["XDG_DATA_HOME"])
    assert str(store.cache_folder()).startswith(os.environ["XDG_CACHE_HOME"])
