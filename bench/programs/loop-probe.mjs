/**
 * Loaded into the server by NODE_OPTIONS: measures how long its event loop is held up. A gap between two ticks of 1 ms,
 * less the time in which the kernel let another process run instead (schedstat), is the server's own doing. Every answer on
 * the socket TUIC_BENCH_PROBE tells the longest of each since the one before, in milliseconds, and starts anew.
 */
import { openSync, readSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';

const path = process.env.TUIC_BENCH_PROBE;
const isServer = /cli[\\/]main\.js$/.test(process.argv[1] ?? '') && process.argv[2] === 'start';
if (path !== undefined && isServer) {
  const TICK = 1;
  const statistics = openSync('/proc/self/schedstat', 'r');
  const buffer = Buffer.alloc(128);
  const waited = () => {
    const length = readSync(statistics, buffer, 0, buffer.length, 0);
    return Number(buffer.toString('latin1', 0, length).split(' ')[1]) / 1e6;
  };
  let last = performance.now();
  let lastWaited = waited();
  let longest = 0;
  let longestOwn = 0;
  const tick = () => {
    const now = performance.now();
    const nowWaited = waited();
    const gap = Math.max(0, now - last - TICK);
    longest = Math.max(longest, gap);
    longestOwn = Math.max(longestOwn, gap - (nowWaited - lastWaited));
    last = now;
    lastWaited = nowWaited;
    setTimeout(tick, TICK).unref();
  };
  tick();
  rmSync(path, { force: true });
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.end(JSON.stringify({ longest, longestOwn }));
    longest = 0;
    longestOwn = 0;
  });
  server.listen(path).unref();
}
