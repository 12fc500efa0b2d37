"""From settings to how one request is worked on."""

from __future__ import annotations

from pathlib import Path

import pytest

from bowerbird.lsp.options import CHOICES, read_settings
from bowerbird.settings import GenerationSettings
from bowerbird.synthesis.analyzer import Preliminary
from bowerbird.synthesis.mode import Mode
from bowerbird.synthesis.options import Options, options_of


def test_the_defaults_are_the_same() -> None:
    """Whoever sets nothing gets what the engine does by itself."""
    assert options_of(GenerationSettings()) == Options()


def test_the_words_that_settings_may_hold() -> None:
    """Are those that the engine knows."""
    assert CHOICES["generation.mode"] == tuple(Mode)
    assert CHOICES["generation.preliminary"] == tuple(Preliminary)


def test_settings_reach_the_engine() -> None:
    """Each that it has a use for."""
    options = options_of(GenerationSettings(mode="rar", rounds=30, preliminary="api"))
    assert (options.mode, options.rounds, options.preliminary) == (Mode.RAR, 30, Preliminary.API)


def test_programs_run_where_the_user_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In the folders named, and nowhere else: not beside them, not in a file that has none, not by a link."""
    mine, other = tmp_path / "mine", tmp_path / "mine-not"
    for folder in (mine, other):
        folder.mkdir()
        (folder / "a.py").write_text("")
    (mine / "link.py").symlink_to(other / "a.py")
    monkeypatch.setenv("HOME", str(tmp_path))
    for folders in ((str(mine),), ("~/mine",), ("elsewhere", str(mine))):
        settings = GenerationSettings(run_programs=folders)
        assert options_of(settings, mine / "a.py").run
        assert options_of(settings, mine / "new" / "b.py").run
        assert not options_of(settings, other / "a.py").run
        assert not options_of(settings, mine / "link.py").run
        assert not options_of(settings, None).run
    monkeypatch.chdir(mine)
    for folders in ((), ("",), (".",), ("mine",), ("nowhere/\0",)):
        assert not options_of(GenerationSettings(run_programs=folders), mine / "a.py").run


@pytest.mark.parametrize("word", ["", "RePeat", "all"])
def test_a_wrong_word_is_told_and_the_default_serves(word: str) -> None:
    """In the settings, and to whoever comes by another way."""
    settings, problems = read_settings({"generation": {"mode": word}})
    assert settings.generation.mode == "evor"
    assert "must be one of zero, few" in problems[0]
    assert options_of(GenerationSettings(mode=word)).mode is Mode.EVOR
