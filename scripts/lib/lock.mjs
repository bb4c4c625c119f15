/**
 * One build at a time in a working tree. The lock is a file that is linked into place with its content (so it is never
 * seen half written); its holder is alive while a process with that pid and start time exists.
 */
import { linkSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

function startTime(pid) {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ')[19] ?? '';
  } catch (error) {
    if (error.code === 'ENOENT' || error.code === 'ESRCH') return '';
    throw error;
  }
}

function isAlive(holder) {
  const [pid, started] = holder.split(' ');
  try {
    process.kill(Number(pid), 0);
  } catch (error) {
    return error.code === 'EPERM';
  }
  return started === startTime(Number(pid));
}

function read(path) {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  }
}

function tryLink(from, to) {
  try {
    linkSync(from, to);
    return true;
  } catch (error) {
    if (error.code === 'EEXIST') return false;
    throw error;
  }
}

/** Runs `work` while holding the lock file at `path`; waits for another living holder and tells `onWait` once. */
export async function withLock(path, work, onWait = () => {}) {
  mkdirSync(dirname(path), { recursive: true });
  const mine = `${process.pid} ${startTime(process.pid)}`;
  const own = `${path}.${process.pid}`;
  writeFileSync(own, mine);
  let told = false;
  try {
    while (!tryLink(own, path)) {
      const holder = read(path);
      if (holder === undefined) continue;
      if (!isAlive(holder)) {
        // Take the dead lock away under a name of ours; if another process replaced it meanwhile, put that one back.
        const taken = `${own}.taken`;
        try {
          renameSync(path, taken);
        } catch (error) {
          if (error.code === 'ENOENT') continue;
          throw error;
        }
        if (read(taken) !== holder) tryLink(taken, path);
        rmSync(taken, { force: true });
        continue;
      }
      if (!told) onWait(holder.split(' ')[0]);
      told = true;
      await sleep(200);
    }
    try {
      return await work();
    } finally {
      if (read(path) === mine) rmSync(path, { force: true });
    }
  } finally {
    rmSync(own, { force: true });
  }
}
