"""What runs programs, where the user allows it: a row for each language."""

from __future__ import annotations

from dataclasses import dataclass

from bowerbird.execution.checker import FILE, TOOL
from bowerbird.execution.toolchain import Locate, java, on_path, python, rust

MADE = "/tmp/program"


@dataclass(frozen=True, slots=True, kw_only=True)
class Interpreter:
    """How programs of a language are run."""

    name: str
    executables: tuple[str, ...]
    steps: tuple[tuple[str, ...], ...]
    """One after another, as long as they succeed; the last one is the program."""
    file: str
    """What the program's file is called where it has no name."""
    good: str
    """A program that does nothing, and does it right."""
    locate: Locate = on_path


_TOOL_FILE = ((TOOL, FILE),)

INTERPRETERS = {
    "python": Interpreter(
        name="python",
        executables=("python3", "python"),
        steps=((TOOL, "-B", FILE),),
        file="program.py",
        good="pass\n",
        locate=python,
    ),
    "javascript": Interpreter(
        name="node", executables=("node",), steps=_TOOL_FILE, file="program.mjs", good=";\n"
    ),
    "shell": Interpreter(name="bash", executables=("bash",), steps=_TOOL_FILE, file="program.sh", good=":\n"),
    "lua": Interpreter(
        name="lua",
        executables=("lua", "lua5.4", "lua5.3", "lua5.2", "lua5.1"),
        steps=_TOOL_FILE,
        file="program.lua",
        good="local x = 1\n",
    ),
    "ruby": Interpreter(
        name="ruby", executables=("ruby",), steps=_TOOL_FILE, file="program.rb", good="nil\n"
    ),
    "php": Interpreter(
        name="php", executables=("php",), steps=((TOOL, "-n", FILE),), file="program.php", good="<?php\n"
    ),
    "perl": Interpreter(name="perl", executables=("perl",), steps=_TOOL_FILE, file="program.pl", good="1;\n"),
    "ring": Interpreter(
        name="ring", executables=("ring",), steps=_TOOL_FILE, file="program.ring", good="x = 1\n"
    ),
    "c": Interpreter(
        name="cc",
        executables=("cc", "gcc", "clang"),
        steps=((TOOL, "-x", "c", "-o", MADE, FILE, "-lm"), (MADE,)),
        file="program.c",
        good="int main(void) { return 0; }\n",
    ),
    "cpp": Interpreter(
        name="c++",
        executables=("c++", "g++", "clang++"),
        steps=((TOOL, "-x", "c++", "-std=gnu++20", "-o", MADE, FILE), (MADE,)),
        file="program.cpp",
        good="int main() {}\n",
    ),
    "rust": Interpreter(
        name="rustc",
        executables=("rustc",),
        steps=(
            (TOOL, "--edition=2021", "--error-format=short", "--cap-lints=allow", "-o", MADE, FILE),
            (MADE,),
        ),
        file="program.rs",
        good="fn main() {}\n",
        locate=rust,
    ),
    "java": Interpreter(
        name="java",
        executables=("java",),
        steps=((TOOL, "-Xmx512m", "-XX:+UseSerialGC", FILE),),
        file="Program.java",
        good="class Program { public static void main(String[] args) {} }\n",
        locate=java,
    ),
}
