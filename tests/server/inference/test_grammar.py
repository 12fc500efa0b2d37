"""What is written under a grammar is of that grammar, and otherwise what the model likes best.

llama.cpp follows the grammars here; a follower of our own, made for closing texts, says what they are.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import aclosing
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import parts
from bowerbird.inference.generator import InferenceError, Prompt, Usage
from bowerbird.inference.greedy import Outcome, Terms, write
from bowerbird.inference.llama import LlamaEngine
from bowerbird.inference.llama_server import LlamaServer
from bowerbird.inference.lookup import Lookup
from bowerbird.settings import InferenceSettings
from bowerbird.syntax.gbnf.following import Follower, read_grammar

Written = Callable[[Any, Prompt], Awaitable[tuple[str, Usage]]]

SUM = r"""
root ::= sum "\n"
sum ::= term (" + " term)*
term ::= name | number | "(" sum ")"
name ::= [a-z_] [a-z_0-9]{0,11}
number ::= [0-9]+ ("." [0-9]+)?
"""
LINES = r'root ::= ("- " [^\x00-\x1f]+ "\n")+'
ASCII_LINES = r'root ::= ("- " [ -~]+ "\n")+'


def follows(gbnf: str, text: str) -> Follower:
    """A follower behind `text`, which is the beginning of one of the grammar's texts."""
    follower = Follower(read_grammar(gbnf))
    assert follower.read(text), f"{text!r} is not of the grammar"
    return follower


PIECES = [b"", b"", b" ", b"\n", b"(", b")", b"x", b" + ", b"12", b"+", b"\xc3", b"y) "]
ENDS = (0, 1)


class MadeUp:
    """A model that likes its tokens in an order that hangs on how many it has read."""

    def __init__(self, orders: Sequence[Sequence[int]], most_drafted: int) -> None:
        self.orders = orders
        self.most_drafted = most_drafted
        self.held = [5, 6, 7, 6, 5]
        self.behind = 0
        """How many of those last read stand behind the place 0."""

    def read(self, tokens: Sequence[int]) -> None:
        self.held += tokens
        self.behind = len(tokens) - 1

    def forget(self, count: int) -> None:
        del self.held[-count:]

    def likeliest(self, place: int) -> list[tuple[int, float]]:
        at = len(self.held) - (self.behind - place if place >= 0 else 0)
        order = self.orders[at % len(self.orders)]
        return [(token, -float(rank)) for rank, token in enumerate(order)]

    def best(self, place: int, may_end: bool) -> int:
        return next(token for token, _ in self.likeliest(place) if may_end or token not in ENDS)

    def ends(self, token: int) -> bool:
        return token in ENDS

    def bytes_of(self, token: int) -> bytes:
        return PIECES[token]

    def check(self) -> None:
        pass


class Following:
    """A `greedy.Constraint` that follows in Python."""

    def __init__(self, gbnf: str) -> None:
        self.gbnf, self.text = gbnf, ""

    def may_end(self) -> bool:
        return follows(self.gbnf, self.text).whole

    def first(self, tokens: Sequence[int]) -> int | None:
        return next((token for token in tokens if self._admits(PIECES[token])), None)

    def take(self, token: int) -> None:
        self.text += PIECES[token].decode()
        follows(self.gbnf, self.text)

    def _admits(self, piece: bytes) -> bool:
        whole = bool(piece) and piece != b"\xc3"
        return whole and Follower(read_grammar(self.gbnf)).read(self.text + piece.decode())


@given(
    orders=st.lists(st.permutations(range(len(PIECES))), min_size=1, max_size=7),
    terms=st.builds(Terms, st.integers(0, 30), st.booleans(), st.integers(0, 2)),
    most_drafted=st.integers(1, 8),
)
def test_any_model_writes_what_the_grammar_allows(
    orders: list[list[int]], terms: Terms, most_drafted: int
) -> None:
    """The same with drafts and without; it ends where the text is whole, and is the likeliest of its kind."""
    told = []
    for drafted in (0, most_drafted):
        model, grammar, outcome = MadeUp(orders, drafted), Following(SUM), Outcome()
        texts: list[str] = []
        lookup = Lookup(model.held) if drafted else None
        write(model, terms, texts.append, outcome, lookup, grammar)
        told.append(("".join(texts), outcome.stopped, outcome.tokens_generated))
    assert told[0] == told[1]
    text, stopped, count = told[0]
    assert follows(SUM, text).whole == (stopped in ("end", "closed"))
    assert (stopped == "length") <= (count == terms.max_new_tokens)
    assert count <= terms.max_new_tokens


def test_where_no_token_can_follow_it_stops() -> None:
    """A vocabulary without a letter that the grammar wants is no reason to fail."""
    outcome = Outcome()
    texts: list[str] = []
    write(MadeUp([range(12)], 0), Terms(9), texts.append, outcome, None, Following('root ::= "xz"'))
    assert ("".join(texts), outcome.stopped) == ("x", "stuck")


def test_nearly_out_of_tokens_a_whole_text_ends_where_a_word_does() -> None:
    """It is not cut within the next step, and ends sooner than it must."""
    outcome = Outcome()
    texts: list[str] = []
    # a new line, or a sum of one term more, whichever the grammar allows: the end is never liked best
    orders = [[6, 2, 7, 3, 0, 1, 4, 5, 8, 9, 10, 11]]
    lines = r'root ::= ("x" " "?)+'
    write(MadeUp(orders, 0), Terms(40), texts.append, outcome, None, Following(lines))
    assert (outcome.stopped, outcome.tokens_generated) == ("closed", 40)
    orders = [[2, 6, 7, 3, 0, 1, 4, 5, 8, 9, 10, 11]]
    texts.clear()
    outcome = Outcome()
    write(MadeUp(orders, 0), Terms(40), texts.append, outcome, None, Following(lines))
    assert (outcome.stopped, outcome.tokens_generated, texts[-1]) == ("closed", 31, "x")


@pytest.fixture(scope="module")
def decoder(load_model: Callable[[], Any]) -> Any:
    return load_model()


@pytest.fixture(scope="module")
def load_model() -> Callable[[], Any]:
    """The built-in model in the test's own process."""

    def load() -> Any:
        from bowerbird.inference.context import AbortFlag
        from bowerbird.inference.decoder import Decoder
        from bowerbird.inference.loading import load_message
        from bowerbird.inference.models import built_in_model

        message = load_message(built_in_model(), InferenceSettings(threads=1))
        return Decoder(message, AbortFlag(), lambda: None)

    return load


def written_by(decoder: Any, tokens: Sequence[int], terms: Terms, drafts: int = 12) -> tuple[str, Any]:
    texts: list[str] = []
    decoder.draft_tokens = drafts
    outcome = decoder.generate(tokens, terms, texts.append, lambda: None)
    return "".join(texts), outcome


@pytest.mark.parametrize("gbnf", [SUM, LINES, ASCII_LINES])
@pytest.mark.parametrize("prompt", ["total = ", "# Fruit\n\n- Apples\n- Pears\n", "\n", "x = 'ü🦜"])
def test_the_likeliest_token_that_the_grammar_allows_is_taken(decoder: Any, gbnf: str, prompt: str) -> None:
    """Token by token, against all of the vocabulary sorted by what the model thinks of it."""
    import numpy as np

    vocabulary, context = decoder.vocabulary, decoder.context
    tokens = vocabulary.encode(prompt)
    text, outcome = written_by(decoder, tokens, Terms(24, visible_first=False, grammar=gbnf), 0)
    assert outcome.grammar == "kept"
    follower = follows(gbnf, text)
    if outcome.stopped == "end":
        assert follower.whole
    if any(not character.isascii() for character in text):
        return  # some tokens hold parts of characters, of which the follower knows nothing
    pieces = [vocabulary.bytes_of(token).decode("utf-8", "replace") for token in range(vocabulary.size)]
    so_far, held = "", list(tokens)
    while so_far != text:
        context.clear()
        context.extend(held, lambda _count: None)
        whole = follows(gbnf, so_far).whole
        for token in np.argsort(-context.logits(-1)).tolist():
            if vocabulary.ends[token]:
                assert not whole, "the end was likelier"
                continue
            if "\ufffd" in pieces[token]:
                continue
            if pieces[token] and Follower(read_grammar(gbnf)).read(so_far + pieces[token]):
                break
        so_far += pieces[token]
        held.append(token)
        assert text.startswith(so_far)


def test_drafts_leave_the_text_as_it_is(decoder: Any) -> None:
    """What is drafted from the prompt is written only where the grammar allows it."""
    tokens = decoder.vocabulary.encode("- one two three\n- four five six\n" * 8 + "- one")
    for gbnf in (LINES, SUM):
        terms = Terms(48, grammar=gbnf)
        plain, slow = written_by(decoder, tokens, terms, 0)
        drafted, fast = written_by(decoder, tokens, terms, 12)
        assert (plain, slow.stopped) == (drafted, fast.stopped)
    assert written_by(decoder, tokens, Terms(48, grammar=LINES), 12)[1].tokens_accepted


def test_other_first_choices_are_of_the_grammar_too(decoder: Any) -> None:
    """Each rank begins with another token that the grammar allows."""
    tokens = decoder.vocabulary.encode("total = ")
    texts = [written_by(decoder, tokens, Terms(8, first_choice=n, grammar=SUM)) for n in range(3)]
    begun = [text for text, outcome in texts if outcome.stopped != "unlikely"]
    assert len(begun) > 1
    assert len(set(begun)) == len(begun)
    for text in begun:
        follows(SUM, text)


def test_a_refused_token_is_never_taken(decoder: Any) -> None:
    """llama.cpp would end the process; we say no before."""
    from bowerbird.inference.context import DecoderError

    grammar = decoder.vocabulary.grammar(SUM)
    (token,) = decoder.vocabulary.encode("\n")
    assert grammar.first([token]) is None
    with pytest.raises(DecoderError):
        grammar.take(token)
    grammar.close()
    grammar.close()


@pytest.mark.parametrize(
    "gbnf",
    [
        "root ::= (",
        "nothing",
        'start ::= "x"',
        "root ::= other",
        "root ::= root",
        "\0",
        'root ::= "\0"',
        "::=",
    ],
)
async def test_a_grammar_that_is_none_is_told(gbnf: str, engine: LlamaEngine, written: Written) -> None:
    """A sentence, and the same process serves on."""
    await engine.load()
    assert engine._process is not None
    pid = engine._process.pid
    with pytest.raises(InferenceError, match="grammar"):
        await written(engine, Prompt((5,) * 8, "", 8, grammar=gbnf))
    text, usage = await written(engine, Prompt((5,) * 8, "", 8, grammar='root ::= "yes" | "no"'))
    assert (text in ("yes", "no"), usage.stopped, usage.grammar) == (True, "end", "kept")
    assert engine._process.pid == pid


async def test_a_closed_stream_leaves_no_trace(engine: LlamaEngine, written: Written) -> None:
    """A generation under a grammar stops as any other, and the next is as if there had been none."""
    prompt = Prompt(tuple((await engine.encode(["items:\n"]))[0]), "", 400, grammar=LINES)
    whole, usage = await written(engine, replace(prompt, max_new_tokens=40))
    assert (usage.grammar, usage.tokens_generated <= 40) == ("kept", True)
    async with aclosing(engine.generate(prompt)) as stream:
        async for token in stream:
            if token.text:
                break
    assert (await written(engine, replace(prompt, max_new_tokens=40)))[0] == whole
    free, usage = await written(engine, replace(prompt, max_new_tokens=40, grammar=""))
    assert (usage.grammar, free != whole) == ("", True)


@pytest.fixture
async def server(model: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[LlamaServer]:
    """An engine that starts its own llama-server on first use."""
    monkeypatch.setattr("bowerbird.inference.llama_server.find_running_server", lambda: "")
    server = LlamaServer(InferenceSettings(), parts.require_part("llama-server"), model)
    yield server
    await server.close()


async def test_a_llama_server_keeps_to_it_too(server: LlamaServer, written: Written) -> None:
    """As far as it is cut, and what it refuses is told; with a forced first token it is not asked to."""
    prompt = Prompt(tuple((await server.encode(["total = "]))[0]), "", 24, grammar=SUM)
    text, usage = await written(server, prompt)
    assert (follows(SUM, text).whole, usage.grammar) == (usage.stopped == "end", "kept")
    _, usage = await written(server, replace(prompt, first_choice=1))
    assert usage.grammar == "ignored"
    with pytest.raises(InferenceError, match="rammar"):
        await written(server, replace(prompt, grammar="root ::= ("))
    assert (await written(server, prompt))[0] == text


def test_pieces_of_the_prompt_are_not_the_grammar_s(decoder: Any) -> None:
    """The grammar begins where writing begins, whatever the prompt holds."""
    for one, other in pairwise(["(((", "1 + ", "\n\n"]):
        tokens = decoder.vocabulary.encode(one + other)
        text, _ = written_by(decoder, tokens, Terms(6, grammar=SUM))
        follows(SUM, text)
