/** tuic repo add, ls, rm. */
import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { type Client, RequestRefused } from '../../client/index.ts';
import { EXIT_CODES } from '../../contract/index.ts';
import type { Context } from '../context.ts';
import { CliFailure } from '../failure.ts';
import { addRepository, hasRepository, removeRepository } from '../repositories-document.ts';
import { formatTable, shortenHome, toSafeText } from '../text.ts';

interface JsonOption {
  json?: boolean;
}

const FILE = 'repositories';
/** Somebody else writes all the time then. */
const MOST_ATTEMPTS = 5;

/** Changes the document as it stands; what a window writes at the same time is read again first. */
async function changeDocument(client: Client, change: (document: unknown) => unknown): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    const { value, etag } = await client.config.readFile(FILE);
    const changed = change(value);
    if (changed === undefined) return;
    try {
      await client.config.writeFile(FILE, changed, { ifMatch: etag });
      return;
    } catch (error) {
      if (error instanceof RequestRefused && error.status === 412 && attempt < MOST_ATTEMPTS) continue;
      throw error;
    }
  }
}

async function requireFolder(path: string): Promise<void> {
  let isFolder: boolean;
  try {
    isFolder = (await stat(path)).isDirectory();
  } catch (error) {
    if (!(error instanceof Error && 'code' in error)) throw error;
    throw new CliFailure(EXIT_CODES.notFound, `The folder ${toSafeText(path)} cannot be read (${error.code})`);
  }
  if (!isFolder) throw new CliFailure(EXIT_CODES.usage, `${toSafeText(path)} is no folder`);
}

export async function addRepositoryFolder(
  context: Context,
  asked: string | undefined,
  options: JsonOption,
): Promise<void> {
  const path = resolve(context.workingDirectory, asked ?? '.');
  await requireFolder(path);
  const client = await context.connect();
  const info = await client.repositories.info(path);
  let added = false;
  await changeDocument(client, (document) => {
    added = !hasRepository(document, info.path);
    return added ? addRepository(document, info) : undefined;
  });
  if (options.json) return context.printJson({ path: info.path, added, is_git_repo: info.is_git_repo });
  const name = toSafeText(info.path);
  if (!added) return context.print(`${name} is registered already`);
  context.print(info.is_git_repo ? `Added ${name}` : `Added ${name}; it is no git repository`);
}

export async function removeRepositoryFolder(context: Context, asked: string, options: JsonOption): Promise<void> {
  const path = resolve(context.workingDirectory, asked);
  await changeDocument(await context.connect(), (document) => {
    if (hasRepository(document, path)) return removeRepository(document, path);
    const next = '"tuic repo ls" shows those that are';
    throw new CliFailure(EXIT_CODES.notFound, `${toSafeText(path)} is not registered. ${next}`);
  });
  if (options.json) return context.printJson({ path, removed: true });
  context.print(`Removed ${toSafeText(path)} from the list; the folder stays as it is`);
}

export async function listRepositories(context: Context, options: JsonOption): Promise<void> {
  const repositories = await (await context.connect()).repositories.list();
  if (options.json) return context.printJson(repositories);
  if (repositories.length === 0) return context.print('No repositories. Register one with "tuic repo add <folder>"');
  const rows = repositories.map(({ path, name, branch, status, ahead, behind }) => [
    toSafeText(name),
    branch === '' ? '-' : toSafeText(branch),
    status,
    ahead === undefined || behind === undefined ? '-' : `+${ahead} -${behind}`,
    toSafeText(shortenHome(path, context.home)),
  ]);
  const { style } = context;
  const colour = (cell: string, row: number, column: number) => {
    if (row < 0) return style.dim(cell);
    if (column === 0) return style.bold(cell);
    if (column !== 2) return cell;
    return cell === 'clean' ? style.green(cell) : cell === 'conflict' ? style.red(cell) : style.yellow(cell);
  };
  context.print(formatTable(['NAME', 'BRANCH', 'STATE', 'REMOTE', 'FOLDER'], rows, colour));
}
