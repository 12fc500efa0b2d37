"""The checkers that users may have installed: a row for each, the better one of a language first.

What each is asked is to say what is wrong, and to make nothing. A row's samples are tried before the first
use: a checker that cannot work in the sandbox does not pass `good`, and one that says nothing passes `bad`.
"""

from __future__ import annotations

import re

from bowerbird.execution.checker import FILE, TOOL, Checker
from bowerbird.execution.executor import Level
from bowerbird.execution.toolchain import java, rust


def _says(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.MULTILINE)


_PLACE = r"^(?P<path>[^:\n]+):(?P<line>\d+):(?P<column>\d+): "

_LIKE_GCC = _says(
    _PLACE + r"(?:fatal )?(?P<severity>error|warning): "
    r"(?P<text>.*?)(?: \[(?P<code>-W[\w=+-]+)\])?$"
)
_C_FLAGS = ("-fsyntax-only",)
_NO_HEADER = re.compile(r"No such file or directory|file not found")

CHECKERS = (
    Checker(
        name="ruff",
        languages=("python",),
        executables=("ruff",),
        check=(TOOL, "check", "--isolated", "--no-cache", "--quiet", "--output-format=concise",
               "--select=E9,F50,F63,F7,F82", FILE),
        message=_says(_PLACE + r"(?P<code>[A-Z]+\d+|[\w-]+):? (?P<text>.*)$"),
        level=Level.CHECKED,
        file="program.py",
        good="import os\nprint(os.name)\n",
        bad="print(oss)\n",
    ),
    Checker(
        name="node",
        languages=("javascript",),
        executables=("node",),
        check=(TOOL, "--check", FILE),
        message=_says(
            r"^(?P<path>\S+):(?P<line>\d+)\n(?:.*\n(?P<caret>[ \t]*)\^+\n|)\s*(?P<text>SyntaxError: .*)"
        ),
        level=Level.PARSED,
        file="program.mjs",  # in a module all statements are allowed
        good="import os from 'node:os';\nconsole.log(os.name);\n",
        bad="let x = ;\n",
        not_for=(".jsx",),
    ),
    Checker(
        name="tsc",
        languages=("typescript", "tsx"),
        executables=("tsc",),
        check=(TOOL, "--noEmit", "--pretty", "false", "--skipLibCheck", "--target", "es2022",
               "--module", "esnext", "--moduleResolution", "node", "--jsx", "preserve", FILE),
        message=_says(
            r"^(?P<path>[^(\n]+)\((?P<line>\d+),(?P<column>\d+)\): "
            r"(?P<severity>error|warning) (?P<code>TS\d+): (?P<text>.*)$"
        ),
        level=Level.CHECKED,
        file="program.ts",
        good="export const x: number = [1].length;\n",
        bad="export const x: number = 'a';\n",
        unseen=re.compile(r"Cannot find (?:module|type definition)|Could not find a declaration file"),
    ),
    Checker(
        name="gofmt",
        languages=("go",),
        executables=("gofmt",),
        check=(TOOL, "-e", "-l", FILE),
        message=_says(_PLACE + r"(?P<text>.*)$"),
        level=Level.PARSED,
        file="program.go",
        good="package main\n\nfunc main() {}\n",
        bad="package main\n\nfunc main( {}\n",
    ),
    Checker(
        name="rustc",
        languages=("rust",),
        executables=("rustc",),
        check=(TOOL, "--edition=2021", "--crate-type=lib", "--crate-name=program", "--emit=metadata",
               "--cap-lints=allow", "-o", "/tmp/program.rmeta", FILE),
        message=_says(
            r"^(?P<severity>error|warning)(?:\[(?P<code>E\d+)\])?: (?P<text>.*)\n"
            r" *--> (?P<path>[^:\n]+):(?P<line>\d+):(?P<column>\d+)(?P<more>(?:\n(?!error|warning).*)*)"
        ),
        level=Level.CHECKED,
        file="program.rs",
        good="pub fn one() -> u32 {\n    1\n}\n",
        bad="pub fn one() -> u32 {\n    \"a\"\n}\n",
        unseen=re.compile(
            r"unresolved import `(?!std::|core::|alloc::)|undeclared crate|unlinked crate"
            r"|find crate|file not found for module"
        ),
        locate=rust,
    ),
    Checker(
        name="cc",
        languages=("c",),
        executables=("cc", "gcc", "clang"),
        check=(TOOL, *_C_FLAGS, "-x", "c", "-Werror=implicit-function-declaration", FILE),
        message=_LIKE_GCC,
        level=Level.CHECKED,
        file="program.c",
        good="#include <stdio.h>\nint main(void) { puts(\"x\"); return 0; }\n",
        bad="int main(void) { return nothing(); }\n",
        unseen=_NO_HEADER,
    ),
    Checker(
        name="c++",
        languages=("cpp",),
        executables=("c++", "g++", "clang++"),
        check=(TOOL, *_C_FLAGS, "-x", "c++", "-std=gnu++20", FILE),
        message=_LIKE_GCC,
        level=Level.CHECKED,
        file="program.cpp",
        good="#include <string>\nint main() { return std::string().size(); }\n",
        bad="int main() { return nothing(); }\n",
        unseen=_NO_HEADER,
        not_for=(".cu", ".cuh"),
    ),
    Checker(
        name="javac",
        languages=("java",),
        executables=("javac",),
        check=(TOOL, "-J-Xmx512m", "-J-XX:+UseSerialGC", "-J-XX:TieredStopAtLevel=1",
               "-proc:none", "-Xlint:none", "-d", "/tmp/classes", FILE),
        message=_says(
            r"^(?P<path>[^:\n]+):(?P<line>\d+): (?P<severity>error|warning): (?P<text>.*)\n"
            r".*\n(?P<caret> *)\^(?P<more>(?:\n  \S.*)*)"
        ),
        level=Level.CHECKED,
        file="Program.java",
        good="class Program { int x = 1; }\n",
        bad="class Program { int x = y; }\n",
        unseen=re.compile(r"package [\w.]+ does not exist"),
        public=re.compile(r"^\s*public\s+(?:\w+\s+)*?(?:class|interface|enum|record)\s+(\w+)", re.MULTILINE),
        locate=java,
    ),
    Checker(
        name="luac",
        languages=("lua",),
        executables=("luac", "luac5.4", "luac5.3", "luac5.2", "luac5.1"),
        check=(TOOL, "-p", FILE),
        message=_says(r"^[^:\n]*luac[^:\n]*: (?P<path>[^:\n]+):(?P<line>\d+): (?P<text>.*)$"),
        level=Level.PARSED,
        file="program.lua",
        good="print(1)\n",
        bad="print(\n",
    ),
    Checker(
        name="bash",
        languages=("shell",),
        executables=("bash",),
        check=(TOOL, "-n", FILE),
        message=_says(r"^(?P<path>[^:\n]+): line (?P<line>\d+): (?P<text>(?!`).*)$"),  # ` repeats the line
        level=Level.PARSED,
        file="program.sh",
        good="echo x\n",
        bad="if true; then\n",
        not_for=(".zsh", ".ksh"),
    ),
    Checker(
        name="ruby",
        languages=("ruby",),
        executables=("ruby",),
        check=(TOOL, "-c", FILE),
        message=_says(r"^(?:\S*ruby: )?(?P<path>[^:\n]+\.\w+):(?P<line>\d+): (?P<text>.*)$"),
        level=Level.PARSED,
        file="program.rb",
        good="puts 1\n",
        bad="def x(\n",
    ),
    Checker(
        name="php",
        languages=("php",),
        executables=("php",),
        check=(TOOL, "-n", "-d", "display_errors=stderr", "-d", "html_errors=0", "-l", FILE),
        message=_says(
            r"^(?:PHP )?(?:Parse|Fatal) error: +(?P<text>.*) in (?P<path>\S+) on line (?P<line>\d+)$"
        ),
        level=Level.PARSED,
        file="program.php",
        good="<?php echo 1;\n",
        bad="<?php echo (;\n",
    ),
    Checker(
        name="perl",
        languages=("perl",),
        executables=("perl",),
        check=(TOOL, "-c", FILE),  # it runs BEGIN blocks, which is why it stands in the sandbox
        message=_says(r"^(?P<text>.*) at (?P<path>\S+) line (?P<line>\d+)[,.].*$"),
        level=Level.PARSED,
        file="program.pl",
        good="use strict;\nprint 1;\n",
        bad="use strict;\nprint $x;\n",
        unseen=re.compile(r"Can't locate \S+ in @INC"),
    ),
    Checker(
        name="ponyc",
        languages=("pony",),
        executables=("ponyc",),
        check=(TOOL, "--pass=verify", "--output=/tmp", "."),  # it takes a folder for a package
        message=_says(_PLACE + r"(?P<text>.*)$"),
        level=Level.CHECKED,
        file="main.pony",
        good="actor Main\n  new create(env: Env) =>\n    None\n",
        bad="actor Main\n  new create(env: Env) =>\n    nothing()\n",
        unseen=re.compile(r"can't load package|couldn't locate this path"),
    ),
    Checker(
        name="ring",
        languages=("ring",),
        executables=("ring",),
        check=(TOOL, FILE, "-norun"),
        message=_says(r"^(?P<path>\S+) Line \((?P<line>\d+)\) Error \((?P<code>\w+)\) : (?P<text>.*)$"),
        level=Level.PARSED,
        file="program.ring",
        good="see 1\n",
        bad="if 1\n",
    ),
)  # fmt: skip

BY_LANGUAGE: dict[str, tuple[Checker, ...]] = {
    language: tuple(row for row in CHECKERS if language in row.languages)
    for language in {language for row in CHECKERS for language in row.languages}
}
