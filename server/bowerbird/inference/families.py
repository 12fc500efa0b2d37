"""How each model family was trained to fill in the middle: a row for each.

Sources are the families' papers and model cards, and the tokenizers of those whose authors published code
for it (Code Llama, mistral-common).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

Form = tuple[str, ...]
"""A part of a prompt: ``<role>`` stands for the special token of that role, all else is text with fields."""

COMMENTS: Form = ("{commented}",)  # the way of RepoCoder's figure 3
PREFIX_FIRST: Form = ("<pre>", "{prefix}", "<suf>", "{suffix}", "<mid>")


@dataclass(frozen=True, slots=True)
class Family:
    """A model family and the prompt that it was trained on."""

    name: str
    roles: Mapping[str, tuple[str, ...]]
    """For each role the text of its special token and other spellings. A vocabulary must have all roles."""
    file: Form = PREFIX_FIRST
    """The file being written, up to where the model goes on."""
    header: Form = ()
    """What stands before the snippets."""
    snippet: Form = COMMENTS
    """A snippet. Comments become part of the code before the cursor, other forms stand before the file."""
    hints: tuple[str, ...] = ()
    """Words in a model's name or architecture that decide between rows with the same tokens."""
    prompt_form: str = ""
    """The value of ``bowerbird.prompt_form`` in a model's metadata that asks for this row."""
    guessed: bool = True
    """Taken by its tokens alone. Off for a row that shares them all with another."""


def _fim(pre: str, suf: str, mid: str) -> dict[str, tuple[str, ...]]:
    return {"pre": (pre,), "suf": (suf,), "mid": (mid,)}


_BARRED = _fim("<|fim_prefix|>", "<|fim_suffix|>", "<|fim_middle|>")
_PLAIN = _fim("<fim_prefix>", "<fim_suffix>", "<fim_middle>")
_REPOSITORY = {"rep": ("<|repo_name|>",), "sep": ("<|file_sep|>",)}

FAMILIES: tuple[Family, ...] = (
    Family(
        # The suffix stands first: a small model copies better when its answer follows the prefix directly.
        "Nestling",
        {**_BARRED, **_REPOSITORY},
        header=("<rep>", "{name}\n"),
        snippet=("<sep>", "{name}\n{text}\n"),
        file=("<sep>", "{name}\n", "<pre>", "<suf>", "{suffix}", "<mid>", "{prefix}"),
        hints=("nestling",),
        prompt_form="1 suffix-first",
        guessed=False,
    ),
    Family(
        "Qwen2.5-Coder",
        {**_BARRED, **_REPOSITORY},
        header=("<rep>", "{name}\n"),
        snippet=("<sep>", "{name}\n{text}\n"),
        file=("<sep>", "{name}\n", *PREFIX_FIRST),
        hints=("qwen",),
        prompt_form="1",
    ),
    Family(
        # Its file names stand within the prefix, and no line break follows the repository's name.
        "StarCoder2",
        {**_PLAIN, "rep": ("<repo_name>",), "sep": ("<file_sep>",)},
        header=("<rep>", "{name}"),
        snippet=("<sep>", "{name}\n{text}\n"),
        file=("<sep>", "<pre>", "{name}\n{prefix}", "<suf>", "{suffix}", "<mid>"),
    ),
    Family(
        # The separator ends a file here, and the name stands before the FIM tokens.
        "CodeGemma",
        {**_BARRED, "sep": ("<|file_separator|>",)},
        snippet=("{name}\n{text}\n", "<sep>"),
        file=("{name}\n", *PREFIX_FIRST),
    ),
    Family("Granite 4", {**_BARRED, "rep": ("<|reponame|>",)}),
    Family("StarCoder", {**_PLAIN, "rep": ("<reponame>",)}, hints=("starcoder", "gpt_bigcode")),
    Family("Granite", _PLAIN, hints=("granite",)),
    Family("Refact", _PLAIN, hints=("refact",)),
    Family("DeepSeek-Coder", _fim("<｜fim▁begin｜>", "<｜fim▁hole｜>", "<｜fim▁end｜>")),
    Family(
        # Trained on SentencePiece's text of a prefix, which begins with a space; the suffix has none.
        "CodeLlama",
        {"pre": ("▁<PRE>", "<PRE>"), "suf": ("▁<SUF>", "<SUF>"), "mid": ("▁<MID>", "<MID>")},
        file=("<pre>", "{lead}{prefix}", "<suf>", "{suffix}", "<mid>"),
    ),
    Family(
        "Codestral",
        {"pre": ("[PREFIX]",), "suf": ("[SUFFIX]",)},
        file=("<suf>", "{suffix}", "<pre>", "{lead}{prefix}"),
    ),
)
"""In the order in which they are tried."""

REPOSITORY_FAMILY = replace(FAMILIES[1], name="fill-in-the-middle with files", hints=(), prompt_form="")
FIM_FAMILY = Family("fill-in-the-middle", _BARRED)
"""For models whose metadata names the tokens and whose texts nobody knows."""
CONTINUING = Family("continuing", {}, file=("{lead}{prefix}",))
"""Models without FIM: the code before the cursor goes on, the suffix is left out."""

OTHER_ENDS = (
    "<|EOT|>",
    "▁<EOT>",
    "<EOT>",
    "<|endoftext|>",
    "<|fim_pad|>",
    "<fim_pad>",
    "<filename>",
    "<|filename|>",
)
"""Tokens that end a file in one family or another, and that a vocabulary may declare as ordinary text."""


def texts_to_probe() -> list[str]:
    """All texts that may be special tokens; the model's process says which are."""
    spellings = (text for family in FAMILIES for texts in family.roles.values() for text in texts)
    return list(dict.fromkeys([*spellings, *OTHER_ENDS]))
