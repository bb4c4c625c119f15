/** What a person sees who opens the workspace without a credential: one page without script or image. */

const STYLE = `
:root { color-scheme: dark light; --ground: #0f1115; --text: #e2e5ea; --quiet: #a2a9b5; --line: #3a414e; --raised: #15181e; --mark: #5fd3a8 }
@media (prefers-color-scheme: light) {
  :root { --ground: #fcfcfa; --text: #1e2228; --quiet: #555c66; --line: #bdbdb3; --raised: #f2f2ee; --mark: #0b7a55 }
}
body { margin: 0; min-height: 100vh; display: grid; place-items: center; background: var(--ground); color: var(--text);
  font: 14px/1.5 system-ui, sans-serif }
main { width: min(420px, calc(100vw - 40px)) }
header { font-weight: 600 }
header::before { content: "\\203a_ "; color: var(--mark); font-family: ui-monospace, monospace }
h1 { margin: 28px 0 14px; font-size: 20px }
code { display: block; padding: 10px 16px; border: 1px solid var(--line); border-radius: 8px; background: var(--raised);
  font: 14px ui-monospace, monospace }
p { color: var(--quiet) }
a { color: var(--mark) }
`;

export const LOGIN_NOTICE_POLICY =
  "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** A link that is used up says nothing about the browser: it may well be logged in, by that very link. */
const HEADINGS = {
  credential_required: 'This browser is not logged in',
  ticket_invalid: 'This link does not work any more',
};
const ALREADY_IN = '<p>A browser that is logged in already needs none: <a href="/">open the workspace</a>.</p>\n';

export function renderLoginNotice(code: keyof typeof HEADINGS, reason: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>TUICommander</title>
<style>${STYLE}</style>
</head>
<body>
<main data-testid="login-needed">
<header>TUICommander</header>
<h1>${HEADINGS[code]}</h1>
${code === 'ticket_invalid' ? ALREADY_IN : ''}<p>Run this in a terminal on the machine of the server:</p>
<code>tuic open</code>
<p>It opens the workspace with a link that works once. In a clone it is <b>npx tuic open</b>.</p>
<p>${escapeText(reason)}</p>
</main>
</body>
</html>
`;
}

function escapeText(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
