"""Documents are the prompts that Bowerbird makes, with the answers that it should get."""

from __future__ import annotations

import random
from collections.abc import Sequence

import pytest
from tokenizers import Tokenizer

from bowerbird.knowledge.library import Library
from bowerbird.retrieval.guidance import Guidance
from nestling.corpus import File
from nestling.examples import Document, Maker, Mixture
from nestling.places import Place, draw_places
from nestling.repository import Repository
from nestling.shards import COUNTED, IGNORED, MIDDLE
from nestling.tokenizer import END, FILE, PREFIX, REPOSITORY, SUFFIX
from nestling.tokenizer import MIDDLE as MIDDLE_MARK

CONTEXT = 1024
RING = """# Counts words
load "stdlibcore.ring"

func main
    aWords = split("one two two", " ")
    nTotal = len(aWords)
    see "there are " + nTotal + nl
    for cWord in aWords
        see upper(cWord) + nl
    next
"""


@pytest.fixture(scope="module")
def files(code: list[str]) -> list[File]:
    """A repository of real code."""
    return [File("somebody+shop", f"shop/f{n}.py", "python", "MIT", text) for n, text in enumerate(code)]


@pytest.fixture(scope="module")
def repository(files: list[File], tokenizer: Tokenizer) -> Repository:
    """Indexed."""
    return Repository("shop", files, tokenizer)


def _text(tokenizer: Tokenizer, ids: Sequence[int]) -> str:
    return str(tokenizer.decode(list(ids), skip_special_tokens=False))


def _maker(repository: Repository, **shares: object) -> Maker:
    return Maker(repository, random.Random(0), CONTEXT, Mixture(**shares))  # type: ignore[arg-type]


def _place(file: File, text: str, behind: str = "") -> Place:
    start = file.text.index(text) + len(text) - len(behind)
    return Place("lines", start, file.text.index("\n", start))


def test_a_document_is_in_prompt_form_1(
    repository: Repository, files: list[File], tokenizer: Tokenizer
) -> None:
    """Repository, windows, file, then the suffix, the prefix and what was asked for, and the end."""
    file = next(file for file in files if "def lay_out(" in file.text)
    place = _place(file, "def lay_out", "lay_out")
    maker = _maker(repository, suffix=1.0, retrieval=(1.0, 0.0, 0.0))
    document = maker.document(file, place)
    request = document.request
    shown = "".join(f"{FILE}{name}\n{text}\n" for name, text in request.snippets)
    assert request.snippets
    assert request.suffix
    assert _text(tokenizer, document.ids) == (
        f"{REPOSITORY}shop\n{shown}{FILE}{file.name}\n{PREFIX}{SUFFIX}{request.suffix}{MIDDLE_MARK}"
        f"{request.prefix}{request.middle}{END}"
    )
    assert file.text.count(request.prefix + request.middle + request.suffix) == 1


def test_without_a_suffix_the_file_goes_on(
    repository: Repository, files: list[File], tokenizer: Tokenizer
) -> None:
    """The mark stands there, nothing follows it, and the answer fills the context."""
    file = max(files, key=lambda file: len(file.text))
    maker = _maker(repository, suffix=0.0)
    document = maker.document(file, Place("lines", len(file.text) // 3, len(file.text) // 3 + 40))
    text = _text(tokenizer, document.ids)
    assert f"{PREFIX}{SUFFIX}{MIDDLE_MARK}" in text
    assert not document.request.ends
    assert len(document.ids) == CONTEXT + 1 or text.endswith(END)


def test_windows_never_show_what_is_to_be_written(repository: Repository, files: list[File]) -> None:
    """Not even those found by the true continuation: the file's own lines from the prompt on are hidden."""
    maker = _maker(repository, suffix=0.0, retrieval=(0.0, 1.0, 0.0))
    for file in files[:6]:
        for place in draw_places(file.text, random.Random(1), Mixture().cuts, 4):
            request = maker.document(file, place).request
            line = file.text[: place.start].count("\n")
            told = file.text.split("\n")[line + 1 : line + 4]
            for name, text in request.snippets:
                assert name != file.name or "\n".join(told) not in text or not "".join(told).strip()


def test_what_is_asked_is_cut_as_users_ask(files: list[File]) -> None:
    """Rest of a line, lines, blocks, from within a word; never nothing."""
    rng = random.Random(0)
    places = [place for file in files for place in draw_places(file.text, rng, Mixture().cuts, 20)]
    by_cut = {
        cut: [place for place in places if place.cut == cut] for cut in ("line", "lines", "block", "word")
    }
    assert all(len(found) > 10 for found in by_cut.values())
    texts = {file.text for file in files}
    for place in places:
        text = next(text for text in texts if place.end <= len(text))
        assert place.start < place.end <= len(text)
    for file in files:
        for place in draw_places(file.text, rng, (0.0, 0.0, 0.0, 1.0), 5):
            assert (file.text[place.start - 1] + file.text[place.start]).replace("_", "a").isalnum()
            assert "\n" not in file.text[place.start : place.end]


def test_kinds_tell_the_answer_and_what_was_shown_before(files: list[File], tokenizer: Tokenizer) -> None:
    """A window counts the first time; the answer always."""
    repository = Repository("shop", files, tokenizer)
    maker = _maker(repository, suffix=1.0, retrieval=(1.0, 0.0, 0.0))
    file = max(files, key=lambda file: len(file.text))
    place = Place("lines", len(file.text) // 2, file.text.index("\n", len(file.text) // 2 + 5))
    first, second = maker.document(file, place), maker.document(file, place)
    assert len(first.ids) == len(first.kinds)
    assert IGNORED not in first.kinds
    assert IGNORED in second.kinds
    assert COUNTED in second.kinds
    for document in (first, second):
        answer = [one for one, kind in zip(document.ids, document.kinds, strict=True) if kind == MIDDLE]
        assert _text(tokenizer, answer) == document.request.middle + END


def test_documentation_stands_before_windows(tokenizer: Tokenizer) -> None:
    """Entities of the language's pack, under ``docs/``; no example of a pack, as these are measured with."""
    files = [File("r", f"{n}.ring", "ring", "MIT", RING + f"    see {n}\n") for n in range(3)]
    guidance = Guidance(Library().of)
    guidance.prepare("ring")
    maker = Maker(Repository("r", files, tokenizer), random.Random(0), CONTEXT, Mixture(guides=1.0), guidance)
    names: list[str] = []
    while not names:
        request = maker.document(files[0], _place(files[0], "nTotal = l", "l")).request
        names = [name for name, _ in request.snippets]
    documented = [name.startswith("docs/ring/") for name in names]
    assert any(documented)
    assert documented == sorted(documented, reverse=True)
    assert not any(":" in name for name in names)  # an example's name ends with its line


def test_a_pass_is_the_same_for_the_same_seed(files: list[File], tokenizer: Tokenizer) -> None:
    """Every token of it, and no document is too long."""

    def documents() -> list[Document]:
        return list(_maker(Repository("shop", files, tokenizer)).documents(files))

    first = documents()
    assert len(first) > 20
    assert first == documents()
    assert max(len(document.ids) for document in first) <= CONTEXT + 1
    assert {document.request.found_by for document in first} == {"code", "truth", "nothing"}
