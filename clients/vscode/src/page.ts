// The server's explain page in the editor's clothes. Nothing in it may run or be fetched.

const POLICY = "default-src 'none'; style-src 'unsafe-inline'";

/** Over the page's own style: the editor's colours, and its choice of light or dark. */
const STYLE = `
:root { --dim: var(--vscode-descriptionForeground); --good: var(--vscode-charts-green); --bad: var(--vscode-errorForeground); }
:root:has(body.vscode-light), :root:has(body.vscode-high-contrast-light) { color-scheme: light; }
:root:has(body.vscode-dark), :root:has(body.vscode-high-contrast:not(.vscode-high-contrast-light)) { color-scheme: dark; }
body { color: var(--vscode-foreground); background: var(--vscode-editor-background);
  font: var(--vscode-font-size, 13px)/1.5 var(--vscode-font-family, sans-serif); }
pre { font-family: var(--vscode-editor-font-family, monospace); font-size: var(--vscode-editor-font-size, 13px); }
`;

/** The page for a webview; a sentence alone where the server has made no page. */
export function webviewPage(html: string | undefined, sentence: string): string {
  const policy = `<meta http-equiv="Content-Security-Policy" content="${POLICY}">`;
  const page =
    html ?? `<!DOCTYPE html><html lang="en"><head></head><body><p>${escaped(sentence)}</p></body></html>`;
  // First in the head, so that it holds for all that follows whatever the page says of itself.
  const guarded = /<head>/i.test(page)
    ? page.replace(/<head>/i, `<head>${policy}`)
    : `<head>${policy}</head>${page}`;
  return guarded.replace(/<\/head>/i, `<style>${STYLE}</style></head>`);
}

function escaped(text: string): string {
  return text.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;").replace(/"/g, "&quot;");
}
