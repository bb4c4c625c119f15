/** The first line of a file that may be long; undefined when it is not there, or longer than `limit` bytes. */
import { open } from 'node:fs/promises';

export async function readFirstLine(path: string, limit: number): Promise<string | undefined> {
  try {
    const file = await open(path);
    try {
      const { buffer, bytesRead } = await file.read(Buffer.alloc(limit), 0, limit, 0);
      const end = buffer.subarray(0, bytesRead).indexOf(0x0a);
      return end === -1 ? undefined : buffer.toString('utf8', 0, end);
    } finally {
      await file.close();
    }
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}
