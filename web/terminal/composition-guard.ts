/**
 * Keeps text of an input method from being sent twice, or not at all (T24). xterm.js sends letters as they are inserted, and sends
 * a composed word when its composition ends; some keyboards report the same word both ways. The rules here: what is inserted
 * while a composition runs or settles belongs to the composition, an end without a beginning has nothing to send, and a key
 * that comes before the word was read waits until it was (xterm would cut the reading short and lose the word).
 *
 * Ordering: these listeners stand on an element around xterm's text field. Captured events are judged before xterm sees
 * them. A composition is settled in the very turn in which xterm sends what it read from the field, so that a key of the next
 * turn is neither part of that nor held back; when there was nothing to send, a turn later. Keys that waited follow in their order.
 */
export interface GuardedTerminal {
  /** Tells of everything xterm sends. */
  onSent(listener: (data: string) => void): void;
  /** Types text as a person would. */
  type(text: string): void;
}

const MODIFIERS: ReadonlySet<string> = new Set(['Shift', 'Control', 'Alt', 'AltGraph', 'Meta', 'CapsLock', 'Fn']);
/** Key code of what an input method handles itself. */
const IN_COMPOSITION = 229;

export function guardComposition(around: HTMLElement, terminal: GuardedTerminal): void {
  let isComposing = false;
  /** Ends of compositions whose text xterm has not read yet. */
  const settling = new Set<object>();
  let waiting: KeyboardEvent[] = [];

  function settle(end: object): void {
    settling.delete(end);
    if (settling.size > 0) return;
    const keys = waiting;
    waiting = [];
    for (const event of keys) {
      const isText = event.key.length === 1 && !event.ctrlKey && !event.altKey && !event.metaKey;
      // A key without its default action types nothing by itself.
      if (isText) terminal.type(event.key);
      else event.target?.dispatchEvent(new KeyboardEvent(event.type, event));
    }
  }

  around.addEventListener(
    'compositionstart',
    () => {
      isComposing = true;
    },
    { capture: true },
  );
  around.addEventListener(
    'compositionend',
    (event) => {
      if (!isComposing) event.stopPropagation();
    },
    { capture: true },
  );
  around.addEventListener('compositionend', () => {
    isComposing = false;
    const end = {};
    settling.add(end);
    // xterm has set its own timer a moment ago; this one fires behind it.
    setTimeout(() => settle(end), 0);
  });
  around.addEventListener(
    'keydown',
    (event) => {
      const isKey = event.keyCode !== IN_COMPOSITION && !event.isComposing && !MODIFIERS.has(event.key);
      if (settling.size === 0 || isComposing || !isKey) return;
      event.preventDefault();
      event.stopPropagation();
      waiting.push(event);
    },
    { capture: true },
  );
  around.addEventListener(
    'input',
    (event) => {
      if (event instanceof InputEvent && event.inputType === 'insertText' && (isComposing || settling.size > 0)) {
        event.stopPropagation();
      }
    },
    { capture: true },
  );
  terminal.onSent((data) => {
    const [end] = settling;
    // Reports of the mouse and of the focus may come between. What was read is on its way before the keys that waited follow.
    if (end !== undefined && !data.startsWith('\x1b')) queueMicrotask(() => settle(end));
  });
}
