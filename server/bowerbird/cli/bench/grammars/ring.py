"""Ring: programs by anyone, and Ring's compiler as the judge."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

from bowerbird.cli.bench.grammars.sample import Contest, Judge, Mutation, Sample
from bowerbird.cli.errors import InputNotFound
from bowerbird.syntax.parser import LARGEST_BYTES

TIMEOUT_S = 10

_LOAD = re.compile(r"^([ \t]*)load[ \t]+((?:package|again)[ \t]+)?(\"[^\"\n]*\"|'[^'\n]*')", re.I | re.M)
"""The compiler opens what is loaded, which does not lie where it looks; and it is no part of the sample."""


def _samples(folder: Path) -> Iterator[Sample]:
    for path in sorted(folder.rglob("*.ring")):
        text = path.read_bytes().decode("utf-8-sig", "replace")
        if len(text.encode()) <= LARGEST_BYTES:
            yield Sample(str(path.relative_to(folder)), text.replace("\r\n", "\n"))


def _judge(folder: Path) -> Judge:
    """The compiler, where `folder` holds it."""
    command = folder.resolve() / "ring"
    if not command.is_file():
        raise InputNotFound(f"{folder} holds no judge: the command ring, from Ring's bin folder")
    return partial(_ask, command)


def _ask(command: Path, texts: Sequence[str]) -> list[str | None]:
    """Compile each text, and run none."""
    with TemporaryDirectory() as folder:
        return [_complaint(command, Path(folder) / "sample.ring", text) for text in texts]


def _complaint(command: Path, file: Path, text: str) -> str | None:
    file.write_text(_LOAD.sub(r"\1", text), "utf-8", newline="")
    try:
        done = subprocess.run(
            [command, file.name, "-norun"],
            cwd=file.parent,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            timeout=TIMEOUT_S,
        )
    except subprocess.TimeoutExpired:
        return "timeout"
    told = done.stdout.decode("utf-8", "replace").strip()
    return told or "refused" if done.returncode or "Error (" in told else None


def _join(texts: Sequence[str]) -> str:
    """Programs in a row, as many as may be parsed at once."""
    joined, room = [], LARGEST_BYTES
    for text in texts:
        room -= len(text.encode()) + 1
        if room >= 0:
            joined.append(text)
    return "\n".join(joined)


def _changes_language(mutation: Mutation, _complaint: str) -> bool:
    return re.search(r"\b(ChangeRing|LoadSyntax|\w+HashComments)", mutation.text, re.I) is not None


def _repeats_name(_mutation: Mutation, complaint: str) -> bool:
    return re.search(r"redefin|like sub class|duplicat", complaint, re.I) is not None


def _leaves_word_over(mutation: Mutation, complaint: str) -> bool:
    return not complaint and any(_LEFT_OVER.fullmatch(word) for word in (mutation.token, mutation.new))


_LEFT_OVER = re.compile("again|but|case|catch|do|done|else|if|off|ok|on|other|switch|try", re.I)


def _lacks_value(mutation: Mutation, complaint: str) -> bool:
    return not complaint and re.search(r"=[ \t]*[\n})]", mutation.text) is not None


def _calls_number(_mutation: Mutation, complaint: str) -> bool:
    return "(C23)" in complaint


RING = Contest(
    language="ring",
    samples=_samples,
    judge=_judge,
    join=_join,
    bindings=frozenset(
        {"function_definition", "method_definition", "class_definition", "package_definition"}
    ),
    whole=frozenset({"string", "number"}),
    explanations={
        "the program changes the language": _changes_language,
        "the compiler minds a name given twice": _repeats_name,
        "a word left over from a statement is a name to the compiler": _leaves_word_over,
        "the compiler does not mind a missing value": _lacks_value,
        "a bracket after a number begins a statement here, and is a mistake to the compiler": _calls_number,
    },
)
