/**
 * The files of the pictures that agents asked for: a folder of their own, readable by this user alone. Only the newest are kept, and none
 * for longer than a day: what was on a screen is nobody's archive. Files of other names in the folder stay.
 */
import { chmod, mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Clock, type Ids, KeyedMutex } from '../../base/index.ts';
import { AppError, DEADLINES, LIMITS, PICTURE_TYPES, type PictureType } from '../../contract/index.ts';

const OWN_NAME = /^(\d{1,15})-[0-9a-zA-Z-]+\.(?:webp|png)$/;
const SWEEP = 'sweep';

const SIGNATURES: Readonly<Record<PictureType, (bytes: Buffer) => boolean>> = {
  'image/webp': (bytes) => bytes.toString('latin1', 0, 4) === 'RIFF' && bytes.toString('latin1', 8, 12) === 'WEBP',
  'image/png': (bytes) => bytes.toString('latin1', 0, 8) === '\x89PNG\r\n\x1a\n',
};

export interface Picture {
  type: PictureType;
  bytes: Buffer;
}

export interface PictureFiles {
  /** Resolves to its path. */
  save(picture: Picture): Promise<string>;
  sweep(): Promise<void>;
}

/** What a window sent, if it is what it says. */
export function checkPicture(type: string | undefined, bytes: Buffer): Picture {
  const known = PICTURE_TYPES.find((one) => one === type);
  if (known === undefined || !SIGNATURES[known](bytes)) {
    throw new AppError('invalid_input', { detail: `the body must be a picture: ${PICTURE_TYPES.join(' or ')}` });
  }
  return { type: known, bytes };
}

function timeOf(name: string): number {
  return Number(OWN_NAME.exec(name)?.[1] ?? 0);
}

export function createPictureFiles({
  directory,
  clock,
  ids,
}: {
  directory: string;
  clock: Clock;
  ids: Ids;
}): PictureFiles {
  const mutex = new KeyedMutex();

  /** Keeps at most so many. */
  async function sweep(most: number): Promise<void> {
    let names: string[];
    try {
      names = (await readdir(directory)).filter((name) => OWN_NAME.test(name));
    } catch (error) {
      if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return;
      throw error;
    }
    const newestFirst = names.sort((one, other) => timeOf(other) - timeOf(one));
    const oldest = clock.now() - DEADLINES.pictureKept;
    const surplus = newestFirst.filter((name, index) => index >= most || timeOf(name) < oldest);
    await Promise.all(surplus.map((name) => rm(join(directory, name), { force: true })));
  }

  return {
    save: ({ type, bytes }) =>
      mutex.run(SWEEP, async () => {
        const path = join(directory, `${clock.now()}-${ids.uuid()}.${type === 'image/png' ? 'png' : 'webp'}`);
        try {
          await mkdir(directory, { recursive: true, mode: 0o700 });
          await chmod(directory, 0o700);
          await sweep(LIMITS.pictures - 1);
          await writeFile(path, bytes, { flag: 'wx', mode: 0o600 });
        } catch (error) {
          throw new AppError('storage_failed', { detail: error instanceof Error ? error.message : String(error) });
        }
        return path;
      }),
    sweep: () => mutex.run(SWEEP, () => sweep(LIMITS.pictures)),
  };
}
