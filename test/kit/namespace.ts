/** A second machine: a network namespace that is joined to ours by one virtual cable. Needs root and iproute2. */
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { promisify } from 'node:util';
import type { Cleanup } from './cleanup.ts';

const run = promisify(execFile);

const ip = (...values: string[]) => run('ip', values);

function describe(error: unknown): string {
  const text = error instanceof Error && 'stderr' in error ? String(error.stderr) : String(error);
  return text.trim().split('\n')[0] ?? '';
}

/** Why none can be made here; undefined when one can. */
export async function whyNoNamespace(): Promise<string | undefined> {
  const name = `tuic-${randomBytes(3).toString('hex')}`;
  try {
    await ip('netns', 'add', name);
    await ip('link', 'add', `${name}-p`, 'type', 'veth', 'peer', 'name', `${name}-q`);
    await ip('link', 'del', `${name}-p`);
    await run('curl', ['--version']);
    return undefined;
  } catch (error) {
    return describe(error);
  } finally {
    // None to remove when it could not be made.
    await ip('netns', 'del', name).catch(() => undefined);
  }
}

export interface Namespace {
  /** Asks from there with curl; its arguments, then the URL. 000 when nobody answers. */
  askStatus(...values: string[]): Promise<string>;
  /** Our address on the cable. */
  hostAddress: string;
}

export async function makeNamespace(cleanup: Cleanup): Promise<Namespace> {
  const name = `tuic-${randomBytes(3).toString('hex')}`;
  // A network of the range for documentation and tests, so that it is nobody's.
  const net = `192.0.2.${4 * Math.floor(Math.random() * 63)}`;
  const at = (offset: number) => net.replace(/\d+$/, (last) => String(Number(last) + offset));
  await ip('netns', 'add', name);
  // Takes the cable with it.
  cleanup.defer(() => ip('netns', 'del', name));
  await ip('link', 'add', `${name}-p`, 'type', 'veth', 'peer', 'name', 'far', 'netns', name);
  await ip('addr', 'add', `${at(1)}/30`, 'dev', `${name}-p`);
  await ip('link', 'set', `${name}-p`, 'up');
  await ip('-n', name, 'addr', 'add', `${at(2)}/30`, 'dev', 'far');
  await ip('-n', name, 'link', 'set', 'far', 'up');
  await ip('-n', name, 'link', 'set', 'lo', 'up');
  return {
    hostAddress: at(1),
    async askStatus(...values) {
      const quiet = ['-s', '-m', '10', '-o', '/dev/null', '-w', '%{http_code}'];
      try {
        return (await ip('netns', 'exec', name, 'curl', ...quiet, ...values)).stdout;
      } catch (error) {
        // A failed connection is curl's own exit code; it has printed 000 then.
        if (error instanceof Error && 'stdout' in error && error.stdout === '000') return '000';
        throw error;
      }
    },
  };
}
