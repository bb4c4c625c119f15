/** The files in the folder of the captures. */
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { INSTANCE_FILES } from '../contract/index.ts';

/** Names with their extension, in order; none when there is no folder. */
async function readNames(directory: string): Promise<string[]> {
  try {
    return (await readdir(directory)).filter((name) => /\.(?:tcap|raw)$/.test(name)).sort();
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return [];
    throw error;
  }
}

export function listCaptureNames(configDirectory: string): Promise<string[]> {
  return readNames(join(configDirectory, INSTANCE_FILES.captures));
}

export async function listCaptureFiles(
  directory: string,
): Promise<{ name: string; bytes: number; modified: number }[]> {
  const files = (await readNames(directory)).map(async (name) => {
    const { size, mtimeMs } = await stat(join(directory, name));
    return { name, bytes: size, modified: mtimeMs };
  });
  return await Promise.all(files);
}
