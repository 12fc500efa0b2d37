"""`bowerbird serve --tcp` listens where other machines cannot reach it."""

from __future__ import annotations

import pytest

from bowerbird.cli.errors import UsageError
from bowerbird.cli.serve import parse_address


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2087", ("127.0.0.1", 2087)),
        (":2087", ("127.0.0.1", 2087)),
        ("localhost:0", ("localhost", 0)),
        ("127.0.0.5:2087", ("127.0.0.5", 2087)),
        ("[::1]:2087", ("::1", 2087)),
        ("::1:2087", ("::1", 2087)),
    ],
)
def test_addresses_of_this_machine_are_taken(text: str, expected: tuple[str, int]) -> None:
    """A port alone means the loopback."""
    assert parse_address(text) == expected


@pytest.mark.parametrize("text", ["0.0.0.0:2087", "192.168.1.4:2087", "example.org:2087", "[::]:2087"])
def test_addresses_that_others_can_reach_are_refused(text: str) -> None:
    """The protocol knows no password."""
    with pytest.raises(UsageError, match="no password"):
        parse_address(text)


@pytest.mark.parametrize("text", ["", "localhost", "localhost:", "localhost:http", "localhost:70000", "-1"])
def test_what_is_no_address_is_a_usage_error(text: str) -> None:
    """The message shows how one is written."""
    with pytest.raises(UsageError, match=r"\[HOST:\]PORT"):
        parse_address(text)
