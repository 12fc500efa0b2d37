// A later iteration has better words for what is on show: ask again, unless the cursor has moved on.
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
  #askAgain = false;

  /** Remembers where the last completion was asked for. */
  readonly provide: Provide = async (document, position, context, token, next) => {
    const asked = { uri: document.uri.toString(), version: document.version, position, shown: false };
    this.#asked = asked;
    // The only way to ask again is the user's own, which would allow the server more time and several candidates.
    const again = this.#askAgain;
    this.#askAgain = false;
    const kind = again ? vscode.InlineCompletionTriggerKind.Automatic : context.triggerKind;
    const items = await next(document, position, { ...context, triggerKind: kind }, token);
    asked.shown =
      !token.isCancellationRequested && (Array.isArray(items) ? items : (items?.items ?? [])).length > 0;
    return items;
  };

  async refined(where: Refined): Promise<void> {
    const editor = vscode.window.activeTextEditor;
    const asked = this.#asked;
    if (
      !editor ||
      !asked?.shown ||
      where.uri !== asked.uri ||
      !stands(editor, asked) ||
      where.line !== asked.position.line
    ) {
      return;
    }
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
