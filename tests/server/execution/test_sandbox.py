"""Hostile programs in the sandbox: they read, change and reach nothing, and nothing of them stays."""

# ruff: noqa: ASYNC240 - nothing else waits for the loop meanwhile

from __future__ import annotations

import asyncio
import os
import socket
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import psutil
import pytest

from bowerbird.execution import visible
from bowerbird.execution.job import Job, Limits, SandboxError
from bowerbird.execution.sandbox import Sandbox, find_sandbox
from bowerbird.execution.toolchain import rust

PYTHON = os.path.realpath(sys.executable)
PREFIX = Path(sys.base_prefix)
SECRET = "a-secret-of-the-user"


def bash(script: str, **limits: float) -> Job:
    return Job(steps=(("/bin/bash", "-c", script),), limits=Limits(**limits))  # type: ignore[arg-type]


def python(code: str, **limits: float) -> Job:
    return Job(
        steps=((PYTHON, "-I", "program.py"),),
        files={"program.py": textwrap.dedent(code)},
        readable=(PREFIX,),
        limits=Limits(**limits),  # type: ignore[arg-type]
    )


def running(mark: str) -> list[int]:
    """Processes that have `mark` among their arguments."""
    return [one.pid for one in psutil.process_iter(["cmdline"]) if mark in (one.info["cmdline"] or [])]


def gone(mark: str) -> bool:
    """Nothing with `mark` runs any more; the kernel needs a moment."""
    deadline = time.monotonic() + 10
    while running(mark):
        if time.monotonic() > deadline:
            return False
        time.sleep(0.02)
    return True


async def test_steps_run_in_the_scratch_folder_until_one_fails(sandbox: Sandbox) -> None:
    """Files lie where they were put, steps share them, and what a failed step leads to does not run."""
    steps = (
        ("/bin/sh", "-c", "cat shop/cart.txt; pwd; touch made"),
        ("/bin/sh", "-c", "ls made; exit 3"),
        ("/bin/sh", "-c", "echo never"),
    )
    outcome = await sandbox.run(Job(steps=steps, files={"shop/cart.txt": "2 pears\n"}))
    assert (outcome.code, outcome.stdout) == (3, "2 pears\n/scratch\nmade\n")
    assert not outcome.succeeded


async def test_stdin_reaches_the_program(sandbox: Sandbox) -> None:
    """What a job is told, its steps can read."""
    outcome = await sandbox.run(Job(steps=(("/bin/cat",),), stdin="räksmörgås"))
    assert outcome.stdout == "räksmörgås"


async def test_nothing_of_the_user_can_be_read(sandbox: Sandbox, tmp_path: Path) -> None:
    """Neither home, nor temporary files, nor the system's accounts are there."""
    secret = tmp_path / "secret"
    secret.write_text(SECRET)
    home = Path.home() / ".token"
    home.write_text(SECRET)
    try:
        outcome = await sandbox.run(
            bash(f"cat {secret} {home} /etc/passwd /etc/shadow; ls {Path.home()} {tmp_path}")
        )
    finally:
        home.unlink()
    assert outcome.stdout == ""
    assert outcome.stderr.count("No such file") == 6


async def test_a_compiler_cannot_be_made_to_read_a_secret(sandbox: Sandbox, tmp_path: Path) -> None:
    """`#include` of a file outside the scratch folder finds nothing; compilers quote what they read."""
    secret = tmp_path / "secret.h"
    secret.write_text(f"{SECRET};\n")
    code = f'#include "{secret}"\n#include "../..{secret}"\nint main(void) {{ return 0; }}\n'
    job = Job(steps=(("cc", "-fsyntax-only", "program.c"),), files={"program.c": code})
    outcome = await sandbox.run(job)
    assert outcome.code == 1
    assert SECRET not in outcome.stdout + outcome.stderr
    assert "No such file" in outcome.stderr


async def test_home_and_system_survive_rm(sandbox: Sandbox, tmp_path: Path) -> None:
    """`rm -rf ~` and worse remove what is in the sandbox's memory, and nothing else."""
    kept = Path.home() / "kept"
    kept.write_text("x")
    script = f"rm -rf ~ {Path.home()} {tmp_path} /usr/bin /etc /lib 2>/dev/null; : > /usr/bin/x; echo ended"
    outcome = await sandbox.run(bash(script))
    assert outcome.stdout == "ended\n"
    assert kept.exists()
    assert tmp_path.is_dir()
    assert Path("/usr/bin/env").exists()
    kept.unlink()


async def test_toolchains_cannot_be_written(sandbox: Sandbox, tmp_path: Path) -> None:
    """What is readable at its own place stays as it is, even for the user whose it is."""
    tool = tmp_path / "tool" / "lib"
    tool.mkdir(parents=True)
    (tool / "a").write_text("before")
    tmp_path.chmod(0o777)
    tool.chmod(0o777)
    (tool / "a").chmod(0o666)
    job = Job(steps=(("/bin/bash", "-c", f"echo after > {tool}/a; cat {tool}/a"),), readable=(tool.parent,))
    outcome = await sandbox.run(job)
    assert outcome.stdout == "before"
    assert "Read-only" in outcome.stderr


async def test_a_hidden_folder_is_empty(
    sandbox: Sandbox, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A workspace that lies among the system's folders, as in many containers, cannot be read."""
    system, workspace = tmp_path / "system", tmp_path / "system" / "workspace"
    workspace.mkdir(parents=True)
    (workspace / ".env").write_text(SECRET)
    (system / "seen").write_text("")
    monkeypatch.setattr(visible, "SYSTEM", (*visible.SYSTEM, str(system)))
    job = Job(steps=(("/bin/ls", "-A", str(system), str(workspace)),))
    assert ".env" in (await sandbox.run(job)).stdout
    hidden = await Sandbox(sandbox.method, (workspace,)).run(job)
    assert "seen" in hidden.stdout
    assert ".env" not in hidden.stdout


async def test_the_environment_is_clean(sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    """No variable of the server's gets in."""
    monkeypatch.setenv("API_KEY", SECRET)
    outcome = await sandbox.run(Job(steps=(("/usr/bin/env",),), env={"EXTRA": "1"}))
    assert SECRET not in outcome.stdout
    names = {line.partition("=")[0] for line in outcome.stdout.splitlines()}
    assert names <= {"PATH", "HOME", "TMPDIR", "LANG", "EXTRA", "PWD", "SHLVL", "_"}


async def test_there_is_no_network(sandbox: Sandbox) -> None:
    """Not even this machine itself can be reached, over IP or by name."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(0.1)
        port = server.getsockname()[1]
        outcome = await sandbox.run(
            python(f"""
                import socket
                for address in (("127.0.0.1", {port}), ("192.0.2.1", 80), ("example.com", 80)):
                    try:
                        socket.create_connection(address, timeout=2)
                        print("connected")
                    except OSError as error:
                        print("refused")
            """)
        )
        assert outcome.stdout == "refused\n" * 3, outcome.stderr
        with pytest.raises(TimeoutError):
            server.accept()


async def test_other_processes_are_out_of_sight(sandbox: Sandbox) -> None:
    """A program sees its own processes, cannot look into their keeper, and cannot become root."""
    script = (
        "echo /proc/[0-9]*; cat /proc/1/environ /proc/1/maps /proc/1/fd/0; unshare -Ur id; kill -9 1; id -u"
    )
    outcome = await sandbox.run(bash(script))
    assert len(outcome.stdout.splitlines()[0].split()) <= 3
    assert outcome.stdout.splitlines()[1:] == ["1000"]
    assert outcome.stderr.count("Permission denied") == 3


async def test_a_fork_bomb_comes_to_nothing(sandbox: Sandbox) -> None:
    """It cannot fork beyond its limit, its time ends, and none of it stays."""
    mark = f"bomb-{os.getpid()}"
    script = f"f() {{ sleep 60 {mark} & f | f & }}; f; sleep 60"
    outcome = await sandbox.run(bash(f"exec 2>/dev/null; {script}", wall_s=0.5, processes=40))
    assert outcome.code != 0
    assert gone(mark)


async def test_processes_are_counted(sandbox: Sandbox) -> None:
    """No more than the limit ever run: the kernel refuses the next one, or the keeper ends them all."""
    outcome = await sandbox.run(
        python(
            """
            import os, time
            for count in range(200):
                try:
                    child = os.fork()
                except BlockingIOError:
                    break
                if not child:
                    time.sleep(60)
            time.sleep(0.3)
            print(count)
            """,
            processes=40,
        )
    )
    if outcome.succeeded:
        assert int(outcome.stdout) < 40
    else:
        assert outcome.ended == "started more than 40 processes"


async def test_an_endless_printer_is_stopped(sandbox: Sandbox) -> None:
    """What it printed first is kept, up to the limit."""
    outcome = await sandbox.run(Job(steps=(("/usr/bin/yes",),), limits=Limits(output_bytes=10_000)))
    assert outcome.ended == "printed more than 9 KiB"
    assert outcome.stdout == "y\n" * 5_000


async def test_nothing_outlives_its_parent(sandbox: Sandbox) -> None:
    """A process that left its parent, its group and its session ends with the job."""
    mark = f"orphan-{os.getpid()}"
    script = (
        f"(setsid nohup python3 -c 'import time; time.sleep(60)' {mark} >/dev/null 2>&1 &) ; echo started"
    )
    outcome = await sandbox.run(bash(script))
    assert (outcome.code, outcome.stdout) == (0, "started\n")
    assert gone(mark)


async def test_a_cancelled_job_ends(sandbox: Sandbox) -> None:
    """Whoever stops waiting leaves nothing behind."""
    mark = f"60.{os.getpid()}"
    task = asyncio.create_task(sandbox.run(Job(steps=(("/bin/sleep", mark),))))
    while not running(mark):
        await asyncio.sleep(0.02)
        assert not task.done()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert gone(mark)


def test_jobs_die_with_a_server_that_is_killed(sandbox: Sandbox) -> None:
    """A server that has no time to tidy up leaves no program behind."""
    mark = f"61.{os.getpid()}"
    code = f"""
        import asyncio
        from bowerbird.execution.job import Job, Limits
        from bowerbird.execution.sandbox import Sandbox
        job = Job(steps=(("/bin/sleep", "{mark}"),), limits=Limits(wall_s=0))
        asyncio.run(Sandbox("{sandbox.method}").run(job))
    """
    server = subprocess.Popen([sys.executable, "-c", textwrap.dedent(code)])
    try:
        deadline = time.monotonic() + 20
        while not running(mark) and time.monotonic() < deadline:
            time.sleep(0.02)
        assert running(mark)
    finally:
        server.kill()
        server.wait()
    assert gone(mark)


GREEDY = {
    "time": ("import time; time.sleep(60)", {"wall_s": 0.3}, "ran for longer than 0.3 seconds"),
    "processor": ("while True: pass", {"cpu_s": 1}, "kept the processor busy for longer than 1 seconds"),
    "memory": (
        # Shared memory counts for no process's own limit.
        """
        import mmap, time
        held = mmap.mmap(-1, 400 << 20)
        for at in range(0, len(held), 4096):
            held[at] = 1
        time.sleep(60)
        """,
        {"memory_bytes": 200 << 20},
        "took more than 200 MiB of memory",
    ),
}


@pytest.mark.parametrize("name", GREEDY)
async def test_greed_has_limits(sandbox: Sandbox, name: str) -> None:
    """Each limit ends the job, and says so."""
    code, limits, ended = GREEDY[name]
    outcome = await sandbox.run(python(code, **limits))  # type: ignore[arg-type]
    assert (outcome.code, outcome.ended) == (None, ended), outcome.stderr


async def test_memory_of_one_process_and_files_have_limits(sandbox: Sandbox) -> None:
    """A program that takes too much memory gets no more; one file and all files together have an end."""
    hungry = await sandbox.run(python("held = bytearray(500 << 20)", memory_bytes=100 << 20))
    assert "MemoryError" in hungry.stderr
    large = await sandbox.run(bash("head -c 3000000 /dev/zero > a", file_bytes=1 << 20))
    assert not large.succeeded
    many = "for i in $(seq 30); do head -c 1000000 /dev/zero > $i || exit 5; done; sleep 1"
    assert not (await sandbox.run(bash(many, scratch_bytes=8 << 20))).succeeded


@pytest.mark.parametrize("name", ["../out", "/tmp/out", "a/../../out", ""])
async def test_files_stay_in_the_scratch_folder(sandbox: Sandbox, name: str) -> None:
    """A name that leads out is refused before anything starts."""
    with pytest.raises(SandboxError, match="leads out"):
        await sandbox.run(Job(steps=(("/bin/true",),), files={name: ""}))


async def test_home_is_no_toolchain(sandbox: Sandbox, tmp_path: Path) -> None:
    """A home or a workspace as a whole is never made readable, nor what holds it."""
    for path, hidden in ((Path.home(), ()), (Path.home().parent, ()), (tmp_path, (tmp_path / "workspace",))):
        with pytest.raises(SandboxError, match="more than a toolchain"):
            await Sandbox(sandbox.method, hidden).run(Job(steps=(("/bin/true",),), readable=(path,)))


async def test_a_missing_program_is_told(sandbox: Sandbox) -> None:
    """As a shell tells it."""
    outcome = await sandbox.run(Job(steps=(("no-such-compiler", "x"),)))
    assert (outcome.code, outcome.stderr) == (127, "no-such-compiler: No such file or directory\n")


async def test_a_death_by_signal_is_told(sandbox: Sandbox) -> None:
    """It has no exit code."""
    outcome = await sandbox.run(bash("kill -SEGV $$"))
    assert (outcome.code, outcome.ended) == (None, "was ended by SIGSEGV")


async def test_a_working_sandbox_is_found(sandbox: Sandbox) -> None:
    """Where one works, one is found."""
    del sandbox
    found = await find_sandbox()
    assert isinstance(found, Sandbox)


async def test_other_systems_have_none(monkeypatch: pytest.MonkeyPatch) -> None:
    """On macOS and Windows there is a reason instead."""
    monkeypatch.setattr(sys, "platform", "darwin")
    found = await find_sandbox()
    assert isinstance(found, SandboxError)
    assert "darwin" in str(found)


BUILD_SCRIPT = """
fn main() {
    let told = std::fs::write("OUTSIDE", "build script was here").is_ok();
    println!("cargo:warning=ran and wrote: {told}");
}
"""
PROC_MACRO = """
extern crate proc_macro;
#[proc_macro]
pub fn strike(_: proc_macro::TokenStream) -> proc_macro::TokenStream {
    let told = std::fs::write("OUTSIDE", "macro was here").is_ok();
    format!("pub const WROTE: &str = \\"{told}\\";").parse().unwrap()
}
"""
CARGO = next(rust(("cargo",)), None)

if CARGO is not None:  # it is nobody's duty to have Rust

    async def test_build_scripts_and_macros_stay_inside(sandbox: Sandbox, tmp_path: Path) -> None:
        """Cargo runs both while it merely checks; what they write outside is not written."""
        assert CARGO is not None
        outside = tmp_path / "outside"
        tmp_path.chmod(0o777)
        manifest = '[package]\nname = "{0}"\nversion = "0.1.0"\nedition = "2021"\n'
        job = Job(
            steps=((str(CARGO.executable), "check", "--offline"), ("/bin/ls", "target/debug")),
            files={
                "Cargo.toml": manifest.format("shop") + '[dependencies]\nstriker = { path = "striker" }\n',
                "build.rs": BUILD_SCRIPT.replace("OUTSIDE", str(outside)),
                "src/lib.rs": "striker::strike!();\npub fn told() -> &'static str { WROTE }\n",
                "striker/Cargo.toml": manifest.format("striker") + "[lib]\nproc-macro = true\n",
                "striker/src/lib.rs": PROC_MACRO.replace("OUTSIDE", str(outside)),
            },
            readable=CARGO.readable,
            env={"PATH": CARGO.path},
            limits=Limits(wall_s=60),
        )
        outcome = await sandbox.run(job)
        assert outcome.succeeded, outcome.stderr
        assert "ran and wrote: false" in outcome.stderr
        assert not outside.exists()
