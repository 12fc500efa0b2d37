// One server process and the language client that talks to it.
import { type ChildProcess, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import * as vscode from "vscode";
import {
  CloseAction,
  ErrorAction,
  ExecuteCommandRequest,
  LanguageClient,
  type LanguageClientOptions,
  RevealOutputChannelOn,
  State,
} from "vscode-languageclient/node";
import type { Command } from "./find";
import { SCHEMES } from "./protocol";
import type { Refining } from "./refined";

const LINES_KEPT = 20;
const LAST_WORDS_MS = 1_000;
const MOST_ERRORS = 3; // messages that cannot be read or written, before the server counts as broken

export interface Connection {
  client: LanguageClient;
  /** The end of what the server wrote to stderr, once it has ended. */
  lastWords(): Promise<readonly string[]>;
  /** Ends the process if it has not ended by itself. */
  kill(): void;
}

export interface Surroundings {
  log: vscode.LogOutputChannel;
  /** The server starts here: never in the workspace, whose files it might take for its own. */
  cwd: string;
  settings: () => Record<string, unknown>;
  refining: Refining;
  /** The server has ended or cannot be talked to, and nobody asked for it. */
  closed: () => void;
}

/**
 * `vscode-languageclient` without the commands of the server, for the extension's own stay there when it is down;
 * and without messages of its own, for the extension says once what is wrong.
 */
class Client extends LanguageClient {
  override error(message: string, data?: unknown): void {
    super.error(message, data, false);
  }

  override registerFeature(feature: Parameters<LanguageClient["registerFeature"]>[0]): void {
    const isCommands =
      "registrationType" in feature && feature.registrationType.method === ExecuteCommandRequest.method;
    if (!isCommands) {
      super.registerFeature(feature);
    }
  }
}

export function connect(server: Command, around: Surroundings): Connection {
  const said: string[] = [];
  let child: ChildProcess | undefined;
  let ended: Promise<unknown> = Promise.resolve();
  const start = async (): Promise<ChildProcess> => {
    const started = spawn(server.command, [...server.args, "serve"], { cwd: around.cwd, windowsHide: true });
    child = started;
    ended = new Promise((resolve) => started.once("close", resolve));
    await new Promise<void>((resolve, reject) => started.once("spawn", resolve).once("error", reject));
    return started;
  };
  const options: LanguageClientOptions = {
    documentSelector: SCHEMES.map((scheme) => ({ scheme })),
    initializationOptions: { ...around.settings(), trusted: vscode.workspace.isTrusted },
    outputChannel: around.log,
    revealOutputChannelOn: RevealOutputChannelOn.Never,
    stdioOptions: {
      stdout: () => undefined, // the protocol's
      stderr: (input) => {
        createInterface({ input, crlfDelay: Infinity }).on("line", (line) => {
          said.splice(0, said.length - LINES_KEPT + 1);
          said.push(line);
          around.log.info(line);
        });
      },
    },
    middleware: {
      provideInlineCompletionItems: around.refining.provide,
      workspace: {
        configuration: ({ items }) =>
          items.map(({ section }) => (section === "bowerbird" ? around.settings() : null)),
      },
    },
    initializationFailedHandler: () => false, // `start` fails, and that is told
    errorHandler: {
      error: (_error, _message, count) => ({
        action: (count ?? 0) <= MOST_ERRORS ? ErrorAction.Continue : ErrorAction.Shutdown,
        handled: true,
      }),
      closed: () => {
        around.closed();
        return { action: CloseAction.DoNotRestart, handled: true }; // what starts the next one looks for it anew
      },
    },
  };
  const client = new Client("bowerbird", "Bowerbird", start, options);
  client.registerFeature({
    getState: () => ({ kind: "static" }),
    fillClientCapabilities: (capabilities) => {
      capabilities.experimental = {
        ...(capabilities.experimental as object | undefined),
        bowerbird: { refined: true },
      };
      capabilities.workspace = { ...capabilities.workspace, executeCommand: {} }; // of completions that are accepted
    },
    initialize: () => undefined,
    clear: () => undefined,
  });
  client.onDidChangeState(({ newState }) => {
    if (newState === State.Stopped) {
      around.closed();
    }
  });
  const lastWords = async (): Promise<readonly string[]> => {
    await Promise.race([ended, new Promise((resolve) => setTimeout(resolve, LAST_WORDS_MS))]);
    return said;
  };
  return { client, lastWords, kill: () => void child?.kill("SIGKILL") };
}
