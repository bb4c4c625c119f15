import { useEffect, useRef } from 'react';
import type { SessionEntry } from '../shared/workspace-state.ts';
import { useWorkspace } from './workspace-context.ts';

const LONGEST_NAME = 200;

/** Edits a name in place: Enter and leaving keep it, Escape does not. Empty takes the name away. */
export function NameField({ session }: { session: SessionEntry }) {
  const workspace = useWorkspace();
  const field = useRef<HTMLInputElement>(null);
  const isSettled = useRef(false);

  useEffect(() => {
    field.current?.focus();
    field.current?.select();
  }, []);

  const settle = (isKept: boolean) => {
    if (isSettled.current) return;
    isSettled.current = true;
    if (isKept && field.current !== null) void workspace.rename(session.session_id, field.current.value);
    else workspace.endRename();
  };

  return (
    <input
      ref={field}
      className="name-field"
      aria-label="Name of the terminal"
      placeholder={session.alias ?? 'name'}
      defaultValue={session.display_name ?? ''}
      maxLength={LONGEST_NAME}
      spellCheck={false}
      autoComplete="off"
      onBlur={() => settle(true)}
      onKeyDown={(event) => {
        event.stopPropagation();
        if (event.nativeEvent.isComposing || (event.key !== 'Enter' && event.key !== 'Escape')) return;
        event.preventDefault();
        settle(event.key === 'Enter');
        workspace.arrangement.focus();
      }}
    />
  );
}
