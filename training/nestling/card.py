"""The model card: what a model was made of, how far it gets, and how to make it again."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from nestling.checkpoint import RunPlan, read_log, read_plan
from nestling.curves import PICTURE, draw_curves

CARD = "CARD.md"


def write_card(
    run: Path,
    sources: Path,
    evaluation: Path | None,
    repoeval: Sequence[Path],
    name: str,
    documented: Path | None = None,
    remark: str = "",
) -> Path:
    """Write the card of a run into its folder. What was not measured is said to be missing.

    `remark` is what the run's own files do not tell, such as data that changed on the way.
    """
    plan = read_plan(run)
    if plan is None:
        raise ValueError(f"{run} holds no run.")
    draw_curves(run)
    told = json.loads(sources.read_text())
    parts = [
        *_model(name, plan, run),
        *_command(plan, told["plan"]),
        *([f"{remark}\n"] if remark else []),
        *_curves(run),
        *_evaluation(evaluation),
        *_repoeval(repoeval),
        *_documented(documented),
        *_limits(),
        *_data(told),
    ]
    path = run / CARD
    path.write_text("\n".join(parts) + "\n", encoding="utf-8")
    return path


def _model(name: str, plan: RunPlan, run: Path) -> Iterator[str]:
    shape, steps = plan.shape, max((row["step"] for row in read_log(run)), default=0)
    yield f"# {name}\n"
    yield "| | |\n|---|---|"
    yield (
        f"| architecture | Llama: {shape.blocks} blocks, width {shape.width}, {shape.heads} heads, "
        f"feed-forward {shape.feed_forward} (SwiGLU), {'tied' if shape.tied else 'untied'} output; "
        f"{shape.parameters / 1e6:.1f} million parameters |"
    )
    yield f"| vocabulary | {shape.vocabulary:,} byte-level BPE, GPT-2 pre-tokenizer |"
    yield f"| context | {shape.context:,} tokens |"
    yield "| prompt | form 1, suffix first (`bowerbird.prompt_form`) |"
    yield (
        f"| trained | {steps:,} of {plan.total_steps:,} steps of {plan.batch_tokens:,} tokens: "
        f"{steps * plan.batch_tokens / 1e6:.0f} million |"
    )
    yield f"| size chosen | {plan.chosen} |"
    for file in sorted(run.glob("*.gguf")):
        yield f"| {file.name} | {file.stat().st_size / 1e6:.1f} MB |"
    yield ""


def _command(plan: RunPlan, made: Mapping[str, Any]) -> Iterator[str]:
    """What makes such a model again; `made` is what `prepare` was asked for."""
    yield "Made by one command, from the checkout's root, on any machine with a GPU or without:\n"
    yield "```sh"
    yield ".ci/env dev python -m nestling all --sources SOURCES --repoeval REPOEVAL --data DATA --run RUN \\"
    yield f"  --held-out {','.join(made['held_out'])} \\"
    options = ("megabytes", "vocabulary", "context", "passes", "seed")
    asked = "".join(f" --{name} {made[name]:g}" for name in options if name in made)
    yield f"  --size {plan.size}{asked} --hours HOURS"
    yield "```\n"


def _curves(run: Path) -> Iterator[str]:
    figures = [row for row in read_log(run) if "held_out" in row]
    yield f"## Curves\n\n![losses, copying, rate, speed]({PICTURE})\n"
    if figures:
        yield "| million tokens | held out | middles | code, first copy | second copy | random, second copy |"
        yield "|---|---|---|---|---|---|"
        keys = ("held_out", "middle", "code_first", "code_again", "random_again")
        for row in [*figures[: -1 : max(1, len(figures) // 8)], figures[-1]]:
            yield f"| {row['tokens'] / 1e6:.1f} | " + " | ".join(f"{row[key]:.3f}" for key in keys) + " |"
        yield "\nNats per token.\n"


def _evaluation(path: Path | None) -> Iterator[str]:
    yield "## Held-out requests, nats per character of what was to be written\n"
    if path is None or not path.exists():
        yield "Not measured.\n"
        return
    found = json.loads(path.read_text())
    names = list(found)
    yield "| language | " + " | ".join(f"{name}, with windows | in-file" for name in names) + " |"
    yield "|---" * (1 + 2 * len(names)) + "|"
    for language in next(iter(found.values())):
        cells = (
            f"{found[name][language]['with windows']:.3f} | {found[name][language]['in-file']:.3f}"
            for name in names
        )
        yield f"| {language} | " + " | ".join(cells) + " |"
    yield ""


def _repoeval(paths: Sequence[Path]) -> Iterator[str]:
    yield "## RepoEval, lines\n"
    if not paths:
        yield "Not measured.\n"
    for path in paths:
        told = json.loads(path.read_text())
        for summary in told["summaries"]:
            columns = summary["columns"]
            of = summary.get("variant") or told["model"]["name"]
            yield f"{of}, {summary['overall']['tasks']} tasks, table {summary['table']}:\n"
            yield "| | " + " | ".join(columns) + " |"
            yield "|---" * (1 + len(columns)) + "|"
            for metric, means in summary["overall"]["means"].items():
                yield f"| {metric} | " + " | ".join(_cell(means[one]) for one in columns) + " |"
            for metric, shares in summary["gap_shares"].items():
                if any(share is not None for share in shares.values()):
                    cells = " | ".join(_cell(shares.get(one)) for one in columns)
                    yield f"| {metric}, share of the gap | {cells} |"
            yield ""


def _cell(value: float | None) -> str:
    return "" if value is None else f"{value:.2f}" if abs(value) >= 1 else f"{value:.3f}"


def _documented(path: Path | None) -> Iterator[str]:
    yield "## Documentation in the prompt, single lines\n"
    if path is None:
        yield "Not measured.\n"
        return
    parts: dict[tuple[str, bool], list[Mapping[str, Any]]] = defaultdict(list)
    for one in json.loads(path.read_text())["results"]:
        parts[one["language"], one["documented"]].append(one)
    yield "| language | pack | lines | that parse | edit similarity | nats a character |"
    yield "|---" * 6 + "|"
    for (language, shown), those in parts.items():
        parses, edits, likelihoods = (
            sum(one[figure] for one in those) / len(those)
            for figure in ("parses", "edit_similarity", "log_likelihood")
        )
        yield (
            f"| {language} | {'in the prompt' if shown else 'without'} | {len(those)} | {parses:.0%} "
            f"| {edits:.1%} | {-likelihoods:.3f} |"
        )
    yield ""


def _limits() -> Iterator[str]:
    yield "## Limits\n"
    yield (
        "A model of this size knows no libraries by heart. It continues patterns and copies what stands in "
        "its prompt; what it adds is often wrong, and it may repeat code from its sources word for word. "
        "It follows no instructions and writes no prose.\n"
    )


def _data(told: Mapping[str, Any]) -> Iterator[str]:
    kept, licences = told["kept"], told["licences"]
    languages: dict[str, int] = defaultdict(int)
    for sizes in kept.values():
        for language, size in sizes.items():
            languages[language] += size
    yield "## Data\n"
    yield "| language | MB | trees |\n|---|---|---|"
    for language, size in sorted(languages.items(), key=lambda item: -item[1]):
        yield f"| {language} | {size / 1e6:.1f} | {sum(language in sizes for sizes in kept.values())} |"
    files = ", ".join(f"{count:,} ({why})" for why, count in sorted(told["left_out"].items()))
    trees = "; ".join(f"{tree} ({why})" for tree, why in sorted(told["trees_left_out"].items()))
    yield f"\nFiles left out: {files or 'none'}.\n\nTrees left out: {trees or 'none'}.\n"
    held = set(told["plan"]["held_out"])
    yield "| source | licence | MB | |\n|---|---|---|---|"
    for tree in sorted(kept):
        note = "measured on only" if tree in held else ""
        yield f"| {tree} | {licences[tree]} | {sum(kept[tree].values()) / 1e6:.2f} | {note} |"
