/**
 * Which files a tab may show: plain files inside a registered repository, links included, that lie in the folder of the file that was
 * opened. Asked anew for each file, so what is taken out of the list of repositories, or becomes a link to elsewhere, is refused from
 * then on. Names that begin with a dot (`.env`, `.git`) are shown only when they were opened themselves.
 */
import { basename, dirname, isAbsolute, join } from 'node:path';
import { isJsonObject } from '../../base/index.ts';
import { AppError, LIMITS } from '../../contract/index.ts';
import { isInside, openPlainFile, type PlainFile, realPathOf } from '../../platform/fs/index.ts';

/** The stored document of the repositories, as it is. */
export type ReadRepositories = () => Promise<unknown>;

/** A file that a tab was opened on; both paths are free of links. */
export interface OpenedFile {
  path: string;
  folder: string;
  name: string;
}

export interface ShownFile {
  name: string;
  file: PlainFile;
}

const OUTSIDE = 'the file is outside of every registered repository (repositories.json)';

/** Registered repositories are the keys of `repos` (http.md 11.3). */
export function registeredRoots(document: unknown): string[] {
  if (!isJsonObject(document)) return [];
  const repositories = document.repos ?? document.repositories;
  if (!isJsonObject(repositories)) return [];
  return Object.keys(repositories).filter((path) => isAbsolute(path) && !path.split('/').includes('..'));
}

function activeRoot(document: unknown): string | undefined {
  if (!isJsonObject(document) || typeof document.activeRepoPath !== 'string') return undefined;
  return registeredRoots(document).find((root) => root === document.activeRepoPath);
}

export class TabFiles {
  readonly #readRepositories: ReadRepositories;

  constructor(readRepositories: ReadRepositories) {
    this.#readRepositories = readRepositories;
  }

  /** Throws access_denied, or not_found for what is no plain file. */
  async find(asked: string): Promise<OpenedFile> {
    const document = await this.#readRepositories();
    const path = isAbsolute(asked) ? asked : this.#fromActive(document, asked);
    const real = await this.#refuseOutside(document, path);
    const name = basename(real);
    const found = await openPlainFile(real);
    if (found === undefined) throw new AppError('not_found', { what: `file ${path}` });
    await found.close();
    return { path: real, folder: dirname(real), name };
  }

  /** `rest`: a path from the folder of the file, as it stood in the address. */
  async open(opened: OpenedFile, rest: string, isAlone: boolean): Promise<ShownFile> {
    const missing = new AppError('not_found', { what: 'file of this tab' });
    const isOpened = rest === opened.name;
    if (!isOpened) {
      const parts = rest.split('/');
      const isPlain = parts.every((part) => part !== '' && !part.startsWith('.') && !/[\\\0]/.test(part));
      if (isAlone || !isPlain) throw missing;
    }
    const real = await this.#refuseOutside(await this.#readRepositories(), join(opened.folder, rest), missing);
    if (!isInside(opened.folder, real)) {
      throw new AppError('access_denied', { reason: 'the file is outside of the folder of this tab' });
    }
    const file = await openPlainFile(real);
    if (file === undefined) throw missing;
    if (file.size > LIMITS.tabFile) {
      await file.close();
      throw new AppError('invalid_input', { detail: `the file is too large for a tab (${LIMITS.tabFile} bytes)` });
    }
    return { name: basename(real), file };
  }

  #fromActive(document: unknown, path: string): string {
    const root = activeRoot(document);
    if (root === undefined) {
      throw new AppError('invalid_input', {
        detail: 'url: no repository is active, so the path must be absolute: tuic://open//<absolute path>',
      });
    }
    return join(root, path);
  }

  /** By its name first, so that nothing is told of files that are none of the caller's business; then by where it really leads. */
  async #refuseOutside(document: unknown, path: string, missing?: AppError): Promise<string> {
    const roots = registeredRoots(document);
    const real = (await Promise.all(roots.map(realPathOf))).filter((root) => root !== undefined);
    if (![...roots, ...real].some((root) => isInside(root, path))) {
      throw new AppError('access_denied', { reason: OUTSIDE });
    }
    const target = await realPathOf(path);
    if (target === undefined) throw missing ?? new AppError('not_found', { what: `file ${path}` });
    if (!real.some((root) => isInside(root, target))) throw new AppError('access_denied', { reason: OUTSIDE });
    return target;
  }
}
