"""Where keys of model servers come from."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator

import keyring
import keyring.backend
import keyring.errors
import pytest

from bowerbird.inference.keys import key_for


class Ring(keyring.backend.KeyringBackend):
    """A keyring of the test's own."""

    priority = 1  # type: ignore[assignment]
    entries: dict[tuple[str, str], str]

    def get_password(self, service: str, username: str) -> str | None:
        if username == "locked:1":
            raise keyring.errors.KeyringLocked
        return self.entries.get((service, username))

    def set_password(self, service: str, username: str, password: str) -> None:
        self.entries[service, username] = password

    def delete_password(self, service: str, username: str) -> None:
        del self.entries[service, username]


@pytest.fixture(autouse=True)
def ring(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """One entry, and no variable."""
    monkeypatch.delenv("TEAM_KEY", raising=False)
    backend = Ring()
    backend.entries = {("bowerbird", "gpu.example.org:8000"): "from the ring\n"}
    before = keyring.get_keyring()
    keyring.set_keyring(backend)
    yield
    keyring.set_keyring(before)


def test_the_variable_comes_first(monkeypatch: pytest.MonkeyPatch) -> None:
    """Then the keyring's entry for host and port."""
    assert key_for("https://gpu.example.org:8000/api", "TEAM_KEY") == "from the ring"
    monkeypatch.setenv("TEAM_KEY", " from the variable ")
    assert key_for("https://gpu.example.org:8000/api", "TEAM_KEY") == "from the variable"
    assert key_for("https://other.example.org", "") == ""


def test_a_keyring_that_cannot_be_asked_is_no_key(monkeypatch: pytest.MonkeyPatch) -> None:
    """Locked, or not installed."""
    assert key_for("https://locked:1", "TEAM_KEY") == ""
    monkeypatch.setattr(importlib.util, "find_spec", lambda _name: None)
    assert key_for("https://gpu.example.org:8000", "TEAM_KEY") == ""
