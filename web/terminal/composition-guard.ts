/**
 * Keeps text of an input method from being sent twice (T24). xterm.js sends letters as they are inserted, and sends a
 * composed word when its composition ends; some keyboards report the same word both ways. The rule here: what is inserted
 * while a composition runs or settles belongs to the composition, and an end without a beginning has nothing to send.
 *
 * Ordering: these listeners stand on an element around xterm's text field. Captured events are judged before xterm sees
 * them; the end of a composition is marked as settled only after xterm's own delayed reading of the field.
 */
export function guardComposition(around: HTMLElement): void {
  let isComposing = false;
  let settling = 0;

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
    settling++;
    // xterm has set its own timer a moment ago; this one fires behind it.
    setTimeout(() => {
      settling--;
    }, 0);
  });
  around.addEventListener(
    'input',
    (event) => {
      if (event instanceof InputEvent && event.inputType === 'insertText' && (isComposing || settling > 0)) {
        event.stopPropagation();
      }
    },
    { capture: true },
  );
}
