"""The languages that Bowerbird tells apart: one row for each."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True, kw_only=True)
class Language:
    """What is known of a language before any of its code is read."""

    name: str
    """Key in `LANGUAGES`."""
    lsp_ids: tuple[str, ...]
    """What editors call it; VS Code's ids and Neovim's file types."""
    extensions: tuple[str, ...] = ()
    """With the dot, in lower case; files are matched in any case."""
    file_names: tuple[str, ...] = ()
    """Whole names, in lower case; files are matched in any case."""
    shebangs: tuple[str, ...] = ()
    """Interpreters in a first line, without path and version."""
    comment: str = ""
    """What begins a comment to the end of the line; empty where a language has no such thing."""
    grammar: str | None = None
    """Name of ours or in `tree_sitter_language_pack`; None: text only, windows go by lines."""
    tags: tuple[str, ...] = ()
    """Folders of `queries` whose ``tags.scm``, one after another, tell where its entities are."""
    ascii_grammar: bool = False
    """The grammar looks other characters up beyond the end of a table; it is given ``_`` for each."""


def _row(
    name: str,
    lsp_ids: str,
    extensions: str = "",
    *,
    file_names: str = "",
    shebangs: str = "",
    comment: str = "",
    grammar: str | None = None,
    tags: str = "",
    ascii_grammar: bool = False,
) -> Language:
    """A row whose lists are written as words; a language with a grammar has tags of its own name."""
    return Language(
        name=name,
        lsp_ids=tuple(lsp_ids.split()),
        extensions=tuple(extensions.split()),
        file_names=tuple(file_names.split()),
        shebangs=tuple(shebangs.split()),
        comment=comment,
        grammar=grammar,
        tags=tuple(tags.split()) or ((name,) if grammar else ()),
        ascii_grammar=ascii_grammar,
    )


_ROWS = (
    # Code with a grammar.
    _row(
        "python",
        "python",
        ".py .pyi .pyw",
        file_names="sconstruct sconscript",
        shebangs="python pypy",
        comment="#",
        grammar="python",
    ),
    _row(
        "javascript",
        "javascript javascriptreact javascript.jsx",
        ".js .jsx .mjs .cjs",
        shebangs="node bun",
        comment="//",
        grammar="javascript",
        tags="ecmascript javascript",
    ),
    _row(
        "typescript",
        "typescript",
        ".ts .mts .cts",
        shebangs="deno ts-node tsx",
        comment="//",
        grammar="typescript",
        tags="ecmascript typescript",
    ),
    _row(
        "tsx",
        "typescriptreact typescript.tsx",
        ".tsx",
        comment="//",
        grammar="tsx",
        tags="ecmascript typescript",
    ),
    _row("go", "go", ".go", comment="//", grammar="go"),
    _row("rust", "rust", ".rs", comment="//", grammar="rust"),
    _row("java", "java", ".java", comment="//", grammar="java"),
    _row("c", "c", ".c .h", comment="//", grammar="c"),
    _row(
        "cpp",
        "cpp cuda-cpp cuda",
        ".cpp .cc .cxx .c++ .hpp .hh .hxx .h++ .ipp .inl .cu .cuh",
        comment="//",
        grammar="cpp",
        tags="c cpp",
    ),
    _row("csharp", "csharp cs", ".cs .csx", comment="//", grammar="csharp"),
    _row(
        "ruby",
        "ruby",
        ".rb .rake .gemspec .ru",
        file_names="rakefile gemfile guardfile vagrantfile podfile fastfile",
        shebangs="ruby jruby",
        comment="#",
        grammar="ruby",
    ),
    _row("php", "php", ".php .phtml .php5", shebangs="php", comment="//", grammar="php"),
    _row("lua", "lua", ".lua .rockspec", shebangs="lua luajit", comment="--", grammar="lua"),
    _row(
        "shell",
        "shellscript sh bash zsh",
        ".sh .bash .zsh .ksh .bats",
        file_names=".bashrc .bash_profile .profile .zshrc pkgbuild",
        shebangs="sh bash dash zsh ksh",
        comment="#",
        grammar="bash",
        ascii_grammar=True,
    ),
    _row("pony", "pony", ".pony", comment="//", grammar="pony"),
    _row("swift", "swift", ".swift", shebangs="swift", comment="//", grammar="swift"),
    _row("scala", "scala", ".scala .sc .sbt", shebangs="scala", comment="//", grammar="scala"),
    # `.m` belongs to Objective-C; Power Query's own `.m` files are known by the editor's id alone.
    _row("powerquery", "powerquery pq", ".pq .pqm", comment="//", grammar="powerquery"),
    _row("ring", "ring", ".ring .rh .rform", shebangs="ring", comment="#", grammar="ring"),
    # Code without one here; its windows go by lines.
    # (A Kotlin grammar exists, but deeply nested string templates make its scanner end the process.)
    _row("kotlin", "kotlin", ".kt .kts", comment="//"),
    _row("objective-c", "objective-c objective-cpp objc objcpp", ".m .mm", comment="//"),
    _row("zig", "zig", ".zig .zon", comment="//"),
    _row("dart", "dart", ".dart", shebangs="dart", comment="//"),
    _row("haskell", "haskell", ".hs .lhs", shebangs="runghc runhaskell", comment="--"),
    _row("elixir", "elixir", ".ex .exs", shebangs="elixir", comment="#"),
    _row("erlang", "erlang", ".erl .hrl", shebangs="escript", comment="%"),
    _row("clojure", "clojure", ".clj .cljs .cljc .edn", shebangs="bb", comment=";"),
    _row("ocaml", "ocaml ocaml.interface", ".ml .mli", shebangs="ocaml"),
    _row("fsharp", "fsharp", ".fs .fsi .fsx", comment="//"),
    _row("julia", "julia", ".jl", shebangs="julia", comment="#"),
    _row("r", "r", ".r", file_names=".rprofile", shebangs="rscript", comment="#"),
    _row("perl", "perl", ".pl .pm .t", shebangs="perl", comment="#"),
    _row("groovy", "groovy", ".groovy .gradle", file_names="jenkinsfile", shebangs="groovy", comment="//"),
    _row("powershell", "powershell ps1", ".ps1 .psm1 .psd1", shebangs="pwsh", comment="#"),
    _row("sql", "sql plsql", ".sql", comment="--"),
    _row("vim", "viml vim", ".vim", file_names=".vimrc", comment='"'),
    _row(
        "make", "makefile make", ".mk .mak", file_names="makefile gnumakefile", shebangs="make", comment="#"
    ),
    _row("cmake", "cmake", ".cmake", file_names="cmakelists.txt", comment="#"),
    _row("dockerfile", "dockerfile", ".dockerfile", file_names="dockerfile containerfile", comment="#"),
    _row("terraform", "terraform terraform-vars hcl", ".tf .tfvars .hcl", comment="#"),
    _row("nix", "nix", ".nix", comment="#"),
    _row("protobuf", "proto proto3 protobuf", ".proto", comment="//"),
    _row("graphql", "graphql", ".graphql .gql", comment="#"),
    # Pages, styles and data.
    _row("markdown", "markdown", ".md .markdown .mdx"),
    _row("restructuredtext", "restructuredtext rst", ".rst"),
    _row("latex", "latex tex plaintex", ".tex .sty .cls", comment="%"),
    _row("html", "html", ".html .htm .xhtml"),
    _row("vue", "vue", ".vue", comment="//"),
    _row("svelte", "svelte", ".svelte", comment="//"),
    _row("css", "css", ".css"),
    _row("scss", "scss sass less", ".scss .sass .less", comment="//"),
    _row("xml", "xml xsl", ".xml .xsd .xsl .xslt .svg .csproj"),
    _row("json", "json", ".json .ipynb"),
    _row("jsonc", "jsonc json5", ".jsonc .json5", comment="//"),
    _row("yaml", "yaml dockercompose", ".yaml .yml", comment="#"),
    _row("toml", "toml", ".toml", comment="#"),
    _row(
        "ini",
        "ini dosini properties",
        ".ini .cfg .properties",
        file_names=".editorconfig .gitconfig",
        comment="#",
    ),
)

LANGUAGES = {row.name: row for row in _ROWS}

_BY_LSP_ID = {lsp_id: row.name for row in _ROWS for lsp_id in row.lsp_ids}
_BY_FILE_NAME = {file_name: row.name for row in _ROWS for file_name in row.file_names}
_BY_EXTENSION = {extension: row.name for row in _ROWS for extension in row.extensions}
_BY_SHEBANG = {word: row.name for row in _ROWS for word in row.shebangs}

_SHEBANG = re.compile(r"#!\s*(?:\S*/)?(?:env\s+(?:-\S+\s+|\w+=\S*\s+)*(?:\S*/)?)?([A-Za-z][A-Za-z-]*)")


def language_of(path: Path | None, lsp_id: str | None = None, first_line: str = "") -> str | None:
    """The key in `LANGUAGES`, or None for plain text.

    The editor's `lsp_id` decides where it is known, then the file's name, then its extension, and
    for a file with neither a ``#!`` in its `first_line`.
    """
    if lsp_id in _BY_LSP_ID:
        return _BY_LSP_ID[lsp_id]
    if path is not None:
        name = path.name.lower()
        found = _BY_FILE_NAME.get(name) or _BY_EXTENSION.get(path.suffix.lower())
        if found:
            return found
        if path.suffix:
            return None
    shebang = _SHEBANG.match(first_line[:200])
    return _BY_SHEBANG.get(shebang[1].lower()) if shebang else None
