"""`bowerbird bench hover`: what is hovered over."""

from __future__ import annotations

from bowerbird.cli.bench.hover import SUFFIXES, _places, document_of
from bowerbird.knowledge.packs.store import load_packs
from bowerbird.syntax.faults import faults_of


def test_the_documents_are_sound_code() -> None:
    """Made of the packs' examples, so that the figures are of real code."""
    documents = {pack.manifest.language: document_of(pack) for pack in load_packs().packs}
    assert documents.keys() == SUFFIXES.keys()
    for language, text in documents.items():
        assert text.count("\n") > 100
        assert faults_of(text, language) == []


def test_the_places_are_within_words() -> None:
    """As many as are wanted, evenly over the text."""
    assert _places("a bc\nde f gh ij", 2) == [(0, 3), (1, 6)]
