// The server's life: looked for, started, watched, started again, and what is told when it cannot run.
import { mkdirSync } from "node:fs";
import * as vscode from "vscode";
import type { LanguageClient } from "vscode-languageclient/node";
import type { Connection } from "./client";
import { Environment } from "./environment";
import { type Command, findServer, type Found, oldSentence, onPath, type Place } from "./find";
import { type Refined, REFINED, type Status, STATUS } from "./protocol";
import { folders, interpreterPlace } from "./python";
import { Refining } from "./refined";
import { Restarts } from "./restarts";
import { chosen, type Property, SECTION, settingsForServer } from "./settings";

const ANSWER_MS = 120_000; // a cold disk and a virus scanner; after that it hangs
const KILL_MS = 4_000; // after the language client's own 2 s for a shutdown

/** What of it the user can see. */
export type Phase =
  | { kind: "looking" }
  | { kind: "missing"; sentence: string }
  | { kind: "old"; sentence: string }
  | { kind: "failed"; sentence: string }
  | { kind: "running"; status: Status | undefined };

export const MISSING = "The server was not found. One button installs it into an environment of its own.";

export class Server implements vscode.Disposable {
  readonly environment: Environment;
  readonly #changed = new vscode.EventEmitter<Phase>();
  readonly onDidChange = this.#changed.event;
  readonly #refining = new Refining();
  readonly #restarts = new Restarts();
  readonly #listening: vscode.Disposable;
  #phase: Phase = { kind: "looking" };
  #connection: Connection | undefined;
  #found: Found | undefined;
  #turn = 0; // of starts and stops: what an older one was about to do no longer counts
  #stopped: Promise<void> = Promise.resolve();

  constructor(
    private readonly context: vscode.ExtensionContext,
    private readonly properties: ReadonlyMap<string, Property>,
    private readonly log: vscode.LogOutputChannel,
  ) {
    this.environment = new Environment(context.globalStorageUri.fsPath);
    this.#listening = vscode.workspace.onDidChangeTextDocument(({ document, contentChanges }) => {
      const written = contentChanges.length > 0 && document === vscode.window.activeTextEditor?.document;
      if (written && !this.client) {
        this.#refining.missed(document);
      }
    });
  }

  get phase(): Phase {
    return this.#phase;
  }

  /** The running server's client; undefined where none runs. */
  get client(): LanguageClient | undefined {
    return this.#phase.kind === "running" ? this.#connection?.client : undefined;
  }

  /** The server that was found last. */
  get found(): Found | undefined {
    return this.#found;
  }

  /** Start it, or start it anew, because the user or a setting wants that. */
  async restart(): Promise<void> {
    this.#restarts.forget();
    await this.#begin();
  }

  async stop(): Promise<void> {
    this.#turn += 1;
    await this.#letGo();
  }

  dispose(): void {
    void this.stop();
    this.#listening.dispose();
    this.#changed.dispose();
  }

  /** What the user has set, for the server. */
  readonly settings = (): Record<string, unknown> =>
    settingsForServer(vscode.workspace.getConfiguration(SECTION), this.properties);

  async tellSettings(): Promise<void> {
    if (this.client) {
      const settings = { bowerbird: this.settings() };
      await this.client.sendNotification("workspace/didChangeConfiguration", { settings });
    }
  }

  async #begin(): Promise<void> {
    try {
      await this.#start();
    } catch (error) {
      const sentence = error instanceof Error ? error.message : String(error);
      this.log.error(error instanceof Error ? error : sentence);
      this.#show({ kind: "failed", sentence: `The server could not be started: ${sentence}` });
    }
  }

  async #start(): Promise<void> {
    const turn = (this.#turn += 1);
    this.#show({ kind: "looking" });
    await this.#letGo();
    const search = await findServer(this.#named(), this.#places());
    if (turn !== this.#turn) {
      return;
    }
    this.#found = search.kind === "found" || search.kind === "old" ? search.server : undefined;
    switch (search.kind) {
      case "missing":
        this.#show({ kind: "missing", sentence: MISSING });
        return;
      case "broken":
        this.#show({ kind: "failed", sentence: search.sentence });
        return;
      case "old":
        this.#show({ kind: "old", sentence: oldSentence(search.server) });
        return;
    }
    this.log.info(
      `Starting Bowerbird ${search.server.version}, ${search.server.origin}: ${search.server.command}`,
    );
    await this.#connect(search.server, turn);
  }

  async #connect(server: Found, turn: number): Promise<void> {
    mkdirSync(this.environment.storage, { recursive: true });
    const { connect } = await import("./client"); // most of what there is to load: it can wait until here
    if (turn !== this.#turn) {
      return;
    }
    const connection = connect(server, {
      log: this.log,
      cwd: this.environment.storage,
      settings: this.settings,
      refining: this.#refining,
      closed: () => void this.#ended(connection, turn),
    });
    this.#connection = connection;
    connection.client.onNotification(STATUS, (status: Status) => {
      if (turn === this.#turn) {
        this.#show({ kind: "running", status });
      }
    });
    connection.client.onNotification(REFINED, (where: Refined) => void this.#refining.refined(where));
    const timer = setTimeout(() => {
      this.log.error(`The server has not answered for ${ANSWER_MS / 1000} s. It is ended.`);
      connection.kill();
    }, ANSWER_MS);
    try {
      await connection.client.start();
      if (connection === this.#connection && this.#phase.kind !== "running") {
        this.#show({ kind: "running", status: undefined });
      }
      void this.#refining.revived();
    } catch (error) {
      this.log.error(`The server did not start: ${error instanceof Error ? error.message : String(error)}`);
      await this.#ended(connection, turn);
    } finally {
      clearTimeout(timer);
    }
  }

  /** It went away by itself. */
  async #ended(connection: Connection, turn: number): Promise<void> {
    if (turn !== this.#turn || connection !== this.#connection) {
      return; // a stop was asked for, or it was told before: several things tell of the same end
    }
    this.#connection = undefined;
    setImmediate(() => {
      this.#stopped = end(connection);
    }); // the language client is still at its own cleaning up
    const pauseMs = this.#restarts.pauseMs(Date.now());
    if (pauseMs === undefined) {
      const last = (await connection.lastWords()).findLast((line) => line.trim() !== "");
      const why = last === undefined ? "" : ` It last said: ${last.trim().slice(0, 200)}`;
      this.#show({
        kind: "failed",
        sentence: `The server ended several times within three minutes and stays down.${why}`,
      });
      return;
    }
    this.log.warn(`The server ended. It is started again in ${pauseMs / 1000} s.`);
    this.#show({ kind: "looking" });
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
    if (turn === this.#turn) {
      await this.#begin();
    }
  }

  /** Ends what runs; a second call waits for the first one's. */
  async #letGo(): Promise<void> {
    const connection = this.#connection;
    this.#connection = undefined;
    if (connection) {
      this.#stopped = end(connection);
    }
    await this.#stopped;
  }

  #named(): string {
    const property = this.properties.get("server.path") ?? { scope: "machine" };
    const said = chosen(vscode.workspace.getConfiguration(SECTION), "server.path", property);
    return typeof said === "string" ? said.trim() : "";
  }

  #places(): Place[] {
    const options = { path: process.env["PATH"], platform: process.platform, folders: folders() };
    return [
      () => interpreterPlace(this.context.globalState),
      () => Promise.resolve(command(onPath("bowerbird", options), "on the PATH")),
      () => Promise.resolve(command(this.environment.executable(), "installed by this extension")),
    ];
  }

  #show(phase: Phase): void {
    this.#phase = phase;
    this.#changed.fire(phase);
  }
}

function command(executable: string | undefined, origin: string): Command | undefined {
  return executable === undefined ? undefined : { command: executable, args: [], origin };
}

async function end(connection: Connection): Promise<void> {
  const timer = setTimeout(() => connection.kill(), KILL_MS);
  try {
    await connection.client.dispose();
  } catch {
    // It has ended already, or never began.
  } finally {
    clearTimeout(timer);
    connection.kill();
  }
}
