/** How a change to the settings of another program is told: what was done, or what would be, as a diff. */
import { createTwoFilesPatch } from 'diff';
import type { Context } from './context.ts';
import type { EntryChange } from './mcp-clients/entries.ts';
import { UnreadableFile } from './mcp-clients/unreadable-file.ts';
import { toSafeText } from './text.ts';

export function describeFailure(error: unknown): string {
  if (error instanceof UnreadableFile)
    return `its configuration cannot be edited (line ${error.line}): ${error.message}`;
  return error instanceof Error ? error.message : String(error);
}

export function diffOf({ file, before, after }: EntryChange): string {
  return createTwoFilesPatch(file, file, before, after, '', '', { context: 2 });
}

export interface Told {
  isWritten: boolean;
  isInstall: boolean;
  copy: string | undefined;
  diff: string;
}

export function tellChange(context: Context, change: EntryChange, { isWritten, isInstall, copy, diff }: Told): void {
  const { style } = context;
  const file = shorten(change.file, context.home);
  if (change.change === 'none') {
    context.print(`${change.name}: ${isInstall ? 'is set up already' : 'has no entry'} (${file})`);
    return;
  }
  if (!isWritten) {
    for (const line of diff
      .trimEnd()
      .split('\n')
      .slice(1)
      .filter((text) => !text.startsWith('====='))) {
      const colour = line.startsWith('+') ? style.green : line.startsWith('-') ? style.red : style.dim;
      context.print(colour(toSafeText(line.replaceAll('\t', '    '))));
    }
    return;
  }
  const kept = copy === undefined ? '' : style.dim(`  (before: ${shorten(copy, context.home)})`);
  const where = change.change === 'added' ? 'to' : change.change === 'removed' ? 'from' : 'in';
  context.print(`${change.name}: ${style.green(change.change)} ${where} ${file}${kept}`);
}

export function shorten(path: string, home: string): string {
  return path.startsWith(`${home}/`) ? `~${path.slice(home.length)}` : path;
}
