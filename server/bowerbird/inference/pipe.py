"""The pipe between the server and the model's process: length-prefixed JSON, never pickle.

A frame is four bytes, the length of what follows as a big-endian number, and then that many bytes of
UTF-8 JSON: one object. Its ``type`` says what it is; its ``id`` ties answers to a request.

To the process:

========  ===================================================================  ====================
type      fields beside ``id``                                                 answered by
========  ===================================================================  ====================
load      path, threads, gpu_layers, context_tokens (0: the model's, at most   progress..., loaded
          4,096), micro_batch_tokens, probe (texts that may be special
          tokens), vocabulary_only, draft_tokens (may be absent), embeddings
          (may be absent; true: the model gives vectors and writes nothing)
encode    texts, own (may be absent; true: texts by the model's makers,        encoded
          whose special tokens are meant)
generate  tokens, max_new_tokens (0: only evaluate), visible_first,            progress..., token...,
          first_choice (may be absent: 0), grammar (may be absent: ""),        done
          written (tokens that the text has already; may be absent), slot
          (whose cache it takes; may be absent: 0), priority (a
          `turns.Priority`; for the broker)
score     tokens, continuation (text)                                          progress..., scored
embed     texts                                                                progress..., embedded
cancel    none; ``id`` is the request that is to stop                          that request's last one
ping      none                                                                 pong
quit      none                                                                 the process ends
========  ===================================================================  ====================

From the process:

========  =====================================================================================
type      fields beside ``id``
========  =====================================================================================
loaded    what `vocabulary.Vocabulary.report` and `decoder.Decoder.report` say of the model, or what
          `pooled.Pooled.report` says of one that gives vectors
encoded   tokens: a list of ids for each text
token     text: may be empty while a character is incomplete; count: tokens that it is
done      tokens_reused, tokens_evaluated, tokens_generated, evaluate_ms, generate_ms,
          stopped (as `generator.Usage` has it, or ``cancelled``), tokens_drafted,
          tokens_accepted, grammar, written (all tokens of the text)
scored    logprobs: a natural logarithm for each token of the continuation
embedded  vectors: as `pooled.Pooled.embed` has them
progress  nothing more: the work goes on; sent for each micro-batch of a prompt and while loading
failed    kind (a key of `llama_calls.FAILURES`, or ``cancelled``), message (a sentence), log (lines, by the
          broker only); ends the request
ended     how (as `process.ProcessEnded` says it), by_itself, log (lines): by the broker, whose model died
pong      nothing more
========  =====================================================================================

`load`, `generate`, `score` and `embed` are answered one after the other in the order in which they came.
`encode` is answered beside them, `cancel` and `ping` at once, also in the middle of a decode. The end of its
input ends the process at once.

A broker (`broker.py`) speaks the same with each of its clients, and answers `state` with clients (how many
others there are), path (the model's), model_pid and requests (all that are open: type, priority, running).
The most urgent client goes first, equally urgent ones go by turns; `quit` ends the connection only. A
``done`` that is ``cancelled`` without a `cancel` means that somebody more urgent waits, and that the client
may ask again with what was written.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from typing import Any

MAX_FRAME_BYTES = 64 * 2**20  # no message of ours comes near; more means that the pipe carries something else
HEADER_BYTES = 4

Message = dict[str, Any]


class PipeError(Exception):
    """What came through the pipe is no message, or a message is too long for it."""


def pack(message: Message) -> bytes:
    """The frame of `message`."""
    body = json.dumps(message, separators=(",", ":")).encode()
    if len(body) > MAX_FRAME_BYTES:
        raise PipeError(f"A message of {len(body):,} bytes is too long for the model's process.")
    return len(body).to_bytes(HEADER_BYTES, "big") + body


def body_bytes(header: bytes) -> int:
    """How many bytes follow `header`."""
    length = int.from_bytes(header, "big")
    if length > MAX_FRAME_BYTES:
        raise PipeError(f"A frame announced {length:,} bytes.")
    return length


def unpack(body: bytes) -> Message:
    """The message in the body of a frame."""
    try:
        message = json.loads(body)
    except (ValueError, RecursionError) as error:
        raise PipeError("A frame held no JSON.") from error
    if not isinstance(message, dict) or not isinstance(message.get("type"), str):
        raise PipeError("A frame held no message.")
    return message


def receive(read: Callable[[int], bytes]) -> Message | None:
    """The next message from a blocking `read(size)`, which gives less only at the end; None at the end."""
    header = read(HEADER_BYTES)
    if not header:
        return None
    if len(header) < HEADER_BYTES:
        raise PipeError("The pipe ended within a frame.")
    length = body_bytes(header)
    body = read(length)
    if len(body) < length:
        raise PipeError("The pipe ended within a frame.")
    return unpack(body)


async def receive_async(stream: asyncio.StreamReader) -> Message | None:
    """The next message; None at the end."""
    try:
        header = await stream.readexactly(HEADER_BYTES)
        body = await stream.readexactly(body_bytes(header))
    except asyncio.IncompleteReadError as error:
        if error.expected == HEADER_BYTES and not error.partial:
            return None
        raise PipeError("The pipe ended within a frame.") from error
    return unpack(body)
