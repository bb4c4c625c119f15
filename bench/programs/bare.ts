/**
 * The baseline `bare`: our PTY adapter piped to a WebSocket, nothing else. Each connection runs the program given as
 * arguments in a terminal of its own and ends with it. Prints `port N`.
 */
import { createServer } from 'node:http';
import { WebSocketServer } from 'ws';
import { systemClock } from '../../src/base/index.ts';
import { Terminal } from '../../src/pty-host/pty/terminal.ts';

const HIGH = 1_048_576;
const LOW = 262_144;
const [file = '', ...args] = process.argv.slice(2);

const server = createServer();
const sockets = new WebSocketServer({ server, perMessageDeflate: false });
sockets.on('connection', (socket) => {
  let isHeld = false;
  const terminal = new Terminal(
    { file, args, env: process.env as Record<string, string>, cwd: '/', cols: 120, rows: 40 },
    systemClock,
    {
      output(bytes) {
        socket.send(Uint8Array.from(bytes), () => {
          if (!isHeld || socket.bufferedAmount > LOW) return;
          isHeld = false;
          terminal.continueReading();
        });
        if (isHeld || socket.bufferedAmount <= HIGH) return;
        isHeld = true;
        terminal.pauseReading();
      },
      hasRoom: () => socket.bufferedAmount <= HIGH,
      died() {},
      exit() {},
      end: () => socket.close(),
    },
  );
  socket.on('message', (data: Buffer) => terminal.write(data));
  socket.on('close', () => {
    terminal.close();
    try {
      process.kill(-terminal.pid, 'SIGKILL');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
    }
  });
});
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  if (typeof address === 'object' && address !== null) console.log(`port ${address.port}`);
});
