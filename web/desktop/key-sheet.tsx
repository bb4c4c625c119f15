/** Every key of the workspace, from the one action table. */
import { ACTION_GROUPS, type ActionGroup, chordKeys } from '../shared/action-table.ts';
import { Modal } from './modal.tsx';
import { useActions, useWorkspace } from './workspace-context.ts';

interface Row {
  title: string;
  keys: readonly (readonly string[])[];
}

/** Keys that belong to one place of the page, not to an action. */
const PLACES: readonly Row[] = [
  { title: 'Rename, on a tab or in the list', keys: [['F2']] },
  { title: 'Close, on a tab or in the list', keys: [['Delete']] },
  { title: 'Menu, on a tab or in the list', keys: [['Shift', 'F10'], ['Right click']] },
  {
    title: 'Scroll a terminal by pages',
    keys: [
      ['Shift', 'Page ↑'],
      ['Shift', 'Page ↓'],
    ],
  },
  { title: 'Open a link', keys: [['Ctrl', 'Click']] },
];

export function KeySheet() {
  const workspace = useWorkspace();
  const actions = useActions();
  const rowsOf = (group: ActionGroup): Row[] => {
    const rows = actions
      .all()
      .filter((action) => action.group === group && action.isListed !== false && action.chords !== undefined)
      .map((action) => ({ title: action.title, keys: (action.chords ?? []).map(chordKeys) }));
    if (group === 'Tabs and panes') rows.push({ title: 'Tab by its place', keys: [['Ctrl', 'Shift', '1 … 9']] });
    return rows;
  };
  return (
    <Modal title="Keyboard shortcuts" shape="wide" isForReading>
      <div className="key-groups">
        {ACTION_GROUPS.map((group) => (
          <KeyGroup key={group} title={group} rows={rowsOf(group)} />
        ))}
        <KeyGroup title="In place" rows={PLACES} />
      </div>
      <p className="hint">
        Everything else is in the palette, by name. Keys with Ctrl alone go to the program in the terminal, but for the
        size of text.
      </p>
      <div className="dialog-actions">
        <button type="button" className="button" onClick={() => workspace.closeDialog()}>
          Done
        </button>
      </div>
    </Modal>
  );
}

function KeyGroup({ title, rows }: { title: string; rows: readonly Row[] }) {
  if (rows.length === 0) return null;
  return (
    <section className="key-group">
      <h3>{title}</h3>
      <dl className="key-list">
        {rows.map((row) => (
          <div key={row.title} className="key-row">
            <dt>{row.title}</dt>
            <dd>
              {row.keys.map((keys) => (
                <span key={keys.join('+')} className="key-chord">
                  {keys.map((key) => (
                    <kbd key={key}>{key}</kbd>
                  ))}
                </span>
              ))}
            </dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
