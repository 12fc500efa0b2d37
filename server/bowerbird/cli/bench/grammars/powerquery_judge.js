// Asks Microsoft's parser of Power Query M: does it accept a text? One JSON text a line comes in, and for
// each line goes out: null where it accepts, else a sentence that says why not.
//
// node powerquery_judge.js FOLDER, where FOLDER holds node_modules with @microsoft/powerquery-parser.

"use strict";

const { createInterface } = require("node:readline");

const parser = require(require.resolve("@microsoft/powerquery-parser", { paths: [process.argv[2]] }));

async function complaint(text) {
    const task = await parser.TaskUtils.tryLexParse(parser.DefaultSettings, text);
    return parser.TaskUtils.isError(task) ? `${task.stage}: ${task.error.message}` : null;
}

async function main() {
    for await (const line of createInterface({ input: process.stdin })) {
        console.log(JSON.stringify(await complaint(JSON.parse(line))));
    }
}

main();
