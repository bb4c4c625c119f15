/** What this build calls itself. */
import { readFile } from 'node:fs/promises';
import { z } from 'zod';

const manifestSchema = z.object({ version: z.string() });
const buildSchema = z.object({ git_hash: z.string() });

export interface VersionInfo {
  version: string;
  /** Empty when the build did not know it. */
  gitHash: string;
}

async function readIfThere(location: URL): Promise<unknown> {
  try {
    return JSON.parse(await readFile(location, 'utf8'));
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}

/** `root` is the package's folder; dist/build-info.json is written by the build. */
export async function readVersion(root: URL): Promise<VersionInfo> {
  const { version } = manifestSchema.parse(await readIfThere(new URL('package.json', root)));
  const build = buildSchema.safeParse(await readIfThere(new URL('dist/build-info.json', root)));
  return { version, gitHash: build.data?.git_hash ?? '' };
}
