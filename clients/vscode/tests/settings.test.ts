import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import {
  type Configuration,
  type Inspected,
  type Manifest,
  propertiesOf,
  settingsForServer,
} from "../src/settings";

const PROPERTIES = propertiesOf(JSON.parse(readFileSync("package.json", "utf8")) as Manifest);

/** A configuration that also gives workspace values of the machine's settings, as no real editor does. */
function configured(said: Record<string, Inspected>): Configuration {
  return {
    inspect: (name) => said[name],
    get: (name) => said[name]?.workspaceFolderValue ?? said[name]?.workspaceValue ?? said[name]?.globalValue,
  };
}

test("what the user has set is sent nested, and defaults are not sent", () => {
  const configuration = configured({
    "completion.iterations": { globalValue: 1, workspaceValue: 0 },
    "completion.disabledLanguages": { workspaceFolderValue: ["python"] },
    "index.watch": { globalValue: false },
  });
  assert.deepEqual(settingsForServer(configuration, PROPERTIES), {
    completion: { iterations: 0, disabledLanguages: ["python"] },
    index: { watch: false },
  });
});

test("no file of a workspace sets what belongs to the machine, each such setting planted", () => {
  const machine = [...PROPERTIES]
    .filter(([, property]) => property.scope === "machine")
    .map(([name]) => name);
  assert.ok(machine.includes("generation.runPrograms") && machine.includes("server.path"));
  const planted = { workspaceValue: "/tmp/planted", workspaceFolderValue: "/tmp/planted" };
  const configuration = configured(Object.fromEntries(machine.map((name) => [name, planted])));
  assert.deepEqual(settingsForServer(configuration, PROPERTIES), {});
  const own = configured({ "generation.model": { ...planted, globalValue: "mine.gguf" } });
  assert.deepEqual(settingsForServer(own, PROPERTIES), { generation: { model: "mine.gguf" } });
});

test("the client's own settings stay with the client", () => {
  const configuration = configured({ "server.path": { globalValue: "/usr/bin/bowerbird" } });
  assert.deepEqual(settingsForServer(configuration, PROPERTIES), {});
});
