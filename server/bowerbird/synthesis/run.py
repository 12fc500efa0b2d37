"""The state of one request while it is worked on."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from bowerbird.execution.executor import Feedback, Level
from bowerbird.knowledge.soup import Entry
from bowerbird.synthesis.options import Options
from bowerbird.synthesis.outcome import End, Outcome, Round, Source, Stage, Tell
from bowerbird.synthesis.request import Request
from bowerbird.synthesis.trial import Trial
from bowerbird.synthesis.writer import Written

LONGEST_ENDING = 400  # characters of what a program said before it failed
NOT_EXECUTED = Feedback(passed=False, level=Level.UNCHECKED)


class Run:
    """What was written so far, what it cost, and which program is the best."""

    def __init__(self, request: Request, options: Options, trial: Trial, tell: Tell) -> None:
        self.request = request
        self.options = options
        self.trial = trial
        self.rounds: list[Round] = []
        self.end = End.ROUNDS
        self.problem = ""
        self.model = ""
        self.capable = False
        self.held = False
        """Was the last program written by a grammar?"""
        self.tokens = 0
        self._tell = tell

    def at(self, stage: Stage) -> None:
        """Tell what is done now."""
        self._tell(stage, len(self.rounds) + (stage in (Stage.RETRIEVE, Stage.QUERY, Stage.WRITE)))

    def spend(self, written: Written) -> None:
        """The model was asked."""
        self.tokens += written.tokens

    def begin(
        self, query: str, sources: Iterable[Source], written: Written, preliminary: str, code: str
    ) -> None:
        """A program was written."""
        self.held = written.whole
        self.rounds.append(
            Round(
                query=query,
                sources=tuple(sources),
                prompt=written.prompt,
                answer=written.text,
                preliminary=preliminary,
                code=code,
                inputs=(),
                feedback=NOT_EXECUTED,
                tokens=written.tokens,
            )
        )

    def executed(self, inputs: tuple[str, ...], feedback: Feedback) -> None:
        """The last program was looked at; the last look counts."""
        self.rounds[-1] = replace(self.rounds[-1], inputs=inputs, feedback=feedback)

    def repeats(self, times: int) -> bool:
        """Did the last so many rounds all get the same feedback?"""
        keys = [one.feedback.key for one in self.rounds[-times:]]
        return len(keys) == times and len(set(keys)) == 1

    def outcome(self, seconds: float) -> Outcome:
        """The best program so far: one that passed, else what got farthest with the fewest errors."""
        written = [number for number, one in enumerate(self.rounds) if one.code]
        best = max(written, key=lambda number: (_worth(self.rounds[number].feedback), number), default=-1)
        found = self.rounds[best] if best >= 0 else None
        return Outcome(
            code=found.code if found else "",
            feedback=found.feedback if found else None,
            end=self.end,
            rounds=tuple(self.rounds),
            best=best,
            model=self.model,
            small=bool(self.model) and not self.capable,
            mode=self.options.mode.value,
            tokens=self.tokens,
            seconds=seconds,
            problem=self.problem,
        )


def _worth(feedback: Feedback) -> tuple[bool, int, int]:
    return feedback.passed, int(feedback.level), -len(feedback.errors)


def entry_of(request: Request, code: str, feedback: Feedback, trial: Trial) -> Entry:
    """A program as the soup keeps it: a body with its function's signature above."""
    errors = feedback.errors
    told = errors[0].text if errors else feedback.note or feedback.stderr[-LONGEST_ENDING:]
    head = f"{request.signature}\n" if request.body else ""
    line = errors[0].line - trial.first_line + 1 + head.count("\n") if errors and not errors[0].path else 0
    return Entry(
        requirement=request.requirement,
        language=request.language,
        program=head + (request.edit(code).strip("\n") if request.body else code),
        passed=feedback.passed,
        by=f"{', '.join(feedback.by)} ({feedback.level.name.lower()})".strip(),
        feedback="" if feedback.passed else told,
        line=max(0, line),
    )
