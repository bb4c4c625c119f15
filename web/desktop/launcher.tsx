/** A new terminal: where it starts, what runs in it, where it stands. Enter opens it with what is chosen. */
import './styles/launcher.css';
import { useEffect, useId, useRef, useState } from 'react';
import { useStore } from 'zustand';
import { RequestRefused, ServerUnreachable } from '../../src/client/index.ts';
import type { CreateSession, LaunchChoices } from '../../src/contract/index.ts';
import { type FolderItem, FolderPicker, isPath } from '../shared/folder-picker.ts';
import { FolderIcon, PlaceIcon, UpIcon } from '../shared/icons.tsx';
import { cleanText, folderName } from '../shared/labels.ts';
import type { Side } from '../shared/layout.ts';
import { forgetPlace, readLaunch, recentFolders, rememberPlace, rememberShell } from '../shared/recent-places.ts';
import { Modal } from './modal.tsx';
import { useWorkspace, useWorkspaceState } from './workspace-context.ts';

const PLACES: readonly { side: Side | undefined; label: string }[] = [
  { side: undefined, label: 'Tab' },
  { side: 'right', label: 'Right' },
  { side: 'down', label: 'Below' },
];

const ITEM_ICONS = { place: PlaceIcon, folder: FolderIcon, parent: UpIcon } as const;

export function Launcher({ side: wantedSide }: { side: Side | undefined }) {
  const workspace = useWorkspace();
  const id = useId();
  const isCreating = useWorkspaceState((state) => state.isCreating);
  const canSplit = useWorkspaceState((state) => state.tabs.order.length > 0);
  const { choices, problem: choicesProblem } = useChoices();
  const [remembered, setRemembered] = useState(() => readLaunch(workspace.memory));
  const [shell, setShell] = useState(remembered.shell);
  const [name, setName] = useState('');
  const [side, setSide] = useState(wantedSide);
  const [refusal, setRefusal] = useState<string | undefined>(undefined);
  const [picker] = useState(() => new FolderPicker(workspace.client.folders.list, []));
  const { text, items, chosen, isReading, isTruncated, problem } = useStore(picker.store);
  const field = useRef<HTMLInputElement>(null);
  const list = useRef<HTMLDivElement>(null);

  useEffect(() => field.current?.focus(), []);
  useEffect(() => () => picker.dispose(), [picker]);
  const home = choices?.home;
  useEffect(() => {
    const { sessions, tabs } = workspace.store.getState();
    const current = tabs.active === undefined ? undefined : sessions.get(tabs.active)?.cwd;
    const known = [current, ...remembered.places, ...recentFolders(sessions.values()), home];
    picker.setPlaces([...new Set(known.filter((path) => path !== undefined && path !== null))]);
  }, [picker, workspace, remembered, home]);
  useEffect(() => {
    list.current?.querySelector(`[data-index="${chosen}"]`)?.scrollIntoView({ block: 'nearest' });
  }, [chosen]);

  // A shell that this machine has no longer is not asked for.
  const shells = choices?.shells ?? [];
  const wantedShell = shells.includes(shell) ? shell : '';
  const open = async (path: string) => {
    const request: CreateSession = {};
    if (path !== '') request.cwd = path;
    if (wantedShell !== '') request.shell = wantedShell;
    if (name.trim() !== '') Object.assign(request, { display_name: name.trim(), display_name_is_custom: true });
    setRefusal(undefined);
    const told = await workspace.launch(request, side);
    if (told !== undefined) {
      setRefusal(told);
      field.current?.focus();
      return;
    }
    // As the server reads it, so that a place stands in the list once.
    if (path.startsWith('/')) rememberPlace(workspace.memory, path.length > 1 ? path.replace(/\/+$/, '') : path);
    rememberShell(workspace.memory, wantedShell);
  };
  const change = (next: string) => {
    setRefusal(undefined);
    void picker.setText(next);
  };
  const forget = (path: string) => {
    forgetPlace(workspace.memory, path);
    setRemembered(readLaunch(workspace.memory));
  };

  const onKey = (event: React.KeyboardEvent<HTMLInputElement>) => {
    if (event.nativeEvent.isComposing || event.ctrlKey || event.metaKey) return;
    const { key, shiftKey, altKey, currentTarget } = event;
    const isAtEnd = currentTarget.selectionStart === text.length && currentTarget.selectionEnd === text.length;
    const step = KEY_STEPS[key];
    if (altKey && key === 'ArrowUp') {
      const at = items.findIndex(({ kind }) => kind === 'parent');
      void picker.enter(at);
    } else if (altKey) return;
    else if (shiftKey && key === 'Delete' && items[chosen]?.kind === 'place') forget(picker.path);
    else if (step !== undefined) picker.move(step);
    else if (key === 'ArrowRight' && isAtEnd && chosen >= 0) void picker.enter();
    // As in a shell, but only for a name that was begun: everywhere else Tab goes on to the next field.
    else if (key === 'Tab' && !shiftKey && isPath(text) && chosen >= 0 && !/[/\\]$/.test(text)) void picker.enter();
    else if (key === 'Enter') void open(picker.path);
    else return;
    event.preventDefault();
  };

  const told = refusal ?? problem;
  return (
    <Modal title="New terminal" shape="launcher">
      <form
        className="launcher"
        onSubmit={(event) => {
          event.preventDefault();
          void open(picker.path);
        }}
      >
        <div className="launcher-field">
          <FolderIcon />
          <input
            ref={field}
            type="text"
            role="combobox"
            aria-label="Folder"
            aria-expanded="true"
            aria-controls={`${id}-list`}
            aria-activedescendant={items[chosen] === undefined ? undefined : `${id}-${chosen}`}
            aria-autocomplete="list"
            aria-invalid={told !== undefined}
            aria-describedby={told === undefined ? undefined : `${id}-told`}
            placeholder="Folder: a recent place, or a path from / or ~"
            spellCheck={false}
            autoCapitalize="none"
            autoComplete="off"
            value={text}
            onChange={(event) => change(event.target.value)}
            onKeyDown={onKey}
          />
          {isReading && <span className="spinner" aria-hidden="true" />}
        </div>
        {told !== undefined && (
          <p className="launcher-told" id={`${id}-told`} role="alert">
            {cleanText(told)}
          </p>
        )}
        <div
          className="launcher-list"
          id={`${id}-list`}
          role="listbox"
          aria-label={isPath(text) ? 'Folders' : 'Recent places'}
          ref={list}
          tabIndex={-1}
        >
          {items.map((item, index) => (
            <Item
              key={`${item.kind} ${item.path}`}
              id={`${id}-${index}`}
              index={index}
              item={item}
              isChosen={index === chosen}
              onPoint={() => picker.choose(index)}
              onTake={() => {
                void picker.enter(index);
                field.current?.focus();
              }}
            />
          ))}
          {isTruncated && <p className="launcher-more">There are more. Type the beginning of a name.</p>}
        </div>
        <p className="launcher-keys" aria-hidden="true">
          <span>
            <kbd>Enter</kbd> opens it there
          </span>
          <span>
            <kbd>→</kbd> looks inside
          </span>
          <span>
            <kbd>Alt ↑</kbd> one up
          </span>
          <span>
            <kbd>Shift Del</kbd> forgets a place
          </span>
        </p>
        <div className="launcher-options">
          <label className="launcher-option">
            <span>Shell</span>
            <select value={wantedShell} onChange={(event) => setShell(event.target.value)}>
              <option value="">
                {choices === undefined ? 'The usual one' : `The usual one: ${folderName(choices.default_shell)}`}
              </option>
              {shells.map((path) => (
                <option key={path} value={path}>
                  {cleanText(path)}
                </option>
              ))}
            </select>
          </label>
          <label className="launcher-option">
            <span>Name</span>
            <input
              type="text"
              placeholder="may stay empty"
              maxLength={200}
              autoComplete="off"
              value={name}
              onChange={(event) => setName(event.target.value)}
            />
          </label>
          {canSplit && (
            <fieldset className="launcher-option">
              <legend>Where</legend>
              <div className="segments">
                {PLACES.map(({ side: value, label }) => (
                  <label key={label} className={side === value ? 'segment is-chosen' : 'segment'}>
                    <input type="radio" name={`${id}-side`} checked={side === value} onChange={() => setSide(value)} />
                    {label}
                  </label>
                ))}
              </div>
            </fieldset>
          )}
        </div>
        {choicesProblem !== undefined && (
          <p className="launcher-told" role="alert">
            {choicesProblem}
          </p>
        )}
        <div className="dialog-actions">
          <button type="button" className="button button-quiet" onClick={() => workspace.closeDialog()}>
            Cancel
          </button>
          <button type="submit" className="button button-primary" disabled={isCreating}>
            Open
          </button>
        </div>
      </form>
    </Modal>
  );
}

const KEY_STEPS: Readonly<Record<string, number | undefined>> = { ArrowDown: 1, ArrowUp: -1, PageDown: 6, PageUp: -6 };

interface ItemProps {
  id: string;
  index: number;
  item: FolderItem;
  isChosen: boolean;
  onPoint(): void;
  onTake(): void;
}

/** The name stands out; where it lies is beside it. */
function Item({ id, index, item, isChosen, onPoint, onTake }: ItemProps) {
  const Icon = ITEM_ICONS[item.kind];
  const path = cleanText(item.path);
  return (
    <div
      id={id}
      data-index={index}
      role="option"
      tabIndex={-1}
      aria-selected={isChosen}
      aria-label={item.kind === 'parent' ? `One up: ${path}` : path}
      title={path}
      className={isChosen ? 'launcher-item is-chosen' : 'launcher-item'}
      onMouseMove={onPoint}
      onClick={onTake}
      onKeyDown={(event) => {
        if (event.key === 'Enter') onTake();
      }}
    >
      <Icon />
      <span className="launcher-name">{item.kind === 'parent' ? '..' : cleanText(folderName(item.path))}</span>
      {item.kind !== 'folder' && (
        <span className="launcher-path">
          <bdi>{path}</bdi>
        </span>
      )}
    </div>
  );
}

function useChoices(): { choices: LaunchChoices | undefined; problem: string | undefined } {
  const { client } = useWorkspace();
  const [choices, setChoices] = useState<LaunchChoices | undefined>(undefined);
  const [problem, setProblem] = useState<string | undefined>(undefined);
  useEffect(() => {
    let isWanted = true;
    client.folders.launchChoices().then(
      (answer) => {
        if (isWanted) setChoices(answer);
      },
      (error: unknown) => {
        if (!(error instanceof RequestRefused || error instanceof ServerUnreachable)) throw error;
        if (isWanted) setProblem('The shells of this machine are not known: the server did not say.');
      },
    );
    return () => {
      isWanted = false;
    };
  }, [client]);
  return { choices, problem };
}
