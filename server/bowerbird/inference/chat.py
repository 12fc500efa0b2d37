"""A conversation as a model was trained on it, by its GGUF's own chat template.

The template is rendered with a place for each message, once for each order of roles; messages are put into
the places afterwards. So the template's special tokens are special and those in a message are text, whatever
a comment or a retrieved file says; and a template sees nothing that it could leak or choke on.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import re
import sys
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

LONGEST_TEMPLATE = 200_000  # characters; the longest known have 20,000
RENDER_SECONDS = 20.0
PLACE = re.compile("(\\s*)\ue0b0([0-9]+)\ue0b1(\\s*)")
AROUND = "\n "  # stands around a place, so that a template shows whether it strips messages

RENDER_COMMAND = (sys.executable, "-P", "-m", "bowerbird.inference.chat_template")


class ChatError(Exception):
    """A template cannot be rendered; `str()` says why."""


class Turn(Protocol):
    """What somebody says in a conversation."""

    @property
    def role(self) -> str:
        """``system``, ``user`` or ``assistant``."""
        ...

    @property
    def content(self) -> str: ...


@dataclass(frozen=True, slots=True)
class Said:
    """A `Turn` of our own making."""

    role: str
    content: str


@dataclass(frozen=True, slots=True)
class ChatTemplate:
    """What a GGUF says of conversations."""

    text: str
    """Jinja; ``tokenizer.chat_template`` of its metadata."""
    bos: str
    """The text of the token that begins a text, "" if there is none."""
    eos: str


@dataclass(frozen=True, slots=True)
class Place:
    """Where a message goes."""

    turn: int
    lead: str
    """Blanks that stand before it; with them it is cut into tokens as in training."""
    strips_start: bool
    strips_end: bool

    def text(self, content: str) -> str:
        """`content` as the template would have it."""
        content = content.lstrip() if self.strips_start else content
        return self.lead + (content.rstrip() if self.strips_end else content)


Layout = tuple[str | Place, ...]
"""A rendered conversation: the template's own texts, and the places between them."""
Render = Callable[[list[dict[str, str]]], Awaitable[str]]
"""Messages to the template's text; raises `ChatError`."""


def layout_of(rendered: str, turns: int) -> Layout:
    """The places in a rendered text; raises `ChatError` where a message would be lost."""
    parts: list[str | Place] = []
    end = 0
    for match in PLACE.finditer(rendered):
        before, turn, after = match.groups()
        strips_start, strips_end = not before.endswith(AROUND), not after.startswith(AROUND[::-1])
        text = rendered[end : match.start()] + (before if strips_start else before[: -len(AROUND)])
        own = text.rstrip(" ")
        parts += [own] * bool(own)
        parts.append(Place(int(turn), text[len(own) :], strips_start, strips_end))
        end = match.start(3) + (0 if strips_end else len(AROUND))
    parts += [rendered[end:]] * bool(rendered[end:])
    if {part.turn for part in parts if isinstance(part, Place)} != {*range(turns)}:
        raise ChatError("it leaves messages out")
    return tuple(parts)


async def lay_out(roles: Sequence[str], render: Render) -> Layout:
    """Where messages of these roles go; raises `ChatError`."""
    messages = [
        {"role": role, "content": f"{AROUND}\ue0b0{turn}\ue0b1{AROUND[::-1]}"}
        for turn, role in enumerate(roles)
    ]
    return layout_of(await render(messages), len(roles))


class ChatEncoder:
    """Conversations to tokens, for one model."""

    def __init__(
        self,
        render: Render,
        encode_own: Callable[[list[str]], Awaitable[list[list[int]]]],
        encode: Callable[[list[str]], Awaitable[list[list[int]]]],
        bos: int | None,
    ) -> None:
        """`encode_own` cuts the template's texts into tokens, special ones too; `bos` begins every text."""
        self._render = render
        self._encode_own = encode_own
        self._encode = encode
        self._bos = bos
        self._layouts: dict[tuple[str, ...], list[list[int] | Place] | ChatError] = {}

    async def encode(self, turns: Sequence[Turn]) -> list[int]:
        """The tokens up to where the answer begins; raises `ChatError`.

        Where no system message is allowed, the next one says it too.
        """
        turns = [turn for turn in turns if turn.content.strip()]
        try:
            parts = await self._parts(turns)
        except ChatError:
            if len(turns) < 2 or turns[0].role != "system":
                raise
            first, second, *others = turns
            turns = [Said(second.role, f"{first.content}\n\n{second.content}"), *others]
            parts = await self._parts(turns)
        texts = [part.text(turns[part.turn].content) for part in parts if isinstance(part, Place)]
        encoded = iter(await self._encode(texts))
        tokens = [token for part in parts for token in (next(encoded) if isinstance(part, Place) else part)]
        if self._bos is not None and tokens[:1] != [self._bos]:
            tokens.insert(0, self._bos)
        return tokens

    async def _parts(self, turns: Sequence[Turn]) -> list[list[int] | Place]:
        roles = tuple(turn.role for turn in turns)
        known = self._layouts.get(roles)
        if known is None:
            try:
                layout = await lay_out(roles, self._render)
            except ChatError as error:
                self._layouts[roles] = error
                raise
            own = iter(await self._encode_own([part for part in layout if isinstance(part, str)]))
            known = self._layouts[roles] = [part if isinstance(part, Place) else next(own) for part in layout]
        if isinstance(known, ChatError):
            raise known
        return known


def rendering(template: ChatTemplate, command: Sequence[str] = RENDER_COMMAND) -> Render:
    """Renders `template` in a process of its own, which is killed if it takes long."""

    async def render(messages: list[dict[str, str]]) -> str:
        asked = {"template": template.text, "bos": template.bos, "eos": template.eos, "messages": messages}
        try:
            process = await asyncio.create_subprocess_exec(
                *command,
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.DEVNULL,
            )
        except OSError as error:
            raise ChatError(f"no process can be started: {error.strerror}") from error
        try:
            async with asyncio.timeout(RENDER_SECONDS):
                output, _ = await process.communicate(json.dumps(asked).encode())
            told = json.loads(output)
        except TimeoutError as error:
            raise ChatError(f"it took longer than {RENDER_SECONDS:g} seconds") from error
        except ValueError as error:
            raise ChatError("its process ended early, as it used too much memory or time") from error
        finally:
            if process.returncode is None:
                with contextlib.suppress(ProcessLookupError):
                    process.kill()
                await process.wait()
        if "text" not in told:
            raise ChatError(str(told.get("error")))
        return str(told["text"])

    return render
