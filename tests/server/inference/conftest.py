"""Real models for the tests of inference: the built-in one, real vocabularies, and some with tokens added."""

from __future__ import annotations

import importlib.util
import struct
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import aclosing
from pathlib import Path
from typing import Any

import pytest

from bowerbird.inference.engine import Engine
from bowerbird.inference.families import texts_to_probe
from bowerbird.inference.generator import Prompt, Usage
from bowerbird.inference.llama import LlamaEngine
from bowerbird.inference.models import built_in_model
from bowerbird.inference.pipe import Message
from bowerbird.settings import InferenceSettings

CODE = '''"""A shop."""

from dataclasses import dataclass


@dataclass
class Item:
    name: str
    price: int
    currency: str = "EUR"


class Cart:
    def __init__(self, items: list[Item]) -> None:
        self.items = items

    def total(self) -> int:
        return sum(item.price for item in self.items)

    def names(self) -> list[str]:
        return [item.name for item in self.items]

'''


@pytest.fixture(scope="session", autouse=True)
def llama_cpp() -> None:
    """Nothing here works without llama-cpp-python."""
    if importlib.util.find_spec("llama_cpp") is None:
        pytest.skip("needs llama-cpp-python: make test")


@pytest.fixture
def model() -> Path:
    """The built-in model."""
    return built_in_model()


@pytest.fixture
async def engine(model: Path) -> AsyncIterator[LlamaEngine]:
    """An engine on the built-in model, not yet started."""
    engine = LlamaEngine(model, InferenceSettings())
    yield engine
    await engine.close()


@pytest.fixture
def code() -> str:
    """Some Python, 150 tokens or so."""
    return CODE


@pytest.fixture
def prompt_of() -> Callable[..., Awaitable[Prompt]]:
    """`await prompt_of(engine, prefix, ...)`: a whole prompt of the model's own form."""

    async def build(
        engine: Engine,
        prefix: str,
        suffix: str = "",
        snippets: Sequence[tuple[str, str]] = (),
        max_new_tokens: int = 24,
    ) -> Prompt:
        template = (await engine.load()).template
        windows = [template.snippet(name, text, "#") for name, text in snippets]
        pieces = template.prompt("shop", windows, "shop/cart.py", prefix, suffix)
        encoded = iter(await engine.encode([piece for piece in pieces if isinstance(piece, str)]))
        tokens: list[int] = []
        for piece in pieces:
            tokens += next(encoded) if isinstance(piece, str) else [piece]
        return Prompt(tuple(tokens), "", max_new_tokens)

    return build


@pytest.fixture
def written() -> Callable[[Engine, Prompt], Awaitable[tuple[str, Usage]]]:
    """`await written(engine, prompt)`: all that the model writes, and what it cost."""

    async def write(engine: Engine, prompt: Prompt) -> tuple[str, Usage]:
        text = ""
        usage = None
        async with aclosing(engine.generate(prompt)) as stream:
            async for token in stream:
                assert usage is None, "something came after the last token"
                text += token.text
                usage = token.usage
        assert usage is not None
        return text, usage

    return write


@pytest.fixture
def load_message() -> Callable[..., Message]:
    """`load_message(path, **fields)`: the message `load` with one thread."""

    def build(path: Path, **fields: Any) -> Message:
        return {
            "type": "load",
            "path": str(path),
            "threads": 1,
            "gpu_layers": 0,
            "context_tokens": 0,
            "micro_batch_tokens": 64,
            "probe": texts_to_probe(),
            "vocabulary_only": False,
            **fields,
        }

    return build


@pytest.fixture
def with_tokens(tmp_path: Path) -> Callable[[Path, Mapping[str, int]], Path]:
    """`with_tokens(vocabulary, {text: type})`: a copy of a vocabulary-only GGUF with tokens at its end."""

    def build(vocabulary: Path, added: Mapping[str, int]) -> Path:
        copy = tmp_path / f"{vocabulary.stem}-with-{len(added)}.gguf"
        copy.write_bytes(_add_tokens(vocabulary.read_bytes(), added))
        return copy

    return build


def _add_tokens(data: bytes, added: Mapping[str, int]) -> bytes:
    """Append to the three arrays that describe tokens; all else is copied."""
    endings = {
        b"tokenizer.ggml.tokens": b"".join(_string(text.encode()) for text in added),
        b"tokenizer.ggml.token_type": b"".join(struct.pack("<i", kind) for kind in added.values()),
        b"tokenizer.ggml.scores": struct.pack("<f", 0.0) * len(added),
    }
    (count,) = struct.unpack_from("<Q", data, 16)
    place = 24
    made = bytearray(data[:24])
    for _ in range(count):
        start = place
        (length,) = struct.unpack_from("<Q", data, place)
        key = data[place + 8 : place + 8 + length]
        (kind,) = struct.unpack_from("<I", data, place + 8 + length)
        value = place + 12 + length
        place = _end_of_value(data, value, kind)
        if key in endings:
            (elements,) = struct.unpack_from("<Q", data, value + 4)
            made += data[start : value + 4] + struct.pack("<Q", elements + len(added))
            made += data[value + 12 : place] + endings[key]
        elif key.endswith(b".vocab_size"):
            (size,) = struct.unpack_from("<I", data, value)
            made += data[start:value] + struct.pack("<I", size + len(added))
        else:
            made += data[start:place]
    return bytes(made) + bytes(-len(made) % 32)


def _string(text: bytes) -> bytes:
    return struct.pack("<Q", len(text)) + text


def _end_of_value(data: bytes, place: int, kind: int) -> int:
    sizes = {0: 1, 1: 1, 2: 2, 3: 2, 4: 4, 5: 4, 6: 4, 7: 1, 10: 8, 11: 8, 12: 8}
    if kind in sizes:
        return place + sizes[kind]
    if kind == 8:
        return place + 8 + int(struct.unpack_from("<Q", data, place)[0])
    element, count = struct.unpack_from("<IQ", data, place)
    place += 12
    if element in sizes:
        return place + sizes[element] * int(count)
    for _ in range(count):
        place = _end_of_value(data, place, element)
    return place


_VOCABULARIES: dict[Path, Any] = {}


@pytest.fixture
def vocabulary_of(load_message: Callable[..., Message]) -> Callable[[Path], Any]:
    """`vocabulary_of(path)`: the vocabulary in a GGUF, loaded into the test's own process, once a path."""

    def load(path: Path) -> Any:
        from bowerbird.inference.context import AbortFlag
        from bowerbird.inference.decoder import Decoder

        if path not in _VOCABULARIES:
            message = load_message(path, vocabulary_only=True)
            _VOCABULARIES[path] = Decoder(message, AbortFlag(), lambda: None).vocabulary
        return _VOCABULARIES[path]

    return load
