/** Questions that come before something is done. */
import type { ProcessStats } from '../../src/contract/index.ts';
import { find, make } from './elements.ts';

export type Decision = 'end' | 'kill';

/** Undefined when nothing is to be done. */
export async function confirmEnd(
  stats: ProcessStats,
  context: { session: string; below: number },
): Promise<Decision | undefined> {
  const dialog = find('#confirm', HTMLDialogElement);
  find('#confirm-title', HTMLElement).textContent = `End ${stats.program}?`;
  const first =
    'It is the first process of the session: the session ends with it. A shell at its prompt ignores the request.';
  const below =
    context.below === 1 ? 'One process runs below it.' : `${context.below} processes run below it and are not asked.`;
  find('#confirm-body', HTMLElement).replaceChildren(
    make('code', { class: 'command' }, make('bdi', {}, stats.command)),
    make(
      'p',
      { class: 'dialog-text' },
      `Process ${stats.pid} of the session `,
      make('bdi', { class: 'strong' }, context.session),
      '. What it has not saved may be lost.',
    ),
    ...(stats.kind === 'session' ? [make('p', { class: 'dialog-text' }, first)] : []),
    ...(context.below > 0 ? [make('p', { class: 'dialog-text' }, below)] : []),
  );
  dialog.returnValue = '';
  dialog.showModal();
  await new Promise((resolve) => dialog.addEventListener('close', resolve, { once: true }));
  const { returnValue } = dialog;
  return returnValue === 'end' || returnValue === 'kill' ? returnValue : undefined;
}

export function showHelp(): void {
  find('#help', HTMLDialogElement).showModal();
}
