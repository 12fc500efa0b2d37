import assert from "node:assert/strict";
import { test } from "node:test";
import { isOld, versionIn } from "../src/version";

test("a version is what the server prints, and nothing else is taken for one", () => {
  assert.equal(versionIn("bowerbird 0.1.0\n"), "0.1.0");
  assert.equal(versionIn("a warning\nbowerbird 1.2.3rc1\n"), "1.2.3rc1");
  assert.equal(versionIn("Python 3.12.1"), undefined);
  assert.equal(versionIn("bowerbird: command not found"), undefined);
});

test("versions are compared as numbers", () => {
  assert.equal(isOld("0.9.9", "0.10"), true);
  assert.equal(isOld("0.10", "0.10.0"), false);
  assert.equal(isOld("1.0", "0.10.0"), false);
  assert.equal(isOld("0.1.0rc1", "0.1.0"), false);
});
