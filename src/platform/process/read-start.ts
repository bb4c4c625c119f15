import { open } from 'node:fs/promises';

/** The first `limit` bytes. The kernel's files have no size, so reading them whole takes twice as many calls. */
export async function readStart(path: string, limit: number): Promise<Buffer> {
  const file = await open(path, 'r');
  try {
    const buffer = Buffer.allocUnsafe(limit);
    const { bytesRead } = await file.read(buffer, 0, limit, 0);
    return buffer.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}
