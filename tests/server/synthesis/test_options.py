"""From settings to how one request is worked on."""

from __future__ import annotations

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
    options = options_of(GenerationSettings(mode="rar", rounds=30, preliminary="api", run_programs=True))
    assert (options.mode, options.rounds, options.preliminary, options.run) == (
        Mode.RAR,
        30,
        Preliminary.API,
        True,
    )


@pytest.mark.parametrize("word", ["", "RePeat", "all"])
def test_a_wrong_word_is_told_and_the_default_serves(word: str) -> None:
    """In the settings, and to whoever comes by another way."""
    settings, problems = read_settings({"generation": {"mode": word}})
    assert settings.generation.mode == "evor"
    assert "must be one of zero, few" in problems[0]
    assert options_of(GenerationSettings(mode=word)).mode is Mode.EVOR
