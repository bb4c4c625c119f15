/** The saved layouts: save this one, use, rename and delete those there are. Everything here can be undone. */
import './styles/layouts.css';
import { useEffect, useId, useRef, useState } from 'react';
import { PenIcon, TrashIcon } from '../shared/icons.tsx';
import { cleanText, describeAge, describeLayout, folderName } from '../shared/labels.ts';
import { allTabs, type Layout, placeLayout } from '../shared/layout.ts';
import { cleanLayoutName, LONGEST_LAYOUT_NAME } from '../shared/named-layouts.ts';
import type { NamedLayout, WorkspaceState } from '../shared/workspace-state.ts';
import { Modal } from './modal.tsx';
import { useSlowTime, useWorkspace, useWorkspaceState } from './workspace-context.ts';

export function LayoutsDialog({ renaming: first }: { renaming: string | undefined }) {
  const workspace = useWorkspace();
  const layouts = useWorkspaceState((state) => state.layouts);
  const current = useWorkspaceState((state) => state.layout);
  const [name, setName] = useState(() => proposeName(workspace.store.getState()));
  const [renaming, setRenaming] = useState(first);
  /** What was deleted last while this is open: the notice that leads back lies under it. */
  const [deleted, setDeleted] = useState<NamedLayout | undefined>(undefined);
  const field = useRef<HTMLInputElement>(null);
  const clean = cleanLayoutName(name);
  const isThere = layouts.some((one) => one.name === clean);
  const isEmpty = allTabs(current).order.length === 0;

  useEffect(() => {
    if (first === undefined) field.current?.select();
  }, [first]);

  return (
    <Modal title="Layouts">
      <form
        className="layout-save"
        onSubmit={(event) => {
          event.preventDefault();
          if (isEmpty || clean === '') return;
          void workspace.layouts.save(clean).then((isSaved) => {
            if (isSaved) workspace.closeDialog();
          });
        }}
      >
        <Thumbnail layout={current} />
        <label>
          <span>{isEmpty ? 'Nothing is arranged here yet' : `This window: ${describeLayout(current)}`}</span>
          <input
            ref={field}
            type="text"
            aria-label="Name of the layout"
            placeholder="Name"
            maxLength={LONGEST_LAYOUT_NAME}
            spellCheck={false}
            autoComplete="off"
            disabled={isEmpty}
            value={name}
            onChange={(event) => setName(event.target.value)}
          />
        </label>
        <button type="submit" className="button button-primary" disabled={isEmpty || clean === ''}>
          {isThere ? 'Replace' : 'Save'}
        </button>
      </form>
      {layouts.length === 0 ? (
        <p className="hint">
          A layout keeps panes, tabs and what was started in them, for all windows. It is there in the list of commands
          too.
        </p>
      ) : (
        <ul className="layout-list" aria-label="Saved layouts">
          {layouts.map((layout) => (
            <Row
              key={layout.name}
              saved={layout}
              isRenaming={renaming === layout.name}
              onRename={() => setRenaming(layout.name)}
              onRenamed={() => setRenaming(undefined)}
              onDeleted={() => setDeleted(layout)}
            />
          ))}
        </ul>
      )}
      {deleted !== undefined && !layouts.some((one) => one.name === deleted.name) && (
        <p role="status" className="layout-deleted">
          Layout {deleted.name} is deleted.{' '}
          <button type="button" className="link-button" onClick={() => void workspace.layouts.restore(deleted)}>
            Undo
          </button>
        </p>
      )}
      <div className="dialog-actions">
        <button type="button" className="button" onClick={() => workspace.closeDialog()}>
          Done
        </button>
      </div>
    </Modal>
  );
}

/** After the folder of the active terminal, with a number when there is one of that name. */
function proposeName({ layouts, tabs, sessions }: WorkspaceState): string {
  const session = tabs.active === undefined ? undefined : sessions.get(tabs.active);
  const base = cleanLayoutName(cleanText(folderName(session?.cwd ?? null)).replace('/', '')) || 'layout';
  const isTaken = (name: string) => layouts.some((one) => one.name === name);
  let name = base;
  for (let number = 2; isTaken(name); number++) name = `${base} ${number}`;
  return name;
}

interface RowProps {
  saved: NamedLayout;
  isRenaming: boolean;
  onRename(): void;
  onRenamed(): void;
  onDeleted(): void;
}

function Row({ saved, isRenaming, onRename, onRenamed, onDeleted }: RowProps) {
  const workspace = useWorkspace();
  const now = useSlowTime();
  useWorkspaceState((state) => state.sessions);
  const { name, layout, savedAt } = saved;
  const ended = workspace.layouts.missing(saved).length;
  const details = [
    describeLayout(layout),
    savedAt === 0 ? '' : `saved ${describeAge(savedAt, now).replace(/^now$/, 'just now')}`,
    ended === 0 ? '' : `${ended} ended`,
  ];
  if (isRenaming) {
    return (
      <li className="layout-row">
        <Thumbnail layout={layout} />
        <RenameForm name={name} onDone={onRenamed} />
      </li>
    );
  }
  return (
    <li className="layout-row">
      <button
        type="button"
        className="layout-use"
        title={`Use layout ${name}`}
        onClick={() => {
          workspace.closeDialog();
          workspace.layouts.use(name);
        }}
      >
        <Thumbnail layout={layout} />
        <span className="layout-text">
          <span className="layout-name">{name}</span>
          <span className="layout-details">{details.filter((part) => part !== '').join(' · ')}</span>
        </span>
      </button>
      <button
        type="button"
        className="icon-button"
        aria-label={`Rename layout ${name}`}
        title="Rename"
        onClick={onRename}
      >
        <PenIcon />
      </button>
      <button
        type="button"
        className="icon-button"
        aria-label={`Delete layout ${name}`}
        title="Delete"
        onClick={() =>
          void workspace.layouts.remove(name).then((isDeleted) => {
            if (isDeleted) onDeleted();
          })
        }
      >
        <TrashIcon />
      </button>
    </li>
  );
}

function RenameForm({ name, onDone }: { name: string; onDone(): void }) {
  const workspace = useWorkspace();
  const id = useId();
  const [text, setText] = useState(name);
  const [problem, setProblem] = useState<string | undefined>(undefined);
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => field.current?.select(), []);
  return (
    <form
      className="layout-rename"
      onSubmit={(event) => {
        event.preventDefault();
        void workspace.layouts.rename(name, text).then((told) => {
          setProblem(told);
          if (told === undefined) onDone();
        });
      }}
    >
      <input
        ref={field}
        type="text"
        aria-label={`New name of layout ${name}`}
        maxLength={LONGEST_LAYOUT_NAME}
        spellCheck={false}
        autoComplete="off"
        value={text}
        aria-invalid={problem !== undefined}
        aria-describedby={problem === undefined ? undefined : `${id}-problem`}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Escape') return;
          // Only the field is left, not the dialog.
          event.preventDefault();
          event.stopPropagation();
          onDone();
        }}
      />
      <button type="submit" className="button">
        Rename
      </button>
      {problem !== undefined && (
        <span id={`${id}-problem`} className="layout-problem" role="alert">
          {problem}
        </span>
      )}
    </form>
  );
}

/** The panes of a layout in small. The text beside it says the same. */
function Thumbnail({ layout }: { layout: Layout }) {
  return (
    <svg className="layout-picture" viewBox="0 0 48 32" width="48" height="32" aria-hidden="true">
      {placeLayout(layout.root).panes.map(({ pane, box }) => (
        <rect
          key={pane.id}
          className={pane.id === layout.focused ? 'is-focused' : undefined}
          x={box.left * 48 + 1}
          y={box.top * 32 + 1}
          width={Math.max(1, box.width * 48 - 2)}
          height={Math.max(1, box.height * 32 - 2)}
          rx="2"
        />
      ))}
    </svg>
  );
}
