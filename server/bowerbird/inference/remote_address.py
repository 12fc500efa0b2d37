"""The servers that a model's setting names: URLs, parted by blanks; behind a ``#`` the model there."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import unquote, urlsplit

from bowerbird.inference.generator import ServerUnreachable

LOOPBACK = ("127.0.0.1", "localhost", "::1")


@dataclass(frozen=True, slots=True)
class Address:
    """Where one server is."""

    url: str
    """Without the ``/v1`` that OpenAI's interface stands under, and without a slash at its end."""
    model: str = ""
    """Which of its models is meant; empty takes the first."""

    @property
    def host(self) -> str:
        """Name and port."""
        return urlsplit(self.url).netloc

    @property
    def is_here(self) -> bool:
        """Does nothing that is sent leave the machine?"""
        return urlsplit(self.url).hostname in LOOPBACK

    @property
    def is_private(self) -> bool:
        """Can nobody on the way read or change what is sent?"""
        return self.is_here or self.url.startswith("https://")


def parse_addresses(setting: str) -> tuple[Address, ...]:
    """``"http://a:8000/v1 https://b#qwen"``; raises `ServerUnreachable` for what is no address."""
    return tuple(dict.fromkeys(_parse(word) for word in setting.split()))


def _parse(word: str) -> Address:
    try:
        parts = urlsplit(word)
        named = parts.scheme.lower() in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        named = False
    if not named:
        raise ServerUnreachable(f"{word!r} is no address of a server, such as http://127.0.0.1:8080.")
    if "@" in parts.netloc or parts.query:
        raise ServerUnreachable(
            f"The address of {parts.hostname} holds a name, a password or a query. Keys belong into the "
            "environment variable that remote.apiKeyEnv names, or into the system's keyring."
        )
    path = parts.path.rstrip("/").removesuffix("/v1").rstrip("/")
    return Address(f"{parts.scheme.lower()}://{parts.netloc}{path}", unquote(parts.fragment))
