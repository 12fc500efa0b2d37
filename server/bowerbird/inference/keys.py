"""Keys of model servers: from an environment variable or the system's keyring, never from a setting."""

from __future__ import annotations

import importlib.util
import os
from urllib.parse import urlsplit

KEYRING_SERVICE = "bowerbird"


def key_for(url: str, variable: str) -> str:
    """The key for the server at `url`; empty where there is none. Asks the keyring, so it may block.

    The environment variable called `variable` comes first; then the keyring's entry of the service
    ``bowerbird`` for the server's host and port (``keyring set bowerbird gpu.example.org:8000``).
    """
    if variable and (key := os.environ.get(variable, "").strip()):
        return key
    return _from_keyring(urlsplit(url).netloc.rpartition("@")[2])


def _from_keyring(host: str) -> str:
    if importlib.util.find_spec("keyring") is None:
        return ""
    import keyring

    try:
        return (keyring.get_password(KEYRING_SERVICE, host) or "").strip()
    except Exception:  # a locked or missing keyring is no key; its libraries raise what they like
        return ""
