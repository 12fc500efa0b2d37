// Bundles the extension, or with `--tests` its unit tests, into dist/.
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { build } from "esbuild";

const TESTS = process.argv.includes("--tests");
const MINIFY = process.argv.includes("--minify");

const common = {
  bundle: true,
  platform: "node",
  format: "cjs",
  target: "node20",
  logLevel: "warning",
  supported: { "dynamic-import": false }, // only `require` is given the editor's own module
  legalComments: "none", // `writeLicences` brings whole licences
};

if (TESTS) {
  rmSync("dist/tests", { recursive: true, force: true });
  const tests = readdirSync("tests").filter((name) => name.endsWith(".test.ts"));
  await build({
    ...common,
    entryPoints: tests.map((name) => `tests/${name}`),
    outdir: "dist/tests",
    sourcemap: "inline",
    alias: { vscode: "./tests/vscode.ts" },
  });
} else {
  const { metafile } = await build({
    ...common,
    entryPoints: ["src/extension.ts", "src/client.ts"], // the second holds the language client, loaded later
    outdir: "dist",
    external: ["vscode"],
    plugins: [{ name: "apart", setup: (bundle) => bundle.onResolve({ filter: /^\.\/client$/ }, apart) }],
    metafile: true,
    minify: MINIFY,
    sourcemap: !MINIFY,
  });
  writeLicences(Object.keys(metafile.inputs));
}

function apart({ kind, importer }) {
  const isOurs = kind !== "entry-point" && !importer.includes("node_modules"); // the library has a `./client`, too
  return isOurs ? { path: "./client.js", external: true } : undefined;
}

// What is bundled goes with its licence.
function writeLicences(inputs) {
  const folders = inputs.map((path) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0]);
  const told = [...new Set(folders)]
    .filter((folder) => folder !== undefined)
    .sort()
    .map((folder) => {
      const { name, version, license } = JSON.parse(readFileSync(`${folder}/package.json`, "utf8"));
      const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry));
      const text =
        file && existsSync(`${folder}/${file}`) ? readFileSync(`${folder}/${file}`, "utf8").trim() : "";
      return `${name} ${version} (${license})\n\n${text}`;
    });
  writeFileSync(
    "dist/LICENCES.txt",
    `This extension contains:\n\n${told.join(`\n\n${"-".repeat(72)}\n\n`)}\n`,
  );
}
