/**
 * server.json: who serves here, for people and messages. It decides nothing (the socket does), so it is written after the doors
 * are open and removed only while it is still ours.
 */
import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { INSTANCE_FILES, type ServerRecord } from '../contract/index.ts';

export async function writeServerRecord(record: ServerRecord): Promise<void> {
  const path = join(record.configDirectory, INSTANCE_FILES.server);
  const draft = `${path}.${record.pid}`;
  await writeFile(draft, `${JSON.stringify(record, null, 2)}\n`, { mode: 0o600 });
  await rename(draft, path);
}

export async function removeServerRecord(configDirectory: string, pid: number): Promise<void> {
  const path = join(configDirectory, INSTANCE_FILES.server);
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return;
    throw error;
  }
  if (text.includes(`"pid": ${pid},`)) await rm(path, { force: true });
}
