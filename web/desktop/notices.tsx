import { useState } from 'react';
import { CloseIcon } from '../shared/icons.tsx';
import { useWorkspace, useWorkspaceState } from './workspace-context.ts';

export function Notices() {
  const workspace = useWorkspace();
  const notices = useWorkspaceState((state) => state.notices);
  return (
    <div className="notices" role="status" aria-live="polite" aria-label="Notices">
      {notices.map((notice) => (
        <div key={notice.id} className={`notice notice-${notice.kind}`}>
          {notice.until !== undefined && <TimeLeft until={notice.until} />}
          <span>{notice.text}</span>
          {notice.actions?.map((action) => (
            <button key={action.label} type="button" className="button button-small" onClick={() => action.run()}>
              {action.label}
            </button>
          ))}
          <button
            type="button"
            className="icon-button"
            aria-label="Dismiss"
            onClick={() => workspace.dismissNotice(notice.id)}
          >
            <CloseIcon />
          </button>
        </div>
      ))}
    </div>
  );
}

/** A line that shortens until the time is up. Only a picture: the text beside it says what happens. */
function TimeLeft({ until }: { until: number }) {
  const [left] = useState(() => Math.max(0, until - Date.now()));
  return <i className="notice-time" aria-hidden="true" style={{ animationDuration: `${left}ms` }} />;
}
