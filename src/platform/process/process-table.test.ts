import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { createProcessTable, parseStat } from './index.ts';

const isLinux = process.platform === 'linux';

describe('process table', () => {
  it('reads names with blanks and parentheses', () => {
    const line = '42 (a) b (c)) S 1 42 42 34816 77 4194304 1 2 3 4 10 20 0 0 20 0 1 0 999 1000 25 184';
    expect(parseStat(line)).toEqual({
      pid: 42,
      name: 'a) b (c)',
      state: 'S',
      parent: 1,
      group: 42,
      session: 42,
      foregroundGroup: 77,
      cpuTicks: 30,
      startTicks: 999,
      residentBytes: 25 * 4096,
    });
    expect(parseStat('nonsense')).toBeNull();
  });

  it.runIf(isLinux)('knows this process and its children, and that a gone one is gone', async () => {
    const table = createProcessTable();
    expect(await table.get(process.pid)).toMatchObject({ pid: process.pid, parent: process.ppid });
    expect(await table.workingFolder(process.pid)).toBe(process.cwd());
    const child = spawn('sleep', ['60'], { stdio: 'ignore' });
    try {
      await once(child, 'spawn');
      const pid = child.pid ?? 0;
      expect(await table.get(pid)).toMatchObject({ parent: process.pid });
      expect((await table.all())?.map((entry) => entry.pid)).toContain(pid);
      child.kill('SIGKILL');
      await once(child, 'close');
      expect(await table.get(pid)).toBeNull();
      expect(await table.foreground(pid)).toBeNull();
      expect(await table.workingFolder(pid)).toBeNull();
    } finally {
      child.kill('SIGKILL');
    }
  });

  it('says nothing where the kernel cannot be asked', async () => {
    const table = createProcessTable('darwin');
    expect(await table.get(1)).toBeNull();
    expect(await table.all()).toBeNull();
    expect(await table.foreground(1)).toBeNull();
    expect(await table.workingFolder(1)).toBeNull();
  });
});
