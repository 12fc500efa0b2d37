import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { before, test } from "node:test";
import * as oniguruma from "vscode-oniguruma";
import { INITIAL, parseRawGrammar, Registry } from "vscode-textmate";

const CODE = {
  powerquery: `let
    Source = Table.AddColumn(#"Old Table", "New ""x"" #(lf)", each [Unit Price] * 0x1F, type nullable number), // why
    /* all */ Add = (a as text, optional b) => if a = null then #date(2024, 1, 2) else true
in
    Source`,
  pony: `use "time"
actor \\nodoc\\ Main
  """What it is."""
  let _env: Env iso = recover 0x1F end /* a /* b */ c */
  new create(env: Env val) =>
    _env.out.print("a\\n" + 'x') // why
    fun ref _next(): (U32 | None) ? => if true then this else error end`,
  ring: `# why
load "stdlib.ring"
FUNC Main aList
    See "Hi #{cName}" + nl
    oPoint = New Point { x = 1.5 }
    ? :name // and
class Point from Base
    def Move(n) return Self.x + n`,
};

/** The scopes of the first place where a word stands, the innermost one only. */
let scopeOf: (language: keyof typeof CODE, word: string) => string;

before(async () => {
  const wasm = readFileSync("node_modules/vscode-oniguruma/release/onig.wasm");
  await oniguruma.loadWASM(wasm.buffer.slice(wasm.byteOffset, wasm.byteOffset + wasm.byteLength));
  const registry = new Registry({
    onigLib: Promise.resolve({
      createOnigScanner: (patterns) => new oniguruma.OnigScanner(patterns),
      createOnigString: (text) => new oniguruma.OnigString(text),
    }),
    loadGrammar: (scope) => {
      const file = `grammars/${scope.replace("source.", "")}.json`;
      return Promise.resolve(parseRawGrammar(readFileSync(file, "utf8"), file));
    },
  });
  const tokens = new Map<string, [string, string][]>();
  for (const [language, code] of Object.entries(CODE)) {
    const grammar = await registry.loadGrammar(`source.${language}`);
    assert.ok(grammar);
    let state = INITIAL;
    const found: [string, string][] = [];
    for (const line of code.split("\n")) {
      const told = grammar.tokenizeLine(line, state);
      state = told.ruleStack;
      for (const token of told.tokens) {
        found.push([line.slice(token.startIndex, token.endIndex), token.scopes.at(-1) ?? ""]);
      }
    }
    tokens.set(language, found);
  }
  scopeOf = (language, word) => {
    const token = tokens.get(language)?.find(([text]) => text.trim() === word);
    assert.ok(token, `${word} is no token of its own: ${JSON.stringify(tokens.get(language))}`);
    return token[1];
  };
});

const EXPECTED: Record<keyof typeof CODE, Record<string, string>> = {
  powerquery: {
    let: "keyword.other",
    Source: "variable.other.definition",
    "Table.AddColumn": "support.function",
    "Old Table": "variable.other.quoted",
    "#(lf)": "constant.character.escape",
    each: "keyword.other",
    "Unit Price": "variable.other.property",
    "0x1F": "constant.numeric.hex",
    nullable: "storage.modifier",
    number: "support.type",
    "// why": "comment.line",
    all: "comment.block",
    Add: "entity.name.function",
    text: "support.type",
    if: "keyword.control",
    null: "constant.language.null",
    "#date": "support.function.constructor",
    "2024": "constant.numeric",
    true: "constant.language.boolean",
    in: "keyword.other",
  },
  pony: {
    use: "keyword.control.import",
    actor: "storage.type",
    Main: "entity.name.type",
    "What it is.": "string.quoted.triple",
    _env: "variable.other.definition",
    Env: "entity.name.type",
    iso: "storage.modifier.capability",
    "0x1F": "constant.numeric.hex",
    create: "entity.name.function",
    val: "storage.modifier.capability",
    "=>": "keyword.operator",
    print: "entity.name.function",
    "\\n": "constant.character.escape",
    "'x'": "string.quoted.single",
    "// why": "comment.line",
    ref: "storage.modifier.capability",
    _next: "entity.name.function",
    true: "constant.language.boolean",
    this: "variable.language.this",
    error: "keyword.control",
  },
  ring: {
    "# why": "comment.line",
    load: "keyword.control.import",
    FUNC: "storage.type.function",
    Main: "entity.name.function",
    See: "keyword.other",
    cName: "variable.other",
    nl: "constant.language",
    New: "keyword.operator.new",
    Point: "entity.name.type.class",
    "1.5": "constant.numeric",
    ":name": "constant.other.symbol",
    "// and": "comment.line",
    Base: "entity.other.inherited-class",
    Move: "entity.name.function",
    Self: "variable.language",
    x: "variable.other",
  },
};

for (const [language, words] of Object.entries(EXPECTED) as [keyof typeof CODE, Record<string, string>][]) {
  test(`the colours of ${language}`, () => {
    for (const [word, scope] of Object.entries(words)) {
      const found = scopeOf(language, word);
      assert.ok(found.startsWith(scope), `${word} is ${found}, not ${scope}`);
    }
  });
}

test("a block comment of Pony ends where its inner ones have ended", () => {
  assert.match(scopeOf("pony", "c"), /^comment\.block/);
});
