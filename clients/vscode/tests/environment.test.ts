import assert from "node:assert/strict";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import * as path from "node:path";
import { afterEach, beforeEach, test } from "node:test";
import { Environment, problemIn, sourceToInstall } from "../src/environment";

let folder = "";
let environment: Environment;

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), "bowerbird-"));
  environment = new Environment(folder, "linux");
});
afterEach(() => rmSync(folder, { recursive: true }));

function program(name: string, script: string): string {
  const file = path.join(folder, name);
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, `#!/bin/sh\n${script}\n`);
  chmodSync(file, 0o755);
  return file;
}

const quiet = { begin: () => undefined, line: () => undefined };

test("an environment counts once it is finished, and no more while it is made anew", async () => {
  program("venv/bin/bowerbird", "exit 0");
  assert.equal(environment.executable(), undefined);
  environment.seal("bowerbird");
  assert.equal(environment.executable(), path.join(folder, "venv/bin/bowerbird"));
  const failing = {
    title: "",
    command: program("failing", "echo 'ERROR: no such package' >&2; exit 1"),
    args: [],
  };
  const failed = await environment.take([failing], { ...quiet, signal: new AbortController().signal });
  assert.equal(failed && problemIn(failed), "ERROR: no such package");
  assert.equal(environment.executable(), undefined);
});

test("cancelling ends what runs, with all that it has started", { timeout: 20_000 }, async () => {
  const abort = new AbortController();
  const step = { title: "", command: program("long", "sleep 60 & echo begun; wait"), args: [] };
  const taken = environment.take([step, step], {
    begin: () => undefined,
    line: (text) => text === "begun" && abort.abort(),
    signal: abort.signal,
  });
  const ended = await taken; // streams close only when the last of them has ended
  assert.equal(ended?.code, null);
});

test("one window installs at a time; a lock of a process that is gone does not count", () => {
  const unlock = environment.lock();
  assert.ok(unlock);
  assert.equal(new Environment(folder, "linux").lock(), undefined);
  unlock();
  writeFileSync(path.join(folder, "installing"), "999999999");
  assert.ok(environment.lock());
});

test("pip gets what the user named, else the wheel beside the extension, else the package", () => {
  const wheels = path.join(folder, "wheels");
  assert.equal(sourceToInstall("/src/bowerbird", wheels), "/src/bowerbird");
  assert.equal(sourceToInstall("", wheels), "bowerbird[llama]");
  mkdirSync(wheels);
  writeFileSync(path.join(wheels, "bowerbird-0.1.0-py3-none-any.whl"), "");
  assert.equal(sourceToInstall("", wheels), path.join(wheels, "bowerbird-0.1.0-py3-none-any.whl[llama]"));
});

test("the problem is the error that pip names, else the last line", () => {
  const ended = {
    code: 1,
    stdout: "Collecting x\n",
    stderr: "ERROR: No matching distribution\nnote: try again\n",
  };
  assert.equal(problemIn(ended), "ERROR: No matching distribution");
  assert.equal(problemIn({ code: null, stdout: "", stderr: "spawn x ENOENT" }), "spawn x ENOENT");
  assert.equal(problemIn({ code: 3, stdout: "", stderr: "" }), "exit code 3");
});
