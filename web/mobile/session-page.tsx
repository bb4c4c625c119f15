import { useCallback, useEffect, useRef, useState } from 'react';
import type { SessionInfo } from '../../src/contract/index.ts';
import { ChoiceCard } from '../shared/choice-card.tsx';
import { BackIcon, DownIcon, MoreIcon } from '../shared/icons.tsx';
import { cleanText, describeProgram, folderName, sessionAlias, sessionLabel } from '../shared/labels.ts';
import { suggestionsOf, usageText } from '../shared/session-status.ts';
import { Composer } from './composer.tsx';
import { ConnectionState, ConnectionStrip } from './connection-strip.tsx';
import { KeyBar } from './key-bar.tsx';
import { usePhone, usePhoneState } from './phone-context.ts';
import { shownSession } from './phone-state.ts';
import { StatusDot } from './status-dot.tsx';

/** One session: its output, and what can be sent to it. */
export function SessionPage() {
  const phone = usePhone();
  const session = usePhoneState(shownSession);
  const isLoaded = usePhoneState((state) => state.isLoaded);
  const back = () => phone.go({ page: 'list' });
  const label = session === undefined ? 'Terminal' : sessionLabel(session);
  const details = [
    session === undefined || sessionAlias(session) === label ? undefined : sessionAlias(session),
    session === undefined ? undefined : describeProgram(session, null),
    session === undefined ? undefined : usageText(session),
    session === undefined ? undefined : cleanText(folderName(session.cwd)),
  ].filter((text) => text !== undefined && text !== '');
  const takesInput = session?.lifecycle === 'live';
  return (
    <div className="page session-page">
      <header className="bar">
        <button type="button" className="tool" aria-label="Back to the list" onClick={back}>
          <BackIcon />
        </button>
        <div className="bar-title">
          <h1>
            {session !== undefined && <StatusDot session={session} />}
            <bdi>{label}</bdi>
          </h1>
          {session !== undefined && (
            <span className="bar-detail">
              <bdi>{details.join(' · ')}</bdi>
            </span>
          )}
        </div>
        <ConnectionState />
        {session !== undefined && (
          <button
            type="button"
            className="tool"
            aria-label={`More for ${label}`}
            onClick={() => phone.openSheet({ kind: 'session', sessionId: session.session_id })}
          >
            <MoreIcon />
          </button>
        )}
      </header>
      <ConnectionStrip />
      {session === undefined ? (
        <main className="empty">
          {isLoaded ? (
            <>
              <p>This terminal is not there any more.</p>
              <button type="button" className="action" onClick={back}>
                Show the list
              </button>
            </>
          ) : (
            <p>Looking for the terminal…</p>
          )}
        </main>
      ) : (
        <Output key={session.session_id} sessionId={session.session_id} label={label} />
      )}
      {takesInput && <Choice sessionId={session.session_id} />}
      {takesInput && <Suggestions session={session} />}
      {takesInput && <Input key={session.session_id} />}
    </div>
  );
}

function Output({ sessionId, label }: { sessionId: string; label: string }) {
  const phone = usePhone();
  const element = useRef<HTMLDivElement>(null);
  const wraps = usePhoneState((state) => state.wrapsLines);
  const fontSize = usePhoneState((state) => state.preferences.fontSize);
  const { connection, end, hasOutput, isFullScreen, log } = usePhoneState((state) => state.viewer);
  const reach = usePhoneState((state) => state.liveness.reach);
  useEffect(() => {
    if (element.current !== null) phone.showLog(sessionId, element.current);
    return () => phone.hideLog();
  }, [phone, sessionId]);
  return (
    <main className="output">
      <section
        ref={element}
        className={`log${wraps ? '' : ' is-unwrapped'}${isFullScreen ? ' is-full-screen' : ''}`}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a part that scrolls must be reached by the keyboard
        tabIndex={0}
        aria-label={`Output of ${label}`}
        style={{ fontSize: `${fontSize - 1}px` }}
        data-testid="log"
        data-connection={connection}
        data-following={log.isFollowing}
      />
      {!hasOutput && connection !== 'ended' && <p className="output-note">Loading…</p>}
      {connection === 'reconnecting' && reach === 'connected' && (
        <p className="output-state" data-testid="reconnecting" role="status">
          Reconnecting to the output…
        </p>
      )}
      {log.isSelecting && (
        <p className="output-state" role="status">
          Stands still while you select
        </p>
      )}
      {!log.isFollowing && (
        <button type="button" className="jump" data-testid="jump" onClick={() => phone.jumpToNewest()}>
          <DownIcon />
          {log.newLines > 0 ? `${log.newLines.toLocaleString('en')} new` : 'Newest'}
        </button>
      )}
      {end !== undefined && (
        <p className="output-end" data-testid="end-banner" role="status">
          {end}
        </p>
      )}
    </main>
  );
}

/** What the agent on the screen offers to choose from. The question itself stands in the output above. */
function Choice({ sessionId }: { sessionId: string }) {
  const phone = usePhone();
  const session = usePhoneState((state) => state.sessions.get(sessionId));
  const choice = usePhoneState((state) => state.choices.get(sessionId));
  const look = useCallback(() => void phone.choices.look(sessionId), [phone, sessionId]);
  if (session === undefined || choice === undefined || choice.phase === 'later' || choice.phase === 'sent') return null;
  return (
    <ChoiceCard
      key={choice.asked}
      session={session}
      choice={choice}
      isInTerminal
      look={look}
      answer={(key) => void phone.choices.answer(sessionId, choice.asked, key)}
      onLater={() => phone.choices.putOff(sessionId)}
    />
  );
}

function Suggestions({ session }: { session: SessionInfo }) {
  const phone = usePhone();
  const suggestions = suggestionsOf(session);
  if (suggestions.length === 0) return null;
  return (
    <fieldset className="suggestions" aria-label="What the agent offers">
      {suggestions.map((text) => (
        <button
          key={text}
          type="button"
          className="suggestion"
          title={text}
          onClick={() => void phone.suggestions.take(session.session_id, text)}
        >
          <bdi>{text}</bdi>
        </button>
      ))}
    </fieldset>
  );
}

function Input() {
  const [isCtrl, setCtrl] = useState(false);
  return (
    <footer className="input">
      <KeyBar isCtrl={isCtrl} setCtrl={setCtrl} />
      <Composer isCtrl={isCtrl} setCtrl={setCtrl} />
    </footer>
  );
}
