/** Whether the program shows its cursor (DECTCEM); xterm.js keeps that to itself. */
import type { IParser } from '@xterm/xterm';

const CURSOR = 25;

/** Looks on and changes nothing. */
export function watchCursor(parser: Pick<IParser, 'registerCsiHandler' | 'registerEscHandler'>): () => boolean {
  let isShown = true;
  const set = (shown: boolean) => (parameters: readonly (number | number[])[]) => {
    if (parameters.includes(CURSOR)) isShown = shown;
    return false;
  };
  const reset = () => {
    isShown = true;
    return false;
  };
  parser.registerCsiHandler({ prefix: '?', final: 'h' }, set(true));
  parser.registerCsiHandler({ prefix: '?', final: 'l' }, set(false));
  parser.registerCsiHandler({ intermediates: '!', final: 'p' }, reset);
  parser.registerEscHandler({ final: 'c' }, reset);
  return () => isShown;
}
