"""What can go wrong between us and the hub, in sentences.

Errors::

    HubError               a file cannot be had
    └── HubMissing         huggingface_hub is not installed
"""

# ruff: noqa: N818 - the names say what is wrong

from __future__ import annotations

import contextlib
import errno
import importlib.util
from collections.abc import Iterator
from typing import Any
from urllib.parse import urlsplit


class HubError(Exception):
    """A file cannot be had; `str()` is a sentence."""


class HubMissing(HubError):
    """The library is not installed."""


def library() -> Any:
    if importlib.util.find_spec("huggingface_hub") is None:
        raise HubMissing("Fetching models needs huggingface_hub: pip install 'bowerbird[hub]'.")
    import huggingface_hub

    return huggingface_hub


@contextlib.contextmanager
def told_plainly(what: str, address: str) -> Iterator[None]:
    """The library's errors as sentences."""
    import httpx2
    from huggingface_hub import errors

    host = urlsplit(address).netloc or address
    try:
        yield
    except errors.GatedRepoError as error:
        raise HubError(
            f"{what} may be fetched only by people who have accepted its licence on {host}: do so there, "
            "make a key, and put it into the variable HF_TOKEN."
        ) from error
    except errors.RepositoryNotFoundError as error:
        raise HubError(f"{host} has no repository for {what}, or keeps it private.") from error
    except errors.EntryNotFoundError as error:
        raise HubError(f"{host} has no file {what}.") from error
    except errors.HfHubHTTPError as error:
        status = getattr(error.response, "status_code", "an unknown status")
        missing = f"{host} has nothing at {what}." if status == httpx2.codes.NOT_FOUND else ""
        raise HubError(missing or f"{host} refuses {what}: status {status}.") from error
    except errors.HFValidationError as error:
        raise HubError(f"{what} is no name of a repository.") from error
    except errors.OfflineModeIsEnabled as error:
        raise HubError("HF_HUB_OFFLINE is set, so nothing is fetched.") from error
    except (httpx2.HTTPError, ConnectionError) as error:
        raise HubError(f"{host} does not answer: {error or type(error).__name__}.") from error
    except OSError as error:
        if error.errno == errno.ENOSPC:
            raise HubError(
                "The disk is full. What was fetched is kept; the next try goes on from there."
            ) from error
        if error.errno is None:  # the library's own check of the size
            raise HubError(f"{what} came incomplete; the next try goes on from there.") from error
        raise
