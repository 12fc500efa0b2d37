"""Prompts of each family, held against real vocabularies."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

import parts
from bowerbird.inference.families import FAMILIES
from bowerbird.inference.fim import FimTemplate, Pieces, Tokens, choose_template, shown
from bowerbird.inference.loaded import tokens_of

VocabularyOf = Callable[[Path], Any]
WithTokens = Callable[[Path, Mapping[str, int]], Path]

CONTROL, USER_DEFINED = 3, 4  # token types in a GGUF

BARRED = ("<|fim_prefix|>", "<|fim_suffix|>", "<|fim_middle|>")
PLAIN = ("<fim_prefix>", "<fim_suffix>", "<fim_middle>")

# Family: vocabulary, tokens that its models have beyond it, a model's name, and the prompt as it was trained.
CASES: dict[str, tuple[str, tuple[str, ...], str, str]] = {
    "Qwen2.5-Coder": (
        "qwen2",
        (*BARRED, "<|fim_pad|>", "<|repo_name|>", "<|file_sep|>"),
        "Qwen2.5 Coder 1.5B",
        "<|repo_name|>shop\n<|file_sep|>a.py\nx = 1\n<|file_sep|>b.py\n"
        "<|fim_prefix|>def f(<|fim_suffix|>)\n<|fim_middle|>",
    ),
    "Nestling": (
        "qwen2",
        (*BARRED, "<|fim_pad|>", "<|repo_name|>", "<|file_sep|>"),
        "nestling-2",
        "<|repo_name|>shop\n<|file_sep|>a.py\nx = 1\n<|file_sep|>b.py\n"
        "<|fim_prefix|><|fim_suffix|>)\n<|fim_middle|>def f(",
    ),
    "StarCoder2": (
        "starcoder",
        (),
        "starcoder2-3b",
        "<repo_name>shop<file_sep>a.py\nx = 1\n<file_sep><fim_prefix>b.py\ndef f(<fim_suffix>)\n<fim_middle>",
    ),
    "StarCoder": (
        "refact",  # the same tokenizer
        (),
        "starcoder-1b gpt_bigcode",
        "<fim_prefix># a.py\n# x = 1\ndef f(<fim_suffix>)\n<fim_middle>",
    ),
    "Refact": (
        "refact",
        (),
        "Refact 1.6B fim",
        "<fim_prefix># a.py\n# x = 1\ndef f(<fim_suffix>)\n<fim_middle>",
    ),
    "Granite": (
        "refact",
        (),
        "granite-3b-code-base",
        "<fim_prefix># a.py\n# x = 1\ndef f(<fim_suffix>)\n<fim_middle>",
    ),
    "Granite 4": (
        "llama-bpe",
        (*BARRED, "<|fim_pad|>", "<|filename|>", "<|reponame|>"),
        "granite-4.0-micro",
        "<|begin_of_text|><|fim_prefix|># a.py\n# x = 1\ndef f(<|fim_suffix|>)\n<|fim_middle|>",
    ),
    "DeepSeek-Coder": (
        "deepseek-coder",
        (),
        "deepseek-coder-1.3b-base",
        "<｜begin▁of▁sentence｜><｜fim▁begin｜># a.py\n# x = 1\ndef f(<｜fim▁hole｜>)\n<｜fim▁end｜>",
    ),
    "CodeLlama": (
        "llama-spm",
        ("▁<PRE>", "▁<SUF>", "▁<MID>", "▁<EOT>"),
        "codellama-7b",
        "<s>▁<PRE> # a.py\n# x = 1\ndef f(▁<SUF>)\n▁<MID>",
    ),
    "Codestral": (
        "llama-spm",
        ("[PREFIX]", "[SUFFIX]", "[MIDDLE]"),
        "Codestral-22B-v0.1",
        "<s>[SUFFIX])\n[PREFIX] # a.py\n# x = 1\ndef f(",
    ),
    "CodeGemma": (
        "command-r",
        (*BARRED, "<|file_separator|>"),
        "codegemma-2b",
        "<BOS_TOKEN>a.py\nx = 1\n<|file_separator|>b.py\n<|fim_prefix|>def f(<|fim_suffix|>)\n<|fim_middle|>",
    ),
    "continuing": (
        "llama-bpe",
        (),
        "Llama 3 8B",
        "<|begin_of_text|># a.py\n# x = 1\ndef f(",
    ),
}


def prompt(template: FimTemplate) -> Pieces:
    snippet = template.snippet("a.py", "x = 1", "#")
    return template.prompt("shop", [snippet], "b.py", "def f(", ")\n")


@pytest.mark.parametrize(
    ("family", "kind"),
    # Qwen's tokens are declared as text, which files converted from its models keep.
    [*((family, CONTROL) for family in CASES), ("Qwen2.5-Coder", USER_DEFINED)],
)
def test_a_family_is_prompted_as_it_was_trained(
    family: str, kind: int, vocabulary_of: VocabularyOf, with_tokens: WithTokens
) -> None:
    """A real vocabulary leads to its family's row, and each special token to one id of that vocabulary."""
    vocabulary_name, added, name, expected = CASES[family]
    path = parts.require_vocabulary(vocabulary_name)
    if added:
        path = with_tokens(path, dict.fromkeys(added, kind))
    vocabulary = vocabulary_of(path)

    template, notes = choose_template(tokens_of(vocabulary.report()), name)

    assert (template.family.name, notes) == (family, ())
    assert shown(prompt(template), template) == expected
    assert template.fills == (family != "continuing")
    for role, token in template.ids.items():
        assert template.specials[token] in template.family.roles[role]
        assert vocabulary._tokenize(template.specials[token], special=True) == [token]


def test_every_row_has_a_case() -> None:
    """No family is in the table without its prompt being checked here."""
    assert {family.name for family in FAMILIES} | {"continuing"} == set(CASES)


@pytest.mark.parametrize("family", ["CodeLlama", "Codestral", "continuing"])
def test_sentence_piece_prompts_have_the_tokens_of_training(
    family: str, vocabulary_of: VocabularyOf, with_tokens: WithTokens
) -> None:
    """The prefix is encoded as SentencePiece does it, with a space before it, and the suffix without."""
    _, added, name, _ = CASES[family]
    path = parts.require_vocabulary("llama-spm")
    vocabulary = vocabulary_of(
        with_tokens(path, dict.fromkeys(added, CONTROL)) if family != "continuing" else path
    )
    template, _ = choose_template(tokens_of(vocabulary.report()), name)

    pieces = template.prompt("shop", [], "b.py", "def f(", ")\n")

    tokens = [vocabulary.encode(p) if isinstance(p, str) else [p] for p in pieces]
    by_sentence_piece = vocabulary._tokenize("def f(", special=False)
    assert by_sentence_piece in tokens
    if template.fills:
        assert vocabulary.encode(")\n") in tokens
        assert vocabulary._tokenize(")\n", special=False) not in tokens


def test_the_built_in_models_prompt_token_by_token(vocabulary_of: VocabularyOf, model: Path) -> None:
    """Piece by piece the built-in model gets the tokens that its training saw in one text."""
    vocabulary = vocabulary_of(model)
    template, notes = choose_template(tokens_of(vocabulary.report()), "", "1 suffix-first")
    assert (template.family.name, notes) == ("Nestling", ())
    snippets = [
        template.snippet(name, text, "#") for name, text in (("a/b.py", "x = 1\n\n\ny = 2"), ("c.py", ""))
    ]
    prefix, suffix = "def f(x):\n    return x", "\n\n    # end\n"

    pieces = template.prompt("my shop", snippets, "lib/d.py", prefix, suffix)

    tokens = [t for p in pieces for t in (vocabulary.encode(p) if isinstance(p, str) else [p])]
    trained = (
        "<|repo_name|>my shop\n"
        "<|file_sep|>a/b.py\nx = 1\n\n\ny = 2\n<|file_sep|>c.py\n\n<|file_sep|>lib/d.py\n"
        f"<|fim_prefix|><|fim_suffix|>{suffix}<|fim_middle|>{prefix}"
    )
    assert tokens == vocabulary._tokenize(trained, special=True)
    assert shown(pieces, template) == trained
    marks = {token: text for text, token in vocabulary.known.items()}
    assert [marks[t] for t in tokens if t in marks] == [
        *("<|repo_name|>", "<|file_sep|>", "<|file_sep|>", "<|file_sep|>"),
        *("<|fim_prefix|>", "<|fim_suffix|>", "<|fim_middle|>"),
    ]


def tokens(**fields: Any) -> Tokens:
    return Tokens(**{"roles": {}, "known": {}, "texts": {}, **fields})


def test_ids_of_the_metadata_count_first() -> None:
    """Where metadata and vocabulary name different tokens, the metadata's is used and a note says so."""
    known = {"<fim_prefix>": 1, "<fim_suffix>": 3, "<fim_middle>": 2}
    template, notes = choose_template(tokens(known=known, roles={"pre": 9, "suf": 3}), "granite")
    assert template.ids == {"pre": 9, "suf": 3, "mid": 2}
    assert len(notes) == 1
    assert "9" in notes[0]


@pytest.mark.parametrize(
    ("roles", "family"),
    [
        ({"pre": 4, "suf": 5, "mid": 6}, "fill-in-the-middle"),
        ({"pre": 4, "suf": 5, "mid": 6, "rep": 7, "sep": 8}, "fill-in-the-middle with files"),
        ({"pre": 4, "suf": 5}, "continuing"),
        ({}, "continuing"),
    ],
)
def test_metadata_alone_is_enough(roles: dict[str, int], family: str) -> None:
    """A model whose FIM tokens have unknown texts is prompted in the general form."""
    template, _ = choose_template(tokens(roles=roles), "unheard-of")
    assert template.family.name == family


def test_an_unknown_prompt_form_is_reported() -> None:
    """A model that asks for a form from the future is used as its tokens suggest, and a note says so."""
    known = {text: number for number, text in enumerate((*BARRED, "<|repo_name|>", "<|file_sep|>"))}
    template, notes = choose_template(tokens(known=known), "nestling-9", "7 sideways")
    assert template.family.name == "Nestling"
    assert "7 sideways" in notes[0]


def test_parts_make_the_whole() -> None:
    """Where snippets stand before the file, a prompt is header, snippets and file one after the other."""
    known = {text: number for number, text in enumerate((*PLAIN, "<repo_name>", "<file_sep>"))}
    template, _ = choose_template(tokens(known=known, roles={"bos": 77}, add_bos=True), "starcoder2")
    snippet = template.snippet("a.py", "x = {1}", "#")
    whole = template.prompt("shop", [snippet, snippet], "b.py", "{", "}")
    assert whole == (*template.header("shop"), *snippet, *snippet, *template.file("b.py", "{", "}"))
    assert whole[0] == 77


@pytest.mark.parametrize(
    ("comment", "text"), [("#", "if x:\n\n    y()"), ("//", ""), ("--", "{braces} % \\n")]
)
def test_comments_hold_every_line(comment: str, text: str) -> None:
    """A snippet as comments (RepoCoder, figure 3) has its name and each of its lines behind the marker."""
    template, _ = choose_template(tokens(), "")
    lines = "".join(str(piece) for piece in template.snippet("a.py", text, comment)).split("\n")
    assert lines == [f"{comment} a.py", *(f"{comment} {line}".rstrip() for line in text.split("\n")), ""]


def test_an_empty_suffix_and_an_empty_prefix_leave_the_marks() -> None:
    """Nothing before or behind the cursor is still a place between the marks."""
    known = {text: number for number, text in enumerate((*BARRED, "<|repo_name|>", "<|file_sep|>"))}
    template, _ = choose_template(tokens(known=known), "nestling")
    assert template.file("b.py", "", "") == (4, "b.py\n", 0, 1, 2)
