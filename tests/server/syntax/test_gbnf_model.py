"""llama.cpp reads our grammars as we do, and what a real model writes under them is understood."""

from __future__ import annotations

import importlib.util
from contextlib import aclosing
from typing import Any

import pytest

from bowerbird.inference.generator import Prompt
from bowerbird.inference.llama import LlamaEngine
from bowerbird.inference.loading import load_message
from bowerbird.inference.models import built_in_model
from bowerbird.knowledge.packs.pack import Pack
from bowerbird.knowledge.packs.store import load_pack, shipped_folder
from bowerbird.settings import InferenceSettings
from bowerbird.syntax.gbnf.constraint import PLACES, grammar_for
from bowerbird.syntax.gbnf.following import accepts, close
from bowerbird.syntax.parser import parse
from bowerbird.syntax.soundness import is_sound
from parts import require_vocabulary

BEGINNINGS = ("", "let", "# sum of a list\nx = ", "actor Main\n", "[1, 2", "See the numbers", "Table.", '"')
"""Of prompts: what is written under a grammar hardly has to do with them."""


@pytest.fixture(scope="module", autouse=True)
def llama_cpp() -> None:
    """Nothing here works without llama-cpp-python."""
    if importlib.util.find_spec("llama_cpp") is None:
        pytest.skip("needs llama-cpp-python: make test")


def vocabulary_of(path: object) -> Any:
    """The tokens of a GGUF."""
    from bowerbird.inference.context import AbortFlag
    from bowerbird.inference.decoder import Decoder

    message = {**load_message(path, InferenceSettings()), "vocabulary_only": True}  # type: ignore[arg-type]
    return Decoder(message, AbortFlag(), lambda: None).vocabulary


def takes(vocabulary: Any, gbnf: str, text: str) -> bool:
    """Does llama.cpp let a model write `text` in its usual tokens, and end there?"""
    grammar = vocabulary.grammar(gbnf)
    try:
        for token in vocabulary.encode(text):
            if grammar.first([token]) is None:
                return False
            grammar.take(token)
        return bool(grammar.may_end())
    finally:
        grammar.close()


@pytest.mark.parametrize("model", ["built-in", "qwen2"])
@pytest.mark.parametrize("language", PLACES)
def test_llama_cpp_reads_the_grammars_as_we_do(language: str, model: str) -> None:
    """Each example of the documentation is a text of the grammar to both, or to neither."""
    vocabulary = vocabulary_of(built_in_model() if model == "built-in" else require_vocabulary(model))
    pack = load_pack(shipped_folder() / language)
    assert isinstance(pack, Pack)
    grammar = grammar_for(language)
    examples = [one.code.strip("\n") for one in pack.examples][::20]
    ours = [accepts(grammar, code) for code in examples]
    assert [takes(vocabulary, grammar, code) for code in examples] == ours
    assert any(ours)


@pytest.mark.parametrize(
    ("language", "place"), [(language, place) for language, places in PLACES.items() for place in places]
)
def test_llama_cpp_understands_every_place(language: str, place: str) -> None:
    """With what may follow the code, too."""
    vocabulary = vocabulary_of(built_in_model())
    vocabulary.grammar(grammar_for(language, place, ("\n```", '\n\n["\\requirement]'))).close()


@pytest.mark.parametrize("language", PLACES)
async def test_what_a_small_model_writes_is_sound(language: str) -> None:
    """It knows none of these languages; cut off and closed, all that it writes is understood."""
    engine = LlamaEngine(built_in_model(), InferenceSettings(threads=1))
    grammar = grammar_for(language)
    try:
        for tokens in await engine.encode([f"{language}\n{one}" for one in BEGINNINGS]):
            text = ""
            async with aclosing(engine.generate(Prompt(tuple(tokens), "", 40, grammar=grammar))) as stream:
                async for token in stream:
                    text += token.text
            text += close(grammar, text)
            tree = parse(text, language)
            assert tree is not None
            assert is_sound(tree), text
    finally:
        await engine.close()
