// Choosing the model: one that is here, one to be fetched, a file anywhere, or a server's address.
import * as path from "node:path";
import * as vscode from "vscode";
import { tellDown } from "./ask";
import { catalogRows, hereRows, type ModelRow, type Models, modelsIn, size, urlProblem } from "./models";
import { problemIn } from "./environment";
import type { Found } from "./find";
import { run } from "./run";
import type { Server } from "./server";

const LIST_MS = 30_000;
const SETTINGS = { completion: "completion.model", generation: "generation.model" } as const;

type Purpose = keyof typeof SETTINGS;
type Row = vscode.QuickPickItem & Partial<ModelRow> & { pick?: () => Promise<string | undefined> };

export async function chooseModel(server: Server, log: vscode.LogOutputChannel): Promise<void> {
  const { found } = server;
  if (!found) {
    return tellDown(server.phase);
  }
  const purpose = await choosePurpose();
  const row = purpose && (await chooseRow(await listed(found)));
  if (!row) {
    return;
  }
  const setting = row.pull
    ? await fetched(found, row.pull.name, row, log)
    : row.pick
      ? await row.pick()
      : row.setting;
  if (setting !== undefined) {
    await keep(purpose, setting);
  }
}

async function choosePurpose(): Promise<Purpose | undefined> {
  const items = [
    {
      label: "$(sparkle) The model that completes",
      purpose: "completion" as const,
      detail: "Small and quick: it runs while you type.",
    },
    {
      label: "$(edit-sparkle) The model that generates",
      purpose: "generation" as const,
      detail: "Writes code from comments; may be larger. Empty takes the one that completes.",
    },
  ];
  return (await vscode.window.showQuickPick(items, { title: "Bowerbird: choose a model" }))?.purpose;
}

async function listed(found: Found): Promise<Models | undefined> {
  const ended = await run(found.command, [...found.args, "model", "list", "--json"], { timeoutMs: LIST_MS });
  return ended.code === 0 ? modelsIn(ended.stdout) : undefined; // an older server knows no such command
}

async function chooseRow(models: Models | undefined): Promise<Row | undefined> {
  const separator = (label: string): Row => ({ label, kind: vscode.QuickPickItemKind.Separator });
  const rows: Row[] = [
    ...(models ? [separator("on this machine"), ...hereRows(models)] : []),
    separator("elsewhere"),
    { label: "$(folder-opened) Browse for a GGUF file ...", pick: () => browse(models?.folder) },
    {
      label: "$(globe) A server's address ...",
      detail: "A llama-server, or any server with the same interface.",
      pick: address,
    },
    {
      label: "$(discard) Let Bowerbird choose",
      detail: "The model of your model folder if it holds one, else the built-in one.",
      pick: () => Promise.resolve(""),
    },
    ...(models ? [separator("to be fetched, from the model hub"), ...catalogRows(models)] : []),
  ];
  return vscode.window.showQuickPick(rows, {
    title: "Bowerbird: choose a model",
    placeHolder: models ? `Your model folder is ${models.folder}` : "",
    matchOnDescription: true,
    matchOnDetail: true,
  });
}

async function browse(folder: string | undefined): Promise<string | undefined> {
  const chosen = await vscode.window.showOpenDialog({
    title: "A model in GGUF format",
    filters: { Models: ["gguf"] },
    ...(folder === undefined ? {} : { defaultUri: vscode.Uri.file(folder) }),
  });
  return chosen?.[0]?.fsPath;
}

async function address(): Promise<string | undefined> {
  return vscode.window.showInputBox({
    title: "Bowerbird: a server's address",
    prompt: "Your code is sent there.",
    placeHolder: "http://127.0.0.1:8080",
    validateInput: urlProblem,
  });
}

/** Fetches it after the user has seen what it is; its path, undefined where nothing came. */
async function fetched(
  found: Found,
  name: string,
  row: Row,
  log: vscode.LogOutputChannel,
): Promise<string | undefined> {
  const fetch = "Fetch";
  const { bytes = 0, licence = "" } = row.pull ?? {};
  const question = `Fetch ${name} (${size(bytes)}, licence: ${licence}) from the model hub?`;
  if ((await vscode.window.showInformationMessage(question, { modal: true }, fetch)) !== fetch) {
    return undefined;
  }
  const options = {
    location: vscode.ProgressLocation.Notification,
    title: `Bowerbird: fetching ${name}`,
    cancellable: true,
  };
  return vscode.window.withProgress(options, async (progress, token) => {
    const abort = new AbortController();
    token.onCancellationRequested(() => abort.abort());
    const line = (text: string): void => {
      log.info(text);
      const share = /\b\d+(?:\.\d+)?\/\d+(?:\.\d+)? [kMG]?B\b/.exec(text)?.[0];
      progress.report({ message: share ?? "" });
    };
    const ended = await run(found.command, [...found.args, "model", "pull", name], {
      signal: abort.signal,
      line,
    });
    if (ended.code === 0) {
      const model = (await listed(found))?.here.find(
        (one) => path.basename(one.path) === fileOf(row, ended.stdout),
      );
      return model?.path;
    }
    if (!abort.signal.aborted) {
      void vscode.window.showErrorMessage(`Bowerbird: ${name} was not fetched: ${problemIn(ended)}`);
    }
    return undefined;
  });
}

/** The name of the file that came: the list's, else what the command said. */
function fileOf(row: Row, said: string): string | undefined {
  const { file } = (row.pull ?? {}) as { file?: string };
  return file === undefined ? /^(.*\.gguf) is here/m.exec(said)?.[1] : path.basename(file);
}

async function keep(purpose: Purpose, setting: string): Promise<void> {
  const configuration = vscode.workspace.getConfiguration("bowerbird");
  await configuration.update(
    SETTINGS[purpose],
    setting === "" ? undefined : setting,
    vscode.ConfigurationTarget.Global,
  );
}
