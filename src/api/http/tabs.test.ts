/** `ui tab` over MCP, the list of tabs, and what a tab shows (mcp.md UI-1, UI-2; http.md 6.1). */
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it } from 'vitest';
import { cleanupAfterEach } from '../../../test/kit/cleanup.ts';
import { type EventClient, openEvents } from '../../../test/kit/event-client.ts';
import { sessionClosed, startFront, type TestFront } from '../../../test/kit/front.ts';
import { ApiClient } from '../../../test/kit/http.ts';
import { type AgentTab, LIMITS } from '../../contract/index.ts';

const cleanup = cleanupAfterEach();

async function setUp() {
  const front = await startFront(cleanup, { closesTabs: true });
  return { front, api: new ApiClient(front.ipc) };
}

async function watch(front: TestFront): Promise<EventClient> {
  const client = await openEvents(front.local);
  cleanup.defer(() => client.cut());
  return client;
}

async function call(api: ApiClient, input: object, headers: Record<string, string> = {}) {
  const body = {
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name: 'ui', arguments: { action: 'tab', ...input } },
  };
  const { result } = (await api.request('POST', '/mcp', { body, headers })).json() as {
    result: { isError: boolean; content: { text: string }[] };
  };
  return { isError: result.isError, value: JSON.parse(result.content[0]?.text ?? '') as Record<string, unknown> };
}

const listed = async (api: ApiClient) => (await api.ok('GET', '/ui/tabs')) as AgentTab[];

/** A browser without any credential. */
const stranger = (front: TestFront) => new ApiClient(front.local, { 'user-agent': 'Mozilla/5.0' });

describe('ui tab', () => {
  it('UI-1: is told to every window and listed for those that come later; the person closes it', async () => {
    const { front, api } = await setUp();
    const window = await watch(front);
    const { isError, value } = await call(api, { id: 'Plan/1', title: 'Plan', html: '<h1>Plan</h1>', focus: false });
    expect([isError, value]).toEqual([false, { ok: true, id: 'Plan/1' }]);
    const { data } = await window.event('ui-tab');
    const [tab] = await listed(api);
    expect(data).toEqual({ ...tab, html: '<h1>Plan</h1>', focus: false });
    const page = await stranger(front).get(tab?.frame_url ?? '');
    expect([page.status, page.text]).toEqual([200, '<h1>Plan</h1>']);
    expect(page.headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': 'sandbox allow-scripts',
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'cache-control': 'no-store',
    });
    expect(page.headers['set-cookie']).toBeUndefined();
    expect((await api.request('DELETE', '/ui/tabs/Plan%2F1')).json()).toEqual({ ok: true });
    await window.event('close-html-tabs', ({ tab_ids }) => JSON.stringify(tab_ids) === '["Plan/1"]');
    expect((await api.request('DELETE', '/ui/tabs/Plan%2F1')).status).toBe(404);
    expect((await stranger(front).get(tab?.frame_url ?? '')).status).toBe(401);
    expect(await listed(api)).toEqual([]);
  });

  it('UI-1: belongs to the terminal of its caller and goes with it, after the event that says so', async () => {
    const { front, api } = await setUp();
    const window = await watch(front);
    const identity = '22222222-2222-4333-8444-555555555555';
    front.sessions.identity = identity;
    const headers = { 'x-tuic-session': identity, 'mcp-session-id': 'of-agent' };
    await call(api, { id: 'mine', title: 'Mine', html: 'x' }, headers);
    await call(api, { id: 'loose', title: 'Loose', html: 'x' });
    expect((await listed(api)).map(({ id, origin_session_id: owner }) => [id, owner])).toEqual([
      ['mine', 'known'],
      ['loose', undefined],
    ]);
    const foreign = await call(api, { id: 'mine', title: 'Taken', html: 'y' });
    expect([foreign.isError, foreign.value.error]).toEqual([true, expect.stringContaining('another session')]);
    front.bus.publish(sessionClosed('known'));
    front.bus.publish(sessionClosed('known'));
    await window.event('close-html-tabs');
    await call(api, { id: 'after', title: 'After', html: 'x' });
    await window.event('ui-tab', ({ id }) => id === 'after');
    expect(window.named('close-html-tabs').map(({ data }) => data)).toEqual([{ tab_ids: ['mine'] }]);
    expect((await listed(api)).map(({ id }) => id)).toEqual(['loose', 'after']);
  });

  it('UI-1: session_id of a terminal opens nothing and says so; of nothing it is an error', async () => {
    const { front, api } = await setUp();
    const named = await call(api, { id: 'a', title: 'A', html: 'x', session_id: 'known' });
    expect([named.isError, named.value]).toEqual([false, { ok: false, warning: expect.stringContaining('terminal') }]);
    const unknown = await call(api, { id: 'a', title: 'A', html: 'x', session_id: 'nobody' });
    expect([unknown.isError, unknown.value.reason]).toEqual([true, 'session_not_found_or_reaped']);
    expect(front.tabs.list()).toEqual([]);
  });

  it('refuses what is no tab, by the name of its field, and tells nobody', async () => {
    const { front, api } = await setUp();
    const window = await watch(front);
    for (const [input, told] of [
      [{ title: 'x', html: 'x' }, 'needs id'],
      [{ id: 'x', html: 'x' }, 'needs title'],
      [{ id: 'x', title: ' ', html: 'x' }, 'title'],
      [{ id: 'x', title: 'x'.repeat(LIMITS.tabTitle + 1), html: 'x' }, 'title'],
      [{ id: 'a\u0000b', title: 'x', html: 'x' }, 'id'],
      [{ id: 'x', title: 'x' }, 'exactly one'],
      [{ id: 'x', title: 'x', html: 'x', url: 'http://a' }, 'exactly one'],
      [{ id: 'x', title: 'x', html: 5 }, 'html'],
      [{ id: 'x', title: 'x', url: 'javascript:alert(1)' }, 'tuic://open/'],
      [{ id: 'x', title: 'x', url: 'tuic://edit/a.ts?line=2' }, 'tuic://open/a.ts'],
      [{ id: 'x', title: 'x', url: 'file:///etc/passwd' }, 'Access denied'],
      [{ id: 'x', title: 'x', html: 'x', pinned: 'yes' }, 'pinned'],
    ] as const) {
      const { isError, value } = await call(api, input);
      expect([isError, value.error]).toEqual([true, expect.stringContaining(told)]);
    }
    await call(api, { id: 'good', title: 'x', html: 'x' });
    await window.event('ui-tab');
    expect(window.named('ui-tab')).toHaveLength(1);
  });

  it('is possible for whoever is logged in from elsewhere, who sees the tabs too', async () => {
    const { front, api } = await setUp();
    const remote = new ApiClient(front.remote, { cookie: front.remoteCookie, origin: front.remoteOrigin });
    expect((await call(remote, { id: 'far', title: 'Far', html: 'far' })).value).toEqual({ ok: true, id: 'far' });
    const [tab] = await listed(remote);
    expect(await listed(api)).toEqual([tab]);
    const page = await new ApiClient(front.remote).get(tab?.frame_url ?? '');
    expect([page.status, page.text]).toEqual([200, 'far']);
    expect((await remote.request('DELETE', '/ui/tabs/far')).status).toBe(200);
  });
});

describe('the files of a tab', () => {
  async function setUpFiles() {
    const parts = await setUp();
    const repo = join(parts.front.configDirectory, 'repo');
    await mkdir(join(repo, 'site'), { recursive: true });
    const files = {
      'site/index.html': '<script src="app.js"></script>',
      'site/app.js': 'void 0;',
      'site/a b.css': 'p{}',
      'site/data.json': '{}',
      'site/pic.svg': '<svg/>',
      'site/notes.md': '# notes <script>',
      'site/.env': 'SECRET',
      'top.txt': 'top',
    };
    for (const [path, text] of Object.entries(files)) await writeFile(join(repo, path), text);
    await writeFile(join(parts.front.configDirectory, 'outside.txt'), 'outside');
    await symlink(join(parts.front.configDirectory, 'outside.txt'), join(repo, 'site/leak.txt'));
    await parts.api.ok('PUT', '/config/repositories', { repos: { [repo]: {} }, activeRepoPath: repo });
    const open = async (url: string) => {
      const { value } = await call(parts.api, { id: 'site', title: 'Site', url });
      if (value.ok !== true) throw new Error(String(value.error));
      return (await listed(parts.api))[0]?.frame_url ?? '';
    };
    const fileUrl = (path: string) => pathToFileURL(join(repo, path)).href;
    return { ...parts, repo, open, fileUrl };
  }

  it('UI-2: come with their types, by the ticket alone, and run without an origin', async () => {
    const { front, open, fileUrl } = await setUpFiles();
    const address = await open(fileUrl('site/index.html'));
    const folder = address.slice(0, address.lastIndexOf('/') + 1);
    const browser = stranger(front);
    for (const [name, type, text] of [
      ['index.html', 'text/html; charset=utf-8', '<script src="app.js"></script>'],
      ['app.js', 'text/javascript; charset=utf-8', 'void 0;'],
      ['a%20b.css', 'text/css; charset=utf-8', 'p{}'],
      ['pic.svg', 'image/svg+xml', '<svg/>'],
      ['notes.md', 'text/plain; charset=utf-8', '# notes <script>'],
    ] as const) {
      const answer = await browser.get(folder + name);
      expect([name, answer.status, answer.headers['content-type'], answer.text]).toEqual([name, 200, type, text]);
      expect(answer.headers).toMatchObject({
        'content-security-policy': 'sandbox allow-scripts',
        'x-content-type-options': 'nosniff',
      });
    }
    const head = await browser.request('HEAD', `${folder}app.js`);
    expect([head.status, head.text]).toEqual([200, '']);
  });

  it('end at the folder: dots, encoded or not, links, hidden names, and a ticket that is dead', async () => {
    const { front, open, fileUrl } = await setUpFiles();
    const address = await open(fileUrl('site/index.html'));
    const folder = address.slice(0, address.lastIndexOf('/') + 1);
    const browser = stranger(front);
    for (const [rest, status] of [
      ['../top.txt', 404],
      ['..%2ftop.txt', 404],
      ['%2e%2e/top.txt', 404],
      ['..%5ctop.txt', 404],
      ['%252e%252e/top.txt', 404],
      ['%00', 404],
      ['', 404],
      ['.env', 404],
      ['%2eenv', 404],
      ['leak.txt', 403],
    ] as const) {
      const answer = await browser.get(folder + rest);
      expect([rest, answer.status, /top|SECRET|outside\b.*txt/.test(answer.text)]).toEqual([rest, status, false]);
    }
    const renewed = await open(fileUrl('site/index.html'));
    expect(renewed).not.toBe(address);
    expect((await browser.get(address)).status).toBe(401);
    expect((await browser.get(renewed)).status).toBe(200);
  });

  it('are not read by another page, which the page in the tab is one of', async () => {
    const { front, open, fileUrl } = await setUpFiles();
    const address = await open(fileUrl('site/index.html'));
    for (const [origin, mode, status] of [
      ['null', 'cors', 403],
      ['null', 'same-origin', 403],
      ['http://evil.example', 'cors', 403],
      ['http://evil.example', 'no-cors', 403],
      // Shown without being read: a script, a style, a picture of the page in the tab.
      ['null', 'no-cors', 200],
    ] as const) {
      const browser = new ApiClient(front.local, { origin, 'sec-fetch-mode': mode, 'user-agent': 'Mozilla/5.0' });
      expect([origin, mode, (await browser.get(address)).status]).toEqual([origin, mode, status]);
      expect((await browser.get('/ui/tabs')).status).toBe(403);
    }
    // The ticket opens its files and nothing else.
    const ticket = address.split('/')[3] ?? '';
    expect((await stranger(front).get(`/ui/tabs?ticket=${ticket}`)).status).toBe(401);
    expect((await stranger(front).get(`/events?ticket=${ticket}`)).status).toBe(401);
  });

  it('UI-2: a preview is text or a picture, and runs nothing', async () => {
    const { front, open, repo } = await setUpFiles();
    const browser = stranger(front);
    for (const [url, type, text] of [
      ['tuic://open/site/index.html', 'text/plain; charset=utf-8', '<script src="app.js"></script>'],
      [`tuic://open/${repo}/site/notes.md`, 'text/plain; charset=utf-8', '# notes <script>'],
      ['tuic://open/site/pic.svg', 'image/svg+xml', '<svg/>'],
    ] as const) {
      const address = await open(url);
      const answer = await browser.get(address);
      expect([answer.status, answer.headers['content-type'], answer.text]).toEqual([200, type, text]);
      expect(answer.headers['content-security-policy']).toBe('sandbox');
      const neighbour = address.replace(/[^/]*$/, 'data.json');
      expect((await browser.get(neighbour)).status).toBe(404);
    }
    await writeFile(join(repo, 'long.txt'), 'x'.repeat(LIMITS.tabPreview + 1));
    const long = await browser.get(await open('tuic://open/long.txt'));
    expect([long.status, long.text]).toEqual([400, expect.stringContaining('too large')]);
  });
});
