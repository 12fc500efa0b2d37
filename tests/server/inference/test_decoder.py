"""The model itself: greedy writing, the KV cache, aborts. In the test's own process."""

from __future__ import annotations

import threading
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from bowerbird.inference.generator import Prompt, Usage
from bowerbird.inference.llama import LlamaEngine
from bowerbird.inference.pipe import Message

STEP = 16


@pytest.fixture
def decoder(model: Path, load_message: Callable[..., Message]) -> Any:
    """The built-in model, with small micro-batches."""
    from bowerbird.inference.context import AbortFlag
    from bowerbird.inference.decoder import Decoder

    return Decoder(load_message(model, micro_batch_tokens=STEP), AbortFlag(), lambda: None)


def write(
    decoder: Any,
    tokens: list[int],
    max_new_tokens: int = 12,
    progress: Callable[[], None] = lambda: None,
    emitted: Callable[[], None] = lambda: None,
    visible_first: bool = True,
    first_choice: int = 0,
) -> tuple[str, Any]:
    """What the decoder writes, and the outcome."""
    from bowerbird.inference.greedy import Terms

    texts: list[str] = []

    def emit(text: str) -> None:
        texts.append(text)
        emitted()

    outcome = decoder.generate(tokens, Terms(max_new_tokens, visible_first, first_choice), emit, progress)
    return "".join(texts), outcome


def counting(limit: int, then: Callable[[], None]) -> Callable[[], None]:
    """A function that calls `then` at its call number `limit`."""
    calls = 0

    def count() -> None:
        nonlocal calls
        calls += 1
        if calls == limit:
            then()

    return count


@pytest.fixture
def tokens(decoder: Any, code: str) -> list[int]:
    """A prompt of several micro-batches."""
    return [3, *decoder.vocabulary.encode(code + "cart = Ca")]


def test_writing_is_greedy_and_the_same_each_time(decoder: Any, tokens: list[int]) -> None:
    """The same prompt gives the same text, from an empty cache and from a full one."""
    first, outcome = write(decoder, tokens)
    second, again = write(decoder, tokens)
    assert first == second
    assert first.strip()
    assert (outcome.tokens_reused, outcome.tokens_evaluated) == (0, len(tokens))
    assert (again.tokens_reused, again.tokens_evaluated) == (len(tokens) - 1, 1)


def test_the_longest_common_prefix_is_reused(decoder: Any, tokens: list[int]) -> None:
    """The cache is cut where the prompts part, also within what was written, and counted exactly."""
    text, outcome = write(decoder, tokens, max_new_tokens=8)
    assert outcome.stopped == "length"
    changed = [*tokens[:40], *([5] * 10)]
    _, outcome = write(decoder, changed)
    assert (outcome.tokens_reused, outcome.tokens_evaluated) == (40, 10)

    write(decoder, tokens, max_new_tokens=8)
    accepted = decoder.vocabulary.encode(text)
    written = decoder.context.held[len(tokens) :]
    kept = next((n for n, pair in enumerate(zip(written, accepted, strict=False)) if len(set(pair)) > 1), 7)
    _, outcome = write(decoder, [*tokens, *accepted])
    assert outcome.tokens_reused == len(tokens) + min(kept, len(accepted) - 1)


async def test_an_abort_at_any_micro_batch_leaves_no_trace(
    decoder: Any,
    tokens: list[int],
    engine: LlamaEngine,
    written: Callable[[LlamaEngine, Prompt], Awaitable[tuple[str, Usage]]],
) -> None:
    """Whichever micro-batch or token is cut off, the next prompt is answered as by a fresh process."""
    other = [*tokens[:50], *reversed(tokens[50:90])]
    expected, _ = await written(engine, Prompt(tuple(other), "", 12))
    batches = -(-len(tokens) // STEP)

    for batch in range(1, batches + 1):
        decoder.context.clear()
        _, outcome = write(decoder, tokens, progress=counting(batch, decoder.context.abort.set))
        assert outcome.stopped == "cancelled"
        assert outcome.tokens_evaluated == min(batch * STEP, len(tokens))
        decoder.context.abort.set(False)
        assert write(decoder, other)[0] == expected

    for token in range(1, 6):
        decoder.context.clear()
        _, outcome = write(decoder, tokens, emitted=counting(token, decoder.context.abort.set))
        assert (outcome.stopped, outcome.tokens_generated) == ("cancelled", token)
        decoder.context.abort.set(False)
        assert write(decoder, other)[0] == expected


async def test_an_abort_within_a_micro_batch_leaves_no_trace(
    decoder: Any,
    tokens: list[int],
    engine: LlamaEngine,
    written: Callable[[LlamaEngine, Prompt], Awaitable[tuple[str, Usage]]],
) -> None:
    """An abort that llama.cpp notices in the middle of its graph leaves the cache as it was before."""
    from bowerbird.inference.context import Aborted

    other = [*tokens[:50], *reversed(tokens[50:90])]
    expected, _ = await written(engine, Prompt(tuple(other), "", 12))
    context = decoder.context
    inside = 0
    for delay_us in range(0, 3000, 100):
        context.clear()
        context.extend(tokens[:STEP], lambda _count: None)
        timer = threading.Timer(delay_us / 1e6, context.abort.set)
        timer.start()
        try:
            while len(context.held) < 900:
                context.decode(tokens[STEP : 2 * STEP])
        except Aborted:
            inside += 1
        timer.join()
        context.abort.set(False)
        assert len(context.held) % STEP == 0
        context.clear()
        context.extend(other[:STEP], lambda _count: None)
        assert write(decoder, other)[0] == expected
    assert inside > 20


def test_the_abort_flag_stops_llama_cpp_itself(decoder: Any, tokens: list[int]) -> None:
    """llama.cpp sees the flag while it computes, not only we between two micro-batches."""
    import llama_cpp.llama_cpp as llama

    context = decoder.context
    context.abort.set()
    context._batch.n_tokens = 1
    context._batch.token[0], context._batch.pos[0], context._batch.logits[0] = tokens[0], 0, 1
    assert llama.llama_decode(context._context, context._batch) == 2
    context.abort.set(False)
    assert llama.llama_decode(context._context, context._batch) == 0


def test_without_interruptions_the_flag_is_seen_between_micro_batches(
    decoder: Any, tokens: list[int]
) -> None:
    """Where llama.cpp does not look at the flag, as on a GPU, a micro-batch or a token is still the most."""
    import llama_cpp.llama_cpp as llama

    context = decoder.context
    llama.llama_set_abort_callback(context._context, llama.ggml_abort_callback(), None)
    _, outcome = write(decoder, tokens, progress=counting(2, context.abort.set))
    assert (outcome.stopped, outcome.tokens_evaluated) == ("cancelled", 2 * STEP)
    context.abort.set(False)
    _, outcome = write(decoder, tokens, emitted=counting(3, context.abort.set))
    assert (outcome.stopped, outcome.tokens_generated) == ("cancelled", 3)
    context.abort.set(False)


NEAR_TIE = 0.1  # logits; reading several tokens at once moves them by some hundredths


def test_drafts_leave_the_text_as_it_is(decoder: Any) -> None:
    """On real code the text is that of token after token, but where two tokens are as good as equal."""
    from bowerbird.inference.greedy import Terms

    lines = [line for path in sorted(Path(__file__).parent.glob("*.py")) for line in path.open()]
    same = drafted = accepted = 0
    places = range(40, len(lines), len(lines) // 40)
    for place in places:
        tokens = decoder.vocabulary.encode("".join(lines[place - 40 : place]))[-250:]
        written = []
        for limit in (0, 12):
            decoder.draft_tokens = limit
            outcome = decoder.generate(tokens, Terms(32), lambda _text: None, lambda: None)
            drafted += outcome.tokens_drafted
            accepted += outcome.tokens_accepted
            written.append(decoder.context.held[len(tokens) :])
        same += written[0] == written[1]
        if written[0] != written[1]:
            parted = next(n for n, pair in enumerate(zip(*written, strict=False)) if len(set(pair)) > 1)
            decoder.context.clear()
            decoder.context.extend([*tokens, *written[0][:parted]], lambda _count: None)
            logits = decoder.context.logits(-1)
            assert abs(logits[written[0][parted]] - logits[written[1][parted]]) < NEAR_TIE
    assert same >= 0.95 * len(places)
    assert accepted > drafted / 2 > 100


def test_without_a_way_back_nothing_is_drafted(
    decoder: Any, tokens: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where the cache cannot be cut, which the first wrong draft shows, the text is still the same."""
    import llama_cpp.llama_cpp as llama

    circular = decoder.vocabulary.encode(
        "    def names(self) -> list[str]:\n        return self.items\n\n" * 3
    )
    prompt = [*tokens, *circular]
    decoder.draft_tokens = 0
    expected, _ = write(decoder, prompt, max_new_tokens=60)
    decoder.draft_tokens = 12
    refused = 0

    def refuse(*_: object) -> bool:
        nonlocal refused
        refused += 1
        return False

    monkeypatch.setattr(llama, "llama_memory_seq_rm", refuse)
    decoder.context.clear()
    text, outcome = write(decoder, prompt, max_new_tokens=60)
    assert text == expected
    assert refused == 1
    assert outcome.tokens_drafted > outcome.tokens_accepted
    decoder.context.clear()
    again, outcome = write(decoder, prompt, max_new_tokens=60)
    assert (again, outcome.tokens_drafted, refused) == (expected, 0, 1)


@pytest.mark.parametrize(
    ("fields", "drafts"),
    [({}, True), ({"draft_tokens": 0}, False), ({"micro_batch_tokens": 1}, False)],
    ids=["by default", "switched off", "micro-batches of one"],
)
def test_drafting_can_be_switched_off(
    fields: dict[str, int],
    drafts: bool,
    model: Path,
    load_message: Callable[..., Message],
) -> None:
    """The load message says how much is drafted at once, and a micro-batch has to hold it."""
    from bowerbird.inference.context import AbortFlag
    from bowerbird.inference.decoder import Decoder

    decoder = Decoder(load_message(model, **fields), AbortFlag(), lambda: None)
    circular = decoder.vocabulary.encode("values = [" + "one, two, three, " * 20)
    _, outcome = write(decoder, circular, max_new_tokens=20)
    assert bool(outcome.tokens_drafted) is drafts


def test_a_prompt_can_be_read_beforehand(decoder: Any, tokens: list[int]) -> None:
    """With no token to write the prompt is evaluated, and the next request finds it in the cache."""
    text, outcome = write(decoder, tokens, max_new_tokens=0)
    assert (text, outcome.stopped, outcome.tokens_generated) == ("", "length", 0)
    assert outcome.tokens_evaluated == len(tokens)
    _, outcome = write(decoder, tokens)
    assert outcome.tokens_evaluated == 1


def test_other_first_choices_begin_otherwise(decoder: Any, tokens: list[int]) -> None:
    """Candidates differ in their first token, cost no prompt, and cease where they become unlikely."""
    best, _ = write(decoder, tokens)
    candidates = [write(decoder, tokens, first_choice=rank) for rank in range(1, 60)]
    likely = [text for text, outcome in candidates if outcome.stopped != "unlikely"]
    assert 1 <= len(likely) < 59
    assert len({best, *likely}) == len(likely) + 1
    assert all(outcome.tokens_evaluated == 1 for _, outcome in candidates)
    assert not any(text.strip() for text, outcome in candidates if outcome.stopped == "unlikely")


def test_a_processor_does_without_flash_attention(
    model: Path, load_message: Callable[..., Message], monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is off where no GPU holds a layer, as it slows processors down, and llama.cpp's choice elsewhere."""
    import llama_cpp.llama_cpp as llama

    from bowerbird.inference.context import AbortFlag
    from bowerbird.inference.decoder import Decoder

    asked: list[int] = []
    make = llama.llama_init_from_model

    def recorded(model: Any, params: Any) -> Any:
        asked.append(params.flash_attn_type)
        return make(model, params)

    monkeypatch.setattr(llama, "llama_init_from_model", recorded)
    for layers, gpu in ((0, True), (1, False), (1, True)):
        monkeypatch.setattr(llama, "llama_supports_gpu_offload", lambda gpu=gpu: gpu)
        Decoder(load_message(model, gpu_layers=layers), AbortFlag(), lambda: None)
    off, free = llama.LLAMA_FLASH_ATTN_TYPE_DISABLED, llama.LLAMA_FLASH_ATTN_TYPE_AUTO
    assert asked == [off, off, free]


def test_no_end_before_something_visible(decoder: Any) -> None:
    """With `visible_first` the model that would end at once has to write; without, it may end."""
    ending = [5] * 8  # after so many separators of files the model writes one more
    text, outcome = write(decoder, ending, visible_first=False)
    assert (text, outcome.stopped, outcome.tokens_generated) == ("", "end", 0)
    text, outcome = write(decoder, ending, visible_first=True)
    assert text.strip()


def test_characters_come_whole(decoder: Any) -> None:
    """A character of several tokens is given out with its last one; none comes as a replacement character."""
    from bowerbird.inference.greedy import Terms

    seen = decoder.vocabulary.encode("x = '日本語'\ny = '日本語'\nz = '日本語'\nw = '日")
    texts: list[str] = []
    decoder.generate(seen, Terms(6), texts.append, lambda: None)
    assert texts[:2] == ["", ""]
    assert len(texts[2]) == 1
    assert ord(texts[2]) > 0x2000
    assert "\ufffd" not in "".join(texts)


def test_scores_belong_to_what_is_written(decoder: Any, tokens: list[int]) -> None:
    """The token that was written is the likeliest, and the likelihoods of all first tokens add up to one."""
    import numpy as np

    text, _ = write(decoder, tokens, max_new_tokens=10, visible_first=False)
    written = decoder.vocabulary.encode(text)
    assert written[:-1] == decoder.context.held[len(tokens) :]
    scores = decoder.score(tokens, text, lambda: None)
    assert len(scores) == len(written)
    for place, score in enumerate(scores):
        here = [*tokens, *written[:place]]
        others = [decoder.score(here, other, lambda: None)[0] for other in ("(", "\n", " self", "def")]
        assert score >= max(others) - 1e-3
    decoder.context.clear()
    decoder.context.extend(tokens, lambda _count: None)
    logits = decoder.context.logits(-1).astype(np.float64)
    assert np.exp(logits - logits.max())[written[0]] / np.exp(logits - logits.max()).sum() == pytest.approx(
        np.exp(scores[0]), rel=1e-3
    )


def test_scores_do_not_hang_on_micro_batches(decoder: Any, tokens: list[int]) -> None:
    """A continuation longer than a micro-batch is scored as token after token."""
    continuation = "rt([Item('a', 1), Item('b', 2)])\nprint(cart.total(), cart.names())\n"
    whole = decoder.score(tokens, continuation, lambda: None)
    assert len(whole) > STEP
    following = decoder.vocabulary.encode(continuation)
    for place in (0, 1, STEP - 1, STEP, len(following) - 1):
        piece = decoder.vocabulary.bytes_of(following[place]).decode()
        single = decoder.score([*tokens, *following[:place]], piece, lambda: None)
        assert single == pytest.approx([whole[place]], abs=0.02)


def test_an_empty_continuation_has_no_scores(decoder: Any, tokens: list[int]) -> None:
    """Nothing is as likely as can be: an empty list."""
    assert decoder.score(tokens, "", lambda: None) == []


def test_what_does_not_fit_is_refused_in_words(decoder: Any, tokens: list[int]) -> None:
    """Too long a prompt, an empty one and unknown tokens are told, and the decoder goes on."""
    from bowerbird.inference.context import DecoderError

    for wrong, room, match in (
        ([5] * 1020, 5, "1,020 tokens and 5 are to follow, but the model's context holds 1,024"),
        ([], 5, "empty"),
        ([5, 8192], 5, "does not have"),
        ([-1], 5, "does not have"),
    ):
        with pytest.raises(DecoderError, match=match):
            write(decoder, wrong, max_new_tokens=room)
        with pytest.raises(DecoderError):
            decoder.score(wrong, "x " * 1024, lambda: None)
    assert write(decoder, [300] * 1020, max_new_tokens=4)[1].tokens_generated == 4
    assert write(decoder, tokens)[0]
