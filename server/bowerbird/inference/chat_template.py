"""The process that renders a model's chat template: a Jinja program from the net, kept small and short.

Started as ``python -P -m bowerbird.inference.chat_template`` for one rendering. It reads a JSON object from
its input and writes one: ``{"text": ...}`` or ``{"error": ...}``. Jinja's sandbox keeps templates away from
Python's insides; the limits below end one that never ends or grows, and deny files and other processes to one
that gets out. What is rendered holds places for messages, never the messages.
"""

from __future__ import annotations

import contextlib
import json
import sys
from datetime import datetime
from typing import Any

MEMORY_BYTES = 1 << 30  # of address space
CPU_SECONDS = 2
MAX_CHARACTERS = 200_000


def render(template: str, messages: list[dict[str, str]], bos: str, eos: str) -> str:
    """The conversation up to where the answer begins, as `transformers` has it; raises what Jinja raises."""
    from jinja2 import TemplateError, nodes
    from jinja2.ext import Extension
    from jinja2.parser import Parser
    from jinja2.sandbox import ImmutableSandboxedEnvironment

    class Generation(Extension):
        """``{% generation %}`` marks what is learned from, and renders as it stands."""

        tags = {"generation"}  # noqa: RUF012 - Jinja's own type

        def parse(self, parser: Parser) -> list[nodes.Node]:
            next(parser.stream)
            return parser.parse_statements(("name:endgeneration",), drop_needle=True)

    def refuse(message: str) -> None:
        raise TemplateError(message)

    def as_json(value: Any, **options: Any) -> str:
        return json.dumps(value, **{"ensure_ascii": False, **options})

    environment = ImmutableSandboxedEnvironment(
        trim_blocks=True, lstrip_blocks=True, extensions=["jinja2.ext.loopcontrols", Generation]
    )
    environment.filters["tojson"] = as_json
    environment.globals["raise_exception"] = refuse
    environment.globals["strftime_now"] = lambda form: datetime.now().strftime(form)
    return environment.from_string(template).render(
        messages=messages,
        bos_token=bos,
        eos_token=eos,
        add_generation_prompt=True,
        enable_thinking=False,
        tools=None,
        documents=None,
    )


def limit() -> None:
    """Give up memory, time, files and processes, where the system lets us."""
    with contextlib.suppress(ImportError):
        import resource

        for kind, most in (
            (resource.RLIMIT_AS, MEMORY_BYTES),
            (resource.RLIMIT_CPU, CPU_SECONDS),
            (resource.RLIMIT_FSIZE, 0),
            (resource.RLIMIT_CORE, 0),
            (resource.RLIMIT_NPROC, 0),
            (resource.RLIMIT_NOFILE, 3),
        ):
            with contextlib.suppress(ValueError, OSError):
                resource.setrlimit(kind, (most, most))


def main() -> None:
    """Render once."""
    asked = json.load(sys.stdin)
    with contextlib.suppress(Exception):  # so that Jinja has all it may need before files are denied
        render("{{ strftime_now('%d') }}{{ raise_exception(bos_token | tojson) }}", [], "", "")
    limit()
    try:
        text = render(asked["template"], asked["messages"], asked["bos"], asked["eos"])
        told = {"text": text} if len(text) <= MAX_CHARACTERS else {"error": "its text is too long"}
    except ModuleNotFoundError as error:  # llama-cpp-python was installed without our extra `llama`
        told = {"error": f"{error.name} is missing: pip install {error.name}"}
    except Exception as error:
        told = {"error": f"{type(error).__name__}: {error}"[:500]}
    sys.stdout.write(json.dumps(told))


if __name__ == "__main__":
    main()
