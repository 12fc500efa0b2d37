// The status item: what the server is about, and a menu behind it.
import * as vscode from "vscode";
import { phaseText } from "./phaseText";
import type { Phase, Server } from "./server";

export class StatusItem implements vscode.Disposable {
  readonly #item = vscode.window.createStatusBarItem(
    "bowerbird.status",
    vscode.StatusBarAlignment.Right,
    100,
  );
  readonly #listening: vscode.Disposable;

  constructor(server: Server) {
    this.#item.name = "Bowerbird";
    this.#item.command = "bowerbird.menu";
    this.#listening = server.onDidChange((phase) => this.#show(phase));
    this.#show(server.phase);
    this.#item.show();
  }

  dispose(): void {
    this.#listening.dispose();
    this.#item.dispose();
  }

  #show(phase: Phase): void {
    const { icon, state, lines, isWarning } = phaseText(phase);
    const tooltip = new vscode.MarkdownString();
    tooltip.appendMarkdown("**Bowerbird** ").appendText(state);
    for (const line of lines) {
      tooltip.appendMarkdown("\n\n").appendText(line); // models and sentences are not Markdown of ours
    }
    this.#item.text = `$(${icon}) Bowerbird`;
    this.#item.tooltip = tooltip;
    this.#item.accessibilityInformation = { label: ["Bowerbird", state, ...lines].join(". ") };
    this.#item.backgroundColor = isWarning
      ? new vscode.ThemeColor("statusBarItem.warningBackground")
      : undefined;
    const isPaused = phase.kind === "running" && phase.status?.reason === "paused";
    void vscode.commands.executeCommand("setContext", "bowerbird.paused", isPaused);
    void vscode.commands.executeCommand("setContext", "bowerbird.running", phase.kind === "running");
  }
}

/** Everything that can be done now, with what is going on as its title. */
export async function showMenu(server: Server): Promise<void> {
  const { state, lines } = phaseText(server.phase);
  const isPaused = server.phase.kind === "running" && server.phase.status?.reason === "paused";
  const rows = [...(server.phase.kind === "running" ? running(isPaused) : down(server.phase)), ...ALWAYS];
  const items = rows.map(([icon, label, command, detail]) => ({
    label: `$(${icon}) ${label}`,
    command,
    detail: detail ?? "",
  }));
  const picked = await vscode.window.showQuickPick(items, {
    title: `Bowerbird: ${state}`,
    placeHolder: lines.join("  ·  "),
  });
  if (picked) {
    await vscode.commands.executeCommand(picked.command);
  }
}

type Row = readonly [icon: string, label: string, command: string, detail?: string];

const ALWAYS: readonly Row[] = [
  ["output", "Open log", "bowerbird.openLog"],
  ["settings-gear", "Settings", "bowerbird.openSettings"],
];

function running(isPaused: boolean): Row[] {
  return [
    isPaused
      ? ["debug-continue", "Resume", "bowerbird.resume"]
      : ["debug-pause", "Pause", "bowerbird.pause", "Nothing runs until you resume: no model, no index."],
    [
      "question",
      "Explain last completion",
      "bowerbird.explain",
      "What was found, what the model was shown, and why nothing came.",
    ],
    ["search", "Search documentation", "bowerbird.search"],
    ["edit-sparkle", "Generate from comment", "bowerbird.generate"],
    ["chip", "Choose a model", "bowerbird.chooseModel"],
    ["debug-restart", "Restart the server", "bowerbird.restart"],
    ["trash", "Clear caches", "bowerbird.clearCaches"],
  ];
}

function down(phase: Phase): Row[] {
  const install: Row = [
    "cloud-download",
    "Install the server",
    "bowerbird.install",
    "Into an environment of its own, with pip.",
  ];
  const restart: Row = ["debug-restart", "Start the server", "bowerbird.restart"];
  return phase.kind === "missing" || phase.kind === "old" ? [install, restart] : [restart, install];
}
