"""`bowerbird model` as people and programs call it; the hub is a stand-in on the loopback."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from bowerbird.assembly import assemble
from bowerbird.cli.app import app
from bowerbird.cli.errors import ExitCode
from bowerbird.inference import advice, choice
from bowerbird.inference.advice import Fit, Speed
from bowerbird.inference.catalog import catalog
from bowerbird.inference.choice import Purpose, chosen
from bowerbird.inference.engine import choose_engine
from bowerbird.inference.llama import LlamaEngine
from bowerbird.inference.models import Origin, built_in_model, find_model, model_folder
from bowerbird.settings import GenerationSettings, InferenceSettings, Settings
from hub_stand_in import Hub, serving

ROW = catalog()[0]
SLOW_BYTES = 6_000_000


@pytest.fixture(autouse=True)
def nothing_of_the_users() -> Iterator[None]:
    """No models, no choice and no measurement, before and after."""

    def clear() -> None:
        shutil.rmtree(model_folder(), ignore_errors=True)
        choice.choice_file().unlink(missing_ok=True)
        advice.speed_file().unlink(missing_ok=True)

    clear()
    yield
    clear()


@pytest.fixture
def hub(monkeypatch: pytest.MonkeyPatch) -> Iterator[Hub]:
    """Has the built-in model, in place of the table's first."""
    with serving(Hub({f"{ROW.repo}/{ROW.file}": built_in_model().read_bytes()})) as hub:
        monkeypatch.setenv("HF_ENDPOINT", hub.url)
        yield hub


def model(*arguments: object) -> Any:
    return CliRunner().invoke(app, ["model", *map(str, arguments)], catch_exceptions=False)


def told(*arguments: object) -> Any:
    result = model(*arguments, "--json")
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


def own_models() -> list[str]:
    return sorted(os.listdir(model_folder())) if model_folder().is_dir() else []


def put(name: str) -> Path:
    model_folder().mkdir(parents=True, exist_ok=True)
    return Path(shutil.copy(built_in_model(), model_folder() / name))


@pytest.mark.usefixtures("hub")
def test_a_model_of_the_table_is_pulled_used_and_removed() -> None:
    """The whole way, as a user goes it; what is removed is no longer chosen."""
    result = model("pull", ROW.name)
    assert result.exit_code == 0, result.output
    assert "checksum is right" in result.stdout
    assert ROW.licence in result.stdout
    assert own_models() == [ROW.file]
    assert "here already" in model("pull", ROW.name).stdout
    assert [row["here"] for row in told("list")["catalog"] if row["name"] == ROW.name] == [True]
    assert model("use", ROW.name).exit_code == 0
    found = find_model("")
    assert (found.path, found.origin) == (model_folder() / ROW.file, Origin.CHOICE)
    assert told("list")["completion"] == str(found.path)
    result = model("remove", ROW.name)
    assert "that choice is forgotten" in result.stdout
    assert own_models() == []
    assert find_model("").path == built_in_model()


def test_a_killed_pull_goes_on_where_it_was(hub: Hub) -> None:
    """A real process is killed in the midst; the next one asks for the rest only."""
    content = built_in_model().read_bytes()[:SLOW_BYTES]
    hub.files = {"some/models/slow.gguf": content}
    hub.chunk_s = 0.02
    script = (
        "from huggingface_hub import constants; constants.DOWNLOAD_CHUNK_SIZE = 65536\n"
        "from bowerbird.cli.app import main; main()"
    )
    process = subprocess.Popen(
        [sys.executable, "-P", "-c", script, "model", "pull", "some/models/slow.gguf"],
        stderr=subprocess.DEVNULL,
    )
    deadline = time.monotonic() + 60
    while not any(path.stat().st_size for path in model_folder().glob(".slow.gguf.*.part")):
        assert time.monotonic() < deadline
        assert process.poll() is None
        time.sleep(0.02)
    process.send_signal(signal.SIGKILL)
    process.wait()
    (part,) = model_folder().glob(".slow.gguf.*.part")
    have = part.stat().st_size
    assert 0 < have < SLOW_BYTES
    hub.chunk_s = 0
    assert model("pull", "some/models/slow.gguf").exit_code == 0
    assert hub.asked[-1] == ("GET", "/some/models/resolve/main/slow.gguf", f"bytes={have}-")
    assert own_models() == ["slow.gguf"]
    assert (model_folder() / "slow.gguf").read_bytes() == content


def test_pulling_by_address_chooses_at_once_and_tells_the_checksum(hub: Hub) -> None:
    """Any GGUF by its own address; `--use` spares the second command."""
    hub.files["files/mine.gguf"] = built_in_model().read_bytes()
    hub.promised["files/mine.gguf"] = "not-a-checksum"
    result = model("pull", f"{hub.url}/files/mine.gguf", "--use")
    assert result.exit_code == 0, result.output
    assert "SHA-256" in result.stdout
    assert chosen(Purpose.COMPLETION) == "mine.gguf"


@pytest.mark.usefixtures("hub")
def test_a_repository_without_a_file_lists_what_it_has() -> None:
    """The user names one of them next."""
    result = model("pull", ROW.repo)
    assert result.exit_code == ExitCode.USAGE
    assert f"{ROW.repo}/{ROW.file}" in result.stderr


@pytest.mark.parametrize(
    ("name", "code", "words"),
    [
        ("nonsense", ExitCode.USAGE, "no model that can be fetched"),
        ("http://models.example.invalid/x.gguf", ExitCode.NOTHING, "no https address"),
        ("nobody/nothing/x.gguf", ExitCode.NOTHING, "no repository"),
        (str(built_in_model()), ExitCode.USAGE, "bowerbird model use"),
    ],
)
@pytest.mark.usefixtures("hub")
def test_what_cannot_be_pulled_is_said(name: str, code: ExitCode, words: str) -> None:
    """A sentence, an exit code, and no file."""
    result = model("pull", name)
    assert result.exit_code == code
    assert words in result.stderr
    assert own_models() == []


@pytest.mark.usefixtures("hub")
def test_a_file_of_the_same_name_is_not_overwritten() -> None:
    """It may be the user's own work."""
    put(ROW.file).write_bytes(b"GGUF mine")
    result = model("pull", ROW.name)
    assert result.exit_code == ExitCode.NOTHING
    assert "another file of that name" in result.stderr
    assert (model_folder() / ROW.file).read_bytes() == b"GGUF mine"


def test_choices_are_kept_by_purpose_and_taken_back(tmp_path: Path) -> None:
    """Completion and generation are chosen apart; paths, names, URLs and the built-in one."""
    put("one.gguf")
    elsewhere = Path(shutil.copy(built_in_model(), tmp_path / "x.gguf"))
    assert find_model("").origin is Origin.FOLDER
    assert model("use", "built-in").exit_code == 0
    assert find_model("").path == built_in_model()
    assert model("use", elsewhere).exit_code == 0
    assert find_model("").path == elsewhere
    assert find_model("one").path == model_folder() / "one.gguf", "a setting comes before the choice"
    assert model("use", "one", "--for", "generation").exit_code == 0
    assert (chosen(Purpose.COMPLETION), chosen(Purpose.GENERATION)) == (str(elsewhere), "one.gguf")
    assert model("use", "--forget").exit_code == 0
    assert (chosen(Purpose.COMPLETION), chosen(Purpose.GENERATION)) == ("", "one.gguf")
    assert model("use", "http://127.0.0.1:9/v1").exit_code == 0
    assert type(choose_engine("", InferenceSettings())) is not type(choose_engine("one", InferenceSettings()))


def test_the_choices_are_what_an_editor_gets() -> None:
    """One file completes, another generates; a setting comes before either choice."""
    put("one.gguf")
    put("two.gguf")
    model("use", "one")
    model("use", "two", "--for", "generation")
    assembly = assemble(Settings(), [])
    assert isinstance(assembly.model, LlamaEngine)
    assert isinstance(assembly.generator, LlamaEngine)
    names = assembly.model.model_path.name, assembly.generator.model_path.name
    assert names == ("one.gguf", "two.gguf")
    assert assemble(Settings(), [], assembly).generator is assembly.generator
    named = assemble(Settings(generation=GenerationSettings(model="one.gguf")), [])
    assert named.generator is named.model


def test_what_cannot_be_used_is_said(tmp_path: Path) -> None:
    """A model that is not here, one that is none, and a command without sense; nothing is chosen."""
    (tmp_path / "text.gguf").write_text("no model")
    for arguments, code, words in (
        ((ROW.name,), ExitCode.INPUT, f"bowerbird model pull {ROW.name}"),
        ((tmp_path / "text.gguf",), ExitCode.MODEL, "no GGUF file"),
        ((tmp_path / "none.gguf",), ExitCode.MODEL, "There is no model file"),
        (("http://me:secret@host",), ExitCode.MODEL, "Keys belong into"),
        ((), ExitCode.USAGE, "--forget"),
        (("one", "--forget"), ExitCode.USAGE, "--forget"),
    ):
        result = model("use", *arguments)
        assert (result.exit_code, words in result.stderr) == (code, True), result.stderr
    assert chosen(Purpose.COMPLETION) == ""


@pytest.mark.parametrize("content", ["", "{", "[]", '{"completion": 5}', '"x"'])
def test_a_broken_choice_counts_for_nothing(content: str) -> None:
    """Whatever stands in the file, a model is found; the list says what is wrong."""
    choice.choice_file().parent.mkdir(parents=True, exist_ok=True)
    choice.choice_file().write_text(content)
    assert find_model("").path == built_in_model()
    assert bool(told("list")["problem"]) == (content != '{"completion": 5}')
    assert model("use", "built-in").exit_code == 0
    assert chosen(Purpose.COMPLETION) == "built-in"


def test_nothing_outside_the_model_folder_is_removed(tmp_path: Path) -> None:
    """Not the built-in model, not a path, not the file behind a link, and no way around by dots."""
    elsewhere = Path(shutil.copy(built_in_model(), tmp_path / "x.gguf"))
    put("one.gguf")
    link = model_folder() / "link.gguf"
    link.symlink_to(elsewhere)
    for name in ("built-in", elsewhere, f"{model_folder()}/../models/../one.gguf", "../x.gguf"):
        assert model("remove", name).exit_code != 0
    assert model("remove", "link").exit_code == 0
    assert not link.is_symlink()
    assert elsewhere.read_bytes() == built_in_model().read_bytes()
    assert built_in_model().is_file()
    assert own_models() == ["one.gguf"]
    assert model("remove", "two").exit_code == ExitCode.INPUT


def test_broken_off_downloads_go_with_their_model() -> None:
    """Even where the model itself never arrived."""
    put("one.gguf")
    for name in (".one.gguf.0123.part", ".two.gguf.0123.part"):
        (model_folder() / name).write_bytes(b"GGUF")
    assert model("remove", "one").exit_code == 0
    assert own_models() == [".two.gguf.0123.part"]
    assert "1 broken-off" in model("remove", "two").stdout
    assert own_models() == []


def test_info_tells_what_is_here_and_what_could_be() -> None:
    """A file is loaded, a row is read; both get advice."""
    here = told("info")
    assert (here["here"], here["promptForm"], here["fills"]) == (True, "Nestling", True)
    assert here["bytes"] == built_in_model().stat().st_size
    row = told("info", ROW.name)
    assert (row["here"], row["licence"], row["fit"]) == (False, ROW.licence, row["fit"])
    assert ROW.repo in model("info", ROW.name).stdout
    assert model("info", "no such model").exit_code == ExitCode.INPUT


def test_a_corrupt_model_is_told_in_a_sentence() -> None:
    """A download that somebody cut, or a wrong file."""
    put("half.gguf").write_bytes(built_in_model().read_bytes()[:1_000_000])
    for command in ("info", "bench"):
        result = model(command, "half")
        assert result.exit_code == ExitCode.MODEL
        assert "half.gguf" in result.stderr
        assert "Traceback" not in result.output


def test_bench_is_remembered_for_advice() -> None:
    """What was measured here lets the list estimate the others."""
    measured = told("bench")
    assert measured["read_tps"] > measured["write_tps"] > 0
    assert [need["name"] for need in measured["needs"]] == ["typing on", "a new place"]
    speed = advice.remembered()
    assert speed is not None
    assert speed.write_tps == pytest.approx(measured["write_tps"])
    first, *_, last = told("list")["catalog"]
    assert 0 < first["timeOverBudget"] < last["timeOverBudget"]
    assert "as measured here" in " ".join(model("list").stdout.split())


def test_advice_is_arithmetic() -> None:
    """Room by the memory that there is, time by the bytes that each token moves."""
    size = 4_000_000_000
    assert advice.fit(size, 64 * 10**9, 32 * 10**9) is Fit.FITS
    assert advice.fit(size, 16 * 10**9, 2 * 10**9) is Fit.TIGHT
    assert advice.fit(size, 6 * 10**9, 6 * 10**9) is Fit.TOO_BIG
    speed = Speed("x", 1_000, 400.0, 40.0)
    assert speed.completion_ms(200, 20) == 1000
    assert speed.scaled(2_000).completion_ms(200, 20) == 2000
    typing_on, new_place = advice.needs(2_048)
    assert typing_on.ratio(speed) < new_place.ratio(speed)


@pytest.mark.parametrize(
    "content", ["", "[]", '{"model": 1}', '{"model": "x", "bytes": 0, "read_tps": 1, "write_tps": 1}']
)
def test_a_broken_measurement_counts_for_nothing(content: str) -> None:
    """The list then asks for another."""
    advice.speed_file().parent.mkdir(parents=True, exist_ok=True)
    advice.speed_file().write_text(content)
    assert advice.remembered() is None
    assert "bowerbird model bench" in " ".join(model("list").stdout.split())


def test_a_server_starts_without_the_hub() -> None:
    """No start imports what fetches models, nor a library that speaks HTTP."""
    script = (
        "import sys; from pathlib import Path\n"
        "from bowerbird.assembly import assemble; from bowerbird.settings import Settings\n"
        "import bowerbird.lsp.server; assemble(Settings(), [])\n"
        "print([name for name in ('huggingface_hub', 'httpx', 'httpx2', 'keyring') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-P", "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
