"""A model that gives vectors: texts in, one pooled vector of unit length each out.

Runs in the model's process only. How a text's tokens become one vector is the model's metadata's to say.
"""

from __future__ import annotations

import base64
import ctypes
import os
import sys
from collections.abc import Callable, Sequence
from typing import Any

import llama_cpp.llama_cpp as llama
import numpy as np
import numpy.typing as npt

from bowerbird.inference.context import Aborted, AbortFlag, DecoderError
from bowerbird.inference.decoder import Progress, load_model
from bowerbird.inference.pipe import Message

MOST_TOKENS = 512  # of a text; a window of 20 lines has about 250
NICENESS = 5  # beside that of all models: vectors can wait
SEQUENCE = 0


class Pooled:
    """A loaded embedding model."""

    def __init__(self, load: Message, abort: AbortFlag, progress: Progress) -> None:
        """Load as the message `load` of `pipe.py` asks; raises `DecoderError`."""
        _give_way()
        self._abort = abort
        self._model = load_model(load, progress)
        self._vocab = llama.llama_model_get_vocab(self._model)
        trained = llama.llama_model_n_ctx_train(self._model)
        self.tokens = min(MOST_TOKENS, trained) if trained > 0 else MOST_TOKENS
        """What is behind so many is not read."""
        self._context = self._open(load["threads"], llama.LLAMA_POOLING_TYPE_UNSPECIFIED)
        self.pools = llama.llama_pooling_type(self._context) != llama.LLAMA_POOLING_TYPE_NONE
        """Its metadata say how a vector is made of a text's tokens; else it was made to write."""
        if not self.pools:
            llama.llama_free(self._context)
            self._context = self._open(load["threads"], llama.LLAMA_POOLING_TYPE_MEAN)
        if llama.llama_pooling_type(self._context) == llama.LLAMA_POOLING_TYPE_RANK:
            raise DecoderError("corrupt", "This model ranks pairs of texts and gives no vectors.")
        self.size = int(llama.llama_model_n_embd_out(self._model))
        """Numbers in a vector."""
        self._row: Any = ctypes.c_float * self.size
        self._memory = llama.llama_get_memory(self._context)
        self._batch = llama.llama_batch_init(self.tokens, 0, 1)

    def report(self) -> Message:
        """What the server needs to know of the model."""
        return {"size": self.size, "tokens": self.tokens, "pools": self.pools}

    def embed(self, texts: Sequence[str], progress: Callable[[], None]) -> str:
        """The vectors as base64 of little-endian 32-bit floats, one after the other.

        A text without tokens has zeros. Raises `DecoderError`, `Aborted`.
        """
        vectors = np.zeros((len(texts), self.size), dtype="<f4")
        for row, text in enumerate(texts):
            if self._abort:
                raise Aborted
            if tokens := self._encode(text):
                vectors[row] = self._vector(tokens)
            progress()
        return base64.b64encode(vectors.tobytes()).decode("ascii")

    def _open(self, threads: int, pooling: int) -> Any:
        params = llama.llama_context_default_params()
        params.n_ctx = params.n_batch = params.n_ubatch = self.tokens  # such models read a text at once
        params.n_seq_max = 1
        params.n_threads = params.n_threads_batch = threads
        params.embeddings = True
        params.pooling_type = pooling
        params.no_perf = True
        context = llama.llama_init_from_model(self._model, params)
        if not context:
            raise DecoderError("memory", "There is not enough memory for the embedding model.")
        return context

    def _encode(self, text: str) -> list[int]:
        """With the tokens that the model wants around a text; too long a one loses its end."""
        data = text.encode("utf-8", "replace")
        capacity = len(data) + 4
        while True:
            buffer = (llama.llama_token * capacity)()
            count = llama.llama_tokenize(self._vocab, data, len(data), buffer, capacity, True, False)
            if count >= 0:
                break
            capacity = -count
        tokens = list(buffer[:count])
        return tokens if count <= self.tokens else [*tokens[: self.tokens - 1], tokens[-1]]

    def _vector(self, tokens: Sequence[int]) -> npt.NDArray[np.float32]:
        batch = self._batch
        batch.n_tokens = len(tokens)
        for place, token in enumerate(tokens):
            batch.token[place] = token
            batch.pos[place] = place
            batch.n_seq_id[place] = 1
            batch.seq_id[place][0] = SEQUENCE
            batch.logits[place] = True
        if self._memory:
            llama.llama_memory_clear(self._memory, True)
        code = llama.llama_decode(self._context, batch)
        pointer = llama.llama_get_embeddings_seq(self._context, SEQUENCE) if code == 0 else None
        if not pointer:
            raise DecoderError("decode", f"llama.cpp gave no vector for {len(tokens)} tokens (code {code}).")
        row = self._row.from_address(ctypes.addressof(pointer.contents))
        vector: npt.NDArray[np.float32] = np.frombuffer(row, dtype=np.float32).copy()
        length = float(np.linalg.norm(vector))
        if not np.isfinite(length) or length == 0:
            raise DecoderError("decode", "The embedding model gave no numbers.")
        vector /= length
        return vector


def _give_way() -> None:
    if sys.platform != "win32":
        os.nice(NICENESS)
