/**
 * Keeps text of an input method from being sent twice (T24). xterm.js sends letters as they are inserted, and sends a
 * composed word when its composition ends; some keyboards report the same word both ways. The rule here: what is inserted
 * while a composition runs or settles belongs to the composition, and an end without a beginning has nothing to send.
 *
 * Ordering: these listeners stand on an element around xterm's text field. Captured events are judged before xterm sees
 * them. A composition is settled in the very turn in which xterm sends what it read from the field, so that a key of the next
 * turn is neither part of that nor held back; when there was nothing to send, a turn later.
 *
 * `onSent` tells of everything xterm sends.
 */
export function guardComposition(around: HTMLElement, onSent: (listener: (data: string) => void) => void): void {
  let isComposing = false;
  /** Ends of compositions whose text xterm has not read yet. */
  const settling = new Set<object>();

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
    setTimeout(() => settling.delete(end), 0);
  });
  around.addEventListener(
    'input',
    (event) => {
      if (event instanceof InputEvent && event.inputType === 'insertText' && (isComposing || settling.size > 0)) {
        event.stopPropagation();
      }
    },
    { capture: true },
  );
  onSent((data) => {
    // Reports of the mouse and of the focus may come between.
    if (!data.startsWith('\x1b')) for (const end of [...settling].slice(0, 1)) settling.delete(end);
  });
}
