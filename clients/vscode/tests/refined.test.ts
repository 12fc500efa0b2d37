import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import type * as vscode from "vscode";
import { Refining } from "../src/refined";
import { editor, InlineCompletionTriggerKind as Kind } from "./vscode";

const URI = "file:///a.py";
const NOT_CANCELLED = { isCancellationRequested: false } as vscode.CancellationToken;

let refining: Refining;
let document: { uri: string; version: number };
let kinds: number[];
let answer: unknown[];

function position(line: number, character: number): vscode.Position {
  const at = {
    line,
    character,
    isEqual: (other: vscode.Position) => other.line === line && other.character === character,
  };
  return at as unknown as vscode.Position;
}

function moveTo(line: number, character: number): void {
  editor.active = { document, selection: { isEmpty: true, active: position(line, character) } };
}

async function ask(kind: number): Promise<void> {
  const context = { triggerKind: kind };
  const next = (_document: unknown, _position: unknown, asked: vscode.InlineCompletionContext): unknown => {
    kinds.push(asked.triggerKind);
    return answer;
  };
  const provide = refining.provide as (...args: unknown[]) => Promise<unknown>;
  await provide(document, position(3, 8), context, NOT_CANCELLED, next);
}

beforeEach(() => {
  refining = new Refining();
  document = { uri: URI, version: 7 };
  kinds = [];
  answer = [{ insertText: "x" }];
  editor.ran = [];
  moveTo(3, 8);
});

test("better words are asked for at once, as if the editor asked by itself", async () => {
  await ask(Kind.Automatic);
  await refining.refined({ uri: URI, line: 3 });
  assert.deepEqual(editor.ran, ["editor.action.inlineSuggest.trigger"]);
});

test("the question after that is automatic, and the user's own stays the user's own", async () => {
  await ask(Kind.Automatic);
  const asking = refining.refined({ uri: URI, line: 3 });
  await ask(Kind.Invoke); // what the trigger makes the editor do
  await asking;
  await ask(Kind.Invoke);
  assert.deepEqual(kinds, [Kind.Automatic, Kind.Automatic, Kind.Invoke]);
});

const MOVED_ON: Record<string, () => void> = {
  "the cursor is elsewhere in the line": () => moveTo(3, 9),
  "the text has changed": () => (document.version = 8),
  "another document is open": () => {
    document = { uri: "file:///b.py", version: 7 };
    moveTo(3, 8);
  },
  "no document is open": () => (editor.active = undefined),
};

for (const [what, happens] of Object.entries(MOVED_ON)) {
  test(`nothing is asked where ${what}`, async () => {
    await ask(Kind.Automatic);
    happens();
    await refining.refined({ uri: URI, line: 3 });
    assert.deepEqual(editor.ran, []);
  });
}

test("nothing is asked where nothing is on show", async () => {
  answer = [];
  await ask(Kind.Automatic);
  await refining.refined({ uri: URI, line: 3 });
  assert.deepEqual(editor.ran, []);
});
