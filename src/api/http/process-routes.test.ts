import { createHash } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { cleanupAfterEach } from '../../../test/kit/cleanup.ts';
import { startFront } from '../../../test/kit/front.ts';
import { ApiClient, rawLines, rawRequest } from '../../../test/kit/http.ts';
import { BASIC } from '../../../test/kit/route-entries.ts';

const cleanup = cleanupAfterEach();

describe('http.md 7: processes over HTTP', () => {
  it('lists, tells the history, and ends a process of a session, which the access log names', async () => {
    const front = await startFront(cleanup);
    const api = new ApiClient(front.local);
    const rows = (await api.ok('GET', '/process/stats')) as { name: string; pid: number }[];
    expect(rows.map(({ pid }) => pid)).toEqual([process.pid, 900, 901, 902]);
    const { newest_id } = (await api.ok('GET', '/process/history')) as { newest_id: number };
    expect(await api.ok('GET', `/process/history?after=${newest_id}`)).toMatchObject({ samples: [] });
    expect(await api.ok('POST', '/process/kill', { pid: 902, start_ticks: 9_020 })).toEqual({
      ok: true,
      session_id: 'known',
      program: 'program-902',
    });
    expect(front.processes.signals).toEqual(['SIGTERM 902']);
    const [entry] = await front.accessLog.read({ limit: 1 });
    expect(entry).toMatchObject({ route: '/process/kill', session_id: 'known', status: 200 });
  });

  it('refuses a kill that does not say exactly which process, and names the field', async () => {
    const front = await startFront(cleanup);
    const api = new ApiClient(front.local);
    for (const [body, field] of [
      [{ pid: 902 }, 'start_ticks'],
      [{ start_ticks: 1 }, 'pid'],
      [{ pid: -1, start_ticks: 1 }, 'pid'],
      [{ pid: 0, start_ticks: 1 }, 'pid'],
      [{ pid: 1, start_ticks: 1 }, 'pid'],
      [{ pid: '902', start_ticks: 9_020 }, 'pid'],
      [{ pid: 902.5, start_ticks: 9_020 }, 'pid'],
      [{ pid: 902, start_ticks: 0 }, 'start_ticks'],
      [{ pid: 902, start_ticks: 9_020, mode: 'maim' }, 'mode'],
    ] as const) {
      const { status, text } = await api.post('/process/kill', body);
      expect([status, JSON.parse(text).error]).toEqual([400, expect.stringContaining(`Invalid input: ${field}:`)]);
    }
    expect((await api.post('/process/kill', { pid: 902, start_ticks: 1 })).status).toBe(404);
    expect((await api.post('/process/kill', { pid: 900, start_ticks: 9_000 })).status).toBe(403);
    expect((await api.get('/process/history?after=x')).status).toBe(400);
    expect(front.processes.signals).toEqual([]);
  });

  it('DESIGN 9: serves the page with a policy for exactly what stands in it; without a build it says so', async () => {
    const front = await startFront(cleanup);
    const ask = (method = 'GET') =>
      rawRequest(
        front.remote,
        rawLines(`${method} /process/monitor HTTP/1.1`, [
          `Host: 127.0.0.1:${front.remote.port}`,
          BASIC,
          'Connection: close',
        ]),
      );
    const page = await ask();
    expect(page.status).toBe(200);
    const policy = page.head.toLowerCase();
    const hash = (text: string) => createHash('sha256').update(text).digest('base64').toLowerCase();
    expect(policy).toContain(`default-src 'none'; script-src 'sha256-${hash('void 0')}'`);
    expect(policy).toContain(`style-src 'sha256-${hash('p { margin: 0 }')}'`);
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).not.toContain('unsafe');
    expect((await ask('HEAD')).status).toBe(200);
    await rm(join(front.configDirectory, 'monitor.html'));
    const missing = await ask();
    expect([missing.status, missing.body]).toEqual([404, expect.stringContaining('npm run build')]);
  });
});
