/** Our product as a contestant: a session through server and host, its viewer on local TCP with format=bytes. */
import { once } from 'node:events';
import { WebSocket } from 'ws';
import { BYTES_HEADER, LIMITS, type StreamFrame } from '../../src/contract/index.ts';
import type { ServerUnderTest } from '../../test/kit/server.ts';
import type { Contestant, Line } from './line.ts';

export class BytesMissing extends Error {}

/** Follows a session from its first byte, acknowledges as our workspace does, and refuses a stream with a hole. */
export async function openSessionLine(server: ServerUnderTest, id: string): Promise<Line> {
  const socket = new WebSocket(`ws://127.0.0.1:${server.port}/sessions/${id}/stream?format=bytes&offset=0`, {
    perMessageDeflate: false,
  });
  let received = 0;
  let acknowledged = 0;
  let fault: string | undefined;
  let listener: (bytes: Uint8Array) => void = () => {};
  socket.on('message', (data: Buffer, isBinary) => {
    if (!isBinary) {
      const frame = JSON.parse(data.toString('utf8')) as StreamFrame;
      if (frame.type === 'gap' || frame.type === 'snapshot') fault ??= `a ${frame.type} came at ${received}`;
      return;
    }
    const offset = Number(data.readBigUInt64LE(0));
    if (offset !== received) fault ??= `bytes at ${offset}, expected ${received}`;
    received += data.length - BYTES_HEADER;
    if (received - acknowledged >= LIMITS.viewerAckEvery) {
      acknowledged = received;
      socket.send(JSON.stringify({ type: 'ack', offset: received }));
    }
    listener(data.subarray(BYTES_HEADER));
  });
  await once(socket, 'open');
  return {
    get received() {
      if (fault !== undefined) throw new BytesMissing(fault);
      return received;
    },
    send: (text) => socket.send(Buffer.from(text)),
    onData(next) {
      listener = next;
    },
    async close() {
      const closed = once(socket, 'close');
      socket.terminate();
      await closed;
      await server.local.remove(id);
    },
  };
}

export function ours(server: ServerUnderTest, script: string): Contestant {
  return {
    name: 'ours',
    async open() {
      const { session_id } = await server.local.createSession({
        shell: '/bin/sh',
        args: ['-c', script],
        rows: 40,
        cols: 120,
      });
      return await openSessionLine(server, session_id);
    },
    pids: () => [server.pid, ...(server.host === undefined ? [] : [server.host.pid])],
  };
}
