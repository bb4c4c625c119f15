import { useMemo } from 'react';
import { useSlowTime } from '../desktop/workspace-context.ts';
import { MoreIcon, PlusIcon, PromptIcon, SlidersIcon } from '../shared/icons.tsx';
import { cleanText, describeAge, describeProgram, folderName, sessionAlias, sessionLabel } from '../shared/labels.ts';
import { StatusWord } from '../shared/status-line.tsx';
import { ConnectionState, ConnectionStrip } from './connection-strip.tsx';
import { usePhone, usePhoneState } from './phone-context.ts';
import { type Group, type ListedSession, type Need, orderSessions } from './session-order.ts';
import { StatusDot } from './status-dot.tsx';

const TITLES: Readonly<Record<Group, string>> = {
  'needs-you': 'Needs you',
  running: 'Running',
  ended: 'Ended',
};

/** Who needs me, what runs, what ended. */
export function ListPage() {
  const phone = usePhone();
  const isLoaded = usePhoneState((state) => state.isLoaded);
  const isCreating = usePhoneState((state) => state.isCreating);
  return (
    <div className="page list-page">
      <header className="bar">
        <h1 className="brand">
          <PromptIcon />
          <span>TUICommander</span>
        </h1>
        <ConnectionState />
        <button
          type="button"
          className="tool"
          aria-label="Settings"
          onClick={() => phone.openSheet({ kind: 'settings' })}
        >
          <SlidersIcon />
        </button>
      </header>
      <ConnectionStrip />
      <main className="list-scroll">{isLoaded ? <Sessions /> : <Skeleton />}</main>
      <div className="list-foot">
        <button
          type="button"
          className="action action-primary"
          disabled={isCreating}
          onClick={() => phone.openSheet({ kind: 'new' })}
        >
          <PlusIcon />
          New terminal
        </button>
      </div>
    </div>
  );
}

function Sessions() {
  const sessions = usePhoneState((state) => state.sessions);
  const pending = usePhoneState((state) => state.pendingCloses);
  const now = useSlowTime();
  const groups = useMemo(() => {
    const closing = new Set(pending.map(({ sessionId }) => sessionId));
    const shown = [...sessions.values()].filter((session) => !closing.has(session.session_id));
    const ordered = orderSessions(shown, now);
    return (Object.keys(TITLES) as Group[])
      .map((group) => ({ group, rows: ordered.filter((row) => row.group === group) }))
      .filter(({ rows }) => rows.length > 0);
  }, [sessions, pending, now]);
  if (groups.length === 0) {
    return (
      <div className="empty">
        <PromptIcon />
        <p>No terminal is open.</p>
        <p className="hint">Open one here, in the workspace, or with “tuic new”.</p>
      </div>
    );
  }
  return (
    <nav aria-label="Sessions">
      {groups.map(({ group, rows }) => (
        <section key={group} className={`group group-${group}`} aria-labelledby={`group-${group}`}>
          <h2 id={`group-${group}`}>
            {TITLES[group]} <span className="count">{rows.length}</span>
          </h2>
          <ul>
            {rows.map((row) => (
              <Row key={row.session.session_id} row={row} now={now} />
            ))}
          </ul>
        </section>
      ))}
    </nav>
  );
}

function Row({ row, now }: { row: ListedSession; now: number }) {
  const phone = usePhone();
  const { session, need, activeAt } = row;
  const id = session.session_id;
  const label = sessionLabel(session);
  const alias = sessionAlias(session);
  const program = describeProgram(session, null);
  const limitEnd = usePhoneState((state) => state.limits.get(id));
  const title = cleanText(session.title ?? '');
  return (
    <li className="row" data-session-id={id}>
      <button
        type="button"
        className="row-main"
        onClick={() => phone.go({ page: 'session', reference: id })}
        title={cleanText(session.cwd ?? '')}
      >
        <StatusDot session={session} />
        <span className="row-text">
          <span className="row-name">
            <bdi>{label}</bdi>
          </span>
          {need !== undefined && <span className="row-need">{describeNeed(need)}</span>}
          <span className="row-detail">
            <StatusWord session={session} limitEnd={limitEnd} />
            {alias !== label && <span>{alias}</span>}
            {program !== undefined && <bdi>{program}</bdi>}
            {session.cwd !== null && <bdi>{cleanText(folderName(session.cwd))}</bdi>}
            {title !== '' && title !== label && <bdi className="row-title">{title}</bdi>}
          </span>
        </span>
        <span className="row-age">{describeAge(activeAt, now)}</span>
      </button>
      <button
        type="button"
        className="tool row-more"
        aria-label={`More for ${label}`}
        onClick={() => phone.openSheet({ kind: 'session', sessionId: id })}
      >
        <MoreIcon />
      </button>
    </li>
  );
}

function describeNeed(need: Need): string {
  switch (need.kind) {
    case 'question':
      return need.text === undefined ? 'Asks you something' : cleanText(need.text);
    case 'error':
      return need.text === undefined ? 'Stopped by an error' : cleanText(need.text);
    case 'lost':
      return 'Lost: its terminal host ended';
    case 'failed':
      return `Ended with exit code ${need.exitCode}`;
  }
}

function Skeleton() {
  return (
    <div className="skeleton" aria-hidden="true">
      {[1, 2, 3].map((row) => (
        <span key={row} />
      ))}
    </div>
  );
}
