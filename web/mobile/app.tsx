import { useEffect } from 'react';
import { CloseIcon, PromptIcon } from '../shared/icons.tsx';
import { sessionLabel } from '../shared/labels.ts';
import { QuestionList } from '../shared/question-list.tsx';
import { ListPage } from './list-page.tsx';
import { usePhone, usePhoneState } from './phone-context.ts';
import { shownSession, themeInForce } from './phone-state.ts';
import { SessionPage } from './session-page.tsx';
import { Sheets } from './sheets.tsx';

export function App() {
  const access = usePhoneState((state) => state.access);
  const page = usePhoneState((state) => state.route.page);
  useTheme();
  useTitle();
  if (access === 'needed') return <LoginNeeded />;
  return (
    <>
      {page === 'list' ? <ListPage /> : <SessionPage />}
      <Questions />
      <Notices />
      <Sheets />
    </>
  );
}

function Questions() {
  const phone = usePhone();
  const questions = usePhoneState((state) => state.questions);
  const sessions = usePhoneState((state) => state.sessions);
  return (
    <QuestionList
      questions={questions}
      nameOf={(id) => {
        const session = sessions.get(id);
        return session === undefined ? undefined : sessionLabel(session);
      }}
      answer={(question, confirmed) => phone.questions.answer(question, confirmed)}
    />
  );
}

/** Closes that can be taken back, and what went wrong. */
function Notices() {
  const phone = usePhone();
  const closes = usePhoneState((state) => state.pendingCloses);
  const notices = usePhoneState((state) => state.notices);
  return (
    <div className="notices" role="status" aria-live="polite">
      {closes.map(({ sessionId, label }) => (
        <div key={sessionId} className="notice notice-close" data-testid="pending-close">
          <span>
            <bdi>{label}</bdi> is closed
          </span>
          <button type="button" className="action" onClick={() => phone.undoClose(sessionId)}>
            Undo
          </button>
        </div>
      ))}
      {notices.map((notice) => (
        <div key={notice.id} className={`notice notice-${notice.kind}`}>
          <span>{notice.text}</span>
          <button type="button" className="tool" aria-label="Dismiss" onClick={() => phone.dismissNotice(notice.id)}>
            <CloseIcon />
          </button>
        </div>
      ))}
    </div>
  );
}

/** Shown when this browser has no credential. A page cannot get one by itself: that is the point. */
function LoginNeeded() {
  const phone = usePhone();
  return (
    <main className="login" data-testid="login-needed">
      <h1 className="brand">
        <PromptIcon />
        <span>TUICommander</span>
      </h1>
      <h2>This browser is not logged in</h2>
      <p>With remote access, load this page again and log in with name and password.</p>
      <button type="button" className="action action-primary" onClick={() => window.location.reload()}>
        Load again
      </button>
      <p>
        Without it, run <code>tuic open --print</code> on the machine of the server, and open the link here. It works
        once.
      </p>
      <button type="button" className="action" onClick={() => phone.checkNow()}>
        Check again
      </button>
    </main>
  );
}

const GROUNDS = { dark: '#15181e', light: '#f2f2ee', contrast: '#000000' } as const;

function useTheme(): void {
  const theme = usePhoneState(themeInForce);
  useEffect(() => {
    document.documentElement.dataset.theme = theme;
    // The bar of the browser or of the phone takes the colour of our header.
    for (const meta of document.querySelectorAll('meta[name="theme-color"]')) {
      meta.setAttribute('content', GROUNDS[theme]);
    }
  }, [theme]);
}

function useTitle(): void {
  const label = usePhoneState((state) => {
    const session = shownSession(state);
    return session === undefined ? undefined : sessionLabel(session);
  });
  useEffect(() => {
    document.title = label === undefined ? 'TUICommander' : `${label} – TUICommander`;
  }, [label]);
}
