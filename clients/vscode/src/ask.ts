// Asking the running server, and saying so where none runs or it does not know the question.
import * as vscode from "vscode";
import type { LanguageClient } from "vscode-languageclient/node";
import { phaseText } from "./phaseText";
import type { Phase, Server } from "./server";

const METHOD_NOT_FOUND = -32601;
const SILENT = [-32800, -32802]; // RequestCancelled, ServerCancelled

/** What a server would answer that was asked to run it. */
class UnknownCommandError extends Error {
  readonly code = METHOD_NOT_FOUND;
}

/** The running server's client; without one the user is told why and offered what helps. */
export function runningClient(server: Server): LanguageClient | undefined {
  const { client } = server;
  if (!client) {
    void tellDown(server.phase);
  }
  return client;
}

/** Says why no server runs, with the button that mends it. */
export async function tellDown(phase: Phase): Promise<void> {
  const buttons: Record<string, string> =
    phase.kind === "missing" || phase.kind === "old"
      ? { Install: "bowerbird.install", "Open settings": "bowerbird.openSettings" }
      : { Restart: "bowerbird.restart", "Show log": "bowerbird.openLog" };
  const sentence =
    "sentence" in phase ? phase.sentence : `The server is not ready: ${phaseText(phase).state}.`;
  const chosen = await vscode.window.showWarningMessage(`Bowerbird: ${sentence}`, ...Object.keys(buttons));
  const command = chosen === undefined ? undefined : buttons[chosen];
  if (command !== undefined) {
    await vscode.commands.executeCommand(command);
  }
}

/** The answer to a request; undefined where it failed, and then the user has been told. */
export async function ask<Answer>(
  server: Server,
  method: string,
  params: object,
): Promise<Answer | undefined> {
  return answered(server, (client) => client.sendRequest<Answer>(method, params));
}

/** What one of the server's commands answers; undefined where it failed, and then the user has been told. */
export async function runCommand(server: Server, command: string, args: unknown[] = []): Promise<unknown> {
  return answered(server, (client) => {
    const known = client.initializeResult?.capabilities.executeCommandProvider?.commands ?? [];
    if (!known.includes(command)) {
      throw new UnknownCommandError(command);
    }
    return client.sendRequest("workspace/executeCommand", { command, arguments: args });
  });
}

async function answered<Answer>(
  server: Server,
  question: (client: LanguageClient) => Promise<Answer>,
): Promise<Answer | undefined> {
  const client = runningClient(server);
  try {
    return client && (await question(client));
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    if (code === METHOD_NOT_FOUND) {
      void vscode.window.showWarningMessage(
        "Bowerbird: this server is older than the extension and does not know that.",
      );
    } else if (typeof code !== "number" || !SILENT.includes(code)) {
      void vscode.window.showErrorMessage(
        `Bowerbird: ${error instanceof Error ? error.message : String(error)}`,
      );
    }
    return undefined;
  }
}
