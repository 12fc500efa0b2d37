import assert from "node:assert/strict";
import { test } from "node:test";
import { catalogRows, hereRows, modelsIn, urlProblem } from "../src/models";
import { webviewPage } from "../src/page";
import { phaseText } from "../src/phaseText";
import type { Status } from "../src/protocol";
import { foundRow } from "../src/searchRow";

const READY: Status = {
  state: "ready",
  reason: "ok",
  message: "A completion was shown.",
  model: "nestling",
  latencyMs: 311.6,
  files: 12,
  shown: 3,
  accepted: 1,
};

test("the status item tells state, model, latency and figures", () => {
  const text = phaseText({ kind: "running", status: READY });
  assert.equal(text.state, "ready");
  assert.deepEqual(text.lines, [
    "Model: nestling",
    "Last completion: 312 ms",
    "12 files indexed, 3 completions shown, 1 accepted",
  ]);
});

test("it tells what the index takes, and why something is not in it", () => {
  const status = {
    ...READY,
    lines: 3400,
    memoryBytes: 12_345_678,
    diskBytes: 2_000_000_000,
    indexMessage: "Full.",
  };
  const text = phaseText({ kind: "running", status });
  assert.deepEqual(text.lines.slice(-2), ["Index: 3400 lines, 12 MB of memory, 2.0 GB on disk", "Full."]);
});

test("it says why nothing came, and warns only where the user must do something", () => {
  const empty = { ...READY, reason: "empty", message: "The model had nothing to add here." };
  const told = phaseText({ kind: "running", status: empty });
  assert.ok(told.lines.includes("Nothing came: The model had nothing to add here."));
  assert.equal(told.isWarning, false);
  assert.equal(phaseText({ kind: "running", status: { ...empty, state: "error" } }).isWarning, true);
  assert.equal(phaseText({ kind: "missing", sentence: "Not found." }).isWarning, true);
  assert.equal(
    phaseText({ kind: "running", status: { ...READY, state: "dreaming" as "ready" } }).state,
    "busy",
  );
});

test("the explain page keeps its policy first, whatever it holds, and a missing page becomes a sentence", () => {
  const page = webviewPage("<!DOCTYPE html><html><head><title>t</title></head><body>b</body></html>", "");
  assert.match(
    page,
    /<head><meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">/,
  );
  assert.match(page, /--vscode-editor-background.*<\/style><\/head>/s);
  assert.match(webviewPage(undefined, "Nothing <yet>."), /<p>Nothing &lt;yet&gt;\.<\/p>/);
  assert.match(webviewPage("<p>no head</p>", ""), /^<head><meta/);
});

test("what is found becomes one line, and cannot draw icons of its own", () => {
  const found = {
    kind: "function",
    name: "Table.AddColumn",
    language: "powerquery",
    pack: "powerquery",
    uri: "",
    line: 3,
  };
  assert.deepEqual(foundRow({ ...found, summary: "Adds a\n  $(bug) column." }), {
    label: "$(symbol-function) Table.AddColumn",
    description: "function, powerquery",
    detail: "Adds a $ (bug) column.",
  });
});

test("models become rows: the one in use is marked, the built-in has its own word, the others are fetched first", () => {
  const models = modelsIn(
    JSON.stringify({
      folder: "/m",
      completion: "/m/a.gguf",
      here: [
        { name: "a.gguf", path: "/m/a.gguf", origin: "model folder", bytes: 1_500_000_000 },
        { name: "b.gguf", path: "/p/b.gguf", origin: "built-in", bytes: 9_000_000 },
      ],
      catalog: [
        {
          name: "c",
          bytes: 400_000_000,
          licence: "Apache-2.0",
          good_for: ["completion"],
          here: false,
          fit: "fits",
        },
        { name: "a", bytes: 1, licence: "MIT", here: true },
      ],
    }),
  );
  assert.ok(models);
  const [used, builtIn] = hereRows(models);
  assert.deepEqual(
    [used?.label, used?.description, used?.setting],
    ["$(check) a.gguf", "1.5 GB", "/m/a.gguf"],
  );
  assert.deepEqual([builtIn?.label, builtIn?.setting], ["$(blank) b.gguf", "built-in"]);
  assert.deepEqual(
    catalogRows(models).map((row) => row.description),
    ["400 MB, fits, Apache-2.0"],
  );
});

test("what is no list of models is none", () => {
  for (const printed of ["", "null", "{}", "Usage: bowerbird", '{"here": 1}']) {
    assert.equal(modelsIn(printed), undefined, printed);
  }
});

test("an address is one of http or https", () => {
  assert.equal(urlProblem("http://127.0.0.1:8080"), undefined);
  for (const wrong of ["127.0.0.1", "file:///etc/passwd", "http://", "javascript:1"]) {
    assert.notEqual(urlProblem(wrong), undefined, wrong);
  }
});
