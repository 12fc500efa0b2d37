"""llama-server's HTTP interface, as far as we use it: its model, tokens of texts, streamed completions."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Any
from urllib.parse import urlsplit

import httpx

from bowerbird.inference.families import texts_to_probe
from bowerbird.inference.generator import InferenceError, ServerUnreachable
from bowerbird.inference.plain_text import SENTINEL, plain_parts, without_sentinel

CONNECT_SECONDS = 5.0
SILENCE_SECONDS = 120.0
REQUESTS_AT_ONCE = (
    3  # a llama-server has as few as five threads, and an idle connection holds one for seconds
)
FORCED = 1e5  # a bias that no other token outweighs
LOOPBACK = ("127.0.0.1", "localhost", "::1")


class LlamaHttp:
    """One running llama-server. Methods raise `ServerUnreachable`, and `InferenceError` where it refuses."""

    def __init__(self, url: str, key: str = "") -> None:
        self.url = url.rstrip("/")
        self._client = httpx.AsyncClient(
            base_url=self.url,
            headers={"Authorization": f"Bearer {key}"} if key else {},
            timeout=httpx.Timeout(SILENCE_SECONDS, connect=CONNECT_SECONDS),
            limits=httpx.Limits(max_connections=REQUESTS_AT_ONCE),
            trust_env=urlsplit(self.url).hostname
            not in LOOPBACK,  # no proxy for what never leaves the machine
        )
        self._few = asyncio.Semaphore(REQUESTS_AT_ONCE)
        self._special: dict[int, str] = {}
        self._sentinel: list[int] = []

    async def close(self) -> None:
        await self._client.aclose()

    async def healthy(self) -> bool:
        """Has it loaded its model? False while it starts."""
        try:
            return (await self._client.get("/health")).status_code == httpx.codes.OK
        except httpx.TransportError:
            return False

    async def report(self) -> dict[str, Any]:
        """What it serves, in the form of the pipe's message `loaded`."""
        props = await self.ask("GET", "/props")
        models = await self.ask("GET", "/v1/models")
        try:
            meta = models["data"][0].get("meta") or {}
            path = str(props.get("model_path") or models["data"][0]["id"])
            context_tokens = int(props["default_generation_settings"]["n_ctx"])
        except (KeyError, IndexError, TypeError, ValueError) as error:
            raise ServerUnreachable(f"What answers at {self.url} is no llama-server.") from error
        probed = texts_to_probe()
        found = zip(
            probed, await asyncio.gather(*(self._tokenize(t, special=True) for t in probed)), strict=True
        )
        known = {text: tokens[0] for text, tokens in found if len(tokens) == 1}
        bos_text = str(props.get("bos_token", ""))
        bos = await self._tokenize(bos_text, special=True) if bos_text else []
        starts = await self.ask("POST", "/tokenize", {"content": "", "add_special": True})
        self._special = {token: text for text, token in known.items()}
        space_prefix = await self._find_space_prefix()
        trained = int(meta.get("n_ctx_train") or 0)
        return {
            "vocabulary_tokens": int(meta.get("n_vocab") or 0),
            "add_bos": len(bos) == 1 and starts["tokens"] == bos,
            "space_prefix": space_prefix,
            "roles": {"bos": bos[0]} if len(bos) == 1 else {},
            "known": known,
            "texts": [*self._special.items(), *([(bos[0], bos_text)] if len(bos) == 1 else [])],
            "name": path.replace("\\", "/").rpartition("/")[2].removesuffix(".gguf"),
            "architecture": str(props.get("model_alias", "")),
            "prompt_form": "",
            "description": f"?B {props.get('model_ftype', '')}".strip(),
            "parameters": int(meta.get("n_params") or 0),
            "trained_tokens": trained,
            "context_tokens": min(context_tokens, trained) if trained else context_tokens,
        }

    async def encode(self, text: str) -> list[int]:
        """The ids of `text` by itself, as `vocabulary.Vocabulary.encode` gives them."""
        tokens = await self._plain(text)
        if self._special.keys().isdisjoint(tokens):
            return tokens
        reserved = [self._special[token] for token in self._special.keys() & set(tokens)]
        return [token for part in plain_parts(text, reserved) for token in await self._plain(part)]

    async def complete(
        self, tokens: Sequence[int], max_new_tokens: int, refuse_end: bool
    ) -> AsyncGenerator[dict[str, Any], None]:
        """The greedy continuation, a JSON object for each step. Closing it makes the server stop.

        A special token of any family ends it as the server's own end tokens do. The last object has a
        ``stop_type``: ``eos``, ``special`` or ``limit``.
        """
        body = {
            "prompt": list(tokens),
            "n_predict": max_new_tokens,
            "temperature": 0,
            "cache_prompt": True,
            "stream": True,
            "return_tokens": True,
            "timings_per_token": True,
            "ignore_eos": refuse_end,
            "logit_bias": [[token, False] for token in self._special] if refuse_end else [],
        }
        async with self._few, self._request("POST", "/completion", body) as response:
            async for line in response.aiter_lines():
                if not line.startswith("data: "):
                    continue
                step: dict[str, Any] = json.loads(line.removeprefix("data: "))
                if "error" in step:
                    raise InferenceError(f"The llama-server answers: {step['error'].get('message')}")
                if not step["stop"] and not self._special.keys().isdisjoint(step.get("tokens", ())):
                    yield {**step, "content": "", "tokens": [], "stop": True, "stop_type": "special"}
                    return
                yield step

    async def likeliest(self, tokens: Sequence[int], count: int) -> list[tuple[int, str, float]]:
        """The likeliest tokens behind `tokens`, in order: id, text ("" if special), log-probability."""
        body = {
            "prompt": list(tokens),
            "n_predict": 1,
            "temperature": 0,
            "cache_prompt": True,
            "n_probs": count,
        }
        answer = await self.ask("POST", "/completion", body)
        return [
            (one["id"], "" if one["id"] in self._special else one["token"], one["logprob"])
            for one in answer["completion_probabilities"][0]["top_logprobs"]
        ]

    async def logprob(self, tokens: Sequence[int], following: int) -> float:
        """Natural log-probability of `following` behind `tokens`."""
        body = {
            "prompt": list(tokens),
            "n_predict": 1,
            "temperature": 0,
            "cache_prompt": True,
            "n_probs": 1,
            "logit_bias": [[following, FORCED]],  # what is reported for the token taken comes before any bias
        }
        answer = await self.ask("POST", "/completion", body)
        return float(answer["completion_probabilities"][0]["logprob"])

    async def _find_space_prefix(self) -> bool:
        """Does the vocabulary put a space before every text? If so, texts are encoded behind a sentinel."""
        asked = {"content": "a", "with_pieces": True}
        pieces = (await self.ask("POST", "/tokenize", asked))["tokens"]
        prefixed = bool(pieces) and str(pieces[0]["piece"]).startswith((" ", "▁"))
        self._sentinel = await self._tokenize(SENTINEL, special=False) if prefixed else []
        return prefixed

    async def _plain(self, text: str) -> list[int]:
        if not text or not self._sentinel:
            return await self._tokenize(text, special=False)
        return without_sentinel(await self._tokenize(SENTINEL + text, special=False), self._sentinel)

    async def _tokenize(self, text: str, special: bool) -> list[int]:
        body = {"content": text, "add_special": False, "parse_special": special}
        return list((await self.ask("POST", "/tokenize", body))["tokens"])

    async def ask(self, method: str, path: str, body: Any = None) -> Any:
        """What the server answers, as JSON."""
        async with self._few, self._request(method, path, body) as response:
            try:
                return json.loads(await response.aread())
            except ValueError as error:
                raise ServerUnreachable(f"What answers at {self.url} is no llama-server.") from error

    @asynccontextmanager
    async def _request(self, method: str, path: str, body: Any) -> AsyncIterator[httpx.Response]:
        # Lone surrogates, which editors can send, are no UTF-8.
        content = None if body is None else json.dumps(body, ensure_ascii=False).encode("utf-8", "replace")
        try:
            async with self._client.stream(method, path, content=content) as response:
                if response.status_code != httpx.codes.OK:
                    raise _refusal(self.url, response.status_code, await response.aread())
                yield response
        except httpx.HTTPError as error:
            raise ServerUnreachable(
                f"The llama-server at {self.url} does not answer: {error or type(error).__name__}."
            ) from error


def _refusal(url: str, status: int, body: bytes) -> InferenceError:
    """What an answer other than 200 means."""
    try:
        said = str(json.loads(body)["error"]["message"])
    except (ValueError, KeyError, TypeError):
        said = f"status {status}"
    if status in (httpx.codes.BAD_REQUEST, httpx.codes.INTERNAL_SERVER_ERROR):
        return InferenceError(f"The llama-server at {url} answers: {said}")
    return ServerUnreachable(f"The llama-server at {url} does not serve us: {said}")
