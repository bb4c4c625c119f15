/** tuic completion prints a shell's script; tuic complete gives it the names that only the instance knows. */
import { CONFIG_FILE_NAMES, EXIT_CODES } from '../../contract/index.ts';
import { listCaptureNames } from '../capture-files.ts';
import { renderBash } from '../completion/bash.ts';
import { renderFish } from '../completion/fish.ts';
import { renderZsh } from '../completion/zsh.ts';
import { flatten, formatKey } from '../config-document.ts';
import { MAIN_FILE } from '../config-store.ts';
import type { Context } from '../context.ts';
import { CliFailure } from '../failure.ts';
import { nameOf } from '../session-ref.ts';
import { toSafeText } from '../text.ts';
import type { NameKind, VerbDescription } from '../tree-description.ts';

export const SHELLS = ['bash', 'zsh', 'fish'] as const;
export type Shell = (typeof SHELLS)[number];

const RENDERERS: Readonly<Record<Shell, (tree: VerbDescription) => string>> = {
  bash: renderBash,
  zsh: renderZsh,
  fish: renderFish,
};

/** Without a name, the shell of the person is meant. */
export function printCompletion(context: Context, name: string | undefined, tree: VerbDescription): void {
  const wanted = name ?? context.env.SHELL?.split('/').at(-1);
  const shell = SHELLS.find((candidate) => candidate === wanted);
  if (shell === undefined) {
    throw new CliFailure(EXIT_CODES.usage, `Say for which shell: ${SHELLS.join(', ')}`);
  }
  context.write(RENDERERS[shell](tree));
}

const NAMES: Readonly<Record<NameKind, (context: Context) => Promise<readonly (readonly [string, string])[]>>> = {
  async sessions(context) {
    const sessions = (await context.askIfRunning((client) => client.sessions.list())) ?? [];
    return sessions.map((session) => [nameOf(session), session.display_name ?? session.title ?? session.cwd ?? '']);
  },
  async settings(context) {
    const config = await context.askIfRunning((client) => client.config.read());
    return config === undefined
      ? []
      : flatten(config.value).map(({ key, value }) => [formatKey(key), JSON.stringify(value)]);
  },
  async captures(context) {
    return (await listCaptureNames(context.configDirectory)).map((name) => [name, 'a capture']);
  },
  async 'config-files'() {
    return [MAIN_FILE, ...CONFIG_FILE_NAMES].map((name) => [name, `${name}.json`]);
  },
};

/** A line each: name, tabulator, what it is. Without a server there are none, which is no failure while somebody types. */
export async function printNames(context: Context, kind: NameKind): Promise<void> {
  for (const [name, meaning] of await NAMES[kind](context))
    context.print(`${toSafeText(name)}\t${toSafeText(meaning)}`);
}
