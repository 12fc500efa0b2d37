// The documentation asked in plain words, answered while they are typed.
import { readFile } from "node:fs/promises";
import * as vscode from "vscode";
import { runningClient } from "./ask";
import { type FoundItem, SEARCH } from "./protocol";
import { foundRow } from "./searchRow";
import type { Server } from "./server";

const PAUSE_MS = 150;
const MOST = 30;
const SCHEME = "bowerbird-documentation";

const shown = new Set<string>();

interface Row extends vscode.QuickPickItem {
  found: FoundItem;
}

/** Searches in the packs of the language that is being written, where it has some, else in all. */
export function search(server: Server, words = ""): void {
  const client = runningClient(server);
  if (!client) {
    return;
  }
  const language = vscode.window.activeTextEditor?.document.languageId;
  const pick = vscode.window.createQuickPick<Row>();
  pick.title = "Bowerbird: search the documentation";
  pick.placeholder = "What should it do? Such as: add a column to a table";
  pick.matchOnDescription = pick.matchOnDetail = true;
  let timer: NodeJS.Timeout | undefined;
  let asking: vscode.CancellationTokenSource | undefined;
  const stop = (): void => {
    clearTimeout(timer);
    asking?.cancel();
    asking?.dispose();
    asking = undefined;
    pick.busy = false;
  };
  const find = async (query: string): Promise<void> => {
    const source = (asking = new vscode.CancellationTokenSource());
    try {
      const items = await searched(client, query, language, source.token);
      if (!source.token.isCancellationRequested) {
        pick.items = items.map((found) => ({ ...foundRow(found), alwaysShow: true, found }));
        pick.title =
          items.length > 0 ? "Bowerbird: search the documentation" : `Bowerbird: nothing on “${query}”`;
      }
    } catch (error) {
      if (!source.token.isCancellationRequested) {
        pick.title = `Bowerbird: ${error instanceof Error ? error.message : String(error)}`;
      }
    } finally {
      if (asking === source) {
        pick.busy = false;
      }
    }
  };
  pick.onDidChangeValue((value) => {
    stop();
    const query = value.trim();
    if (query === "") {
      pick.items = [];
    } else {
      pick.busy = true;
      timer = setTimeout(() => void find(query), PAUSE_MS);
    }
  });
  pick.onDidAccept(() => {
    const [row] = pick.selectedItems;
    pick.hide();
    if (row) {
      void open(row.found);
    }
  });
  pick.onDidHide(() => {
    stop();
    pick.dispose();
  });
  pick.show();
  if (words !== "") {
    pick.value = words;
    void find(words);
  }
}

interface Asker {
  sendRequest<Answer>(method: string, params: object, token: vscode.CancellationToken): Promise<Answer>;
}

async function searched(
  client: Asker,
  query: string,
  language: string | undefined,
  token: vscode.CancellationToken,
): Promise<FoundItem[]> {
  const here = language === undefined ? [] : await items(client, { query, language, count: MOST }, token);
  return here.length > 0 ? here : items(client, { query, count: MOST }, token);
}

async function items(client: Asker, params: object, token: vscode.CancellationToken): Promise<FoundItem[]> {
  return (await client.sendRequest<{ items: FoundItem[] }>(SEARCH, params, token)).items;
}

async function open(found: FoundItem): Promise<void> {
  const place = new vscode.Range(found.line, 0, found.line, 0);
  const uri = vscode.Uri.parse(found.uri, true).with({ scheme: SCHEME });
  shown.add(uri.toString());
  await vscode.window.showTextDocument(uri, { preview: true, selection: place });
}

/** Pages of the documentation as nobody can change them; only those that a search has found. */
export function registerDocumentation(): vscode.Disposable {
  return vscode.workspace.registerTextDocumentContentProvider(SCHEME, {
    provideTextDocumentContent: (uri) =>
      shown.has(uri.toString()) ? readFile(uri.with({ scheme: "file" }).fsPath, "utf8") : "",
  });
}
