"""llama-server's HTTP interface, as far as we use it: its model, tokens of texts, streamed completions."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncGenerator, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import httpx

from bowerbird.inference import remote_client
from bowerbird.inference.chat import ChatEncoder, ChatError, Turn
from bowerbird.inference.families import texts_to_probe
from bowerbird.inference.generator import InferenceError, ServerUnreachable
from bowerbird.inference.loaded import LoadedModel, loaded_model
from bowerbird.inference.plain_text import SENTINEL, plain_parts, without_sentinel
from bowerbird.inference.remote_client import (
    SILENCE_SECONDS,
    ServerBusy,
    asking,
    events,
    open_client,
)

logger = logging.getLogger(__name__)

REQUESTS_AT_ONCE = (
    3  # a llama-server has as few as five threads, and an idle connection holds one for seconds
)
CHATML = "<|im_start|>"
FORCED = 1e5  # a bias that no other token outweighs


class LlamaHttp:
    """One running llama-server. Methods raise `ServerUnreachable`, and `InferenceError` where it refuses."""

    counts_here = False
    can_choose = True
    """It takes a token that is not the likeliest, refuses an end, and keeps to a grammar."""
    goes_on = True
    """It tells the tokens of what it writes."""

    def __init__(self, url: str, key: str = "", silence_s: float = SILENCE_SECONDS) -> None:
        """`silence_s`: how long it may say nothing."""
        self.url = url.rstrip("/")
        self.places = 1
        """Generations at once: as many as it has slots, if that leaves us a request beside them."""
        self._who = f"The llama-server at {self.url}"
        self._client = open_client(self.url, key, silence_s, REQUESTS_AT_ONCE)
        self._few = asyncio.Semaphore(REQUESTS_AT_ONCE)
        self._special: dict[int, str] = {}
        self._sentinel: list[int] = []
        self._bos: int | None = None
        """Begins every text."""
        self._chat: ChatEncoder | None = None

    async def close(self) -> None:
        await self._client.aclose()

    async def healthy(self) -> bool:
        """Has it loaded its model? False while it starts."""
        try:
            return (await self._client.get("/health")).status_code == httpx.codes.OK
        except httpx.TransportError:
            return False

    async def describe(self, wanted_context_tokens: int) -> LoadedModel:
        """What it serves, and how prompts are made for it."""
        return loaded_model(await self.report(), self.url, wanted_context_tokens)

    async def encode_chat(self, messages: Sequence[Turn]) -> list[int] | None:
        """See `Chat.encode_chat`."""
        if self._chat is None:
            self._chat = ChatEncoder(self._render_chat, self._encode_own, self.encode_all, self._bos)
        try:
            return await self._chat.encode(messages)
        except ChatError as error:
            logger.warning("%s has no chat template that can be used: %s.", self._who, error)
            return None

    async def report(self) -> dict[str, Any]:
        """What it serves, in the form of the pipe's message `loaded`."""
        props = await self.ask("GET", "/props")
        models = await self.ask("GET", "/v1/models")
        try:
            meta = models["data"][0].get("meta") or {}
            path = str(props.get("model_path") or models["data"][0]["id"])
            context_tokens = int(props["default_generation_settings"]["n_ctx"])
            self.places = max(1, min(int(props.get("total_slots") or 1), REQUESTS_AT_ONCE - 1))
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
        add_bos = len(bos) == 1 and starts["tokens"] == bos
        self._bos = bos[0] if add_bos else None
        space_prefix = await self._find_space_prefix()
        trained = int(meta.get("n_ctx_train") or 0)
        return {
            "vocabulary_tokens": int(meta.get("n_vocab") or 0),
            "add_bos": add_bos,
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

    async def encode_all(self, texts: Sequence[str]) -> list[list[int]]:
        """The same for several, in one request: an id that no text has stands between them."""
        mark = min(self._special, default=0)
        head = SENTINEL if self._sentinel else ""
        content = [part for text in texts for part in (head + text, mark)]
        body = {"content": content, "add_special": False, "parse_special": False}
        parts: list[list[int]] = [[]]
        for token in (await self.ask("POST", "/tokenize", body))["tokens"] if texts else ():
            if token == mark:
                parts.append([])
            else:
                parts[-1].append(token)
        if len(parts) != len(texts) + 1:  # a text has that id after all, or the server is another
            return [await self.encode(text) for text in texts]
        plain = [without_sentinel(part, self._sentinel) for part in parts[:-1]]
        return [
            tokens if self._special.keys().isdisjoint(tokens) else await self.encode(text)
            for text, tokens in zip(texts, plain, strict=True)
        ]

    async def _encode_own(self, texts: list[str]) -> list[list[int]]:
        return [await self._tokenize(text, special=True) for text in texts]

    async def _render_chat(self, messages: list[dict[str, str]]) -> str:
        """A conversation in the form of the model's template; raises `ChatError`.

        A server whose model has no template takes ChatML. It is no conversation to a model that does not have
        ChatML's tokens.
        """
        body = {"messages": messages, "chat_template_kwargs": {"enable_thinking": False}}
        try:
            rendered = str((await self.ask("POST", "/apply-template", body))["prompt"])
        except (InferenceError, KeyError, TypeError) as error:  # an older server, or a template that refuses
            raise ChatError(str(error)) from error
        if CHATML in rendered and len(await self._tokenize(CHATML, special=True)) != 1:
            raise ChatError("its model has none")
        return rendered

    async def complete(
        self, tokens: Sequence[int], max_new_tokens: int, refuse_end: bool, grammar: str = ""
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
            **({"grammar": grammar} if grammar else {}),
        }
        async with self._few:
            with self._complaints():
                async with asking(self._client, self._who, "POST", "/completion", body) as response:
                    async for step in events(response, self._who):
                        if "error" in step:
                            raise InferenceError(f"{self._who} answers: {step['error'].get('message')}")
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
        async with self._few:
            with self._complaints():
                return await remote_client.ask(self._client, self._who, method, path, body)

    @contextmanager
    def _complaints(self) -> Iterator[None]:
        """A llama-server answers with 500 what is the prompt's fault, too: no reason to leave it."""
        try:
            yield
        except ServerBusy as error:
            if error.status != httpx.codes.INTERNAL_SERVER_ERROR:
                raise
            raise InferenceError(str(error)) from error
