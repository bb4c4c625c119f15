/**
 * The pty host as a reader, in process: adapter, ring, flow control, and a receiver like the host's own socket that takes
 * everything at once. Argument: a file that `cat` prints. Prints the bytes read and the nanoseconds from the start of the
 * program to the end of its output, of the second of two runs: a host that has just been started is not what people have.
 */
import { createHost } from '../../src/pty-host/index.ts';

const TAKE_EVERY = 131_072;
const [file = ''] = process.argv.slice(2);
const host = createHost({ bootId: 'bench', build: 'bench' });

async function read(id: string): Promise<string> {
  const since = process.hrtime.bigint();
  let count = 0;
  let taken = 0;
  const env = process.env as Record<string, string>;
  await host.spawn({ id, file: 'cat', args: [file], env, cwd: '/', cols: 120, rows: 40 });
  await new Promise<void>((resolve, reject) => {
    const sink = {
      takesViews: true as const,
      output(offset: number, bytes: Uint8Array) {
        if (offset !== count) reject(new Error(`bytes at ${offset}, expected ${count}`));
        count += bytes.length;
        if (count - taken < TAKE_EVERY) return;
        taken = count;
        host.acknowledge(id, count);
        host.storeCheckpoint(id, count, new Uint8Array(0));
      },
      resized() {},
      gap: (from: number, to: number) => reject(new Error(`bytes ${from} to ${to} are missing`)),
      exit() {},
      end: () => resolve(),
    };
    host.attach(id, 0, sink).catch(reject);
  });
  return `${count} ${process.hrtime.bigint() - since}`;
}

await read('warm-up');
console.log(await read('measured'));
await host.shutdown();
process.exit(0);
