"""The engine on named servers: forms of requests, errors, limits; against a stand-in on the loopback."""

# ruff: noqa: ASYNC110, ASYNC221 - a test may look again and again, and wait for a program

from __future__ import annotations

import asyncio
import ssl
import subprocess
from collections.abc import Awaitable, Callable
from contextlib import aclosing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from bowerbird.inference import remote_client, remote_pool
from bowerbird.inference.fim import FimTemplate
from bowerbird.inference.generator import InferenceError, Prompt, ServerUnreachable, Usage
from bowerbird.inference.llama import LlamaEngine
from bowerbird.inference.loaded import EngineState
from bowerbird.inference.remote import RemoteEngine
from bowerbird.inference.turns import Priority
from bowerbird.settings import InferenceSettings, RemoteSettings
from model_server import Model, serving

Written = Callable[..., Awaitable[tuple[str, Usage]]]

QUICK = RemoteSettings(timeout_ms=2_000, max_retries=2)
SECRET = "ghp_" + "9aB8cD7eF6gH5iJ4kL3mN2oP1qR0sT9uV8w"  # of the form, and nobody's


@pytest.fixture(autouse=True)
def no_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    """Between tries."""
    monkeypatch.setattr(remote_pool, "FIRST_PAUSE_S", 0.01)
    monkeypatch.delenv("BOWERBIRD_API_KEY", raising=False)
    monkeypatch.setattr("bowerbird.inference.remote_pool.key_for", lambda _url, variable: _key(variable))


def _key(variable: str) -> str:
    """As `keys.key_for`, without this machine's keyring."""
    import os

    return os.environ.get(variable, "")


async def prompt_for(
    engine: RemoteEngine,
    prefix: str,
    suffix: str = "",
    snippets: tuple[tuple[str, str], ...] = (),
    new: int = 16,
) -> Prompt:
    """As `completion.layout` makes it."""
    template: FimTemplate = (await engine.load()).template
    windows = [template.snippet(name, text, "#") for name, text in snippets]
    pieces = template.prompt("shop", windows, "a.py", prefix, suffix)
    encoded = iter(await engine.encode([piece for piece in pieces if isinstance(piece, str)]))
    tokens: list[int] = []
    for piece in pieces:
        tokens += next(encoded) if isinstance(piece, str) else [piece]
    return Prompt(tuple(tokens), "", new)


async def asked_of(model: Model, written: Written, fim: str = "auto", **prompt: Any) -> tuple[str, Any]:
    """What the engine shows, and the body of the one request that it sent."""
    async with serving(model):
        engine = RemoteEngine(model.url, replace(QUICK, fim=fim))
        try:
            text, _ = await written(
                engine, await prompt_for(engine, "def f(x):\n    ", "\nprint(f(1))\n", **prompt)
            )
        finally:
            await engine.close()
    (body,) = model.completions()
    return text, body


async def test_ollama_is_given_prefix_and_suffix_apart(written: Written) -> None:
    """It fills in by the template that its model file has; other files stand in the prefix as comments."""
    text, body = await asked_of(Model(), written, snippets=(("b.py", "y = 1"),))
    assert text == "return x\n"
    assert body == {
        "model": "qwen2.5-coder:1.5b-base",
        "prompt": "# b.py\n# y = 1\ndef f(x):\n    ",
        "suffix": "\nprint(f(1))\n",
        "max_tokens": 16,
        "temperature": 0,
        "stream": True,
    }


async def test_lm_studio_is_given_the_family_s_own_marks(written: Written) -> None:
    """The served model's name says which family it is."""
    model = Model("qwen2.5-coder-7b", "organization_owner")
    text, body = await asked_of(model, written, snippets=(("b.py", "y = 1"),))
    assert text == "return x\n"
    assert body["prompt"] == (
        "<|repo_name|>shop\n<|file_sep|>b.py\ny = 1\n<|file_sep|>a.py\n"
        "<|fim_prefix|>def f(x):\n    <|fim_suffix|>\nprint(f(1))\n<|fim_middle|>"
    )
    assert "suffix" not in body
    assert "<|file_sep|>" in body["stop"]
    assert len(body["stop"]) <= 4


@pytest.mark.parametrize(
    ("fim", "name", "prompt"),
    [
        ("auto", "mystery-9b", "def f(x):\n    "),
        ("none", "qwen2.5-coder-7b", "def f(x):\n    "),
        (
            "DeepSeek-Coder",
            "mine",
            "<｜fim▁begin｜>def f(x):\n    <｜fim▁hole｜>\nprint(f(1))\n<｜fim▁end｜>",
        ),
    ],
)
async def test_the_setting_says_what_the_name_does_not(
    written: Written, fim: str, name: str, prompt: str
) -> None:
    """A family by its name, or plain continuing, which a note tells."""
    _, body = await asked_of(Model(name, "gateway"), written, fim=fim)
    assert body["prompt"] == prompt


async def test_an_unknown_family_is_told(written: Written) -> None:
    """The sentence lists what there is."""
    with pytest.raises(ServerUnreachable, match=r"remote\.fim is 'qwen9'.*Qwen2\.5-Coder"):
        await asked_of(Model("x", "gateway"), written, fim="qwen9")


VLLM = {"<|fim_prefix|>": 1, "<|fim_suffix|>": 2, "<|fim_middle|>": 3, "<|repo_name|>": 4, "<|file_sep|>": 5}


async def test_vllm_is_given_token_ids_of_its_own_tokenizer(written: Written) -> None:
    """The vocabulary decides the form, and a special token's text in the code stays text."""
    model = Model("Qwen/Qwen2.5-Coder-7B", "vllm", 8192, vocabulary=VLLM)
    async with serving(model):
        engine = RemoteEngine(model.url + "/v1", QUICK)
        loaded = await engine.load()
        assert (loaded.template.family.name, loaded.context_tokens) == ("Qwen2.5-Coder", 8192)
        prompt = await prompt_for(engine, "x = '<|fim_middle|>'\n", "y\n")
        text, usage = await written(engine, prompt)
        await engine.close()
    assert text == "return x\n"
    (body,) = model.completions()
    assert body["prompt"] == list(prompt.tokens)
    assert body["prompt"].count(3) == 1
    assert body["prompt"][-1] == 3
    assert body["max_tokens"] == 16
    assert usage.tokens_evaluated == len(prompt.tokens)


async def test_plain_text_cannot_smuggle_special_tokens(written: Written) -> None:
    """Where prompts go as text, a special token's text in the code is parted."""
    model = Model("qwen2.5-coder-7b", "gateway")
    async with serving(model):
        engine = RemoteEngine(model.url, QUICK)
        await written(engine, await prompt_for(engine, "x = '<|fim_middle|>'", "<|fim_prefix|>"))
        await engine.close()
    (body,) = model.completions()
    assert body["prompt"].count("<|fim_middle|>") == body["prompt"].count("<|fim_prefix|>") == 1
    assert "x = '< |fim_middle|>'" in body["prompt"]


async def test_conversations_go_as_messages(written: Written) -> None:
    """Generation speaks to `/v1/chat/completions`; vLLM turns messages into ids itself."""

    class Said:
        def __init__(self, role: str, content: str) -> None:
            self.role, self.content = role, content

    said = [Said("system", "Write Pony."), Said("user", "Ünïcode, please")]
    model = Model("mistral-small", "gateway")
    async with serving(model):
        engine = RemoteEngine(model.url, QUICK)
        tokens = await engine.encode_chat(said)
        assert tokens is not None
        assert (await written(engine, Prompt(tuple(tokens), "", 50)))[0] == "return x\n"
        await engine.close()
    _, path, body = model.asked[-1]
    assert path == "/v1/chat/completions"
    assert body["messages"] == [
        {"role": "system", "content": "Write Pony."},
        {"role": "user", "content": "Ünïcode, please"},
    ]


async def test_secrets_are_masked_before_anything_is_sent(written: Written) -> None:
    """Whatever a caller hands over: texts to count, prompts, messages; and nothing is sent to be counted."""

    class Said:
        role, content = "user", f"key = '{SECRET}'"

    for model in (Model("qwen2.5-coder-7b", "gateway"), Model("q", "vllm", 8192, vocabulary=VLLM)):
        async with serving(model):
            engine = RemoteEngine(model.url, QUICK)
            prompt = await prompt_for(engine, f"key = '{SECRET}'\n", f"token = '{SECRET}'\n")
            await written(engine, prompt)
            tokens = await engine.encode_chat([Said()])
            assert tokens is not None
            await written(engine, Prompt(tuple(tokens), "", 5))
            await engine.close()
        sent = repr(model.asked)
        assert SECRET not in sent
        assert SECRET not in "".join(chr(t - 1000) for t in prompt.tokens if 1000 < t < 2000)
        assert "********" in sent or model.owner == "vllm"


async def test_leaving_stops_the_server() -> None:
    """Closing the stream closes the connection at once."""
    model = Model(chunks=("x",) * 1000, pause_s=0.02)
    async with serving(model):
        engine = RemoteEngine(model.url, QUICK)
        prompt = await prompt_for(engine, "x", new=1000)
        async with aclosing(engine.generate(prompt)) as stream:
            await anext(stream)
            assert engine.state is EngineState.BUSY
        for _ in range(100):
            if model.broken_off:
                break
            await asyncio.sleep(0.02)
        assert model.broken_off == 1
        assert model.sent < 20
        assert engine.state is EngineState.READY
        await engine.close()


@pytest.mark.parametrize("status", [429, 500, 502, 503])
async def test_a_server_in_trouble_is_asked_again(written: Written, status: int) -> None:
    """So often as the settings say, and no more."""
    model = Model(statuses=[status, status])
    async with serving(model):
        engine = RemoteEngine(model.url, QUICK)
        prompt = await prompt_for(engine, "x")
        assert (await written(engine, prompt))[0] == "return x\n"
        assert len(model.completions()) == 3
        model.statuses = [status] * 9
        with pytest.raises(ServerUnreachable, match=f"status {status}"):
            await written(engine, prompt)
        assert len(model.completions()) == 6
        await engine.close()


async def test_nobody_waits_for_long(written: Written) -> None:
    """A server that says "in a minute" counts as down."""
    model = Model(statuses=[429], headers="Retry-After: 60\r\n")
    async with serving(model):
        engine = RemoteEngine(model.url, QUICK)
        with pytest.raises(ServerUnreachable, match="too busy"):
            await written(engine, await prompt_for(engine, "x"))
        assert len(model.completions()) == 1
        await engine.close()


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"statuses": [400]}, "answers: Something is wrong"),
        ({"statuses": [404, 404, 404]}, "knows no /v1/completions"),
        ({"statuses": [401]}, "BOWERBIRD_API_KEY|apiKeyEnv"),
        ({"statuses": [307]}, "sends us elsewhere"),
        ({"body": b"data: nonsense\n\n"}, "no JSON"),
        ({"body": b"data: [1]\n\n"}, "no answer of a model"),
        ({"body": b"data: " + b"x" * 3_000_000}, "a line of more than 1 MB"),
        ({"body": b'data: {"error": {"message": "out of memory"}}\n\n'}, "out of memory"),
        ({"cut_after": 1}, "does not answer|broke off"),
        ({"pause_s": 9.0}, "does not answer"),
    ],
)
async def test_what_goes_wrong_is_a_sentence(written: Written, change: dict[str, Any], sentence: str) -> None:
    """Refusals, garbage, floods, cut streams, silence: the user reads what it was."""
    model = Model()
    async with serving(model):
        engine = RemoteEngine(model.url, RemoteSettings(timeout_ms=300, max_retries=0))
        prompt = await prompt_for(engine, "x")
        for name, value in change.items():
            setattr(model, name, value)
        with pytest.raises(InferenceError, match=sentence):
            await written(engine, prompt)
        await engine.close()


@pytest.mark.parametrize("body", [b"<html>hi</html>", b"[]", b'{"data": 5}', b'{"data": [5, {}]}', b"\xff"])
async def test_what_is_no_model_server_is_called_that(body: bytes) -> None:
    """A web page, or an interface of another kind."""
    async with serving(Model(models_body=body)) as model:
        engine = RemoteEngine(model.url, QUICK)
        with pytest.raises(ServerUnreachable, match=r"not as a model server does|serves no model"):
            await engine.load()
        assert engine.state is EngineState.DOWN
        assert model.url in engine.problem
        await engine.close()


async def test_an_empty_stream_is_an_empty_text(written: Written) -> None:
    """Steps without a choice, unknown fields, and an end at once."""
    body = (
        b': hello\n\nevent: x\ndata: {"choices": []}\n\ndata: {"choices": [null], "m": 1}\n\ndata: [DONE]\n\n'
    )
    async with serving(Model(body=body)) as model:
        engine = RemoteEngine(model.url, QUICK)
        assert (await written(engine, await prompt_for(engine, "x")))[0] == ""
        await engine.close()


async def test_keys_come_from_the_environment(written: Written, monkeypatch: pytest.MonkeyPatch) -> None:
    """The right one opens the door; without it the sentence says where it belongs."""
    async with serving(Model(key="team")) as model:
        engine = RemoteEngine(model.url, replace(QUICK, api_key_env="TEAM_KEY"))
        with pytest.raises(ServerUnreachable, match="keyring"):
            await engine.load()
        await engine.close()
        monkeypatch.setenv("TEAM_KEY", "team")
        await written(engine, await prompt_for(engine, "x"))
        assert model.authorizations[-1] == "Bearer team"
        await engine.close()


async def test_a_key_is_never_sent_unprotected(monkeypatch: pytest.MonkeyPatch) -> None:
    """Over plain http to another machine nothing is asked at all."""
    monkeypatch.setenv("BOWERBIRD_API_KEY", "team")
    engine = RemoteEngine("http://gpu.example.invalid:8000", QUICK)
    with pytest.raises(ServerUnreachable, match="no https address"):
        await engine.load()
    await engine.close()


@pytest.mark.parametrize(
    "setting",
    [
        "http://",
        "http://user:password@host:1",
        "https://host/?key=1",
        "http://host:99999",
        "http://[::1",
        "ftp://host",
    ],
)
async def test_addresses_that_are_none(setting: str) -> None:
    """Each is told, and no password is repeated."""
    engine = RemoteEngine(setting, QUICK)
    with pytest.raises(ServerUnreachable) as caught:
        await engine.load()
    assert "password@" not in str(caught.value)
    await engine.close()


async def test_a_name_behind_the_address_picks_the_model() -> None:
    """As a gateway lists several; a wrong one is told with those that there are."""
    rows = b'{"data": [{"id": "a/small"}, {"id": "b/Big"}]}'
    async with serving(Model(models_body=rows)) as model:
        for name, expected in (("", "a/small"), ("#b/Big", "b/Big"), ("#big", "b/Big")):
            engine = RemoteEngine(f"{model.url}{name}", QUICK)
            assert (await engine.load()).name == expected
            await engine.close()
        engine = RemoteEngine(f"{model.url}#huge", QUICK)
        with pytest.raises(ServerUnreachable, match="no model 'huge'; there are: a/small, b/Big"):
            await engine.load()
        await engine.close()


async def test_https_is_checked(written: Written, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A certificate that nobody vouches for is refused; SSL_CERT_FILE names who does."""
    key, certificate = tmp_path / "key.pem", tmp_path / "certificate.pem"
    subprocess.run(
        [
            *(
                "openssl",
                "req",
                "-x509",
                "-newkey",
                "rsa:2048",
                "-nodes",
                "-keyout",
                key,
                "-out",
                certificate,
            ),
            *("-days", "2", "-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1"),
        ],
        check=True,
        capture_output=True,
    )
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    async with serving(Model(), context) as model:
        engine = RemoteEngine(model.url, QUICK)
        with pytest.raises(ServerUnreachable, match="certificate"):
            await engine.load()
        await engine.close()
        assert model.asked == []
        monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
        assert (await written(engine, await prompt_for(engine, "x")))[0] == "return x\n"
        await engine.close()


async def test_work_is_shared_and_a_dead_server_left_out(written: Written) -> None:
    """Generations at the same time go to different servers; one that dies leaves its work to the other."""
    one, two = Model(pause_s=0.05), Model(pause_s=0.05)
    async with serving(two):
        async with serving(one):
            engine = RemoteEngine(f"{one.url} {two.url}", QUICK)
            prompt = await prompt_for(engine, "x")
            while len([e for e in engine._servers.endpoints if e.connection]) < 2:
                await asyncio.sleep(0.01)
            await asyncio.gather(*(written(engine, prompt) for _ in range(4)))
            assert (len(one.completions()), len(two.completions())) == (2, 2)
            one.cut_after = 0
            assert (await written(engine, prompt))[0] == "return x\n"
        for _ in range(3):
            assert (await written(engine, prompt))[0] == "return x\n"
        assert engine.state is EngineState.READY
        await engine.close()


async def test_the_more_urgent_goes_first(written: Written) -> None:
    """No more at once than the server may be given; of those who wait by hand before automatic and the rest.

    What the completion's engine and the generation's ask of one server stands in one queue.
    """
    async with serving(Model(chunks=("x",) * 10, pause_s=0.05)) as model:
        engines = [RemoteEngine(model.url, QUICK) for _ in range(2)]
        base = await prompt_for(engines[0], "x")
        await engines[1].load()
        running = [
            asyncio.create_task(written(engine, replace(base, max_new_tokens=new)))
            for engine, new in zip(engines, (51, 52), strict=True)
        ]
        while len(model.completions()) < 2:
            await asyncio.sleep(0.01)
        waiting = []
        for number, priority in enumerate([*Priority, *Priority]):
            prompt = replace(base, max_new_tokens=60 + number, priority=priority)
            waiting.append(asyncio.create_task(written(engines[number % 2], prompt)))
            await asyncio.sleep(0)
        waiting.pop(3).cancel()
        texts = await asyncio.gather(*running, *waiting)
        assert {text for text, _ in texts} == {"x" * 10}, "what runs is not broken off"
        assert model.most_at_once == 2
        asked = [body["max_tokens"] for body in model.completions()]
        assert asked == [51, 52, 67, 62, 66, 61, 65, 60, 64]
        for engine in engines:
            await engine.close()


async def test_an_idle_server_that_died_is_found_out(
    written: Written, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where there are others it is looked at beside a completion, before a completion needs it."""
    monkeypatch.setattr(remote_pool, "CHECK_AFTER_S", -1.0)
    async with serving(Model()) as one:
        async with serving(Model()) as two:
            engine = RemoteEngine(f"{one.url} {two.url}", QUICK)
            await engine.load()
            while engine._servers.connecting:
                await asyncio.sleep(0.01)
        for _ in range(200):
            await engine.load()
            if any(endpoint.connection is None for endpoint in engine._servers.endpoints):
                break
            await asyncio.sleep(0.01)
        assert [e.connection is None for e in engine._servers.endpoints] == [False, True]
        assert two.url in engine._servers.endpoints[1].problem
        assert (await written(engine, await prompt_for(engine, "x")))[0] == "return x\n"
        await engine.close()


async def test_a_gateway_without_a_list_takes_the_named_model(written: Written) -> None:
    """Some list nothing; then the name behind the address is believed."""
    async with serving(Model(lists=False)) as model:
        engine = RemoteEngine(f"{model.url}#codestral-latest", QUICK)
        loaded = await engine.load()
        assert (loaded.name, loaded.template.family.name) == ("codestral-latest", "Codestral")
        assert (await written(engine, await prompt_for(engine, "x", "y")))[0] == "return x\n"
        assert model.completions()[0]["prompt"] == "[SUFFIX]y[PREFIX]x"
        assert engine._servers is not None
        (endpoint,) = engine._servers.endpoints
        assert endpoint.connection is not None
        assert await endpoint.connection.healthy()
        await engine.close()
        engine = RemoteEngine(model.url, QUICK)
        with pytest.raises(ServerUnreachable, match="404"):
            await engine.load()
        await engine.close()


async def test_servers_with_different_models_do_not_mix() -> None:
    """The second is left out, and says why."""
    async with serving(Model()) as one, serving(Model("other")) as two:
        engine = RemoteEngine(f"{one.url} {two.url}", QUICK)
        loaded = await engine.load()
        while engine._servers.connecting:
            await asyncio.sleep(0.01)
        up = [endpoint for endpoint in engine._servers.endpoints if endpoint.connection is not None]
        assert len(up) == 1
        assert loaded.name in (Model().name, "other")
        assert "left out" in " ".join(endpoint.problem for endpoint in engine._servers.endpoints)
        await engine.close()


async def test_the_built_in_model_stands_in_and_leaves_again(
    written: Written, engine: LlamaEngine, model: Path
) -> None:
    """Down: it completes and says so. Back: the server completes again, and its process is ended."""
    served = Model()
    async with serving(served):
        standby = LlamaEngine(model, InferenceSettings())
        remote = RemoteEngine(served.url, QUICK, standby=standby)
        before = await prompt_for(remote, "def f(x):\n    return")
        assert (await written(remote, before))[0] == "return x\n"
    port = int(served.url.rpartition(":")[2])
    with pytest.raises(ServerUnreachable, match="The built-in model stands in meanwhile"):
        await written(remote, before)
    loaded = await remote.load()
    assert loaded.name == f"nestling in place of 127.0.0.1:{port}"
    assert remote.problem in loaded.notes
    meanwhile = await prompt_for(remote, "def f(x):\n    return")
    own = (await engine.load()).template
    assert [piece - loaded.template.ids["pre"] for piece in (loaded.template.ids["suf"],)] == [
        own.ids["suf"] - own.ids["pre"]
    ]
    assert (await written(remote, meanwhile))[0].strip()
    with pytest.raises(InferenceError, match="changed while"):
        await written(remote, replace(meanwhile, tokens=(*meanwhile.tokens, *before.tokens)))
    async with serving(served, port=port):
        while (await remote.load()).name != served.name:
            await asyncio.sleep(0.02)
        assert remote.problem == ""
        assert (await written(remote, before))[0] == "return x\n"
        while standby.state is not EngineState.IDLE:
            await asyncio.sleep(0.02)
        assert (await written(remote, meanwhile))[0].strip(), "what was made for the other is still finished"
    await remote.close()


async def test_where_nothing_can_stand_in_the_reason_is_told(tmp_path: Path) -> None:
    """A missing built-in model is a second sentence."""
    remote = RemoteEngine(
        "http://127.0.0.1:9", QUICK, standby=LlamaEngine(tmp_path / "none.gguf", InferenceSettings())
    )
    with pytest.raises(ServerUnreachable, match=r"127\.0\.0\.1:9 does not answer.*none\.gguf"):
        await remote.load()
    await remote.close()


async def test_likelihoods_and_candidates_are_not_to_be_had(written: Written) -> None:
    """One candidate, a sentence for the score, and a grammar that is said to be ignored."""
    async with serving(Model()) as model:
        engine = RemoteEngine(model.url, QUICK)
        prompt = await prompt_for(engine, "x")
        text, usage = await written(engine, replace(prompt, first_choice=1))
        assert (text, usage.stopped) == ("", "unlikely")
        with pytest.raises(InferenceError, match="how likely"):
            await engine.score(prompt, "y")
        _, usage = await written(engine, replace(prompt, grammar='root ::= "x"'))
        assert usage.grammar == "ignored"
        _, usage = await written(engine, replace(prompt, max_new_tokens=0))
        assert usage.stopped == "length"
        assert len(model.completions()) == 1
        await engine.close()


def test_certificates_are_always_checked() -> None:
    """There is no switch."""
    context = remote_client.certificates()
    assert context.verify_mode is ssl.CERT_REQUIRED
    assert context.check_hostname
