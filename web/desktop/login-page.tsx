import { useState } from 'react';
import { CheckIcon, CopyIcon, PromptIcon } from './icons.tsx';
import { useWorkspace } from './workspace-context.ts';

const COMMAND = 'tuic open';

/** Shown when this browser has no credential. A page cannot get one by itself: that is the point. */
export function LoginPage() {
  const workspace = useWorkspace();
  const [isCopied, setCopied] = useState(false);
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(COMMAND);
      setCopied(true);
    } catch (error) {
      // The browser refused the clipboard; the command is short enough to type.
      if (!(error instanceof DOMException)) throw error;
    }
  };
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
          It opens the workspace with a link that works once. <code>npm start</code> prints such a link as well.
        </p>
        <button type="button" className="button button-primary" onClick={() => workspace.retryNow()}>
          Check again
        </button>
      </div>
    </main>
  );
}
