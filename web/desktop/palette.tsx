/** The command palette: everything that can be done now, found by a few letters (DESIGN 9). */
import { useEffect, useMemo, useRef, useState } from 'react';
import { type Action, chordKeys } from '../shared/action-table.ts';
import { type FuzzyMatch, fuzzyMatch } from '../shared/fuzzy.ts';
import { SearchIcon } from '../shared/icons.tsx';
import { actionContext } from './keys.ts';
import { Modal } from './modal.tsx';
import { useActions, useWorkspace } from './workspace-context.ts';

/** More would not be read. */
const MOST_SHOWN = 100;
const LIST_ID = 'palette-list';

interface Found {
  action: Action;
  positions: readonly number[];
}

function search(actions: readonly Action[], query: string): Found[] {
  if (query.trim() === '') return actions.slice(0, MOST_SHOWN).map((action) => ({ action, positions: [] }));
  const found: (Found & { score: number })[] = [];
  for (const action of actions) {
    const match = matchAction(action, query);
    if (match !== undefined) found.push({ action, positions: match.positions, score: match.score });
  }
  return found.sort((a, b) => b.score - a.score).slice(0, MOST_SHOWN);
}

function matchAction(action: Action, query: string): FuzzyMatch | undefined {
  const match = fuzzyMatch(query, action.title);
  if (match !== undefined) return match;
  const wide = fuzzyMatch(query, [action.title, action.words, action.detail, action.group].join(' '));
  if (wide === undefined) return undefined;
  const inTitle = wide.positions.filter((at) => at < action.title.length);
  return { score: wide.score / 4, positions: inTitle };
}

export function Palette() {
  const workspace = useWorkspace();
  const table = useActions();
  const [query, setQuery] = useState('');
  const [chosen, setChosen] = useState(0);
  const field = useRef<HTMLInputElement>(null);
  const list = useRef<HTMLDivElement>(null);
  // What can be done is looked up once: the list must not move under the keys of whoever reads it.
  const actions = useMemo(
    () => table.listed(workspace.store.getState()).filter(({ id }) => id !== 'palette'),
    [table, workspace],
  );
  const found = useMemo(() => search(actions, query), [actions, query]);
  const at = Math.min(chosen, found.length - 1);

  useEffect(() => field.current?.focus(), []);
  useEffect(() => {
    list.current?.querySelector(`[data-index="${at}"]`)?.scrollIntoView({ block: 'nearest' });
  }, [at]);

  const run = (action: Action | undefined) => {
    if (action === undefined) return;
    workspace.closeDialog();
    table.remember(action.id);
    table.run(action, actionContext(workspace));
  };
  const move = (to: number) => setChosen(found.length === 0 ? 0 : (to + found.length) % found.length);

  return (
    <Modal title="Commands" shape="palette">
      <div className="palette-field">
        <SearchIcon />
        <input
          ref={field}
          type="text"
          role="combobox"
          aria-label="Command"
          aria-expanded="true"
          aria-controls={LIST_ID}
          aria-activedescendant={found[at] === undefined ? undefined : `palette-${at}`}
          aria-autocomplete="list"
          placeholder="What do you want to do?"
          spellCheck={false}
          autoComplete="off"
          value={query}
          onChange={(event) => {
            setQuery(event.target.value);
            setChosen(0);
          }}
          onKeyDown={(event) => {
            if (event.nativeEvent.isComposing) return;
            const step = KEY_STEPS[event.key];
            if (step !== undefined) move(at + step);
            else if (event.key === 'Enter') run(found[at]?.action);
            else return;
            event.preventDefault();
          }}
        />
        <kbd>Esc</kbd>
      </div>
      <div className="palette-list" id={LIST_ID} role="listbox" aria-label="Commands" ref={list} tabIndex={-1}>
        {found.map(({ action, positions }, index) => (
          <div
            key={action.id}
            id={`palette-${index}`}
            data-index={index}
            data-action={action.id}
            role="option"
            tabIndex={-1}
            aria-selected={index === at}
            className={index === at ? 'palette-item is-chosen' : 'palette-item'}
            onMouseMove={() => setChosen(index)}
            onClick={() => run(action)}
            onKeyDown={(event) => {
              if (event.key === 'Enter') run(action);
            }}
          >
            <span className="palette-title">
              <Marked text={action.title} positions={positions} />
              {action.detail !== undefined && <small>{action.detail}</small>}
            </span>
            <PaletteKeys action={action} />
          </div>
        ))}
      </div>
      {found.length === 0 && (
        <p className="palette-none" role="status">
          Nothing is called like that.
        </p>
      )}
    </Modal>
  );
}

const KEY_STEPS: Readonly<Record<string, number | undefined>> = { ArrowDown: 1, ArrowUp: -1, PageDown: 8, PageUp: -8 };

function PaletteKeys({ action }: { action: Action }) {
  const [chord] = action.chords ?? [];
  if (chord === undefined) return <span className="palette-group">{action.group}</span>;
  return (
    <span className="palette-keys">
      {chordKeys(chord).map((key) => (
        <kbd key={key}>{key}</kbd>
      ))}
    </span>
  );
}

/** The letters that were typed stand out. */
function Marked({ text, positions }: { text: string; positions: readonly number[] }) {
  if (positions.length === 0) return <span>{text}</span>;
  const marked = new Set(positions);
  const parts: { from: number; text: string; isMarked: boolean }[] = [];
  for (let index = 0; index < text.length; index++) {
    const last = parts.at(-1);
    const isMarked = marked.has(index);
    if (last?.isMarked === isMarked) last.text += text[index];
    else parts.push({ from: index, text: text[index] ?? '', isMarked });
  }
  return <span>{parts.map((part) => (part.isMarked ? <mark key={part.from}>{part.text}</mark> : part.text))}</span>;
}
