"""Helix, which has no inline completion, gets the completion in its menu."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from e2e.helix import Helix
from parts import require_part

PATIENCE = """
[language-server.bowerbird.config.bowerbird.completion]
timeBudgetMs = 60000
"""
"""A busy machine shall not turn a slow completion into an empty one."""


@pytest.fixture
def helix(
    shop: Path, tmp_path: Path, environment: dict[str, str], from_readme: Callable[[str], str]
) -> Iterator[Helix]:
    """Helix in ``shop/price.py``, joined with the server."""
    executable = require_part("hx")
    configuration = Path(environment["XDG_CONFIG_HOME"], "helix")
    configuration.mkdir(parents=True)
    (configuration / "languages.toml").write_text(from_readme("toml") + PATIENCE)
    with Helix(executable, shop, "shop/price.py", tmp_path / "helix.log", environment) as editor:
        editor.wait_for(lambda: any(m.get("method") == "initialized" for m in editor.messages("->")))
        yield editor


def answer(editor: Helix) -> dict[str, Any] | None:
    """The answer to the newest request for completions, if it is there."""
    asked = [m["id"] for m in editor.messages("->") if m.get("method") == "textDocument/completion"]
    answers = {m["id"]: m["result"] for m in editor.messages("<-") if "result" in m}
    return answers.get(asked[-1]) if asked else None


def test_the_completion_stands_in_the_menu_and_is_taken(helix: Helix, shop: Path) -> None:
    """The menu offers one item; taking it writes the completion into the file."""
    file = shop / "shop" / "price.py"
    before = file.read_text()
    helix.send("geo")
    helix.send("self.cu")
    helix.wait_for(lambda: answer(helix))  # perhaps nothing, where something else was expected behind the dot
    helix.send("r")

    (item,) = helix.wait_for(lambda: (answer(helix) or {}).get("items"))
    helix.wait_for(lambda: item["label"].split()[0].encode() in helix.drawn)
    helix.send("<Next><Enter><Esc>:wq<Enter>")

    assert helix.process.wait(30) == 0
    assert file.read_text().startswith(before)
    assert item["textEdit"]["newText"].strip() in file.read_text()
