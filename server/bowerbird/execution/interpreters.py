"""What runs programs, where the user allows it: a row for each language."""

from __future__ import annotations

import re
from dataclasses import dataclass

from bowerbird.execution.checker import FILE, NEVER, TOOL
from bowerbird.execution.toolchain import Locate, java, on_path, python, rust

MADE = "/tmp/program"
ENDED = (";", "{", "}")
OF_THE_SHELL = " || test $? -lt 126 || exit"
"""Shell functions answer with numbers, too; from 126 on the answer is that something could not be run."""


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
    main: str = "{test}"
    """What stands behind a program, the test in the place of ``{test}``: in the function that is started."""
    starts: re.Pattern[str] = NEVER
    """A program that has this function already, and runs as it is, without the test."""
    statement: str = ""
    """What ends a line of a test that is but a call."""

    def whole(self, code: str, test: str) -> str:
        """A program that starts, and runs the test where it can."""
        if self.starts.search(code):
            return code
        lines = [line if line.endswith(ENDED) else line + self.statement for line in test.split("\n") if line]
        behind = self.main.replace("{test}", "\n".join(lines))
        return f"{code.rstrip()}\n\n{behind}\n" if behind else code


_TOOL_FILE = ((TOOL, FILE),)
_C_MAIN = re.compile(r"^\s*(?:int|void|auto)\s+main\s*\(", re.MULTILINE)

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
    "shell": Interpreter(
        name="bash",
        executables=("bash",),
        steps=_TOOL_FILE,
        file="program.sh",
        good=":\n",
        statement=OF_THE_SHELL,
    ),
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
        name="php",
        executables=("php",),
        steps=((TOOL, "-n", FILE),),
        file="program.php",
        good="<?php\n",
        statement=";",
    ),
    "perl": Interpreter(
        name="perl",
        executables=("perl",),
        steps=_TOOL_FILE,
        file="program.pl",
        good="1;\n",
        statement=";",
    ),
    "ring": Interpreter(
        name="ring",
        executables=("ring",),
        steps=_TOOL_FILE,
        file="program.ring",
        good="x = 1\n",
        main="func main\n{test}",  # behind a function, statements belong to it
        starts=re.compile(r"^\s*(?:func|function|def)\s+main\b", re.MULTILINE | re.IGNORECASE),
    ),
    "c": Interpreter(
        name="cc",
        executables=("cc", "gcc", "clang"),
        steps=((TOOL, "-x", "c", "-o", MADE, FILE, "-lm"), (MADE,)),
        file="program.c",
        good="int main(void) { return 0; }\n",
        main="int main(void) {\n{test}\nreturn 0;\n}",
        starts=_C_MAIN,
        statement=";",
    ),
    "cpp": Interpreter(
        name="c++",
        executables=("c++", "g++", "clang++"),
        steps=((TOOL, "-x", "c++", "-std=gnu++20", "-o", MADE, FILE), (MADE,)),
        file="program.cpp",
        good="int main() {}\n",
        main="int main() {\n{test}\nreturn 0;\n}",
        starts=_C_MAIN,
        statement=";",
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
        main="fn main() {\n{test}\n}",
        starts=re.compile(r"^\s*(?:pub\s+)?fn\s+main\s*\(", re.MULTILINE),
        statement=";",
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
