// The interpreter that the Python extension has chosen, and Pythons that can hold an environment.
import * as path from "node:path";
import * as vscode from "vscode";
import { type Command, isExecutable, liesWithin, onPath } from "./find";
import { run } from "./run";

const ACTIVATION_MS = 10_000; // the Python extension may be slow; Bowerbird then looks elsewhere
const OLDEST = "import sys; sys.exit(sys.version_info < (3, 11))";
const NAMES = ["python3.14", "python3.13", "python3.12", "python3.11", "python3", "python"];
const CONSENT = "interpreters"; // in the extension's own memory: what the user said of workspaces' interpreters

/** What of the Python extension's API is used. */
interface PythonApi {
  environments?: {
    getActiveEnvironmentPath(resource?: vscode.Uri): { path: string };
    resolveEnvironment(environment: {
      path: string;
    }): Promise<{ executable: { uri?: vscode.Uri } } | undefined>;
  };
}

/** The folders of the window on this machine. */
export function folders(): string[] {
  return (vscode.workspace.workspaceFolders ?? [])
    .filter(({ uri }) => uri.scheme === "file")
    .map(({ uri }) => uri.fsPath);
}

/** The interpreter chosen for the first folder; undefined without the Python extension, or in an untrusted folder. */
export async function chosenInterpreter(): Promise<string | undefined> {
  const extension = vscode.extensions.getExtension<PythonApi>("ms-python.python");
  if (!extension || !vscode.workspace.isTrusted) {
    return undefined;
  }
  try {
    const api = await Promise.race([extension.activate(), pause(ACTIVATION_MS)]);
    const chosen = api?.environments?.getActiveEnvironmentPath(vscode.workspace.workspaceFolders?.[0]?.uri);
    const resolved =
      chosen && (await Promise.race([api?.environments?.resolveEnvironment(chosen), pause(ACTIVATION_MS)]));
    return resolved?.executable.uri?.fsPath;
  } catch {
    return undefined; // another extension's fault must not be ours
  }
}

/**
 * Bowerbird as a module of that interpreter.
 *
 * Whoever wrote the workspace may have chosen it, by a virtual environment or a setting of the workspace. Then
 * it runs only once the user has agreed, and without that its files are looked at and nothing is run.
 */
export async function interpreterPlace(memory: vscode.Memento): Promise<Command | undefined> {
  const interpreter = await chosenInterpreter();
  if (interpreter === undefined || (isOfWorkspace(interpreter) && !(await agreed(interpreter, memory)))) {
    return undefined;
  }
  return {
    command: interpreter,
    args: ["-P", "-m", "bowerbird"],
    origin: "in the Python extension's interpreter",
  };
}

function isOfWorkspace(interpreter: string): boolean {
  const configuration = vscode.workspace.getConfiguration("python", vscode.workspace.workspaceFolders?.[0]);
  const names = ["defaultInterpreterPath", "pythonPath"].map((name) => configuration.inspect(name));
  const isSet = names.some(
    (said) => said?.workspaceValue !== undefined || said?.workspaceFolderValue !== undefined,
  );
  return isSet || liesWithin(interpreter, folders());
}

async function agreed(interpreter: string, memory: vscode.Memento): Promise<boolean> {
  const answers = memory.get<Record<string, boolean>>(CONSENT, {});
  const known = answers[interpreter];
  if (known !== undefined) {
    return known;
  }
  const beside = path.join(
    path.dirname(interpreter),
    process.platform === "win32" ? "bowerbird.exe" : "bowerbird",
  );
  if (!isExecutable(beside)) {
    return false;
  }
  const use = "Use it";
  const never = "Never here";
  const answer = await vscode.window.showWarningMessage(
    `Bowerbird is installed in an environment that this workspace has chosen: ${interpreter}. Whoever wrote the workspace may have written that too. Use it?`,
    use,
    never,
  );
  if (answer !== undefined) {
    await memory.update(CONSENT, { ...answers, [interpreter]: answer === use });
  }
  return answer === use;
}

/** A Python that is new enough and not the workspace's; undefined where none is. */
export async function findPython(): Promise<string | undefined> {
  const chosen = await chosenInterpreter();
  const options = { path: process.env["PATH"], platform: process.platform, folders: folders() };
  const named = NAMES.map((name) => onPath(name, options));
  for (const python of [...named, chosen && !isOfWorkspace(chosen) ? chosen : undefined]) {
    if (python !== undefined && (await run(python, ["-I", "-c", OLDEST], { timeoutMs: 30_000 })).code === 0) {
      return python;
    }
  }
  return undefined;
}

function pause(ms: number): Promise<undefined> {
  return new Promise((resolve) => setTimeout(resolve, ms, undefined));
}
