"""The packs that are shipped, and one that a user wrote."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from bowerbird.knowledge.library import Library
from bowerbird.knowledge.packs.pack import Pack
from bowerbird.knowledge.packs.store import Place, load_packs

MANIFEST = """
format = 1
name = "shop"
language = "python"
title = "Our shop"
version = "3"
case_sensitive = true
"""

PAGE = """
## shop.total
- kind: function
- signature: `shop.total(goods: list, taxed: bool = True) -> float`
- param goods: What is in the basket.

Adds the prices up.

### Add up a basket
```python
import shop
print(shop.total([1, 2]))
```

## Basket
- kind: type
- signature: `class Basket`

What a customer carries.

## Basket.put
- kind: method
- member of: Basket
- signature: `def put(self, thing: str) -> None`

Puts something in.

## shop.close
- kind: function
- signature: `shop.close()`

Ends the day.

### Close twice
```python counter-example
shop.close(shop.close())
```
"""


@pytest.fixture(scope="session")
def library() -> Library:
    """The shipped packs, loaded once."""
    return Library()


@pytest.fixture(scope="session")
def packs(library: Library) -> Callable[[str], Sequence[Pack]]:
    """Those of a language."""
    return library.of


@pytest.fixture
def own_packs(tmp_path: Path) -> Sequence[Pack]:
    """A private library's pack, for Python."""
    folder = tmp_path / "shop"
    folder.mkdir()
    (folder / "pack.toml").write_text(MANIFEST)
    (folder / "shop.md").write_text(PAGE)
    loaded = load_packs([Place("shop", folder, False)], tmp_path / "cache")
    assert not loaded.failures
    return loaded.packs
