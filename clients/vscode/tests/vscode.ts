// A stand-in for the editor's own module, as far as unit tests need it; the end-to-end tests have the real one.

/** What the test says of the editor. */
export const editor = {
  isTrusted: true,
  folders: [] as string[],
  interpreter: undefined as string | undefined,
  /** The workspace's own value of `python.defaultInterpreterPath`. */
  interpreterSetting: undefined as string | undefined,
  answer: undefined as string | undefined,
  asked: [] as string[],
  ran: [] as string[],
  active: undefined as unknown,
};

export const workspace = {
  get isTrusted() {
    return editor.isTrusted;
  },
  get workspaceFolders() {
    return editor.folders.map((fsPath) => ({ uri: { scheme: "file", fsPath } }));
  },
  getConfiguration: () => ({ inspect: () => ({ workspaceValue: editor.interpreterSetting }) }),
};

export const extensions = {
  getExtension: () => {
    const executable = { uri: { fsPath: editor.interpreter } };
    const environments = {
      getActiveEnvironmentPath: () => ({ path: editor.interpreter }),
      resolveEnvironment: () => Promise.resolve({ executable }),
    };
    return editor.interpreter === undefined
      ? undefined
      : { activate: () => Promise.resolve({ environments }) };
  },
};

export const window = {
  get activeTextEditor() {
    return editor.active;
  },
  showWarningMessage: (sentence: string) => {
    editor.asked.push(sentence);
    return Promise.resolve(editor.answer);
  },
};

export const commands = {
  executeCommand: (name: string) => {
    editor.ran.push(name);
    return Promise.resolve();
  },
};

export const InlineCompletionTriggerKind = { Invoke: 0, Automatic: 1 };
