"""HTTP to model servers: who is spoken to and how, what a refusal means, limits on what comes back."""

from __future__ import annotations

import json
import os
import ssl
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import httpx

from bowerbird.inference.generator import InferenceError, ServerUnreachable
from bowerbird.inference.remote_address import LOOPBACK

CONNECT_SECONDS = 5.0
SILENCE_SECONDS = 120.0
MAX_LINE_BYTES = 1_000_000
MAX_ANSWER_BYTES = 20_000_000
TOLD_CHARACTERS = 300  # of what a server says of its refusal
CERTIFICATE_VARIABLES = ("SSL_CERT_FILE", "SSL_CERT_DIR")


class ServerBusy(ServerUnreachable):
    """It may answer if it is asked again soon."""

    def __init__(self, sentence: str, status: int, wait_s: float = 0.0) -> None:
        super().__init__(sentence)
        self.status = status
        self.wait_s = wait_s
        """What the server asks for; 0 where it says nothing."""


class NotServed(ServerUnreachable):
    """It answers, and asking again would not help: a wrong key, path or model."""

    def __init__(self, sentence: str, status: int = 0) -> None:
        super().__init__(sentence)
        self.status = status


def open_client(url: str, key: str, silence_s: float, connections: int) -> httpx.AsyncClient:
    """A client for the server at `url`. Follows no redirect, so that a key goes nowhere else."""
    here = httpx.URL(url).host in LOOPBACK
    return httpx.AsyncClient(
        base_url=url,
        headers={"Authorization": f"Bearer {key}"} if key else {},
        timeout=httpx.Timeout(silence_s, connect=min(CONNECT_SECONDS, silence_s)),
        limits=httpx.Limits(max_connections=connections),
        verify=certificates() if url.startswith("https:") else True,
        trust_env=not here,  # no proxy for what never leaves the machine
    )


def certificates() -> ssl.SSLContext:
    """Whom to believe: the system's authorities, and those of SSL_CERT_FILE and SSL_CERT_DIR in their place.

    There is no way to believe everybody.
    """
    context = ssl.create_default_context()
    if not any(map(os.environ.get, CERTIFICATE_VARIABLES)):
        import certifi

        context.load_verify_locations(certifi.where())  # some systems' Pythons know no authority
    return context


@asynccontextmanager
async def asking(
    client: httpx.AsyncClient, who: str, method: str, path: str, body: Any = None
) -> AsyncIterator[httpx.Response]:
    """The server's answer, if it is one; raises `ServerUnreachable` and `InferenceError`.

    Leaving before its end closes the connection, upon which servers stop the model. `who` names the server.
    """
    # Lone surrogates, which editors can send, are no UTF-8.
    content = None if body is None else json.dumps(body, ensure_ascii=False).encode("utf-8", "replace")
    headers = {} if body is None else {"Content-Type": "application/json"}
    try:
        if client.is_closed:
            raise ServerUnreachable(f"{who} was left.")
        async with client.stream(method, path, content=content, headers=headers) as response:
            if response.status_code != httpx.codes.OK:
                raise refusal(who, response, await _limited(response, who))
            yield response
    except httpx.HTTPError as error:
        raise ServerUnreachable(f"{who} does not answer: {error or type(error).__name__}.") from error


async def ask(client: httpx.AsyncClient, who: str, method: str, path: str, body: Any = None) -> Any:
    """The server's whole answer, as JSON."""
    async with asking(client, who, method, path, body) as response:
        try:
            return json.loads(await _limited(response, who))
        except ValueError as error:
            raise NotServed(f"{who} answers, but not as a model server does.") from error


async def events(response: httpx.Response, who: str) -> AsyncGenerator[dict[str, Any], None]:
    """The objects of a stream of server-sent events, up to ``[DONE]``."""
    async for line in _lines(response, who):
        if not line.startswith(b"data:"):
            continue  # comments that keep the connection alive, names of events
        data = line.removeprefix(b"data:").strip()
        if data == b"[DONE]":
            return
        try:
            event = json.loads(data)
        except ValueError as error:
            raise ServerUnreachable(f"{who} sends what is no JSON.") from error
        if not isinstance(event, dict):
            raise ServerUnreachable(f"{who} sends what is no answer of a model.")
        yield event


def refusal(who: str, response: httpx.Response, body: bytes) -> InferenceError:
    """What an answer other than 200 means."""
    status, said = response.status_code, _said(body)
    told = f": {said}" if said else ""
    if status in (httpx.codes.UNAUTHORIZED, httpx.codes.FORBIDDEN):
        return NotServed(
            f"{who} refuses the key, or wants one (status {status}). Put it into the environment variable "
            "that remote.apiKeyEnv names, or into the system's keyring."
        )
    if status in (httpx.codes.TOO_MANY_REQUESTS, httpx.codes.BAD_GATEWAY):
        return ServerBusy(f"{who} is too busy (status {status}){told}", status, _wait_s(response))
    if status in (httpx.codes.SERVICE_UNAVAILABLE, httpx.codes.GATEWAY_TIMEOUT):
        return ServerBusy(f"{who} is not ready (status {status}){told}", status, _wait_s(response))
    if response.is_redirect:
        return NotServed(f"{who} sends us elsewhere, where nothing is sent; name that address itself.")
    if status == httpx.codes.NOT_FOUND:
        return NotServed(f"{who} knows no {response.request.url.path} (status 404){told}", status)
    if status in (httpx.codes.BAD_REQUEST, httpx.codes.UNPROCESSABLE_ENTITY):
        return InferenceError(f"{who} answers: {said or f'status {status}'}")
    return ServerBusy(f"{who} answers with status {status}{told}", status, _wait_s(response))


def _said(body: bytes) -> str:
    """The server's own words, from the forms that such servers use."""
    try:
        told: Any = json.loads(body)
    except ValueError:
        return ""
    for key in ("error", "message", "detail"):
        if isinstance(told, dict) and key in told:
            told = told[key]
    text = " ".join(str(told).split()) if isinstance(told, str) else ""
    return text if len(text) <= TOLD_CHARACTERS else f"{text[:TOLD_CHARACTERS]}..."


def _wait_s(response: httpx.Response) -> float:
    try:
        return max(0.0, float(response.headers.get("Retry-After", "0")))
    except ValueError:
        return 0.0  # a date; nobody waits that long for a completion


async def _limited(response: httpx.Response, who: str) -> bytes:
    body = b""
    async for part in response.aiter_bytes():
        body += part
        if len(body) > MAX_ANSWER_BYTES:
            raise ServerUnreachable(f"{who} answers with more than {MAX_ANSWER_BYTES // 1_000_000} MB.")
    return body


async def _lines(response: httpx.Response, who: str) -> AsyncGenerator[bytes, None]:
    left = b""
    async for part in response.aiter_bytes():
        *whole, left = (left + part).split(b"\n")
        for line in whole:
            yield line.rstrip(b"\r")
        if len(left) > MAX_LINE_BYTES:
            raise ServerUnreachable(f"{who} sends a line of more than {MAX_LINE_BYTES // 1_000_000} MB.")
    if left:
        yield left
