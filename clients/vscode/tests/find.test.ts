import assert from "node:assert/strict";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import * as path from "node:path";
import { afterEach, beforeEach, test } from "node:test";
import { askVersion, type Command, findServer, liesWithin, oldSentence, onPath } from "../src/find";

let folder = "";

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), "bowerbird-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

function program(name: string, script: string): string {
  const file = path.join(folder, name);
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, `#!/bin/sh\n${script}\n`);
  chmodSync(file, 0o755);
  return file;
}

function place(command: string, origin: string): () => Promise<Command> {
  return () => Promise.resolve({ command, args: [], origin });
}

const nowhere = (): Promise<undefined> => Promise.resolve(undefined);

test("the first place with a server that is new enough wins; old ones and other programs are passed by", async () => {
  const other = program("other", "echo Python 3.12");
  const old = program("old", "echo bowerbird 0.0.9");
  const good = program("good", '[ "$1" = --version ] && echo bowerbird 99.0');
  const places = [nowhere, place(other, "a"), place(old, "b"), place(good, "c"), place("/not/there", "d")];
  const found = await findServer("", places);
  assert.deepEqual(found, {
    kind: "found",
    server: { command: good, args: [], origin: "c", version: "99.0" },
  });
});

test("where all are too old the first one is told, with both versions", async () => {
  const old = program("old", "echo bowerbird 0.0.9");
  const found = await findServer("", [place(old, "on the PATH")]);
  assert.match(
    found.kind === "old" ? oldSentence(found.server) : "",
    /on the PATH is Bowerbird 0\.0\.9;.*needs 0\.1\.0/,
  );
});

test("nothing anywhere is missing", async () => {
  assert.deepEqual(await findServer("", [nowhere, place(path.join(folder, "none"), "x")]), {
    kind: "missing",
  });
});

test("what the setting names is taken or reported, and nothing else is looked at", async () => {
  const good = program("good", "echo bowerbird 99.0");
  const elsewhere = [place(good, "on the PATH")];
  const sentences: [string, RegExp][] = [
    ["bin/bowerbird", /must be an absolute path/],
    [path.join(folder, "none"), /no program that can be run/],
    [folder, /no program that can be run/],
    [program("other", "echo hello"), /is not Bowerbird/],
  ];
  for (const [named, sentence] of sentences) {
    const found = await findServer(named, elsewhere);
    assert.match(found.kind === "broken" ? found.sentence : "", sentence);
  }
  assert.equal((await findServer(good, [])).kind, "found");
});

test("a program that fails or says another thing has no version", async () => {
  const failing = program("failing", "echo bowerbird 1.0; exit 3");
  assert.equal(await askVersion({ command: failing, args: [], origin: "" }), undefined);
});

test("planted: programs of a workspace and of the current folder are never found on the PATH", () => {
  const workspace = path.join(folder, "workspace");
  const planted = program("workspace/bin/bowerbird", "exit 0");
  const mine = program("mine/bowerbird", "exit 0");
  const options = { platform: "linux" as const, folders: [workspace] };
  const here = process.cwd();
  process.chdir(folder);
  assert.equal(onPath("bowerbird", { ...options, folders: [], path: ".:mine:" }), undefined);
  process.chdir(here);
  const onlyPlanted = [path.dirname(planted), ".", "", "workspace/bin"].join(":");
  assert.equal(onPath("bowerbird", { ...options, path: onlyPlanted }), undefined);
  assert.equal(onPath("bowerbird", { ...options, path: `${onlyPlanted}:${path.dirname(mine)}` }), mine);
});

test("a link out of a workspace, and one into it, lie within it", () => {
  const workspace = path.join(folder, "workspace");
  mkdirSync(path.join(workspace, "bin"), { recursive: true });
  const outside = program("outside/python", "exit 0");
  symlinkSync(outside, path.join(workspace, "bin", "python"));
  symlinkSync(path.join(workspace, "bin"), path.join(folder, "door"));
  assert.equal(liesWithin(path.join(workspace, "bin", "python"), [workspace]), true);
  assert.equal(liesWithin(path.join(folder, "door", "python"), [workspace]), true);
  assert.equal(liesWithin(outside, [workspace]), false);
  assert.equal(liesWithin(`${workspace}-2/python`, [workspace]), false);
});
