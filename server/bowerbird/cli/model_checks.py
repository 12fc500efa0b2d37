"""What `bowerbird doctor` says of models: of those that complete and generate, and of the one for vectors."""

from __future__ import annotations

import time
from pathlib import Path

from bowerbird import journal
from bowerbird.cli.finding import INSTALL_BOWERBIRD, INSTALL_LLAMA, Finding, State
from bowerbird.cli.history import last_traces
from bowerbird.inference.choice import Purpose
from bowerbird.inference.embedding import EmbeddingEngine
from bowerbird.inference.engine import choose_engine, find_llama_server, has_llama_cpp
from bowerbird.inference.generator import InferenceError
from bowerbird.inference.loaded import LoadedModel
from bowerbird.inference.models import (
    ModelFile,
    built_in_model,
    find_model,
    is_server,
    model_folder,
    named_model,
)
from bowerbird.settings import CompletionSettings, InferenceSettings
from bowerbird.synthesis.capability import was_capable

LARGEST_ID = 2**31  # above are marks of our own, which stand for a server's tokens
NAME_EMBEDDING_MODEL = "name a GGUF file of an embedding model in completion.embeddingModel, or none"
SAMPLE_LINE = "    total = sum(article.price * count for article, count in self.lines)\n"
TRACES = 50  # so many completions back it is looked what editors said of vectors

CAPABILITY = {
    True: "large enough for queries and test inputs",
    False: "too small for queries and test inputs, which are made by rule",
    None: "what it can do is tried out when it first generates",
}
"""By what was found out."""


async def check_model(model: str) -> list[Finding]:
    """Load it, and say how it wants its prompts."""
    model = named_model(model)
    file = None if is_server(model) else find_model(model)
    engine = choose_engine(model, InferenceSettings())
    try:
        loaded = await engine.load()
    except InferenceError as error:
        return [Finding("model", State.MISSING, str(error), _model_remedy(file))]
    finally:
        await engine.close()
    tokens = ", ".join(
        f"{role} {token}" if token < LARGEST_ID else role for role, token in loaded.template.ids.items()
    )
    origin = f"{file.origin.value if file else 'server'}, {loaded.path}"
    context = f"{loaded.context_tokens:,} tokens of context"
    return [
        Finding("model", State.OK, f"{loaded.name}: {loaded.description}, {context} ({origin})"),
        Finding(
            "prompt form",
            State.OK if loaded.template.fills else State.WARNING,
            f"{loaded.template.family.name}; "
            + (tokens or "no tokens to fill in the middle: it continues the prefix"),
        ),
        *(Finding("model", State.WARNING, note) for note in loaded.notes),
        _generation(model, loaded),
    ]


def _generation(completing: str, loaded: LoadedModel) -> Finding:
    """What is known of the model that generates; one that is not `loaded` already is not loaded for that."""
    name = named_model("", Purpose.GENERATION)
    if name not in ("", completing):
        return Finding("generation", State.OK, f"{name}, which is loaded when it is first asked")
    chat = "asked by its chat template" if loaded.chat else "without a chat template: it continues examples"
    return Finding("generation", State.OK, f"{loaded.name}, {chat}; {CAPABILITY[was_capable(loaded)]}")


def _model_remedy(file: ModelFile | None) -> str:
    """A broken built-in model comes with Bowerbird; any other, and a server, is the user's own."""
    if file is None:
        return "start that server, or leave --model out to use the built-in model"
    if not has_llama_cpp() and find_llama_server("") is None:
        return INSTALL_LLAMA
    if file.path == built_in_model():
        return INSTALL_BOWERBIRD
    return f"put a GGUF file into {model_folder()}, or leave --model out to use the built-in one"


async def check_embedding(file: Path | None) -> list[Finding]:
    """Load the model for vectors, if one is named, and try it on a window."""
    if file is None:
        detail = "none is named (completion.embeddingModel), so windows are found by their words"
        return [Finding("embedding model", State.OK, detail), *_vectors()]
    engine = EmbeddingEngine(file, InferenceSettings())
    try:
        loaded = await engine.load()
        began = time.perf_counter()
        await engine.embed([SAMPLE_LINE * CompletionSettings().window_lines])
        window_ms = 1000 * (time.perf_counter() - began)
    except InferenceError as error:
        return [Finding("embedding model", State.WARNING, str(error), NAME_EMBEDDING_MODEL), *_vectors()]
    finally:
        await engine.close()
    detail = (
        f"{file.name}: {loaded.size:,} numbers a vector, at most {loaded.tokens:,} tokens of a window read, "
        f"{window_ms:.0f} ms a window ({file})"
    )
    findings = [Finding("embedding model", State.OK, detail), *_vectors()]
    if not loaded.pools:
        problem = f"{file.name} is not made for vectors: it is a model that writes, and finds windows badly."
        findings.insert(1, Finding("embedding model", State.WARNING, problem, NAME_EMBEDDING_MODEL))
    return findings


def _vectors() -> list[Finding]:
    """What the last editor with an embedding model said of its windows."""
    told = (trace.vectors for trace in last_traces(journal.state_folder(), TRACES) if trace.vectors)
    said = next(told, "")
    return [Finding("vectors", State.OK, f"at an editor's last completion: {said}")] if said else []
