/** A dialog in which one of many is chosen by a few letters, with the keyboard or the pointer. */
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { SearchIcon } from '../shared/icons.tsx';
import { Modal } from './modal.tsx';

const LIST_ID = 'palette-list';
const KEY_STEPS: Readonly<Record<string, number | undefined>> = { ArrowDown: 1, ArrowUp: -1, PageDown: 8, PageUp: -8 };

export interface PickItem {
  id: string;
  title: string;
  /** Letters of the title that were typed. */
  positions: readonly number[];
  detail?: string | undefined;
}

export interface PickListProps<Item extends PickItem> {
  /** Name of the dialog and of the list. */
  title: string;
  fieldLabel: string;
  placeholder: string;
  query: string;
  onQuery(query: string): void;
  items: readonly Item[];
  /** `isSecond`: Shift was held, for the other thing that can be done with it. */
  onChoose(item: Item, isSecond: boolean): void;
  /** What stands at the end of a row. */
  end(item: Item): ReactNode;
  /** Said when nothing is listed. */
  none: string;
  foot?: ReactNode;
}

export function PickList<Item extends PickItem>(props: PickListProps<Item>) {
  const { title, items, onChoose } = props;
  const [chosen, setChosen] = useState(0);
  const field = useRef<HTMLInputElement>(null);
  const list = useRef<HTMLDivElement>(null);
  const at = Math.min(chosen, items.length - 1);

  useEffect(() => field.current?.focus(), []);
  useEffect(() => {
    list.current?.querySelector(`[data-index="${at}"]`)?.scrollIntoView({ block: 'nearest' });
  }, [at]);

  const choose = (item: Item | undefined, isSecond: boolean) => {
    if (item !== undefined) onChoose(item, isSecond);
  };

  return (
    <Modal title={title} shape="palette">
      <div className="palette-field">
        <SearchIcon />
        <input
          ref={field}
          type="text"
          role="combobox"
          aria-label={props.fieldLabel}
          aria-expanded="true"
          aria-controls={LIST_ID}
          aria-activedescendant={items[at] === undefined ? undefined : `palette-${at}`}
          aria-autocomplete="list"
          placeholder={props.placeholder}
          spellCheck={false}
          autoComplete="off"
          value={props.query}
          onChange={(event) => {
            props.onQuery(event.target.value);
            setChosen(0);
          }}
          onKeyDown={(event) => {
            if (event.nativeEvent.isComposing) return;
            const step = KEY_STEPS[event.key];
            if (step !== undefined) setChosen(items.length === 0 ? 0 : (at + step + items.length) % items.length);
            else if (event.key === 'Enter') choose(items[at], event.shiftKey);
            else return;
            event.preventDefault();
          }}
        />
        <kbd>Esc</kbd>
      </div>
      <div className="palette-list" id={LIST_ID} role="listbox" aria-label={title} ref={list} tabIndex={-1}>
        {items.map((item, index) => (
          <div
            key={item.id}
            id={`palette-${index}`}
            data-index={index}
            data-action={item.id}
            role="option"
            tabIndex={-1}
            aria-selected={index === at}
            className={index === at ? 'palette-item is-chosen' : 'palette-item'}
            onMouseMove={() => setChosen(index)}
            onClick={(event) => choose(item, event.shiftKey)}
            onKeyDown={(event) => {
              if (event.key === 'Enter') choose(item, event.shiftKey);
            }}
          >
            <span className="palette-title">
              <Marked text={item.title} positions={item.positions} />
              {item.detail !== undefined && <small>{item.detail}</small>}
            </span>
            {props.end(item)}
          </div>
        ))}
      </div>
      {items.length === 0 && (
        <p className="palette-none" role="status">
          {props.none}
        </p>
      )}
      {props.foot}
    </Modal>
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
