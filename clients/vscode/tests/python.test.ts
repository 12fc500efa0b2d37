import assert from "node:assert/strict";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import * as path from "node:path";
import { afterEach, beforeEach, test } from "node:test";
import type { Memento } from "vscode";
import { interpreterPlace } from "../src/python";
import { editor } from "./vscode";

let folder = "";
let memory: Memento;

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), "bowerbird-"));
  const kept = new Map<string, unknown>();
  memory = {
    keys: () => [...kept.keys()],
    get: (key: string, usual?: unknown) => kept.get(key) ?? usual,
    update: (key: string, value: unknown) => Promise.resolve(void kept.set(key, value)),
  } as Memento;
  editor.isTrusted = true;
  editor.folders = [path.join(folder, "workspace")];
  editor.interpreter = editor.interpreterSetting = editor.answer = undefined;
  editor.asked = [];
});
afterEach(() => rmSync(folder, { recursive: true }));

/** An environment whose programs leave a mark when they run. */
function environment(name: string): string {
  const bin = path.join(folder, name, "bin");
  mkdirSync(bin, { recursive: true });
  for (const program of ["python", "bowerbird"]) {
    writeFileSync(path.join(bin, program), `#!/bin/sh\ntouch ${folder}/ran\n`);
    chmodSync(path.join(bin, program), 0o755);
  }
  return path.join(bin, "python");
}

test("the Python extension's interpreter is run isolated from the current folder", async () => {
  editor.interpreter = environment("mine");
  assert.deepEqual(await interpreterPlace(memory), {
    command: editor.interpreter,
    args: ["-P", "-m", "bowerbird"],
    origin: "in the Python extension's interpreter",
  });
  assert.deepEqual(editor.asked, []);
});

test("nothing is asked of the Python extension in an untrusted folder", async () => {
  editor.interpreter = environment("mine");
  editor.isTrusted = false;
  assert.equal(await interpreterPlace(memory), undefined);
});

test("planted: an environment within the workspace is used once the user has agreed, and then without asking", async () => {
  editor.interpreter = environment("workspace/.venv");
  assert.equal(await interpreterPlace(memory), undefined); // the question was closed
  editor.answer = "Use it";
  assert.equal((await interpreterPlace(memory))?.command, editor.interpreter);
  assert.equal((await interpreterPlace(memory))?.command, editor.interpreter);
  assert.equal(editor.asked.length, 2);
  assert.match(editor.asked[0] ?? "", /workspace has chosen: .*\.venv/);
});

test("planted: so is one that a setting of the workspace names; a no is kept", async () => {
  editor.interpreter = editor.interpreterSetting = environment("elsewhere");
  editor.answer = "Never here";
  assert.equal(await interpreterPlace(memory), undefined);
  assert.equal(await interpreterPlace(memory), undefined);
  assert.equal(editor.asked.length, 1);
});

test("an environment of the workspace without Bowerbird is not worth a question", async () => {
  editor.interpreter = environment("workspace/.venv");
  rmSync(path.join(path.dirname(editor.interpreter), "bowerbird"));
  assert.equal(await interpreterPlace(memory), undefined);
  assert.deepEqual(editor.asked, []);
});
