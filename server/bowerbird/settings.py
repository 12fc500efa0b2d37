"""Every setting, with its default and one sentence; frozen.

The README's table is made from this module (a test compares), and `lsp.options` fills it from
the editor's JSON, whose keys are the same names in camelCase (``completion.timeBudgetMs``).
Fields marked `machine` can do harm: only the user's own settings may carry them, never a file of
a workspace.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

MACHINE = {"machine": True}


def machine(default: Any) -> Any:
    """A field that no file of a workspace may set."""
    return field(default=default, metadata=MACHINE)


@dataclass(frozen=True, slots=True, kw_only=True)
class CompletionSettings:
    """What is completed, from how much, and for how long."""

    enabled: bool = True
    """Complete at all; off, no model is loaded."""
    model: str = machine("")
    """A GGUF file's path, its name in the user's model folder, or a server's URL; empty: the built-in one."""
    iterations: int = 2
    """Rounds of retrieval and generation (RepoCoder, section 2.1); 1 is plain retrieval, 0 the file alone."""
    window_lines: int = 20
    """Lines in a retrieved window and in the query (the paper's S_w)."""
    slide_lines: int = 10
    """Lines from one window's start to the next (the paper's S_s)."""
    shift_lines: int = 0
    """Lines by which windows of the first iteration are moved down; 10 helps where it is the only one."""
    snap: bool = False
    """Let windows begin at a definition or statement near their nominal edge; measured, it does not help."""
    max_snippets: int = 10
    """Snippets in a prompt at most (the paper's K)."""
    embedding_model: str = machine("")
    """A GGUF file of a model that turns code into vectors; with one windows are also found by these."""
    find_by: str = "both"
    """How windows are found where there is one: by ``both`` (fused by rank), ``vectors`` or ``words``."""
    priors: tuple[str, ...] = ()
    """Nearness that lifts windows: `file`, `folder`, `path`, `imports`, `imported`, `name`, `open`."""
    snippet_share: float = 0.5
    """Share of the prompt that snippets may fill (section 4.2)."""
    suffix_share: float = 0.13
    """Share of the prompt for what stands behind the cursor."""
    prompt_tokens: int = 0
    """Tokens in a prompt at most; 0 takes what the model has room for, at most 2,048."""
    max_new_tokens: int = 64
    """Tokens that a prediction may have in the editor."""
    function_tokens: int = 192
    """Tokens for the body of a function that is still empty; 0 treats it as any other place."""
    time_budget_ms: int = 1500
    """After this long the whole lines of the best prediction so far are shown."""
    candidates: int = 3
    """Different completions, at most, when asked for by hand."""
    automatic_candidates: int = 1
    """The same while typing; more than 1 is for editors that only ask by themselves, such as Neovim."""
    speculate: bool = True
    """Complete once ahead, as if what is shown had been accepted; never on battery."""
    documentation: bool = True
    """Show the model documentation of the language, where a pack has it."""
    filters: tuple[str, ...] = ()
    """Filters to switch on (`unsound`, `nothing-to-show`), or off with a `-` before the name (`-looping`)."""
    in_comments: bool = False
    """Complete within comments while typing, too."""
    in_strings: bool = False
    """Complete within strings while typing, too."""
    in_commit_messages: bool = False
    """Complete in git's commit messages."""
    disabled_languages: tuple[str, ...] = ()
    """Languages, by the editor's ids, in which nothing is completed."""
    disabled_files: tuple[str, ...] = ()
    """Patterns as in .gitignore for files in which nothing is completed; they stay in the index."""


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexSettings:
    """What of the workspace is read."""

    exclude: tuple[str, ...] = ()
    """Patterns as in .gitignore, beside those of the workspace's own .gitignore and .bowerbirdignore."""
    max_file_bytes: int = 1_000_000
    """Larger files are left out."""
    max_files: int = 100_000
    """Files in the index at most."""
    watch: bool = True
    """Follow changes on disk where the editor does not report them."""
    max_memory_bytes: int = 1_000_000_000
    """Memory for texts and indexes, about 60 bytes a line; what has no room is left out."""
    store: bool = machine(True)
    """Keep the index in the user's cache folder, so that the next start reads only what changed."""
    max_disk_bytes: int = machine(2_000_000_000)
    """Bytes that the indexes of all workspaces may take there; the oldest make room."""


@dataclass(frozen=True, slots=True, kw_only=True)
class InferenceSettings:
    """How models run on this machine."""

    llama_server: str = machine("")
    """Path of a llama-server executable, used where llama-cpp-python is missing; empty looks on the PATH."""
    threads: int = 0
    """Threads for the model; 0 takes the physical cores less one."""
    gpu_layers: int = 0
    """Layers that a GPU holds, where llama.cpp was built for one; -1 takes all."""
    context_tokens: int = 0
    """The model's context; 0 takes what it was trained for, at most 4,096."""
    micro_batch_tokens: int = 64
    """Prompt tokens evaluated between two looks at the cancel flag."""
    draft_tokens: int = 12
    """Tokens looked up in the prompt and checked at once, at most; 0 writes one after the other."""
    max_restarts: int = 3
    """Crashes of the model's process within ten minutes after which it stays down."""
    shared: str = "auto"
    """Let a user's editors share a model's process: ``always``, ``never``, or ``auto``, from 200 MB on."""
    idle_minutes: int = 30
    """After so long without use a model leaves memory, until it is needed again; 0 keeps it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RemoteSettings:
    """How model servers are asked, where `completion.model` or `generation.model` names their addresses."""

    api_key_env: str = machine("BOWERBIRD_API_KEY")
    """Environment variable that holds the servers' key; without it the system's keyring is asked."""
    timeout_ms: int = machine(30_000)
    """Silence after which a server counts as down."""
    max_retries: int = machine(2)
    """Further tries of a request that failed before its first token, at another server if there is one."""
    fim: str = machine("auto")
    """How to fill in for servers without a tokenizer: a family's name, ``endpoint``, ``none`` or ``auto``."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordsSettings:
    """What is written down of completions, in the user's state folder, and never sent anywhere."""

    traces: bool = machine(True)
    """Keep the last 50 traces of a session for `bowerbird explain`: prompts, secrets masked, for 7 days."""
    figures: bool = machine(True)
    """Count for `bowerbird stats` what was shown, taken and kept; no code."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LookupSettings:
    """What is told of library names and of Power Query M and Ring code; needs no model."""

    hover: bool = True
    """Tell what the library name under the cursor is, with an example."""
    members: bool = True
    """Offer library names in lists of completions."""
    max_members: int = 50
    """Names in such a list at most."""
    signature_help: bool = True
    """Show the parameters of the library function whose arguments are being written."""
    symbols: bool = True
    """List what a Power Query M or Ring document defines, and fold it."""
    definition: bool = True
    """Lead to where the workspace defines a name, in Power Query M and Ring."""
    diagnostics: bool = True
    """Report what is wrong with the syntax of Power Query M and Ring."""
    unknown_names: bool = False
    """Report library names that neither the documentation nor the workspace has."""
    beside: tuple[str, ...] = ()
    """Languages, by the editor's ids, that another server serves: only hover speaks, without signature."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GenerationSettings:
    """Code from comments."""

    enabled: bool = True
    """Offer to generate code from a comment, a docstring or the head of an empty function."""
    model: str = machine("")
    """The same for the model that generates; empty takes the one that completes."""
    mode: str = "evor"
    """What is retrieved, how often: ``zero``, ``few``, ``acecoder``, ``rar`` or ``evor`` (all, in rounds)."""
    rounds: int = 4
    """Programs that are written at most until one passes (EVOR's m; the paper has 30)."""
    preliminary: str = "tests"
    """What is written before the code (AceCoder, 3.3): ``tests``, ``api``, ``signature`` or ``none``."""
    examples: int = 3
    """Examples in a prompt at most (AceCoder's k)."""
    decay: float = 0.5
    """How much a part of the request still counts that a chosen example has already (AceCoder's lambda)."""
    constrained: bool = False
    """Let models write nothing but what parses, in Power Query M, Ring and Pony; slower for small models."""
    answer_tokens: int = 400
    """Tokens of an answer at most."""
    prompt_tokens: int = 3_400
    """Tokens of a prompt at most, where the model has room for as many."""
    budget_tokens: int = 40_000
    """Tokens that all prompts and answers for one request may have together."""
    budget_seconds: int = 120
    """After this long the best program so far is given."""
    run_programs: tuple[str, ...] = machine(())
    """Folders in which what the model wrote may run, in a sandbox; elsewhere it is only checked."""
    cite: bool = False
    """Name in a comment above the code what was used for it."""
    learn: bool = machine(True)
    """Keep for each workspace, in the user's data folder, what was written and what checkers said of it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """All settings."""

    completion: CompletionSettings = CompletionSettings()
    index: IndexSettings = IndexSettings()
    inference: InferenceSettings = InferenceSettings()
    remote: RemoteSettings = RemoteSettings()
    records: RecordsSettings = RecordsSettings()
    lookup: LookupSettings = LookupSettings()
    generation: GenerationSettings = GenerationSettings()
