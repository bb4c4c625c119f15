/**
 * Opens a file or folder in a program of the person (http.md 12). What works in a terminal gets one of ours; everything else is started
 * beside the server and left alone.
 */
import { AppError, type Config, type CreateSession, type OpenInApp } from '../../contract/index.ts';
import { fileKind } from '../../platform/fs/index.ts';
import type { StartDetached } from '../../platform/process/index.ts';
import { expandPath } from '../sessions/index.ts';
import type { AgentDetection } from './detection.ts';
import { EDITORS } from './editors.ts';

export interface AppOpenerOptions {
  detection: Pick<AgentDetection, 'programs' | 'path'>;
  home: string;
  platform: string;
  /** Of the server, stripped as for a session. */
  environment: Readonly<Record<string, string>>;
  /** Own ones of the person, from the settings. */
  launchers: () => Config['custom_launchers'];
  start: StartDetached;
  openTerminal: (session: CreateSession) => Promise<unknown>;
}

export interface AppOpener {
  open(input: OpenInApp): Promise<void>;
}

interface Target {
  path: string;
  /** The folder to work in. */
  folder: string;
  line: number | undefined;
  column: number | undefined;
}

type ArgumentsOf = (target: Target) => string[];

const withPlace = ({ path, line, column }: Target) =>
  [path, ...(line === undefined ? [] : [line, ...(column === undefined ? [] : [column])])].join(':');
const gotoPlace: ArgumentsOf = (target) => (target.line === undefined ? [target.path] : ['--goto', withPlace(target)]);
const jetBrains: ArgumentsOf = ({ path, line, column }) => [
  ...(line === undefined ? [] : ['--line', String(line)]),
  ...(column === undefined ? [] : ['--column', String(column)]),
  path,
];
const plain: ArgumentsOf = ({ path }) => [path];

/** JetBrains and whatever takes its place like them is the usual case. */
const ARGUMENTS: Readonly<Record<string, ArgumentsOf>> = {
  vscode: gotoPlace,
  cursor: gotoPlace,
  windsurf: gotoPlace,
  zed: (target) => [withPlace(target)],
  smerge: plain,
  kitty: ({ folder }) => ['--directory', folder],
};
const FILE_MANAGERS: Readonly<Record<string, string>> = { darwin: 'open', win32: 'explorer' };

export function createAppOpener(options: AppOpenerOptions): AppOpener {
  const { detection, home, platform, environment, launchers, start, openTerminal } = options;

  async function findProgram(names: readonly string[], app: string): Promise<string> {
    for (const path of (await detection.programs(names)).values()) if (path !== null) return path;
    throw new AppError('program_not_found', { program: app });
  }

  async function targetOf({ path: asked, line, col }: OpenInApp): Promise<Target> {
    const path = expandPath(asked, home);
    const kind = await fileKind(path).catch((error: unknown) => {
      throw new AppError('not_found', { what: path }, { cause: error });
    });
    const folder = kind === 'folder' ? path : path.slice(0, Math.max(1, path.lastIndexOf('/')));
    return { path, folder, line: line ?? undefined, column: line == null ? undefined : (col ?? undefined) };
  }

  async function startProgram(file: string, args: readonly string[], { folder }: Target): Promise<void> {
    try {
      await start({ file, args, cwd: folder, env: { ...environment, PATH: await detection.path() } });
    } catch (error) {
      throw new AppError('app_not_started', { program: file, detail: describe(error) }, { cause: error });
    }
  }

  return {
    async open(input) {
      const { app } = input;
      const own = launchers().find(({ id, enabled }) => enabled && id === app);
      const isKnown = own !== undefined || Object.hasOwn(EDITORS, app) || app === 'terminal' || app === 'file-manager';
      if (!isKnown) throw new AppError('unknown_app', { app });
      const target = await targetOf(input);
      if (app === 'terminal') {
        await openTerminal({ cwd: target.folder });
      } else if (own !== undefined) {
        const program = own.executable.startsWith('~/') ? expandPath(own.executable, home) : own.executable;
        const file = program.startsWith('/') ? program : await findProgram([program], app);
        const args = own.args.map((part) => part.replaceAll('{path}', () => target.path));
        const isPlaced = own.args.some((part) => part.includes('{path}'));
        await startProgram(file, isPlaced ? args : [...args, target.path], target);
      } else if (app === 'file-manager') {
        const name = FILE_MANAGERS[platform] ?? 'xdg-open';
        await startProgram(await findProgram([name], app), [target.folder], target);
      } else {
        const file = await findProgram(EDITORS[app] ?? [], app);
        if (app === 'neovim') {
          const args = [...(target.line === undefined ? [] : [`+${target.line}`]), '--', target.path];
          await openTerminal({ shell: file, args, cwd: target.folder });
        } else {
          await startProgram(file, (ARGUMENTS[app] ?? jetBrains)(target), target);
        }
      }
    },
  };
}

function describe(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
