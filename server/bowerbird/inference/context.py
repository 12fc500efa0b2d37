"""llama.cpp's context of one sequence: tokens in, logits out, with a KV cache that is cut and never spoilt.

Runs in the model's process only.
"""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Callable, Sequence
from typing import Any

import llama_cpp.llama_cpp as llama
import numpy as np
import numpy.typing as npt

ABORTED = 2  # llama_decode's answer when the abort callback said so
SEQUENCE = 0
MOST_BYTES_ASIDE = 512 << 20  # of all together; what has no room is made anew where it is needed again


class DecoderError(Exception):
    """Something that the user should know; `kind` is a key of `llama_calls.FAILURES`."""

    def __init__(self, kind: str, message: str) -> None:
        super().__init__(message)
        self.kind = kind


class Aborted(Exception):  # noqa: N818 - no error: somebody asked for it
    """The abort flag was set."""

    kind = "cancelled"


class AbortFlag:
    """A flag that another thread sets and that llama.cpp looks at between two operations of its graph.

    llama.cpp calls C's `strlen` on it: 1 when set, 0 when not. A callback into Python at each operation
    costs 7 % of a small model's time, and waits for the interpreter's lock.
    """

    def __init__(self) -> None:
        self._bytes = ctypes.create_string_buffer(2)
        library = ctypes.cdll.msvcrt if sys.platform == "win32" else ctypes.CDLL(None)
        self.callback = ctypes.cast(library.strlen, llama.ggml_abort_callback)
        self.address = ctypes.addressof(self._bytes)

    def set(self, value: bool = True) -> None:
        self._bytes[0] = bytes([value])

    def __bool__(self) -> bool:
        return self._bytes[0] != b"\0"


class Context:
    """The tokens that llama.cpp has read, and what it thinks of the next one."""

    def __init__(
        self,
        model: Any,
        context_tokens: int,
        micro_batch_tokens: int,
        threads: int,
        abort: AbortFlag,
        on_processor: bool = True,
    ) -> None:
        """Raises `DecoderError` where memory is short. `on_processor`: no GPU has a part in it."""
        self.abort = abort
        self.held: list[int] = []
        """The tokens in the KV cache."""
        self._slot = 0
        self._aside: dict[int, tuple[list[int], Any]] = {}
        """Caches of other slots, the one of longest ago first: their tokens and llama.cpp's state."""
        self.step = max(1, micro_batch_tokens)
        """Tokens evaluated at once at most."""
        self.size = context_tokens
        self.goes_back = not (llama.llama_model_is_recurrent(model) or llama.llama_model_is_hybrid(model))
        """Can single tokens be forgotten? A recurrent net's state cannot go back."""
        self._row = ctypes.c_float * llama.llama_vocab_n_tokens(llama.llama_model_get_vocab(model))
        params = llama.llama_context_default_params()
        params.n_ctx = context_tokens
        params.n_batch = params.n_ubatch = self.step
        params.n_seq_max = 1
        params.n_threads = params.n_threads_batch = threads
        if on_processor:
            # There it takes twice the time for a token, and does not read several tokens faster than one.
            params.flash_attn_type = llama.LLAMA_FLASH_ATTN_TYPE_DISABLED
        params.no_perf = True
        params.abort_callback = abort.callback
        params.abort_callback_data = abort.address
        self._context = llama.llama_init_from_model(model, params)
        if not self._context:
            raise DecoderError(
                "memory",
                f"There is not enough memory for a context of {context_tokens:,} tokens; "
                "a smaller inference.contextTokens may help.",
            )
        self._memory = llama.llama_get_memory(self._context)
        self._batch = llama.llama_batch_init(self.step, 0, 1)
        for place in range(self.step):
            self._batch.n_seq_id[place] = 1
            self._batch.seq_id[place][0] = SEQUENCE

    def reuse(self, tokens: Sequence[int]) -> int:
        """Cut the cache to its longest common prefix with `tokens` but the last; how many tokens that is."""
        common = 0
        for held, token in zip(self.held, tokens[:-1], strict=False):
            if held != token:
                break
            common += 1
        if common < len(self.held):
            self.cut(common)
        return len(self.held)

    def switch(self, slot: int) -> None:
        """Go on with another cache; this one is set aside for the next who comes back to it."""
        if slot == self._slot:
            return
        found = self._aside.pop(slot, None)
        if self.held and (state := self._save()) is not None:
            self._aside[self._slot] = (self.held.copy(), state)
        self.clear()
        self._slot = slot
        if found is None:
            return
        tokens, state = found
        if llama.llama_state_seq_set_data(self._context, state, len(state), SEQUENCE):
            self.held += tokens
        else:
            self.clear()

    def _save(self) -> Any:
        """The cache as bytes; None where they are too many. Those of longest ago make room for it."""
        size = llama.llama_state_seq_get_size(self._context, SEQUENCE)
        if not 0 < size <= MOST_BYTES_ASIDE:
            return None
        while self._aside and size + sum(len(state) for _, state in self._aside.values()) > MOST_BYTES_ASIDE:
            del self._aside[next(iter(self._aside))]
        try:
            state = (ctypes.c_uint8 * size)()
        except MemoryError:
            return None
        written = llama.llama_state_seq_get_data(self._context, state, size, SEQUENCE)
        return state if written == size else None

    def extend(self, tokens: Sequence[int], progress: Callable[[int], None]) -> None:
        """Evaluate `tokens` behind what the cache holds; `progress` learns each micro-batch's length."""
        for start in range(0, len(tokens), self.step):
            step = tokens[start : start + self.step]
            self.decode(step)
            progress(len(step))

    def decode(self, tokens: Sequence[int], all_logits: bool = False) -> None:
        """Evaluate one micro-batch. An abort leaves the cache as it was before, or empty.

        Raises `Aborted`, `DecoderError`.
        """
        if self.abort:
            raise Aborted  # a GPU's work cannot be interrupted, so look between micro-batches too
        batch = self._batch
        batch.n_tokens = len(tokens)
        for place, token in enumerate(tokens):
            batch.token[place] = token
            batch.pos[place] = len(self.held) + place
            batch.logits[place] = all_logits or place == len(tokens) - 1
        code = llama.llama_decode(self._context, batch)
        if code == 0:
            self.held += tokens
        elif code == ABORTED:
            self.cut(len(self.held))
            raise Aborted
        else:
            self.clear()
            raise DecoderError("decode", f"llama.cpp could not evaluate {len(tokens)} tokens (code {code}).")

    def logits(self, place: int) -> npt.NDArray[np.float32]:
        """Of one token of the last micro-batch, -1 for its last; valid until the next."""
        pointer = llama.llama_get_logits_ith(self._context, place)
        if not pointer:
            raise DecoderError("decode", "This model predicts no tokens; it may be made for embeddings.")
        row = self._row.from_address(ctypes.addressof(pointer.contents))
        return np.frombuffer(row, dtype=np.float32)  # `as_array` takes five times as long

    def cut(self, length: int) -> bool:
        """Forget all but the first `length` tokens; or all, where a state cannot go back: then False."""
        if llama.llama_memory_seq_rm(self._memory, SEQUENCE, length, -1):
            del self.held[length:]
            return True
        self.clear()
        return False

    def clear(self) -> None:
        """Forget everything."""
        llama.llama_memory_clear(self._memory, True)
        self.held.clear()
