"""`bowerbird/search`."""

from __future__ import annotations

from typing import Any

import pytest

from bowerbird.lsp.search import SEARCH
from lsp_pair import Pair


async def search(pair: Pair, params: Any) -> list[dict[str, Any]]:
    answer = await pair.editor.protocol.send_request_async(SEARCH, params)
    return answer["items"]


async def test_a_question_is_answered(connect: Any) -> None:
    """With what it is, where it is written, and how well it fits."""
    async with connect() as pair:
        items = await search(pair, {"query": "add a column to a table", "language": "powerquery", "count": 5})
        assert 1 <= len(items) <= 5
        first = next(item for item in items if item["kind"] == "function")
        assert first["name"] == "Table.AddColumn"
        assert first["uri"].endswith("/powerquery/table.md")
        assert first["line"] > 0
        assert first["signatures"]
        assert {item["language"] for item in items} == {"powerquery"}


async def test_all_packs_without_a_language(connect: Any) -> None:
    """And the editor's id will do for one."""
    async with connect() as pair:
        assert len({item["pack"] for item in await search(pair, {"query": "split text", "count": 50})}) == 3
        assert {item["pack"] for item in await search(pair, {"query": "split", "language": "pq"})} == {
            "powerquery"
        }


@pytest.mark.parametrize(
    "params",
    [None, [], {}, {"query": 3}, {"query": ""}, {"query": "split", "language": "klingon"}, "split", 7],
)
async def test_nonsense_has_no_answer(connect: Any, params: Any) -> None:
    """It is no error either."""
    async with connect() as pair:
        assert await search(pair, params) == []


async def test_a_strange_count_is_bounded(connect: Any) -> None:
    """Below one it is one; what is no number counts as not given."""
    async with connect() as pair:
        assert len(await search(pair, {"query": "text", "count": -3})) == 1
        assert len(await search(pair, {"query": "text", "count": 10**9})) == 100
        assert len(await search(pair, {"query": "text", "count": "many"})) == 10
