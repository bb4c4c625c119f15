import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { createProcessInspector } from './index.ts';
import { parseMemory, parseProcessors } from './inspector.ts';

const isLinux = process.platform === 'linux';

describe('process inspector', () => {
  it('reads the load of the machine', () => {
    const stat =
      'cpu  10 2 30 400 50 6 7 8 0 0\ncpu0 5 1 15 200 25 3 3 4 0 0\ncpu1 5 1 15 200 25 3 4 4 0 0\nintr 1 2\n';
    expect(parseProcessors(stat)).toEqual({ cores: 2, busyTicks: 63 });
    expect(parseProcessors('nonsense')).toEqual({ cores: 1, busyTicks: 0 });
    expect(parseMemory('MemTotal:  100 kB\nMemAvailable:    40 kB\n', 'MemAvailable')).toBe(40 * 1_024);
    expect(parseMemory('MemTotal: 100 kB\n', 'MemAvailable')).toBe(0);
  });

  it.runIf(isLinux)('reads arguments and marks of a process, signals it, and knows that it is gone', async () => {
    const inspector = createProcessInspector();
    const child = spawn('sleep', ['60'], { stdio: 'ignore', env: { ...process.env, TUIC_MARK: 'a=b' } });
    try {
      await once(child, 'spawn');
      const pid = child.pid ?? 0;
      expect(await inspector.commandLine(pid, 100)).toEqual(['sleep', '60']);
      expect(await inspector.commandLine(pid, 4)).toEqual(['slee']);
      expect(await inspector.variable(pid, 'TUIC_MARK')).toBe('a=b');
      expect(await inspector.variable(pid, 'TUIC_MAR')).toBeNull();
      expect((await inspector.machine())?.memoryBytes).toBeGreaterThan(1_000_000);
      const closed = once(child, 'close');
      expect(inspector.signal(pid, 'SIGKILL')).toBe('sent');
      await closed;
      expect(inspector.signal(pid, 'SIGTERM')).toBe('gone');
      expect(await inspector.commandLine(pid, 100)).toBeNull();
      expect(await inspector.variable(pid, 'TUIC_MARK')).toBeNull();
    } finally {
      child.kill('SIGKILL');
    }
  });

  it('D16: says nothing where the kernel cannot be asked', async () => {
    for (const inspector of [createProcessInspector('darwin'), createProcessInspector('linux', '/nonexistent')]) {
      expect(await inspector.commandLine(1, 10)).toBeNull();
      expect(await inspector.variable(1, 'PATH')).toBeNull();
      expect(await inspector.machine()).toBeNull();
    }
  });
});
