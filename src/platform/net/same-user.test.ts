import { createConnection, createServer, type Server, type Socket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { asOtherUser } from '../../../test/kit/other-user.ts';
import { createSameUserCheck, lookUpPeerUid } from './same-user.ts';

const servers: Server[] = [];
const sockets: Socket[] = [];

afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  for (const server of servers.splice(0)) await new Promise((resolve) => server.close(resolve));
});

function listenOn(host: string): Promise<{ port: number; accept: () => Promise<Socket> }> {
  const waiting: ((socket: Socket) => void)[] = [];
  const accepted: Socket[] = [];
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    sockets.push(socket);
    socket.on('error', () => {});
    const take = waiting.shift();
    if (take) take(socket);
    else accepted.push(socket);
  });
  servers.push(server);
  return new Promise((resolve) => {
    server.listen(0, host, () => {
      const address = server.address();
      if (typeof address !== 'object' || address === null) throw new Error('no port');
      resolve({
        port: address.port,
        accept: () => {
          const ready = accepted.shift();
          return ready ? Promise.resolve(ready) : new Promise((take) => waiting.push(take));
        },
      });
    });
  });
}

function connectTo(port: number, host: string): Socket {
  const socket = createConnection({ port, host, allowHalfOpen: true });
  socket.on('error', () => {});
  sockets.push(socket);
  return socket;
}

describe('same-user check', () => {
  for (const [server, client] of [
    ['127.0.0.1', '127.0.0.1'],
    ['::1', '::1'],
    ['::', '127.0.0.1'],
    ['127.0.0.1', '::ffff:127.0.0.1'],
  ] as const) {
    it(`X01 D3: knows our own connection to ${server} from ${client}`, async () => {
      const { port, accept } = await listenOn(server);
      connectTo(port, client);
      expect(await createSameUserCheck()(await accept())).toBe(true);
    });

    it(`X01 D3: refuses another user on ${server} from ${client}`, async () => {
      const { port, accept } = await listenOn(server);
      const other = asOtherUser(
        'require("net").connect({port:+process.argv[1],host:process.argv[2]}).on("data",()=>process.exit(0))',
        [String(port), client],
      );
      const socket = await accept();
      expect(await createSameUserCheck()(socket)).toBe(false);
      expect(await lookUpPeerUid(socket)).toBe(65_534);
      socket.write('done');
      await other;
    });
  }

  it('X01 D3: refuses a peer that has closed, half-closed or reset, even when the server is root', async () => {
    const { port, accept } = await listenOn('127.0.0.1');
    const endings: ((socket: Socket) => void)[] = [
      (socket) => socket.destroy(),
      (socket) => socket.resetAndDestroy(),
      (socket) => socket.end(),
    ];
    for (const finish of endings) {
      const client = connectTo(port, '127.0.0.1');
      const socket = await accept();
      const ended = new Promise((resolve) => {
        socket.once('end', resolve);
        socket.once('error', resolve);
        socket.once('close', resolve);
      });
      socket.resume();
      finish(client);
      await ended;
      expect(await createSameUserCheck({ uid: 0 })(socket)).toBe(false);
    }
  });

  it('X01 D3: of many requests sent and closed at once by another user none passes', async () => {
    const { port, accept } = await listenOn('127.0.0.1');
    const other = asOtherUser(
      `const net=require('net');let left=100;
       for(let i=0;i<100;i++)net.connect(+process.argv[1],'127.0.0.1',function(){this.write('x');this.destroy();if(--left===0)process.exit(0)})`,
      [String(port)],
    );
    const check = createSameUserCheck();
    const answers = await Promise.all(Array.from({ length: 100 }, async () => check(await accept())));
    await other;
    expect(answers).toEqual(Array.from({ length: 100 }, () => false));
  });

  it('looks up once a connection and keeps the answer', async () => {
    const { port, accept } = await listenOn('127.0.0.1');
    connectTo(port, '127.0.0.1');
    const socket = await accept();
    let reads = 0;
    const check = createSameUserCheck({
      uid: 5,
      readTable: async () => {
        reads++;
        return undefined;
      },
    });
    expect([await check(socket), await check(socket)]).toEqual([false, false]);
    expect(reads).toBe(2);
  });

  it('needs a credential where the kernel cannot be asked or the uid says nothing', async () => {
    const addresses = { remoteAddress: '127.0.0.1', remotePort: 1, localAddress: '127.0.0.1', localPort: 2 };
    const row = '   0: 0100007F:0001 0100007F:0002 01 00000000:00000000 00:00000000 00000000 65534        0 77 1\n';
    expect(await lookUpPeerUid(addresses, async () => row)).toBe(65_534);
    expect(await lookUpPeerUid(addresses, async () => row.replace(' 77 1', ' 0 1'))).toBeUndefined();
    expect(await lookUpPeerUid(addresses, async () => row.replace(' 01 ', ' 06 '))).toBeUndefined();
    expect(await lookUpPeerUid(addresses, async () => undefined)).toBeUndefined();
    expect(await lookUpPeerUid({}, async () => row)).toBeUndefined();
    const { port, accept } = await listenOn('127.0.0.1');
    connectTo(port, '127.0.0.1');
    const socket = await accept();
    expect(await createSameUserCheck({ uid: undefined })(socket)).toBe(false);
    expect(await createSameUserCheck({ uid: process.getuid?.(), overflowUid: process.getuid?.() ?? 0 })(socket)).toBe(
      false,
    );
  });
});
