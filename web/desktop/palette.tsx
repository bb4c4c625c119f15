/** The command palette: everything that can be done now, found by a few letters (DESIGN 9). */
import { useMemo, useState } from 'react';
import { type Action, chordKeys } from '../shared/action-table.ts';
import { type FuzzyMatch, fuzzyMatch } from '../shared/fuzzy.ts';
import { actionContext } from './keys.ts';
import { type PickItem, PickList } from './pick-list.tsx';
import { useActions, useWorkspace } from './workspace-context.ts';

/** More would not be read. */
const MOST_SHOWN = 100;

interface Found extends PickItem {
  action: Action;
}

function toItem(action: Action, positions: readonly number[]): Found {
  return { id: action.id, title: action.title, detail: action.detail, positions, action };
}

function search(actions: readonly Action[], query: string): Found[] {
  if (query.trim() === '') return actions.slice(0, MOST_SHOWN).map((action) => toItem(action, []));
  const found: { item: Found; score: number }[] = [];
  for (const action of actions) {
    const match = matchAction(action, query);
    if (match !== undefined) found.push({ item: toItem(action, match.positions), score: match.score });
  }
  return found
    .sort((a, b) => b.score - a.score)
    .slice(0, MOST_SHOWN)
    .map(({ item }) => item);
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
  // What can be done is looked up once: the list must not move under the keys of whoever reads it.
  const actions = useMemo(
    () => table.listed(workspace.store.getState()).filter(({ id }) => id !== 'palette'),
    [table, workspace],
  );
  const items = useMemo(() => search(actions, query), [actions, query]);

  return (
    <PickList
      title="Commands"
      fieldLabel="Command"
      placeholder="What do you want to do?"
      query={query}
      onQuery={setQuery}
      items={items}
      onChoose={({ action }) => {
        workspace.closeDialog();
        table.remember(action.id);
        table.run(action, actionContext(workspace));
      }}
      end={({ action }) => <PaletteKeys action={action} />}
      none="Nothing is called like that."
    />
  );
}

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
