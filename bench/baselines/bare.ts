import { once } from 'node:events';
import { WebSocket } from 'ws';
import type { Cleanup } from '../../test/kit/cleanup-steps.ts';
import { program } from '../kit/machine.ts';
import { startChild } from './child.ts';
import type { Contestant, Line } from './line.ts';

/** A line over one ws socket whose binary messages are the output. */
export async function openSocketLine(address: string, take: (data: Buffer) => Buffer = (data) => data): Promise<Line> {
  const socket = new WebSocket(address, { perMessageDeflate: false });
  let received = 0;
  let listener: (bytes: Uint8Array) => void = () => {};
  socket.on('message', (data: Buffer) => {
    const bytes = take(data);
    received += bytes.length;
    listener(bytes);
  });
  await once(socket, 'open');
  return {
    get received() {
      return received;
    },
    send: (text) => socket.send(Buffer.from(text)),
    onData(next) {
      listener = next;
    },
    async close() {
      if (socket.readyState === WebSocket.CLOSED) return;
      const closed = once(socket, 'close');
      socket.terminate();
      await closed;
    },
  };
}

export async function startBare(cleanup: Cleanup, script: string): Promise<Contestant> {
  const child = startChild(cleanup, process.execPath, [program('bare'), '/bin/sh', '-c', script]);
  const [, port] = await child.until(/^port (\d+)$/m);
  return { name: 'bare', open: () => openSocketLine(`ws://127.0.0.1:${port}/`), pids: () => [child.pid] };
}
