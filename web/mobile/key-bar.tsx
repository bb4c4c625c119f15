import type { MouseEvent, ReactNode } from 'react';
import { controlCharacter, type Key } from './keys.ts';
import { usePhone } from './phone-context.ts';

interface KeyCap {
  cap: string;
  label: string;
}

const FIRST_ROW: readonly (KeyCap & { key: Key })[] = [
  { key: 'Escape', cap: 'Esc', label: 'Esc' },
  { key: 'Tab', cap: 'Tab', label: 'Tab' },
];
const ARROWS: readonly (KeyCap & { key: Key })[] = [
  { key: 'ArrowUp', cap: '↑', label: 'Up' },
  { key: 'ArrowDown', cap: '↓', label: 'Down' },
  { key: 'ArrowLeft', cap: '←', label: 'Left' },
  { key: 'ArrowRight', cap: '→', label: 'Right' },
  { key: 'Enter', cap: '⏎', label: 'Enter' },
];
const ANSWERS = ['y', 'n', '1', '2', '3'];
const MORE: readonly (KeyCap & { key: Key })[] = [
  { key: 'Backspace', cap: '⌫', label: 'Backspace' },
  { key: 'BackTab', cap: '⇧Tab', label: 'Shift Tab' },
  { key: 'PageUp', cap: 'PgUp', label: 'PgUp' },
  { key: 'PageDown', cap: 'PgDn', label: 'PgDn' },
  { key: 'Home', cap: 'Home', label: 'Home' },
  { key: 'End', cap: 'End', label: 'End' },
];
/** What Ctrl is held for most, by use. */
const CONTROLLED = ['C', 'D', 'Z', 'L', 'R', 'A', 'E', 'U', 'K', 'W', 'O', 'X', 'B', 'F', 'N', 'P', 'G', 'S', 'Q', 'T'];

/** Keys that a phone's keyboard does not have. Ctrl stays down for the next key, here or in the text field. */
export function KeyBar({ isCtrl, setCtrl }: { isCtrl: boolean; setCtrl: (isCtrl: boolean) => void }) {
  const phone = usePhone();
  const send = (key: Key) => {
    phone.sendKey(key, isCtrl);
    setCtrl(false);
  };
  const control = (letter: string) => {
    phone.sendRaw(controlCharacter(letter) ?? '');
    setCtrl(false);
  };
  const keys = (list: readonly (KeyCap & { key: Key })[]) =>
    list.map(({ key, cap, label }) => (
      <KeyButton key={key} label={isCtrl ? `Ctrl ${label}` : label} onPress={() => send(key)}>
        {cap}
      </KeyButton>
    ));
  return (
    <div className="keys" role="toolbar" aria-label="Keys">
      <div className="key-row">
        {keys(FIRST_ROW)}
        <button
          type="button"
          className={isCtrl ? 'key is-held' : 'key'}
          aria-pressed={isCtrl}
          onMouseDown={keepFocus}
          onClick={() => setCtrl(!isCtrl)}
        >
          Ctrl
        </button>
        {keys(ARROWS)}
      </div>
      <div className="key-row key-row-scroll">
        {isCtrl ? (
          CONTROLLED.map((letter) => (
            <KeyButton key={letter} label={`Ctrl ${letter}`} onPress={() => control(letter)}>
              ^{letter}
            </KeyButton>
          ))
        ) : (
          <>
            <KeyButton label="Ctrl C" onPress={() => control('C')}>
              ^C
            </KeyButton>
            {ANSWERS.map((answer) => (
              <KeyButton key={answer} label={answer} onPress={() => phone.sendRaw(answer)}>
                {answer}
              </KeyButton>
            ))}
            {keys(MORE)}
          </>
        )}
      </div>
    </div>
  );
}

/** A tap on a key leaves the keyboard of the phone as it is, open or closed. */
function keepFocus(event: MouseEvent): void {
  event.preventDefault();
}

function KeyButton({ label, onPress, children }: { label: string; onPress: () => void; children: ReactNode }) {
  return (
    <button type="button" className="key" aria-label={label} onMouseDown={keepFocus} onClick={onPress}>
      {children}
    </button>
  );
}
