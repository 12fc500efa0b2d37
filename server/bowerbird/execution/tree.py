"""Look at a program by its grammar and its language's documentation alone; nothing is started."""

from __future__ import annotations

import ast
import time
import warnings
from collections.abc import Iterator

from bowerbird.execution.executor import Feedback, Level, Message, Program, as_message
from bowerbird.knowledge.symbols import SymbolCheck
from bowerbird.syntax.faults import faults
from bowerbird.syntax.languages import LANGUAGES
from bowerbird.syntax.parser import parse

SYNTAX = "syntax"
"""The code of messages from a grammar."""


def look_at(program: Program, symbols: SymbolCheck | None) -> Feedback:
    """The faults of a program's syntax and of its library's names."""
    began = time.perf_counter()
    tree = parse(program.code, program.language)
    by = []
    messages = []
    if tree is not None:
        by.append("tree-sitter")
        messages = [
            Message(as_message(fault.sentence), fault.range.start.line, fault.range.start.column, SYNTAX)
            for fault in faults(tree)
        ]
    if program.language == "python":
        by.append("ast")
        messages = [*_python_faults(program.code)]  # in better words, and by the language's own measure
    named = [*symbol_messages(program, symbols)] if tree is not None else []
    if symbols is not None and symbols.knows:
        by.append("packs")
    return Feedback(
        passed=not messages and not named,
        level=Level.PARSED if by else Level.UNCHECKED,
        by=tuple(by),
        messages=tuple(sorted([*messages, *named], key=lambda message: message.position)),
        milliseconds=(time.perf_counter() - began) * 1000,
        note="" if by else f"Nothing here knows {_title(program.language)}.",
    )


def is_sound(program: Program) -> bool:
    """Its grammar finds no fault with it."""
    tree = parse(program.code, program.language)
    return tree is not None and not tree.root.has_error


def symbol_messages(program: Program, symbols: SymbolCheck | None) -> Iterator[Message]:
    """Names that the packs do not have, and calls that do not fit them."""
    if symbols is None:
        return
    for problem in symbols.problems(program.code, [file.text for file in program.files]):
        yield Message(as_message(problem.text), problem.position.line, problem.position.column, problem.code)


def _python_faults(code: str) -> Iterator[Message]:
    """Python's own parser tells one fault at a time."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            ast.parse(code)
    except SyntaxError as error:
        column = (error.offset or 1) - 1
        yield Message(as_message(error.msg), max(0, (error.lineno or 1) - 1), max(0, column), SYNTAX)
    except (ValueError, RecursionError, MemoryError) as error:  # a NUL; nested too deeply
        yield Message(as_message(str(error) or "it is nested too deeply"), code=SYNTAX)


def _title(language: str) -> str:
    return language if language in LANGUAGES else f"the language {language!r}"
