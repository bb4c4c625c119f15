/**
 * The terminal a person sits at, as `tuic attach` uses it. Whoever opens it gets every key as it comes and must dispose of it:
 * only then is the terminal in the mode it had before.
 */
import type { ReadStream, WriteStream } from 'node:tty';
import type { Disposable } from '../base/index.ts';

export type EndSignal = 'SIGHUP' | 'SIGTERM' | 'SIGINT';

export interface PersonTerminalListener {
  input(bytes: Uint8Array): void;
  resized(): void;
  /** The person's end is gone, or somebody asks this program to end. */
  ending(signal: EndSignal): void;
}

export interface PersonTerminal {
  size(): { rows: number; cols: number };
  open(listener: PersonTerminalListener): Disposable;
  /** `written` is called when the terminal has taken it. */
  write(data: string | Uint8Array, written?: () => void): void;
}

const END_SIGNALS: readonly EndSignal[] = ['SIGHUP', 'SIGTERM', 'SIGINT'];

export function createPersonTerminal(input: ReadStream, output: WriteStream): PersonTerminal {
  return {
    size: () => ({ rows: Math.max(1, output.rows), cols: Math.max(1, output.columns) }),
    write: (data, written) => void output.write(data, () => written?.()),
    open({ input: takeInput, resized, ending }) {
      const wasRaw = input.isRaw;
      const leave = () => void input.setRawMode(wasRaw);
      const hungUp = () => ending('SIGHUP');
      const handlers = END_SIGNALS.map((signal) => ({ signal, handle: () => ending(signal) }));
      input.setRawMode(true);
      // Also when this program ends by a fault, the shell gets a terminal it can work with.
      process.once('exit', leave);
      for (const { signal, handle } of handlers) process.on(signal, handle);
      input.on('data', takeInput).on('end', hungUp).on('error', hungUp);
      output.on('resize', resized);
      return {
        dispose() {
          output.off('resize', resized);
          input.off('data', takeInput).off('end', hungUp).off('error', hungUp);
          input.pause();
          for (const { signal, handle } of handlers) process.off(signal, handle);
          process.off('exit', leave);
          leave();
        },
      };
    },
  };
}
