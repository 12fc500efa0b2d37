// Asks again, unless the user has gone on: for better words, and for what was typed while no server ran.
import * as vscode from "vscode";
import type { Middleware } from "vscode-languageclient/node";
import type { Refined } from "./protocol";

type Provide = NonNullable<Middleware["provideInlineCompletionItems"]>;

interface Asked {
  uri: string;
  version: number;
  position: vscode.Position;
  shown: boolean;
}

export class Refining {
  #asked: Asked | undefined;
  #missed: { document: vscode.TextDocument; version: number } | undefined;
  #askAgain = false;

  /** Remembers where the last completion was asked for. */
  readonly provide: Provide = async (document, position, context, token, next) => {
    const asked = { uri: document.uri.toString(), version: document.version, position, shown: false };
    this.#asked = asked;
    this.missed(document);
    // The only way to ask again is the user's own, which would allow the server more time and several candidates.
    const again = this.#askAgain;
    this.#askAgain = false;
    const kind = again ? vscode.InlineCompletionTriggerKind.Automatic : context.triggerKind;
    const items = await next(document, position, { ...context, triggerKind: kind }, token);
    asked.shown =
      !token.isCancellationRequested && (Array.isArray(items) ? items : (items?.items ?? [])).length > 0;
    if (asked.shown) {
      this.#missed = undefined; // a server that dies, and a question that was overtaken, are answered with nothing
    }
    return items;
  };

  /** A later iteration has better words for what is on show. */
  async refined(where: Refined): Promise<void> {
    const editor = vscode.window.activeTextEditor;
    const asked = this.#asked;
    if (
      editor &&
      asked?.shown &&
      where.uri === asked.uri &&
      where.line === asked.position.line &&
      stands(editor, asked)
    ) {
      await this.#again();
    }
  }

  /** This is what the user wrote last, and nothing has come for it yet. */
  missed(document: vscode.TextDocument): void {
    this.#missed = { document, version: document.version };
  }

  /** There is a server again: it is asked what the one before did not answer. */
  async revived(): Promise<void> {
    const editor = vscode.window.activeTextEditor;
    const missed = this.#missed;
    this.#missed = undefined;
    const same = missed && editor?.document === missed.document && missed.document.version === missed.version;
    if (same && editor.selection.isEmpty) {
      await this.#again();
    }
  }

  async #again(): Promise<void> {
    this.#askAgain = true;
    try {
      await vscode.commands.executeCommand("editor.action.inlineSuggest.trigger");
    } finally {
      this.#askAgain = false;
    }
  }
}

function stands(editor: vscode.TextEditor, asked: Asked): boolean {
  const { document, selection } = editor;
  const same = document.uri.toString() === asked.uri && document.version === asked.version;
  return same && selection.isEmpty && selection.active.isEqual(asked.position);
}
