/** Checks and completes what a caller asks for before anything is reserved or started (http.md 3 and 1.4). */
import { isCanonicalUuid, isSessionId } from '../../base/index.ts';
import { AppError, type CreateSession, LIMITS } from '../../contract/index.ts';
import { interactiveArguments } from './shell.ts';

export interface LaunchRequest {
  rows: number;
  cols: number;
  file: string;
  args: string[];
  cwd: string;
  /** Undefined: mint one. */
  id: string | undefined;
  identity: string | undefined;
  environment: Record<string, string>;
}

export interface LaunchDefaults {
  home: string;
  shell: string | undefined;
  platform: string;
}

export const DEFAULT_SHELL = '/bin/bash';

const DEFAULT_ROWS = 24;
const DEFAULT_COLS = 80;

export function checkSize(rows: number, cols: number): void {
  checkDimension('rows', rows, LIMITS.rowsMax);
  checkDimension('cols', cols, LIMITS.colsMax);
}

function checkDimension(name: 'rows' | 'cols', value: number, most: number): void {
  if (!Number.isInteger(value) || value < 1 || value > most) throw new AppError('size_out_of_range', { name, value });
}

/** `~` and `~/x` become the server user's home. Refuses empty, `..`, NUL and relative paths, and `~user`. */
export function expandPath(path: string, home: string): string {
  if (path === '') throw new AppError('path_required');
  if (path.startsWith('~') && path !== '~' && !path.startsWith('~/')) throw new AppError('path_user_home');
  const expanded = path === '~' ? home : path.startsWith('~/') ? joinHome(home, path.slice(2)) : path;
  if (expanded.includes('..') || expanded.includes('\0')) throw new AppError('path_traversal');
  if (!isAbsolute(expanded)) throw new AppError('path_not_absolute');
  return expanded;
}

function joinHome(home: string, rest: string): string {
  return home.endsWith('/') ? `${home}${rest}` : `${home}/${rest}`;
}

function isAbsolute(path: string): boolean {
  return path.startsWith('/') || /^[A-Za-z]:[\\/]/.test(path) || path.startsWith('\\\\');
}

export function prepareLaunch(input: CreateSession, defaults: LaunchDefaults): LaunchRequest {
  const rows = input.rows ?? DEFAULT_ROWS;
  const cols = input.cols ?? DEFAULT_COLS;
  checkSize(rows, cols);
  const id = input.session_id === undefined || input.session_id === '' ? undefined : input.session_id;
  if (id !== undefined && !isSessionId(id)) throw new AppError('invalid_session_id');
  const identity = input.tuic_session ?? undefined;
  if (identity !== undefined && !isCanonicalUuid(identity)) throw new AppError('invalid_identity');
  const cwd = input.cwd === undefined || input.cwd === null ? defaults.home : expandPath(input.cwd, defaults.home);
  const asked = input.shell === undefined || input.shell === null || input.shell === '' ? undefined : input.shell;
  const file = asked === undefined ? (defaults.shell ?? DEFAULT_SHELL) : expandProgram(asked, defaults.home);
  const args = input.args ?? (asked === undefined ? interactiveArguments(file, defaults.platform) : []);
  if ([...args, file].some((text) => text.includes('\0'))) {
    throw new AppError('invalid_input', { detail: 'shell and args must not contain NUL' });
  }
  return { rows, cols, file, args, cwd, id, identity, environment: checkEnvironment(input.env ?? {}) };
}

/** A program is a path or a name on PATH; only `~/` is expanded. */
function expandProgram(program: string, home: string): string {
  if (program.startsWith('~/')) return joinHome(home, program.slice(2));
  if (program.startsWith('~')) throw new AppError('path_user_home');
  return program;
}

function checkEnvironment(environment: Record<string, string>): Record<string, string> {
  for (const [name, value] of Object.entries(environment)) {
    if (name === '' || name.includes('=') || name.includes('\0') || value.includes('\0')) {
      throw new AppError('invalid_input', { detail: `env.${name.replaceAll('\0', '')}: not a valid variable` });
    }
  }
  return environment;
}
