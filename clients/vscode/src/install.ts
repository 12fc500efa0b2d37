// The button that installs the server into an environment of the extension's own.
import * as vscode from "vscode";
import { type Environment, problemIn, sourceToInstall, WITH_ENGINE } from "./environment";
import { findPython } from "./python";

const CANCELLED = Symbol("cancelled");

/** Makes the environment, with progress and a log; true once a server is there that runs. */
export async function install(
  environment: Environment,
  wheels: string,
  log: vscode.LogOutputChannel,
): Promise<boolean> {
  const named =
    vscode.workspace.getConfiguration("bowerbird").inspect<string>("server.source")?.globalValue ?? "";
  const unlock = environment.lock();
  if (!unlock) {
    void vscode.window.showInformationMessage("Bowerbird: another window is installing the server already.");
    return false;
  }
  try {
    let source = sourceToInstall(named, wheels);
    for (;;) {
      const problem = await attempt(environment, source, log);
      if (problem === undefined) {
        log.info(`Installed ${source} into ${environment.folder}.`);
        return true;
      }
      const again = problem === CANCELLED ? undefined : await offerPlain(problem, source, log);
      if (again === undefined) {
        return false;
      }
      source = again;
    }
  } finally {
    unlock();
  }
}

async function attempt(
  environment: Environment,
  source: string,
  log: vscode.LogOutputChannel,
): Promise<string | typeof CANCELLED | undefined> {
  const options = { location: vscode.ProgressLocation.Notification, title: "Bowerbird", cancellable: true };
  return vscode.window.withProgress(options, async (progress, token) => {
    progress.report({ message: "Looking for Python ..." });
    const python = await findPython();
    if (python === undefined) {
      return "no Python 3.11 or newer was found on the PATH. Install one, then press the button again.";
    }
    const abort = new AbortController();
    token.onCancellationRequested(() => abort.abort());
    const failed = await environment.take(environment.steps(python, source), {
      signal: abort.signal,
      begin: (step) => {
        log.info([step.command, ...step.args].join(" "));
        progress.report({ message: `${step.title} ...` });
      },
      line: (text) => log.info(text),
    });
    if (abort.signal.aborted) {
      log.info("The installation was cancelled.");
      return CANCELLED;
    }
    if (failed === undefined) {
      environment.seal(source);
    }
    return failed && problemIn(failed);
  });
}

/** Says what went wrong. Where it may be the engine's compilation, the rest can be had without it. */
async function offerPlain(
  problem: string,
  source: string,
  log: vscode.LogOutputChannel,
): Promise<string | undefined> {
  const plain = "Install without the engine";
  const show = "Show log";
  log.error(problem);
  const buttons = source.endsWith(WITH_ENGINE) && !problem.startsWith("no Python") ? [plain, show] : [show];
  const chosen = await vscode.window.showErrorMessage(`Bowerbird was not installed: ${problem}`, ...buttons);
  if (chosen === show) {
    log.show();
  }
  return chosen === plain ? source.slice(0, -WITH_ENGINE.length) : undefined;
}
