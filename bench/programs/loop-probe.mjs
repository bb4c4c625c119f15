/**
 * Loaded into the server by NODE_OPTIONS: measures how long its event loop is held up. A gap between two ticks of 1 ms,
 * less the time in which the kernel let another process run instead (schedstat), is the server's own doing. Every answer on
 * the socket TUIC_BENCH_PROBE tells the longest of each since the one before, in milliseconds, and starts anew.
 * With TUIC_BENCH_COLLECT=1 the garbage is collected before the answer, which counts as no delay: what a process holds after
 * that is what it needs.
 */
import { openSync, readSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

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
  let collect = () => {};
  if (process.env.TUIC_BENCH_COLLECT === '1') {
    setFlagsFromString('--expose-gc');
    collect = runInNewContext('gc');
  }
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
    const answer = JSON.stringify({ longest, longestOwn });
    collect();
    last = performance.now();
    lastWaited = waited();
    longest = 0;
    longestOwn = 0;
    socket.end(answer);
  });
  server.listen(path).unref();
}
