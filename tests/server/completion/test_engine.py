"""RepoCoder's loop, with a scripted model behind the seam and real retrieval."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from bowerbird.completion.engine import CompletionEngine
from bowerbird.completion.query import UnfinishedCode
from bowerbird.completion.request import Completion, Mode, Request
from bowerbird.inference.fim import Tokens, choose_template
from bowerbird.inference.generator import ModelChanged, ModelCrashed, ModelMissing, Prompt, Token, Usage
from bowerbird.inference.loaded import LoadedModel
from bowerbird.inference.turns import Priority
from bowerbird.knowledge.policy import Policy
from bowerbird.knowledge.snippet import EntityKind, GrammarEntity, Source
from bowerbird.retrieval.retriever import Hit
from bowerbird.retrieval.workspace import WindowRetriever, WindowShape
from bowerbird.settings import CompletionSettings, IndexSettings
from bowerbird.trace import Reason

SPECIALS = {
    "<|fim_prefix|>": 1,
    "<|fim_suffix|>": 2,
    "<|fim_middle|>": 3,
    "<|repo_name|>": 4,
    "<|file_sep|>": 5,
}
TEMPLATE, _ = choose_template(
    Tokens(roles={}, known=SPECIALS, texts={token: text for text, token in SPECIALS.items()}), "nestling"
)
COLMAP = """\
def run_colmap(image_dir, colmap_dir, camera_model):
    feature_extractor = build_extractor(image_dir)
    matcher = build_matcher(feature_extractor)
    return mapper(matcher, colmap_dir, camera_model)
"""
UNRELATED = "zebra = 1\nyak = 2\nxerus = 3\n"


class ScriptedModel:
    """Writes what the script says, an answer for each prompt; a token is a character."""

    def __init__(self, *script: str | Exception, pause: float = 0.0) -> None:
        self.script = list(script)
        self.prompts: list[Prompt] = []
        self.pause = pause
        self.stopped_early = 0
        self.asked = asyncio.Event()
        self.loading: asyncio.Event | None = None
        self.missing: Exception | None = None

    async def load(self) -> LoadedModel:
        if self.loading is not None:
            await self.loading.wait()
        if self.missing is not None:
            raise self.missing
        return LoadedModel("scripted", "scripted.gguf", "a script", 4000, 4000, 300, TEMPLATE)

    async def encode(self, texts: Sequence[str]) -> list[list[int]]:
        return [[100 + ord(character) % 100 for character in text] for text in texts]

    async def generate(self, prompt: Prompt) -> AsyncGenerator[Token, None]:
        self.prompts.append(prompt)
        self.asked.set()
        answer = self.script.pop(0)
        if isinstance(answer, Exception):
            raise answer
        finished = False
        try:
            for character in answer:
                await asyncio.sleep(self.pause)
                yield Token(character)
            finished = True
        finally:
            self.stopped_early += not finished
        yield Token("", Usage(0, len(prompt.tokens), len(answer), 1.0, 1.0, "end"))


class House:
    """An engine over a folder's sources."""

    def __init__(
        self, folder: Path, model: ScriptedModel, settings: CompletionSettings | None = None
    ) -> None:
        self.folder = folder
        settings = settings or CompletionSettings()
        self.retriever = WindowRetriever(WindowShape(4, 2, False), list)
        self.engine = CompletionEngine(
            self.retriever, self.retriever, model, Policy([folder], IndexSettings()), settings
        )

    def add(self, name: str, text: str) -> None:
        self.retriever.replaced(Source(self.folder / name, name, text, "python"))

    def code(self, prefix: str, suffix: str = "", name: str = "main.py") -> UnfinishedCode:
        return UnfinishedCode(self.folder / name, name, self.folder.name, "python", prefix, suffix)


def snippets_of(prompt: Prompt) -> list[str]:
    """The files named in a prompt, in order; the last is the one being written."""
    return [part.split("\n", 1)[0] for part in prompt.text.split("<|file_sep|>")[1:]]


async def test_the_second_query_holds_the_first_prediction(tmp_path: Path) -> None:
    """What the model guessed finds what the code so far could not (figure 2 of the paper)."""
    model = ScriptedModel(
        "run_colmap(image_dir, colmap_dir)", "run_colmap(image_dir, colmap_dir, camera_model)"
    )
    house = House(tmp_path, model)
    house.add("colmap.py", COLMAP)

    completion = await house.engine.complete(house.code("elephant = 4\n"), Request())

    first, second = completion.trace.iterations
    assert first.query == "elephant = 4"
    assert not first.hits
    assert second.query == "elephant = 4\nrun_colmap(image_dir, colmap_dir)"
    assert second.hits[0].name == "colmap.py"
    assert "def run_colmap" in model.prompts[1].text
    assert completion.text == "run_colmap(image_dir, colmap_dir, camera_model)"
    assert completion.reason is Reason.OK


@pytest.mark.parametrize("request_", [Request(), Request(invoked=True), Request(speculative=True)])
async def test_the_model_hears_how_urgent_a_request_is(tmp_path: Path, request_: Request) -> None:
    """Its prompts say so, and a prompt that is only read beforehand is never urgent."""
    house = House(tmp_path, model := ScriptedModel("x", "x", ""))
    await house.engine.complete(house.code("elephant = 4\n"), request_)
    assert {prompt.priority for prompt in model.prompts} == {request_.priority}
    await house.engine.prefill(house.code("elephant = 4\n"), request_)
    assert model.prompts[-1].priority is Priority.SPECULATIVE


async def test_the_prompt_has_the_papers_order(tmp_path: Path) -> None:
    """Snippets stand in ascending similarity, with their paths, before the code (figure 3)."""
    model = ScriptedModel("x")
    house = House(tmp_path, model)
    house.add("near.py", "image_dir = colmap_dir = camera_model")
    house.add("far.py", "image_dir = 1\nsomething = other + words")

    await house.engine.complete(
        house.code("use(image_dir, colmap_dir, camera_model)\n"), Request(Mode.RAG, editor=False)
    )

    assert snippets_of(model.prompts[0]) == ["far.py", "near.py", "main.py"]
    assert model.prompts[0].text.startswith(f"<|repo_name|>{tmp_path.name}\n")
    assert model.prompts[0].text.endswith("<|fim_middle|>use(image_dir, colmap_dir, camera_model)\n")


async def test_it_stops_when_the_prompt_would_be_the_same(tmp_path: Path) -> None:
    """A second round that finds the same snippets asks the model nothing."""
    model = ScriptedModel("image_dir")
    house = House(tmp_path, model)
    house.add("colmap.py", "image_dir = 1")

    completion = await house.engine.complete(house.code("image_dir = "), Request(iterations=3))

    assert len(model.prompts) == 1
    assert completion.text == "image_dir"


@pytest.mark.parametrize(
    ("request_", "prompts"),
    [
        (Request(Mode.IN_FILE, editor=False), 1),
        (Request(Mode.RAG, editor=False), 1),
        (Request(Mode.REPOCODER, iterations=3, editor=False), 3),
        (Request(Mode.ORACLE, truth="zebra = yak", editor=False), 1),
    ],
)
async def test_modes_have_their_rounds(tmp_path: Path, request_: Request, prompts: int) -> None:
    """One generation each, but for RepoCoder's iterations."""
    model = ScriptedModel("image_dir", "nothing", "x")
    house = House(tmp_path, model)
    house.add("colmap.py", COLMAP)
    house.add("zoo.py", UNRELATED)

    completion = await house.engine.complete(house.code("yak = 0\n"), request_)

    assert len(model.prompts) == prompts
    assert len(completion.trace.iterations) == prompts
    in_file = request_.mode is Mode.IN_FILE
    assert in_file is ("zoo.py" not in "".join(p.text for p in model.prompts))


async def test_the_oracle_looks_for_the_truth(tmp_path: Path) -> None:
    """Its query is the code so far and the true continuation (section 4.1)."""
    model = ScriptedModel("x")
    house = House(tmp_path, model)
    house.add("zoo.py", UNRELATED)

    completion = await house.engine.complete(
        house.code("start = 0\n"), Request(Mode.ORACLE, truth="zebra = yak", editor=False)
    )

    assert completion.trace.iterations[0].query == "start = 0\nzebra = yak"
    assert snippets_of(model.prompts[0]) == ["zoo.py", "main.py"]


@pytest.mark.parametrize("editor", [True, False])
async def test_the_code_under_the_cursor_does_not_retrieve_itself(tmp_path: Path, editor: bool) -> None:
    """Lines in the prompt are no snippets; code below them may serve the editor, never a benchmark."""
    model = ScriptedModel("x")
    house = House(tmp_path, model)
    near = "".join(f"image_dir = colmap_dir + {number}\n" for number in range(6))
    below = "".join(f"image_dir = camera_{number}\n" for number in range(200))
    house.add("main.py", near + below)

    await house.engine.complete(house.code(near, below), Request(Mode.RAG, editor=editor))

    named = snippets_of(model.prompts[0])
    assert named == (["main.py"] * len(named) if editor else ["main.py"])
    assert (len(named) > 1) is editor
    assert "colmap_dir" not in model.prompts[0].text.split("<|fim_prefix|>")[0]


async def test_shifted_hits_show_what_follows(tmp_path: Path) -> None:
    """With a shift, first-round windows enter the prompt some lines further down."""
    model = ScriptedModel("x")
    house = House(tmp_path, model, CompletionSettings(shift_lines=2))
    house.add("long.py", "one = 1\ntwo = 2\nthree = 3\nfour = 4\nfive = 5\nsix = 6\nseven = 7\neight = 8\n")

    await house.engine.complete(house.code("one = two = three = four\n"), Request(Mode.RAG))

    assert "long.py\nthree = 3\nfour = 4\nfive = 5\nsix = 6\n" in model.prompts[0].text


async def test_whole_functions_have_longer_windows(tmp_path: Path) -> None:
    """For a function's body the longer windows are asked, with a query as long (section 4.2)."""
    model = ScriptedModel("x")
    house = House(tmp_path, model)
    longer = WindowRetriever(WindowShape(50, 10, False), list)
    longer.replaced(Source(tmp_path / "colmap.py", "colmap.py", COLMAP, "python"))
    house.engine.function_retriever = longer
    lines = "".join(f"matcher = {number}\n" for number in range(99))

    completion = await house.engine.complete(house.code(lines), Request(Mode.RAG, whole_function=True))

    assert completion.trace.iterations[0].query.count("\n") == 49
    assert [hit.name for hit in completion.trace.iterations[0].hits] == ["colmap.py"]


async def test_secrets_reach_no_prompt(tmp_path: Path) -> None:
    """A window with a key is left out, and the trace says so; a key in the document itself is masked."""
    key = "AKIA" + "IOSFODNN7EXAMPLQ"
    model = ScriptedModel("x")
    house = House(tmp_path, model)
    house.add("keys.py", f'image_dir = colmap\naws_access_key_id = "{key}"\n')

    completion = await house.engine.complete(
        house.code(f'aws_access_key_id = "{key}"\nimage_dir = colmap\n', suffix=f'\nk = "{key}"\n'),
        Request(Mode.RAG),
    )

    assert [hit.fate for hit in completion.trace.iterations[0].hits] == ["secret"]
    assert key not in model.prompts[0].text
    assert "image_dir = colmap" in model.prompts[0].text


async def test_an_excluded_file_gets_nothing(tmp_path: Path) -> None:
    """A file that the policy keeps out is not completed, and the reason says so."""
    model = ScriptedModel("x")
    house = House(tmp_path, model)

    completion = await house.engine.complete(house.code("KEY=", name=".env"), Request())

    assert (completion.text, completion.reason) == ("", Reason.EXCLUDED)
    assert not model.prompts


async def test_when_time_ends_whole_lines_are_shown(tmp_path: Path) -> None:
    """The prediction is cut at its last whole line, the model is stopped, and the reason is `time`."""
    model = ScriptedModel("one = 1\ntwo = 2\n" + "three = 3" * 1000, pause=0.002)
    house = House(tmp_path, model)

    completion = await house.engine.complete(house.code("zero = 0\n"), Request(time_budget_ms=300))

    assert completion.text == "one = 1\ntwo = 2"
    assert completion.reason is Reason.TIME
    assert completion.trace.iterations[0].stopped == "time"
    assert model.stopped_early == 1


async def test_when_time_ends_in_the_second_round_the_first_is_shown(tmp_path: Path) -> None:
    """The best prediction so far is the one that was finished."""
    model = ScriptedModel("image_dir", "colmap_dir" * 1000, pause=0.002)
    house = House(tmp_path, model)
    house.add("colmap.py", COLMAP)

    completion = await house.engine.complete(house.code("zero = 0\n"), Request(time_budget_ms=300))

    assert (completion.text, completion.reason) == ("image_dir", Reason.TIME)
    assert len(completion.trace.iterations) == 2


async def test_a_slow_load_is_no_silence(tmp_path: Path) -> None:
    """While the model loads, the answer is empty and says why."""
    model = ScriptedModel("x")
    model.loading = asyncio.Event()
    house = House(tmp_path, model)

    completion = await house.engine.complete(house.code("a"), Request(time_budget_ms=20))

    assert (completion.text, completion.reason) == ("", Reason.MODEL_LOADING)


async def test_a_missing_model_is_a_reason(tmp_path: Path) -> None:
    """The file's name reaches the user."""
    model = ScriptedModel("x")
    model.missing = ModelMissing("There is no model file nowhere.gguf.")
    house = House(tmp_path, model)

    completion = await house.engine.complete(house.code("a"), Request())

    assert (completion.reason, completion.message) == (
        Reason.MODEL_MISSING,
        "There is no model file nowhere.gguf.",
    )


async def test_a_crash_is_a_reason_and_the_next_request_is_served(tmp_path: Path) -> None:
    """A model that dies takes one completion with it."""
    model = ScriptedModel(ModelCrashed("gone"), "back")
    house = House(tmp_path, model)

    assert (await house.engine.complete(house.code("a"), Request())).reason is Reason.MODEL_CRASHED
    assert (await house.engine.complete(house.code("a"), Request())).text == "back"


async def test_cancelling_stops_the_model(tmp_path: Path) -> None:
    """A cancelled completion closes the model's stream before it is gone."""
    model = ScriptedModel("x" * 10_000, pause=0.001)
    house = House(tmp_path, model)
    task = asyncio.create_task(house.engine.complete(house.code("a"), Request()))
    await model.asked.wait()

    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task

    assert model.stopped_early == 1


async def test_while_typing_the_head_of_the_prompt_stays(tmp_path: Path) -> None:
    """From key to key, the prompt of the editor only grows at its end."""
    line = "result = run_colmap(image_dir, colmap_dir, camera_model)"
    model = ScriptedModel(*["x"] * len(line))
    house = House(tmp_path, model)
    house.add("colmap.py", COLMAP)
    house.add("other.py", COLMAP.replace("matcher", "image_dir"))

    for end in range(1, len(line)):
        await house.engine.complete(house.code("def f(image_dir):\n    " + line[:end]), Request(Mode.RAG))

    for shorter, longer in zip(model.prompts, model.prompts[1:], strict=False):
        if snippets_of(shorter) == snippets_of(longer):
            assert longer.tokens[: len(shorter.tokens)] == shorter.tokens
    assert len({tuple(snippets_of(prompt)) for prompt in model.prompts}) <= 3


async def test_the_file_alone_may_fill_the_prompt(tmp_path: Path) -> None:
    """Without snippets the code so far has their room too (section 4.1, in-file completion)."""
    model = ScriptedModel("x", "x")
    house = House(tmp_path, model)

    for mode in (Mode.IN_FILE, Mode.RAG):
        await house.engine.complete(house.code("image_dir = 1\n" * 2000), Request(mode, editor=False))

    alone, beside = (len(prompt.tokens) for prompt in model.prompts)
    assert alone > 1.5 * beside


async def test_a_prompt_never_outgrows_the_context(tmp_path: Path) -> None:
    """Code far too long on both sides, and one line far too long, still fit."""
    model = ScriptedModel("x", "x")
    house = House(tmp_path, model)
    house.add("colmap.py", COLMAP * 50)

    await house.engine.complete(
        house.code("image_dir = 1\n" * 2000, "colmap_dir\n" * 2000), Request(Mode.RAG)
    )
    await house.engine.complete(house.code("image_dir" * 20_000, "y" * 20_000), Request(Mode.RAG))

    assert all(len(prompt.tokens) + prompt.max_new_tokens <= 4000 for prompt in model.prompts)
    assert all(len(prompt.tokens) > 1000 for prompt in model.prompts)


class Manual:
    """A guide with one page."""

    def __init__(self, *pages: GrammarEntity) -> None:
        self.pages = pages
        self.prepared: list[str | None] = []

    def prepare(self, language: str | None) -> None:
        self.prepared.append(language)

    def guide(self, language: str | None, code: str, k: int) -> list[Hit]:
        assert "build_matcher" in code
        return [Hit(page, 1.0, "manual") for page in self.pages[:k]] if language == "python" else []


async def test_documentation_stands_before_the_windows_and_is_cited(tmp_path: Path) -> None:
    """What the guide finds shares the snippets' room; what has none left is told with its fate."""
    page = GrammarEntity(kind=EntityKind.FUNCTION, symbol="build_matcher", pack="colmap", language="python")
    endless = replace(page, symbol="endless", description="long " * 4000)
    model = ScriptedModel("x\n", "x\n")
    house = House(tmp_path, model)
    house.engine.guide = Manual(page, endless)
    house.add("colmap.py", COLMAP)
    code = house.code("matcher = build_matcher(feature_extractor)\n")
    completion = await house.engine.complete(code, Request())
    prompt = model.prompts[0].text
    assert 0 < prompt.index("docs/colmap/build_matcher") < prompt.index("colmap.py")
    hits = {hit.name: (hit.kind, hit.fate) for hit in completion.trace.iterations[0].hits}
    assert hits["docs/colmap/build_matcher"] == ("entity", "prompt")
    assert hits["docs/colmap/endless"] == ("entity", "budget")
    assert completion.trace.iterations[0].snippets[0].kind == "entity"
    assert house.engine.guide.prepared == ["python"]


async def test_documentation_with_a_secret_stays_out(tmp_path: Path) -> None:
    """A user's own pack is a source of context like any other: the one policy covers it."""
    page = GrammarEntity(kind=EntityKind.FUNCTION, symbol="build_matcher", pack="colmap", language="python")
    secret = replace(page, symbol="key", description='aws_secret = "AKIAIOSFODNN7EXAMPLF"')
    model = ScriptedModel("x\n", "x\n")
    house = House(tmp_path, model)
    house.engine.guide = Manual(secret, page)
    code = house.code("matcher = build_matcher(feature_extractor)\n")
    completion = await house.engine.complete(code, Request())
    assert "AKIAIOSFODNN7EXAMPLF" not in model.prompts[0].text
    fates = {hit.name: hit.fate for hit in completion.trace.iterations[0].hits}
    assert fates == {"docs/colmap/key": "secret", "docs/colmap/build_matcher": "prompt"}


class Onlooker:
    """Who is shown the first iteration's answer."""

    def __init__(self) -> None:
        self.drafts: list[str] = []

    def wrote(self, text: str) -> None:
        pass

    def drafted(self, completion: Completion) -> None:
        self.drafts.append(completion.text)


CHANGED = ModelChanged("No server answers. Another model stands in.")


async def test_another_model_begins_anew(tmp_path: Path) -> None:
    """When the one that was asked is gone, and nobody has seen anything yet."""
    model = ScriptedModel(CHANGED, "total()", "total()")
    house = House(tmp_path, model)
    watch = Onlooker()

    completion = await house.engine.complete(house.code("value = "), Request(), watch)

    assert (completion.text, completion.reason) == ("total()", Reason.OK)
    assert watch.drafts == ["total()"]
    assert model.prompts[0] == model.prompts[1]


async def test_what_was_shown_is_not_begun_anew(tmp_path: Path) -> None:
    """The first iteration's answer is there; the reason says why no better one came."""
    model = ScriptedModel("run_colmap(image_dir, colmap_dir)", CHANGED, "something else")
    house = House(tmp_path, model)
    house.add("colmap.py", COLMAP)
    watch = Onlooker()

    completion = await house.engine.complete(house.code("elephant = 4\n"), Request(), watch)

    assert watch.drafts == ["run_colmap(image_dir, colmap_dir)"]
    assert (completion.text, completion.reason) == ("", Reason.SERVER_UNREACHABLE)
    assert model.script == ["something else"]


async def test_a_model_that_changes_again_and_again_is_left(tmp_path: Path) -> None:
    """Twice is enough."""
    model = ScriptedModel(CHANGED, CHANGED, "never asked")
    house = House(tmp_path, model)

    completion = await house.engine.complete(house.code("value = "), Request())

    assert (completion.reason, completion.message) == (Reason.SERVER_UNREACHABLE, str(CHANGED))
    assert model.script == ["never asked"]
