/** The choice of a folder: a field and a list below it, for whatever is started there. */
import { type RefObject, useEffect, useId, useRef, useState } from 'react';
import { useStore } from 'zustand';
import { type FolderItem, FolderPicker, isPath } from '../shared/folder-picker.ts';
import { FolderIcon, PlaceIcon, UpIcon } from '../shared/icons.tsx';
import { cleanText, folderName } from '../shared/labels.ts';
import type { Side } from '../shared/layout.ts';
import { forgetPlace, readLaunch, recentFolders } from '../shared/recent-places.ts';
import { useWorkspace, useWorkspaceState } from './workspace-context.ts';

const PLACES: readonly { side: Side | undefined; label: string }[] = [
  { side: undefined, label: 'Tab' },
  { side: 'right', label: 'Right' },
  { side: 'down', label: 'Below' },
];

const ITEM_ICONS = { place: PlaceIcon, folder: FolderIcon, parent: UpIcon } as const;
/** Of a place both name and path are seen, and read. */
const ITEM_NAMES: Readonly<Record<FolderItem['kind'], (path: string) => string | undefined>> = {
  place: () => undefined,
  folder: (path) => path,
  parent: (path) => `One up: ${path}`,
};

const KEY_STEPS: Readonly<Record<string, number | undefined>> = { ArrowDown: 1, ArrowUp: -1, PageDown: 6, PageUp: -6 };

/** The choice begins with where the person is, and with where they were lately. */
export function useFolderChoice(home: string | undefined): { picker: FolderPicker; forget(path: string): void } {
  const workspace = useWorkspace();
  const [remembered, setRemembered] = useState(() => readLaunch(workspace.memory));
  const [picker] = useState(() => new FolderPicker(workspace.client.folders.list, []));
  useEffect(() => () => picker.dispose(), [picker]);
  useEffect(() => {
    const { sessions, tabs } = workspace.store.getState();
    const current = tabs.active === undefined ? undefined : sessions.get(tabs.active)?.cwd;
    const known = [current, ...remembered.places, ...recentFolders(sessions.values()), home];
    picker.setPlaces([...new Set(known.filter((path) => path !== undefined && path !== null))]);
  }, [picker, workspace, remembered, home]);
  const forget = (path: string) => {
    forgetPlace(workspace.memory, path);
    setRemembered(readLaunch(workspace.memory));
  };
  return { picker, forget };
}

interface FolderFieldProps {
  picker: FolderPicker;
  /** What stands against what was asked for last. */
  refusal: string | undefined;
  field: RefObject<HTMLInputElement | null>;
  onChange(): void;
  /** Enter. */
  onOpen(path: string): void;
  onForget(path: string): void;
}

export function FolderField({ picker, refusal, field, onChange, onOpen, onForget }: FolderFieldProps) {
  const id = useId();
  const list = useRef<HTMLDivElement>(null);
  const { text, items, chosen, isReading, isTruncated, problem } = useStore(picker.store);
  const told = refusal ?? problem;
  useEffect(() => {
    list.current?.querySelector(`[data-index="${chosen}"]`)?.scrollIntoView({ block: 'nearest' });
  }, [chosen]);
  const change = (next: string) => {
    onChange();
    void picker.setText(next);
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
    else if (shiftKey && key === 'Delete' && items[chosen]?.kind === 'place') onForget(picker.path);
    else if (step !== undefined) picker.move(step);
    else if (key === 'ArrowRight' && isAtEnd && chosen >= 0) void picker.enter();
    // As in a shell, but only for a name that was begun: everywhere else Tab goes on to the next field.
    else if (key === 'Tab' && !shiftKey && isPath(text) && chosen >= 0 && !/[/\\]$/.test(text)) void picker.enter();
    else if (key === 'Enter') onOpen(picker.path);
    else return;
    event.preventDefault();
  };

  return (
    <>
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
    </>
  );
}

export function PlaceChoice({ side, onChoose }: { side: Side | undefined; onChoose(side: Side | undefined): void }) {
  const id = useId();
  const canSplit = useWorkspaceState((state) => state.tabs.order.length > 0);
  if (!canSplit) return null;
  return (
    <fieldset className="launcher-option">
      <legend>Where</legend>
      <div className="segments">
        {PLACES.map(({ side: value, label }) => (
          <label key={label} className={side === value ? 'segment is-chosen' : 'segment'}>
            <input type="radio" name={`${id}-side`} checked={side === value} onChange={() => onChoose(value)} />
            {label}
          </label>
        ))}
      </div>
    </fieldset>
  );
}

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
      aria-label={ITEM_NAMES[item.kind](path)}
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
