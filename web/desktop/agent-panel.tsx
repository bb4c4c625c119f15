/**
 * What agents show in tabs of their own. Everything of theirs stands in a frame without an origin: it reaches neither this page nor the
 * server nor what they store. A frame stays as it is while its tab is behind another; it is first loaded when its tab is first shown.
 */
import { useEffect, useRef, useState } from 'react';
import type { AgentTab } from '../../src/contract/index.ts';
import { tabLabel } from '../shared/agent-tabs.ts';
import { cleanText, sessionLabel } from '../shared/labels.ts';
import { keepKeyboard } from './keep-keyboard.ts';
import { useWorkspace, useWorkspaceState } from './workspace-context.ts';

const PICTURE = /\.(?:avif|bmp|gif|ico|jpe?g|png|svg|webp)$/i;
/** Characters that turn the direction of the text around them, so that it reads as what it is not. */
const TURNING = /[\u202a-\u202e\u2066-\u2069]/g;

/** The tabs of agents in a pane that were shown so far. */
export function AgentPanels({
  paneId,
  order,
  active,
}: {
  paneId: string;
  order: readonly string[];
  active?: string | undefined;
}) {
  const tabs = useWorkspaceState((state) => state.agentTabs);
  const seen = useRef(new Set<string>());
  if (active !== undefined && tabs.has(active)) seen.current.add(active);
  return order.map((panel) => {
    const tab = tabs.get(panel);
    return tab === undefined || !seen.current.has(panel) ? null : (
      <AgentPanel key={panel} paneId={paneId} tab={tab} isActive={panel === active} />
    );
  });
}

function AgentPanel({ paneId, tab, isActive }: { paneId: string; tab: AgentTab; isActive: boolean }) {
  const workspace = useWorkspace();
  const element = useRef<HTMLElement>(null);
  const isAsked = useWorkspaceState((state) => state.isPageFocusWanted && state.layout.focused === paneId);
  const origin = useWorkspaceState((state) =>
    tab.origin_session_id === undefined ? undefined : state.sessions.get(tab.origin_session_id),
  );
  const label = tabLabel(tab);

  useEffect(() => {
    // Not the frame: there the keys of the workspace would not be heard.
    if (isAsked && isActive && workspace.arrangement.takePageFocus()) element.current?.focus({ preventScroll: true });
  }, [workspace, isAsked, isActive]);

  return (
    <section
      ref={element}
      className="agent-panel"
      hidden={!isActive}
      tabIndex={-1}
      aria-label={label}
      data-testid="agent-panel"
    >
      <header className="agent-bar">
        <span className="agent-origin">{origin === undefined ? 'From an agent' : `From ${sessionLabel(origin)}`}</span>
        <span className="agent-address" title={addressOf(tab)}>
          <bdi>{addressOf(tab)}</bdi>
        </span>
        {tab.kind === 'web' && <span className="agent-hint">Empty? The page may forbid being shown here.</span>}
        <a className="agent-outside" href={tab.frame_url} target="_blank" rel="noopener noreferrer">
          Open outside
        </a>
      </header>
      <Content key={`${tab.frame_url} ${tab.changed_at}`} tab={tab} label={label} />
    </section>
  );
}

function addressOf(tab: AgentTab): string {
  if (tab.kind === 'web') return cleanText(tab.frame_url);
  return cleanText(tab.path ?? '');
}

function Content({ tab, label }: { tab: AgentTab; label: string }) {
  if (tab.kind !== 'preview') return <Frame tab={tab} label={label} />;
  if (!PICTURE.test(tab.path ?? '')) return <Text tab={tab} label={label} />;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is reached by keys
    <section className="agent-picture" tabIndex={0} aria-label={`Content of ${label}`}>
      <img src={tab.frame_url} alt={label} />
    </section>
  );
}

function Frame({ tab, label }: { tab: AgentTab; label: string }) {
  const workspace = useWorkspace();
  const content = useRef<HTMLDivElement>(null);
  const cover = useRef<HTMLDivElement>(null);
  const frame = useRef<HTMLIFrameElement>(null);
  const [isStopped, setStopped] = useState(false);
  useEffect(() => {
    const panel = content.current?.closest<HTMLElement>('.agent-panel');
    if (isStopped || !panel || cover.current === null || frame.current === null) return;
    const guard = keepKeyboard({
      panel,
      cover: cover.current,
      frame: frame.current,
      giveBack: () => workspace.arrangement.focus(),
      stop: () => setStopped(true),
    });
    return () => guard.dispose();
  }, [workspace, isStopped]);
  if (isStopped) {
    return (
      <p className="agent-note" role="status">
        This page kept taking the keyboard, so it was stopped.{' '}
        <button type="button" className="link-button" onClick={() => setStopped(false)}>
          Show it again
        </button>
      </p>
    );
  }
  return (
    <div ref={content} className="agent-content">
      <iframe
        ref={frame}
        className="agent-frame"
        title={label}
        src={tab.frame_url}
        // Never with an origin: then it could reach what is ours.
        sandbox={tab.kind === 'web' ? 'allow-scripts allow-forms' : 'allow-scripts'}
        referrerPolicy="no-referrer"
      />
      <div ref={cover} className="agent-cover" title="Click to use the page" />
    </div>
  );
}

type Reading = { kind: 'reading' } | { kind: 'read'; text: string } | { kind: 'failed'; reason: string };

function Text({ tab, label }: { tab: AgentTab; label: string }) {
  const { client } = useWorkspace();
  const [reading, setReading] = useState<Reading>({ kind: 'reading' });
  const address = tab.frame_url;
  useEffect(() => {
    const leaving = new AbortController();
    client.tabs.read(address, leaving.signal).then(
      (text) => setReading({ kind: 'read', text }),
      (error: unknown) => {
        if (leaving.signal.aborted) return;
        setReading({ kind: 'failed', reason: error instanceof Error ? error.message : String(error) });
      },
    );
    return () => leaving.abort();
  }, [client, address]);
  if (reading.kind === 'reading') return <p className="agent-note">Reading…</p>;
  if (reading.kind === 'failed') return <p className="agent-note">It cannot be shown: {cleanText(reading.reason)}</p>;
  if (reading.text.includes('\0')) return <p className="agent-note">This file is no text.</p>;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is reached by keys
    <section className="agent-text" tabIndex={0} aria-label={`Content of ${label}`}>
      <pre>{reading.text.replace(TURNING, '\ufffd')}</pre>
    </section>
  );
}
