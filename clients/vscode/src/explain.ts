// Why the last completions were as they were, beside the code.
import * as vscode from "vscode";
import { ask, runCommand } from "./ask";
import { webviewPage } from "./page";
import { EXPLAIN, type Explained } from "./protocol";
import type { Server } from "./server";

const COMPLETIONS = 10;
const SCHEME = "bowerbird-generation";

export class Explanations implements vscode.Disposable {
  #panel: vscode.WebviewPanel | undefined;
  #generation = "";
  readonly #changed = new vscode.EventEmitter<vscode.Uri>();
  readonly #provider = vscode.workspace.registerTextDocumentContentProvider(SCHEME, {
    onDidChange: this.#changed.event,
    provideTextDocumentContent: () => this.#generation,
  });

  constructor(private readonly server: Server) {}

  dispose(): void {
    this.#panel?.dispose();
    this.#provider.dispose();
    this.#changed.dispose();
  }

  async completions(): Promise<void> {
    const told = await ask<Explained>(this.server, EXPLAIN, { last: COMPLETIONS, html: true });
    if (told) {
      const panel = (this.#panel ??= this.#open());
      panel.webview.html = webviewPage(told.html, told.sentence);
      panel.reveal(undefined, true);
    }
  }

  /** The last generation: what was found, written and said by the checker, as the server tells it. */
  async generation(): Promise<void> {
    const told = await runCommand(this.server, "bowerbird.explainGeneration");
    if (told !== undefined) {
      this.#generation = JSON.stringify(told, undefined, 2);
      const uri = vscode.Uri.from({ scheme: SCHEME, path: "/Last generation.json" });
      this.#changed.fire(uri);
      await vscode.window.showTextDocument(uri, { viewColumn: vscode.ViewColumn.Beside, preview: true });
    }
  }

  #open(): vscode.WebviewPanel {
    const column = { viewColumn: vscode.ViewColumn.Beside, preserveFocus: true };
    const options = {
      enableScripts: false,
      enableForms: false,
      localResourceRoots: [],
      enableFindWidget: true,
    };
    const panel = vscode.window.createWebviewPanel(
      "bowerbird.explain",
      "Bowerbird: last completions",
      column,
      options,
    );
    panel.onDidDispose(() => (this.#panel = undefined));
    return panel;
  }
}
