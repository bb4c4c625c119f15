import { useState } from 'react';
import { writeClipboard } from '../shared/clipboard.ts';
import { CheckIcon, CopyIcon, PromptIcon } from '../shared/icons.tsx';
import { useWorkspace } from './workspace-context.ts';

const COMMAND = 'tuic open';

/** Shown when this browser has no credential. A page cannot get one by itself: that is the point. */
export function LoginPage() {
  const workspace = useWorkspace();
  const [isCopied, setCopied] = useState(false);
  // When the browser refuses, the command is short enough to type.
  const copy = async () => setCopied(await writeClipboard(COMMAND));
  return (
    <main className="login" data-testid="login-needed">
      <div className="login-card">
        <span className="brand">
          <PromptIcon />
          TUICommander
        </span>
        <h1>This browser is not logged in</h1>
        <p>Run this in a terminal on the machine of the server:</p>
        <div className="command">
          <code>{COMMAND}</code>
          <button type="button" className="icon-button" aria-label="Copy the command" onClick={() => void copy()}>
            {isCopied ? <CheckIcon /> : <CopyIcon />}
          </button>
        </div>
        <p className="hint">
          It opens the workspace with a link that works once. <code>npm start</code> prints such a link as well. From
          another machine, load this page again and log in with name and password.
        </p>
        <button type="button" className="button button-primary" onClick={() => workspace.retryNow()}>
          Check again
        </button>
      </div>
    </main>
  );
}
