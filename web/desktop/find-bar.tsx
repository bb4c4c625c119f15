/** Find in the terminal of one session. The terminal keeps drawing below; matches are counted over all that is above, too. */
import { useEffect, useRef, useState } from 'react';
import { keyHint } from '../shared/action-table.ts';
import { CloseIcon, DownIcon, UpIcon } from '../shared/icons.tsx';
import type { FindQuery } from '../terminal/find-text.ts';
import { Finder, type FindState, prepareFind } from '../terminal/finder.ts';
import { useActions, useWorkspace, useWorkspaceState } from './workspace-context.ts';

/** What was looked for last, for the next time it opens in this window. */
let lastQuery: FindQuery = { text: '', isRegex: false, isCaseSensitive: false, isWholeWord: false };

const OPTIONS = [
  { name: 'isCaseSensitive', label: 'Match case', sign: 'Aa', key: 'KeyC' },
  { name: 'isWholeWord', label: 'Whole words', sign: 'ab', key: 'KeyW' },
  { name: 'isRegex', label: 'Regular expression', sign: '.*', key: 'KeyR' },
] as const;

function describe(state: FindState): string {
  switch (state.kind) {
    case 'empty':
      return '';
    case 'invalid':
      return state.message;
    case 'slow':
      return 'This pattern takes too long';
    case 'failed':
      return 'Find could not be loaded';
    case 'found': {
      if (state.count === 0) return 'No matches';
      const count = `${state.count.toLocaleString('en')}${state.isMore ? '+' : ''}`;
      return `${state.current.toLocaleString('en')} of ${count}`;
    }
  }
}

export { prepareFind };

export function FindBar({ sessionId }: { sessionId: string }) {
  const workspace = useWorkspace();
  const actions = useActions();
  const asked = useWorkspaceState((state) => state.find?.asked);
  const [query, setQuery] = useState(lastQuery);
  const [state, setState] = useState<FindState>({ kind: 'empty' });
  const field = useRef<HTMLInputElement>(null);
  const finder = useRef<Finder>(undefined);

  useEffect(() => {
    const view = workspace.stage.view(sessionId);
    if (view === undefined) return;
    view.loadWholeHistory();
    const own = new Finder(view.terminal, setState);
    finder.current = own;
    view.finder = own;
    // One line that is selected is most likely what is looked for.
    const selected = view.terminal.getSelection();
    if (selected !== '' && !selected.includes('\n')) setQuery((before) => ({ ...before, text: selected }));
    return () => {
      own.dispose();
      view.finder = undefined;
    };
  }, [workspace, sessionId]);

  useEffect(() => {
    lastQuery = query;
    finder.current?.setQuery(query);
  }, [query]);

  // biome-ignore lint/correctness/useExhaustiveDependencies: each time it is asked for, the field takes the keyboard
  useEffect(() => {
    field.current?.focus();
    field.current?.select();
  }, [asked]);

  const text = describe(state);
  const isWrong =
    state.kind === 'invalid' ||
    state.kind === 'slow' ||
    state.kind === 'failed' ||
    (state.kind === 'found' && state.count === 0);
  const toggle = (name: (typeof OPTIONS)[number]['name']) =>
    setQuery((before) => ({ ...before, [name]: !before[name] }));

  return (
    <search
      className="find-bar"
      data-testid="find"
      onKeyDown={(event) => {
        if (event.key === 'Escape') {
          event.stopPropagation();
          workspace.closeFind();
          return;
        }
        const option = event.altKey && OPTIONS.find(({ key }) => key === event.code);
        if (!option) return;
        event.preventDefault();
        toggle(option.name);
      }}
    >
      <input
        ref={field}
        type="text"
        className={isWrong ? 'find-field is-wrong' : 'find-field'}
        aria-label="Find in terminal"
        aria-invalid={state.kind === 'invalid'}
        aria-describedby="find-count"
        placeholder="Find"
        spellCheck={false}
        autoComplete="off"
        value={query.text}
        onChange={(event) => setQuery({ ...query, text: event.target.value })}
        onKeyDown={(event) => {
          if (event.nativeEvent.isComposing) return;
          const step =
            event.key === 'Enter' ? (event.shiftKey ? 1 : -1) : ({ ArrowUp: -1, ArrowDown: 1 } as const)[event.key];
          if (step === undefined || event.ctrlKey) return;
          event.preventDefault();
          finder.current?.step(step);
        }}
      />
      <span className="find-options">
        {OPTIONS.map(({ name, label, sign, key }) => (
          <button
            key={name}
            type="button"
            className={query[name] ? 'find-option is-on' : 'find-option'}
            aria-pressed={query[name]}
            aria-label={label}
            title={`${label} (Alt+${key.slice(3)})`}
            onClick={() => toggle(name)}
          >
            <span aria-hidden="true" data-sign={sign} />
          </button>
        ))}
      </span>
      <output id="find-count" className={isWrong ? 'find-count is-wrong' : 'find-count'} title={text}>
        {text}
      </output>
      <button
        type="button"
        className="icon-button"
        aria-label="Previous match"
        title={`Previous match, above${keyHint(actions.get('find.previous'))}`}
        onClick={() => finder.current?.step(-1)}
      >
        <UpIcon />
      </button>
      <button
        type="button"
        className="icon-button"
        aria-label="Next match"
        title={`Next match, below${keyHint(actions.get('find.next'))}`}
        onClick={() => finder.current?.step(1)}
      >
        <DownIcon />
      </button>
      <button
        type="button"
        className="icon-button"
        aria-label="Close find"
        title="Close (Esc)"
        onClick={() => workspace.closeFind()}
      >
        <CloseIcon />
      </button>
    </search>
  );
}
