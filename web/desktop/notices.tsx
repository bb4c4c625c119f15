import { CloseIcon } from './icons.tsx';
import { useWorkspace, useWorkspaceState } from './workspace-context.ts';

export function Notices() {
  const workspace = useWorkspace();
  const notices = useWorkspaceState((state) => state.notices);
  return (
    <div className="notices" role="status" aria-live="polite" aria-label="Notices">
      {notices.map((notice) => (
        <div key={notice.id} className={`notice notice-${notice.kind}`}>
          <span>{notice.text}</span>
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
