// Asks Microsoft's language services for Power Query M what is wrong with a text. JSON texts, one a line:
//
//   in   {"symbols": [...]}           once, first: the library's names, as `powerquery.py` makes them
//   out  {"ready": true, "unusable": [names of symbols that were not understood]}
//   in   {"id": 1, "code": "..."}
//   out  {"id": 1, "diagnostics": [{"code", "text", "line", "column"}]}, lines and columns (UTF-16) from 0
//        {"id": 1, "failed": "...", "diagnostics": [...]}   where the services themselves failed, which they do
//                                     for a few nested texts: what the parser alone finds wrong
//
// node powerquery_bridge.js FOLDER, where FOLDER holds node_modules.

"use strict";

const { createInterface } = require("node:readline");

const from = (name) => require(require.resolve(name, { paths: [process.argv[2]] }));
const parser = from("@microsoft/powerquery-parser");
const services = from("@microsoft/powerquery-language-services");
const { TextDocument } = from("vscode-languageserver-textdocument");

const MOST_DIAGNOSTICS = 200;

function say(message) {
    process.stdout.write(JSON.stringify(message) + "\n");
}

function settingsFor(symbols) {
    const made = services.LibrarySymbolUtils.createLibrary(symbols, () => new Map(), undefined);
    const whole = parser.ResultUtils.isOk(made);
    const traceManager = new parser.Trace.NoOpTraceManager();
    const inspectionSettings = services.InspectionUtils.inspectionSettings(
        { ...parser.DefaultSettings, traceManager },
        {
            library: whole ? made.value : made.error.library,
            isWorkspaceCacheAllowed: false,
            typeStrategy: services.TypeStrategy.Primitive, // the other one follows types through a text, and is slow
        },
    );
    const common = { isWorkspaceCacheAllowed: false, initialCorrelationId: undefined, traceManager };
    return {
        analysis: { inspectionSettings, ...common },
        validation: services.ValidationSettingsUtils.createValidationSettings(inspectionSettings, {
            checkDiagnosticsOnParseError: false,
            checkForDuplicateIdentifiers: true,
            checkInvokeExpressions: true,
            checkUnknownIdentifiers: true,
            source: "powerquery",
        }),
        unusable: whole ? [] : made.error.failedLibrarySymbolConversions.map((one) => one.librarySymbol.name),
    };
}

// A text whose tokens make no sense has no other diagnostics: `validate` answers nothing at all.
function lexDiagnostics(code) {
    const task = parser.TaskUtils.tryLex(parser.DefaultSettings, code);
    if (!parser.TaskUtils.isError(task)) {
        return [];
    }
    const inner = task.error.innerError;
    const byLine = inner?.errorLineMap ? [...inner.errorLineMap] : [];
    if (byLine.length === 0) {
        return [lexDiagnostic(task.error.message, inner, 0)];
    }
    return byLine.map(([line, { error }]) => lexDiagnostic(error.message, error.innerError, line));
}

function lexDiagnostic(text, error, line) {
    const place = error?.graphemePosition;
    return { code: "Error.Lex", text, line: place?.lineNumber ?? line, column: place?.lineCodeUnit ?? 0 };
}

// Those of syntax only, without the services.
async function parserDiagnostics(code) {
    const task = await parser.TaskUtils.tryLexParse(parser.DefaultSettings, code);
    if (!parser.TaskUtils.isParseStageError(task)) {
        return [];
    }
    const place = task.error.innerError?.foundToken?.token?.positionStart ?? task.error.innerError?.positionStart;
    const at = { line: place?.lineNumber ?? 0, column: place?.lineCodeUnit ?? 0 };
    return [{ code: "Error.Parse", text: task.error.message, ...at }];
}

async function diagnosticsOf(code, version, settings) {
    const lexical = lexDiagnostics(code);
    if (lexical.length > 0) {
        return lexical;
    }
    const document = TextDocument.create("program.pq", "powerquery", version, code);
    const validated = await services.validate(document, settings.analysis, settings.validation);
    if (!parser.ResultUtils.isOk(validated)) {
        throw validated.error;
    }
    return (validated.value?.diagnostics ?? []).map(({ code: kind, message, range }) => ({
        code: String(kind),
        text: message,
        line: range.start.line,
        column: range.start.character,
    }));
}

async function main() {
    let settings;
    for await (const line of createInterface({ input: process.stdin })) {
        const message = JSON.parse(line);
        if (message.symbols) {
            settings = settingsFor(message.symbols);
            say({ ready: true, unusable: settings.unusable });
            continue;
        }
        try {
            const diagnostics = await diagnosticsOf(message.code, message.id, settings);
            say({ id: message.id, diagnostics: diagnostics.slice(0, MOST_DIAGNOSTICS) });
        } catch (error) {
            const failed = String(error?.message ?? error).split("\n")[0].replace(/ - \{$/, "");
            say({ id: message.id, failed, diagnostics: await parserDiagnostics(message.code) });
        }
    }
}

main();
