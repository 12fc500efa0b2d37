"""A llama-server's answers put together: one generation in as many requests as it takes."""

from __future__ import annotations

from typing import Any

from bowerbird.inference.generator import Prompt, Usage


class Writing:
    """One generation, in one request or several.

    A server refuses end tokens for a whole request or not at all. So a first request may end; if it
    ended before a visible character, a second refuses to end until there is one, and a third goes on.
    """

    def __init__(self, prompt: Prompt) -> None:
        self.tokens = list(prompt.tokens)
        self.left = prompt.max_new_tokens
        self.refuses_end = False
        self.stopped = ""
        self.turns = False
        """The next request is another one, or there is none."""
        self._prompt_tokens = len(prompt.tokens)
        self._received = 0
        """Tokens of the present request."""
        self._visible = not prompt.visible_first
        self._timings: list[dict[str, Any]] = []

    def begin(self, token: int, text: str) -> None:
        """`token`, whose text is `text`, is written without having been asked for."""
        self.tokens.append(token)
        self.left -= 1
        self._visible = self._visible or bool(text.strip())
        if not self.left:
            self.stopped = "length"

    def take(self, step: dict[str, Any]) -> str:
        """The text of one step of the stream."""
        if self.left == 0 and not step["stop"]:
            return ""  # a server that is asked for no token gives one
        text = str(step["content"])
        if not step["stop"]:
            self.tokens += step["tokens"]
            self.left -= len(step["tokens"])
            self._received += len(step["tokens"])
        elif step["stop_type"] == "eos" and step.get("tokens_predicted") == self._received > 0:
            self.tokens.pop()  # the end token, which came as a step of its own
            self.left += 1
        self._visible = self._visible or bool(text.strip())
        ended = step["stop"] and step["stop_type"] != "limit" and self.left > 0
        if ended and not self._visible and not self.refuses_end:
            self.turns = self.refuses_end = True
        elif self.refuses_end and self._visible and not step["stop"]:
            self.turns, self.refuses_end = True, False
        elif step["stop"]:
            self.turns, self.stopped = True, "end" if ended else "length"
        else:
            self.turns = False
        if self.turns:
            self._received = 0
            self._timings += [step["timings"]] if "timings" in step else []
        return text

    def usage(self) -> Usage:
        first = self._timings[0] if self._timings else {}
        return Usage(
            tokens_reused=int(first.get("cache_n", 0)),
            tokens_evaluated=int(first.get("prompt_n", 0)),
            tokens_generated=len(self.tokens) - self._prompt_tokens,
            evaluate_ms=sum(float(timings.get("prompt_ms", 0)) for timings in self._timings),
            generate_ms=sum(float(timings.get("predicted_ms", 0)) for timings in self._timings),
            stopped=self.stopped,
        )
