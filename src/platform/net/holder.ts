/** Names the server that holds an instance's socket, for the refusal of a second one. */
import { readFile } from 'node:fs/promises';
import { request } from 'node:http';
import { join } from 'node:path';
import { z } from 'zod';
import type { Clock } from '../../base/index.ts';
import { DEADLINES } from '../../contract/index.ts';

const holderSchema = z.object({ pid: z.number().int(), port: z.number().int().nullish() });
type Holder = z.infer<typeof holderSchema>;

const LARGEST_ANSWER = 65_536;

function parseHolder(text: string): Holder | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
  return holderSchema.safeParse(value).data;
}

/** Asks whoever listens there. Anything but a proper answer in time is no answer: the holder may be hung or no server of ours. */
function askHealth(socketPath: string, clock: Clock): Promise<Holder | undefined> {
  return new Promise((resolve) => {
    let text = '';
    const asking = request({ socketPath, path: '/health', agent: false }, (response) => {
      response.setEncoding('utf8');
      response.on('data', (part: string) => {
        text += part;
        if (text.length > LARGEST_ANSWER) finish(undefined);
      });
      response.on('error', () => finish(undefined));
      response.on('end', () => finish(parseHolder(text)));
    });
    const timer = clock.after(DEADLINES.ipcProbe, () => finish(undefined));
    const finish = (holder: Holder | undefined) => {
      timer.dispose();
      asking.destroy();
      resolve(holder);
    };
    asking.on('error', () => finish(undefined));
    asking.end();
  });
}

async function readRecord(configDirectory: string): Promise<Holder | undefined> {
  try {
    return parseHolder(await readFile(join(configDirectory, 'server.json'), 'utf8'));
  } catch {
    // The record only adds detail to a refusal that stands without it.
    return undefined;
  }
}

export async function describeHolder(socketPath: string, configDirectory: string, clock: Clock): Promise<string> {
  const holder = (await askHealth(socketPath, clock)) ?? (await readRecord(configDirectory));
  const parts = [holder === undefined ? 'a process that does not answer' : `pid ${holder.pid}`];
  parts.push(`configuration ${configDirectory}`);
  if (holder?.port != null) parts.push(`http://127.0.0.1:${holder.port}`);
  parts.push(`socket ${socketPath}`);
  return `${parts.join(', ')}. "tuic stop" ends it`;
}
