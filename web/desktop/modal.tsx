import { type ReactNode, useLayoutEffect, useRef } from 'react';
import { useWorkspace } from './workspace-context.ts';

export interface ModalProps {
  title: string;
  /** For dialogs that are more than a question: `wide` for sheets; `palette` and `launcher` hang at the top, the former without a visible title. */
  shape?: 'wide' | 'palette' | 'launcher';
  /** To be read from its beginning: the keyboard scrolls it, and no button at its end is brought into view. */
  isForReading?: boolean;
  children: ReactNode;
}

/** The browser's own modal dialog: it keeps the focus inside and closes on Escape. */
export function Modal({ title, shape, isForReading = false, children }: ModalProps) {
  const workspace = useWorkspace();
  const element = useRef<HTMLDialogElement>(null);
  useLayoutEffect(() => {
    const dialog = element.current;
    dialog?.showModal();
    if (isForReading && dialog !== null) {
      dialog.focus();
      // It has scrolled to the button that the browser took for the first thing of use.
      dialog.scrollTop = 0;
    }
    return () => {
      // Nothing behind an open dialog takes the keyboard.
      dialog?.close();
      workspace.arrangement.focus();
    };
  }, [workspace, isForReading]);
  return (
    <dialog
      ref={element}
      className={shape === undefined ? 'dialog' : `dialog dialog-${shape}`}
      aria-labelledby={shape === 'palette' ? undefined : 'dialog-title'}
      aria-label={shape === 'palette' ? title : undefined}
      tabIndex={isForReading ? -1 : undefined}
      onCancel={(event) => {
        event.preventDefault();
        workspace.closeDialog();
      }}
      onClick={(event) => {
        // Only the backdrop: what is inside has targets of its own.
        if (event.target === element.current) workspace.closeDialog();
      }}
      onKeyDown={(event) => {
        if (event.key === 'Escape') workspace.closeDialog();
      }}
    >
      <div className="dialog-body">
        {shape !== 'palette' && <h2 id="dialog-title">{title}</h2>}
        {children}
      </div>
    </dialog>
  );
}
