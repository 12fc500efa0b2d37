// The commands: a row for each, whether the server does the work or the extension.
import * as vscode from "vscode";
import { runCommand } from "./ask";
import type { Explanations } from "./explain";
import { install } from "./install";
import { chooseModel } from "./model";
import { search } from "./search";
import type { Server } from "./server";
import { showMenu } from "./status";

export const ACCEPTED = "bowerbird.accepted"; // of completions themselves; nobody else runs it

/** Commands of the server that need no more than to be passed on; what it answers is shown. */
const PASSED_ON = ["pause", "resume", "togglePause", "restartModel", "reindex", "clearCaches"];

type Run = (...args: unknown[]) => unknown;

export function commandTable(
  server: Server,
  explanations: Explanations,
  log: vscode.LogOutputChannel,
  wheels: string,
): Record<string, Run> {
  const rows = PASSED_ON.map((name) => `bowerbird.${name}`).map((name): [string, Run] => [
    name,
    () => passOn(server, name),
  ]);
  return {
    ...Object.fromEntries(rows),
    [ACCEPTED]: () => server.client && runCommand(server, ACCEPTED),
    "bowerbird.menu": () => showMenu(server),
    "bowerbird.restart": () => server.restart(),
    "bowerbird.explain": () => explanations.completions(),
    "bowerbird.explainGeneration": () => explanations.generation(),
    "bowerbird.generate": (...args) => generate(server, args),
    "bowerbird.search": (words) => search(server, typeof words === "string" ? words : ""),
    "bowerbird.chooseModel": () => chooseModel(server, log),
    "bowerbird.install": async () => {
      if (await install(server.environment, wheels, log)) {
        await server.restart();
      }
    },
    "bowerbird.openLog": () => log.show(),
    "bowerbird.openSettings": () =>
      vscode.commands.executeCommand("workbench.action.openSettings", "@ext:bowerbird.bowerbird"),
  };
}

async function passOn(server: Server, command: string): Promise<void> {
  const said = await runCommand(server, command);
  if (typeof said === "string") {
    void vscode.window.setStatusBarMessage(`Bowerbird: ${said}`, 5_000);
  }
}

/** What the comment at the cursor asks for, or, from the server's own code action, at the line it names. */
async function generate(server: Server, args: unknown[]): Promise<void> {
  const editor = vscode.window.activeTextEditor;
  if (args.length > 0) {
    await runCommand(server, "bowerbird.generate", args);
  } else if (editor) {
    await runCommand(server, "bowerbird.generate", [
      editor.document.uri.toString(),
      editor.selection.active.line,
    ]);
  } else {
    void vscode.window.showInformationMessage(
      "Bowerbird: open a file and put the cursor on a comment that asks for code.",
    );
  }
}
