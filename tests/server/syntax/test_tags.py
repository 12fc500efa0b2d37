"""The query files: complete, of the three known forms, and nothing forgotten."""

from __future__ import annotations

from pathlib import Path

import pytest

from bowerbird.syntax import tags
from bowerbird.syntax.languages import LANGUAGES
from bowerbird.syntax.tags import QUERIES, tags_of

WITH_GRAMMAR = sorted(name for name, language in LANGUAGES.items() if language.grammar)


@pytest.mark.parametrize("language", WITH_GRAMMAR)
def test_every_grammar_has_tags(language: str) -> None:
    """A language with a grammar knows its definitions, its statements and its comments."""
    found = tags_of(language)
    assert found.definitions
    assert found.statements
    assert found.leads


def test_every_folder_serves_a_language() -> None:
    """No query file lies about that no language names."""
    assert {path.parent.name for path in QUERIES.glob("*/tags.scm")} == {
        folder for language in LANGUAGES.values() for folder in language.tags
    }


@pytest.mark.parametrize(
    "pattern",
    [
        "(identifier) @reference\n",
        "(_ name: (identifier) @name) @definition.function\n",
        '"def" @lead\n',
    ],
)
def test_a_pattern_of_another_form_is_refused(
    pattern: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A pattern that would silently find nothing is an error where it is read."""
    (tmp_path / "python").mkdir()
    (tmp_path / "python" / "tags.scm").write_text(pattern, "utf-8")
    monkeypatch.setattr(tags, "QUERIES", tmp_path)
    with pytest.raises(ValueError, match="python: a pattern"):
        tags_of.__wrapped__("python")
