// The beginning and the end: what the editor calls.
import { sinceLoadMs } from "./clock"; // first, for it begins to count
import * as vscode from "vscode";
import { tellDown } from "./ask";
import { commandTable } from "./commands";
import { Explanations } from "./explain";
import { registerDocumentation } from "./search";
import { Server } from "./server";
import { type Manifest, propertiesOf } from "./settings";
import { StatusItem } from "./status";

const STARTING_ANEW = ["bowerbird.server.path"];
const DOWN = ["missing", "old", "failed"];

const LOADING_MS = sinceLoadMs(); // all that is imported above is loaded by now

let server: Server | undefined;

/** Returns at once: the server is looked for and started afterwards. */
export function activate(context: vscode.ExtensionContext): void {
  const began = sinceLoadMs(); // the editor may do other things between loading and this
  const log = vscode.window.createOutputChannel("Bowerbird", { log: true });
  const started = new Server(context, propertiesOf(context.extension.packageJSON as Manifest), log);
  server = started;
  const explanations = new Explanations(started);
  const wheels = vscode.Uri.joinPath(context.extensionUri, "wheels").fsPath;
  const commands = Object.entries(commandTable(started, explanations, log, wheels));
  context.subscriptions.push(
    log,
    started,
    explanations,
    registerDocumentation(),
    new StatusItem(started),
    ...commands.map(([name, run]) => vscode.commands.registerCommand(name, run)),
    vscode.workspace.onDidChangeConfiguration((event) => {
      if (STARTING_ANEW.some((name) => event.affectsConfiguration(name))) {
        void started.restart();
      } else if (event.affectsConfiguration("bowerbird")) {
        void started.tellSettings();
      }
    }),
    vscode.workspace.onDidGrantWorkspaceTrust(() => void started.restart()), // trust is told at the start only
    started.onDidChange(tellOnce()),
  );
  void started.restart();
  const ownMs = LOADING_MS + sinceLoadMs() - began;
  log.info(`Activated in ${ownMs.toFixed(1)} ms, ${LOADING_MS.toFixed(1)} ms of it for loading.`);
}

export async function deactivate(): Promise<void> {
  await server?.stop();
}

/** Tells of a server that is missing, too old or keeps ending: once, until there is something new to tell. */
function tellOnce(): (phase: Server["phase"]) => void {
  let told: string | undefined;
  return (phase) => {
    if (DOWN.includes(phase.kind) && "sentence" in phase && phase.sentence !== told) {
      told = phase.sentence;
      void tellDown(phase);
    } else if (phase.kind === "running") {
      told = undefined;
    }
  };
}
