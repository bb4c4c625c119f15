/**
 * A page in a frame may ask for the keyboard at any time, and browsers give it, inert or not. A person goes into a frame by a click or the
 * wheel, which a cover over it hears, or by Tab from its own line. Whatever else takes the keyboard there is undone at once, so that
 * what is typed for a terminal does not end in a page of an agent; one that goes on trying is stopped.
 */
import type { Disposable } from '../../src/base/index.ts';

/** A page may want it when it is loaded, and once more; then it has another reason. */
const MOST_ATTEMPTS = 3;

export interface KeyboardOptions {
  /** Holds the frame, its cover and its line. */
  panel: HTMLElement;
  cover: HTMLElement;
  frame: HTMLIFrameElement;
  /** Nothing had the keyboard before: it goes where the person is. */
  giveBack(): void;
  stop(): void;
}

export function keepKeyboard({ panel, cover, frame, giveBack, stop }: KeyboardOptions): Disposable {
  let attempts = 0;
  let last: Element | null = document.activeElement;
  const listening = new AbortController();
  const { signal } = listening;
  const options = { capture: true, signal };

  function takeBack(): void {
    // What has the keyboard in the end is told after this event.
    setTimeout(() => {
      if (signal.aborted || cover.hidden || document.activeElement !== frame) return;
      frame.blur();
      window.focus();
      if (last instanceof HTMLElement && last.isConnected) last.focus({ preventScroll: true });
      if (document.activeElement === document.body) giveBack();
      attempts++;
      if (attempts >= MOST_ATTEMPTS) stop();
    });
  }

  cover.addEventListener(
    'pointerdown',
    (event) => {
      // Else the press would give the keyboard to what lies around the frame.
      event.preventDefault();
      event.stopPropagation();
      cover.hidden = true;
      frame.focus({ preventScroll: true });
    },
    { signal },
  );
  cover.addEventListener(
    'wheel',
    () => {
      cover.hidden = true;
    },
    { signal, passive: true },
  );
  window.addEventListener(
    'keydown',
    ({ key, ctrlKey }) => {
      cover.hidden = key === 'Tab' && !ctrlKey && panel.contains(document.activeElement);
    },
    options,
  );
  window.addEventListener(
    'focusin',
    ({ target }) => {
      if (target === frame) return;
      cover.hidden = false;
      if (target instanceof Element) last = target;
    },
    options,
  );
  window.addEventListener('blur', takeBack, options);
  // Already there: it was quicker than this.
  if (document.activeElement === frame) takeBack();
  return { dispose: () => listening.abort() };
}
