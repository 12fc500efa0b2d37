"""One server with OpenAI's interface: vLLM, Ollama, LM Studio, gateways. The same face as `LlamaHttp`.

vLLM has a tokenizer to ask (``/tokenize``), so that prompts go to it as token ids. Other servers are given
text, counted by `remote_estimate`; special tokens stand in it as their texts, or the server is given prefix
and suffix apart (`remote_family`).
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from dataclasses import replace
from typing import Any

import httpx

from bowerbird.inference import remote_estimate
from bowerbird.inference.chat import Turn
from bowerbird.inference.families import texts_to_probe
from bowerbird.inference.generator import InferenceError
from bowerbird.inference.loaded import LoadedModel, loaded_model
from bowerbird.inference.plain_text import plain_parts
from bowerbird.inference.remote_client import NotServed, ask, asking, events
from bowerbird.inference.remote_family import ENDPOINT, described, family_for, marks_of
from bowerbird.inference.remote_forms import (
    CHAT_MARK,
    ROLES,
    Served,
    defused,
    last_step,
    messages_of,
    read_step,
    served_models,
    special_in,
    tokens_of,
    told_error,
)

UNKNOWN_CONTEXT = 4096
"""Tokens, where neither the server nor the setting `inference.contextTokens` says; Ollama's own default."""
END_ROLES = ("sep", "rep", "pre", "suf", "mid")
"""What a model writes where its text is over, the likeliest first."""
MOST_STOPS = 4  # OpenAI's interface takes no more
BATCHED = 4
"""Generations at once at vLLM, which works on all that come together."""
UNTOLD = 2
"""The same where nobody says: others may work on one at a time, and know nothing of what is urgent."""


class OpenAIHttp:
    """One running server and one of its models. Methods raise `ServerUnreachable` and `InferenceError`."""

    can_choose = False
    """Tokens other than the likeliest cannot be asked for, nor an end refused, nor a grammar kept."""
    goes_on = False
    """It tells texts, no tokens."""

    def __init__(self, client: httpx.AsyncClient, who: str, served: Served, fim: str) -> None:
        """`fim` is the setting `remote.fim`."""
        self.url = str(client.base_url).rstrip("/")
        self._client = client
        self._who = who
        self._served = served
        self._fim = fim
        self._by_ids = served.owner == "vllm"
        self.counts_here = not self._by_ids
        self.places = BATCHED if self._by_ids else UNTOLD
        self._special: dict[int, str] = {}
        self._stops: list[str] = []
        self._apart = False
        """Is the server given prefix and suffix apart?"""

    async def close(self) -> None:
        await self._client.aclose()

    async def healthy(self) -> bool:
        """Does it list its models? Some gateways list none."""
        try:
            return any(one.name == self._served.name for one in await served_models(self._client, self._who))
        except NotServed as error:
            return error.status == httpx.codes.NOT_FOUND
        except InferenceError:
            return False

    async def describe(self, wanted_context_tokens: int) -> LoadedModel:
        """What it serves, and how prompts are made for it."""
        if self._by_ids:
            return loaded_model(await self._report(), self.url, wanted_context_tokens)
        name = self._served.name
        family = family_for(self._fim, name, has_endpoint=self._served.owner == "library")
        self._apart = family is ENDPOINT
        context = wanted_context_tokens or self._served.context_tokens or UNKNOWN_CONTEXT
        loaded = described(family, name, self.url, context)
        self._special = {} if self._apart else dict(loaded.template.specials)
        ids = loaded.template.ids
        ends = [self._special[ids[role]] for role in END_ROLES if ids.get(role) in self._special]
        self._stops = list(dict.fromkeys(ends))[:MOST_STOPS]
        if family is None:
            note = f"How {name} fills in the middle is unknown, so it only continues; remote.fim may say it."
            loaded = replace(loaded, notes=(*loaded.notes, note))
        return loaded

    async def encode_all(self, texts: Sequence[str]) -> list[list[int]]:
        """The ids of each text by itself; nothing in one is taken for a special token."""
        return await asyncio.gather(*map(self._encode, texts))

    async def _encode(self, text: str) -> list[int]:
        if not self._by_ids:
            return remote_estimate.encode(defused(text, self._special.values()))
        tokens = await self._tokenize(text)
        found = self._special.keys() & set(tokens)
        if not found:
            return tokens
        parts = plain_parts(text, [self._special[token] for token in found])
        return [token for part in parts for token in await self._tokenize(part)]

    async def encode_chat(self, messages: Sequence[Turn]) -> list[int] | None:
        """A conversation as ids: vLLM's own, else our own marks, which `complete` sends as messages."""
        if self._by_ids:
            told = [{"role": one.role, "content": one.content} for one in messages]
            body = {"model": self._served.name, "messages": told, "add_generation_prompt": True}
            try:
                return tokens_of(await ask(self._client, self._who, "POST", "/tokenize", body), self._who)
            except InferenceError:
                return None  # a base model without a template
        tokens: list[int] = []
        for one in messages:
            role = ROLES.index(one.role) if one.role in ROLES else 1
            tokens += [CHAT_MARK + role, *remote_estimate.encode(one.content)]
        return tokens

    async def complete(
        self, tokens: Sequence[int], max_new_tokens: int, refuse_end: bool = False, grammar: str = ""
    ) -> AsyncGenerator[dict[str, Any], None]:
        """The greedy continuation, in the form of llama-server's steps. Closing it makes the server stop.

        `refuse_end` and `grammar` are not heeded (`can_choose`).
        """
        del refuse_end, grammar
        if max_new_tokens < 1 and not self._by_ids:
            yield last_step("limit", {}, len(tokens), 0.0, 0.0)
            return
        path, body = self._request(tokens, max(1, max_new_tokens))
        began = time.perf_counter()
        first, why, usage = 0.0, "limit", dict[str, Any]()
        async with (
            asking(self._client, self._who, "POST", path, body) as response,
            aclosing(events(response, self._who)) as stream,
        ):
            async for event in stream:
                if "error" in event:
                    raise InferenceError(f"{self._who} answers: {told_error(event['error'])}")
                usage = event.get("usage") or usage
                text, finish = read_step(event)
                first = first or (time.perf_counter() - began) * 1000
                if (at := special_in(text, self._special.values())) >= 0:
                    text, finish = text[:at], "stop"
                if text:
                    yield {"content": text, "tokens": [0], "stop": False}
                if finish:
                    why = "limit" if finish == "length" else "eos"
                    if not self._by_ids:
                        break  # with what it cost vLLM sends one more
        took = (time.perf_counter() - began) * 1000
        yield last_step(why, usage, len(tokens), first, took - first)

    async def likeliest(self, tokens: Sequence[int], count: int) -> list[tuple[int, str, float]]:
        """Nobody says; so there is one candidate."""
        del tokens, count
        return []

    async def logprob(self, tokens: Sequence[int], following: int) -> float:
        """Not to be had."""
        del tokens, following
        raise InferenceError(f"{self._who} does not say how likely a text is; a llama-server does.")

    def _request(self, tokens: Sequence[int], max_new_tokens: int) -> tuple[str, dict[str, Any]]:
        body: dict[str, Any] = {
            "model": self._served.name,
            "max_tokens": max_new_tokens,
            "temperature": 0,
            "stream": True,
        }
        if self._by_ids:
            cost = {"stream_options": {"include_usage": True}}
            return "/v1/completions", {**body, **cost, "prompt": list(tokens)}
        if tokens and tokens[0] >= CHAT_MARK:
            return "/v1/chat/completions", {**body, "messages": messages_of(tokens)}
        if self._stops:
            body["stop"] = self._stops
        if not self._apart:
            return "/v1/completions", {**body, "prompt": remote_estimate.decode(tokens, self._special)}
        before, behind = remote_estimate.split_at(tokens, marks_of(ENDPOINT)["suf"])
        suffix = remote_estimate.decode(behind, {})
        prompt = remote_estimate.decode(before, {})
        return "/v1/completions", {**body, "prompt": prompt, **({"suffix": suffix} if suffix else {})}

    async def _report(self) -> dict[str, Any]:
        """What vLLM serves, in the form of the pipe's message `loaded`."""
        probed = texts_to_probe()
        found = zip(probed, await asyncio.gather(*map(self._tokenize, probed)), strict=True)
        known = {text: tokens[0] for text, tokens in found if len(tokens) == 1}
        starts = await self._tokenize("", special=True)
        bos = starts[0] if len(starts) == 1 else None
        self._special = {token: text for text, token in known.items()}
        name = self._served.name.rpartition("/")[2]
        context = self._served.context_tokens or UNKNOWN_CONTEXT
        return {
            "vocabulary_tokens": 0,
            "add_bos": bos is not None,
            "space_prefix": False,
            "roles": {} if bos is None else {"bos": bos},
            "known": known,
            "texts": [*self._special.items(), *([] if bos is None else [(bos, "<bos>")])],
            "name": name,
            "architecture": "",
            "prompt_form": "",
            "description": f"{name}, by vLLM",
            "parameters": 0,
            "trained_tokens": context,
            "context_tokens": context,
        }

    async def _tokenize(self, text: str, special: bool = False) -> list[int]:
        body = {"model": self._served.name, "prompt": text, "add_special_tokens": special}
        return tokens_of(await ask(self._client, self._who, "POST", "/tokenize", body), self._who)
