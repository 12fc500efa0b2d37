"""A model and what it is asked: greedy generation and likelihoods.

Runs in the model's process only. llama.cpp is used by its C functions; `llama_cpp.Llama` is not, as its
``suffix=`` has no FIM ids (0.3.36) and it cannot stop within a prompt.
"""

from __future__ import annotations

import ctypes
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import llama_cpp.llama_cpp as llama
import numpy as np

from bowerbird.inference.context import Aborted, AbortFlag, Context, DecoderError
from bowerbird.inference.greedy import Outcome, Terms, write
from bowerbird.inference.lookup import Lookup
from bowerbird.inference.pipe import Message
from bowerbird.inference.vocabulary import Vocabulary

DEFAULT_CONTEXT_TOKENS = 4096
DEFAULT_DRAFT_TOKENS = 12
LONGEST_TEXT = 1_000_000  # bytes of a text in the metadata; the longest chat templates have 20,000
FEW = 1_100  # of the likeliest tokens; seldom is one asked for that comes later

Progress = Callable[[], None]
"""Called now and then, so that others see that the work goes on."""


class Decoder:
    """A loaded model."""

    def __init__(self, load: Message, abort: AbortFlag, progress: Progress) -> None:
        """Load as the message `load` of `pipe.py` asks; raises `DecoderError`."""
        self._model = load_model(load, progress)
        self.vocabulary = Vocabulary(llama.llama_model_get_vocab(self._model), load["probe"])
        self.context: Context | None = None
        if not load["vocabulary_only"]:
            trained = llama.llama_model_n_ctx_train(self._model)
            wanted = load["context_tokens"] or DEFAULT_CONTEXT_TOKENS
            self.context = Context(
                self._model,
                min(wanted, trained) if trained > 0 else wanted,
                load["micro_batch_tokens"],
                load["threads"],
                abort,
                on_processor=load["gpu_layers"] == 0 or not llama.llama_supports_gpu_offload(),
            )
        self.draft_tokens: int = load.get("draft_tokens", DEFAULT_DRAFT_TOKENS)
        """Looked up in the prompt and read at once at most; 0 writes token after token."""

    def report(self) -> dict[str, Any]:
        """What the server needs to know of the model, as JSON."""
        return {
            **self.vocabulary.report(),
            "name": self._metadata("general.name"),
            "architecture": self._metadata("general.architecture"),
            "prompt_form": self._metadata("bowerbird.prompt_form"),
            "chat_template": self._metadata("tokenizer.chat_template"),
            "description": _read_text(lambda text, size: llama.llama_model_desc(self._model, text, size)),
            "parameters": llama.llama_model_n_params(self._model),
            "trained_tokens": llama.llama_model_n_ctx_train(self._model),
            "context_tokens": self.context.size if self.context else 0,
        }

    def generate(
        self,
        tokens: Sequence[int],
        terms: Terms,
        emit: Callable[[str], None],
        progress: Progress,
        slot: int = 0,
    ) -> Outcome:
        """Continue `tokens` greedily, giving each token's text to `emit`; raises `DecoderError`.

        With a grammar what is written is the beginning of one of its texts, and a whole one where it ends.

        Each `slot` has its own cache. After an abort `Outcome.stopped` is ``cancelled``. A cache that was
        filled in other steps than a fresh one, or a draft read at once, may change the last bits of the
        logits, and with them the choice between two tokens that are equally likely.
        """
        tokens = [*tokens, *terms.written]
        context = self._ready(tokens, terms.max_new_tokens - len(terms.written))
        context.switch(slot)
        grammar = self.vocabulary.grammar(terms.grammar) if terms.grammar else None
        outcome = Outcome(tokens_reused=context.reuse(tokens), grammar="kept" if grammar else "")

        def evaluated(count: int) -> None:
            outcome.tokens_evaluated += count
            progress()

        try:
            began = time.perf_counter()
            try:
                context.extend(tokens[outcome.tokens_reused :], evaluated)
            finally:
                outcome.evaluate_ms = (time.perf_counter() - began) * 1000
            began = time.perf_counter()
            try:
                reader = _Reader(context, self.vocabulary, self.draft_tokens)
                lookup = Lookup(tokens) if reader.most_drafted and terms.max_new_tokens else None
                write(reader, terms, emit, outcome, lookup, grammar)
            finally:
                outcome.generate_ms = (time.perf_counter() - began) * 1000
        except Aborted:
            outcome.stopped = "cancelled"
        finally:
            if grammar is not None:
                grammar.close()
        return outcome

    def score(self, tokens: Sequence[int], continuation: str, progress: Progress) -> list[float]:
        """Natural log-probability of each token of `continuation` behind `tokens`.

        Raises `DecoderError`, `Aborted`.
        """
        following = self.vocabulary.encode(continuation)
        context = self._ready(tokens, len(following))
        if not following:
            return []
        context.extend(tokens[context.reuse(tokens) : -1], lambda _count: progress())
        inputs = [tokens[-1], *following[:-1]]
        logprobs: list[float] = []
        for start in range(0, len(inputs), context.step):
            step = inputs[start : start + context.step]
            context.decode(step, all_logits=True)
            for place in range(len(step)):
                logits = context.logits(place).astype(np.float64)
                peak = logits.max()
                total = peak + np.log(np.exp(logits - peak).sum())
                logprobs.append(float(logits[following[start + place]] - total))
            progress()
        return logprobs

    def _ready(self, tokens: Sequence[int], more: int) -> Context:
        """The context, if `tokens` are sound and `more` fit behind them."""
        if self.context is None:
            raise DecoderError("prompt", "Only the vocabulary of this model is loaded.")
        if not tokens:
            raise DecoderError("prompt", "The prompt is empty.")
        if len(tokens) + more > self.context.size:
            raise DecoderError(
                "prompt",
                f"The prompt has {len(tokens):,} tokens and {more:,} are to follow, "
                f"but the model's context holds {self.context.size:,}.",
            )
        if min(tokens) < 0 or max(tokens) >= self.vocabulary.size:
            raise DecoderError("prompt", "The prompt holds a token that the model does not have.")
        return self.context

    def _metadata(self, key: str) -> str:
        return _read_text(
            lambda text, size: llama.llama_model_meta_val_str(self._model, key.encode(), text, size)
        )


class _Reader:
    """A context as `greedy.Reader`."""

    def __init__(self, context: Context, vocabulary: Vocabulary, draft_tokens: int) -> None:
        self._context = context
        self.most_drafted = min(draft_tokens, context.step - 1) if context.goes_back else 0
        self._ends = vocabulary.ends
        self.bytes_of = vocabulary.bytes_of

    def read(self, tokens: Sequence[int]) -> None:
        self._context.decode(tokens, all_logits=True)

    def forget(self, count: int) -> None:
        kept = self._context.held[:-count]
        if not self._context.cut(len(kept)):  # we did not know that this model cannot
            self._context.goes_back = False
            self.most_drafted = 0
            self._context.extend(kept, lambda _count: None)

    def best(self, place: int, may_end: bool) -> int:
        logits = self._context.logits(place)
        return int((logits if may_end else np.where(self._ends, -np.inf, logits)).argmax())

    def likeliest(self, place: int) -> Iterator[tuple[int, float]]:
        logits = self._context.logits(place).copy()
        few = np.argpartition(-logits, min(FEW, len(logits) - 1))[:FEW]
        first = few[(-logits[few]).argsort(kind="stable")].tolist()
        yield from ((token, float(logits[token])) for token in first)
        logits[few] = -np.inf
        for token in (-logits).argsort(kind="stable")[: len(logits) - len(few)].tolist():
            yield token, float(logits[token])

    def ends(self, token: int) -> bool:
        return bool(self._ends[token])

    def check(self) -> None:
        if self._context.abort:
            raise Aborted


def safe_with_extra_buffers(system_info: str) -> bool:
    """May llama.cpp keep weights in the layouts that some processors' own instructions want?

    Not where it was compiled for AMX: GCC's `_tile_loadconfig` tells the optimizer of the first 8 of the 64
    bytes that it reads, so the rest may never be written, and the first decode ends the process (GCC 12,
    llama.cpp of 2026). Without those layouts AVX-512 does the work.
    """
    return "AMX_INT8 = 1" not in system_info


def load_model(load: Message, progress: Progress) -> Any:
    """llama.cpp's model, as the message `load` asks; raises `DecoderError`."""
    llama.llama_log_set(llama.llama_log_callback(), ctypes.c_void_p())  # to stderr, from any thread
    llama.llama_backend_init()

    def go_on(_share: float, _data: Any) -> bool:
        progress()
        return True

    params = llama.llama_model_default_params()
    params.n_gpu_layers = load["gpu_layers"]
    params.vocab_only = load["vocabulary_only"]
    params.use_extra_bufts = safe_with_extra_buffers(llama.llama_print_system_info().decode())
    callback = llama.llama_progress_callback(go_on)  # must live as long as the call
    params.progress_callback = callback
    model = llama.llama_model_load_from_file(load["path"].encode("utf-8", "surrogateescape"), params)
    if not model:
        raise DecoderError("corrupt", "llama.cpp cannot load this file.")
    return model


def _read_text(read: Callable[[Any, int], int]) -> str:
    """What a C function writes into a buffer; "" if it says that there is nothing, or more than is sound."""
    size = 512
    while size <= LONGEST_TEXT:
        buffer = ctypes.create_string_buffer(size)
        length = read(buffer, size)
        if length < size:
            return buffer.value.decode("utf-8", "replace") if length >= 0 else ""
        size = length + 1
    return ""
