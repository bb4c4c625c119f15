import { mkdir, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { pathToFileURL } from 'node:url';
import { describe, expect, it } from 'vitest';
import { cleanupAfterEach } from '../../../test/kit/cleanup.ts';
import { ManualClock } from '../../../test/kit/manual-clock.ts';
import { Bus } from '../../base/index.ts';
import { AppError, type AppEvent, type CloseReason, LIMITS, openTabSchema } from '../../contract/index.ts';
import { followSessionEnds } from './session-ends.ts';
import { AgentTabs } from './tabs.ts';

const cleanup = cleanupAfterEach();

interface Told {
  name: string;
  data: Record<string, unknown>;
}

function setUp(repositories: () => unknown = () => ({ repos: {} })) {
  const clock = new ManualClock();
  const events: Told[] = [];
  const sessions = new Set(['s1', 's2']);
  const tabs = new AgentTabs({
    clock,
    publish: (name, data) => void events.push({ name, data }),
    readRepositories: async () => repositories(),
    isSessionThere: (id) => sessions.has(id),
  });
  const open = (input: object) => tabs.open(openTabSchema.parse({ id: 'plan', title: 'Plan', ...input }));
  const shown = (id = 'plan') => tabs.list().find((tab) => tab.id === id);
  const ticketOf = (id = 'plan') => shown(id)?.frame_url.split('/')[3] ?? '';
  return { clock, events, sessions, tabs, open, shown, ticketOf };
}

/** The code of a refusal; else what was answered. */
async function outcome(work: Promise<unknown>): Promise<unknown> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof AppError) return error.code;
    throw error;
  }
}

describe('a tab of an agent', () => {
  it('UI-1: is told and listed, and shows what was written under its ticket alone', async () => {
    const { clock, events, tabs, open, shown, ticketOf } = setUp();
    const origin = { origin_session_id: 's1', origin_repo_path: '/repo' };
    expect(await open({ html: '<b>1</b>', ...origin })).toEqual({ ok: true, id: 'plan' });
    const now = clock.now();
    const tab = { id: 'plan', title: 'Plan', kind: 'html', pinned: false, ...origin, opened_at: now, changed_at: now };
    expect(shown()).toEqual({ ...tab, frame_url: `/ui/files/${ticketOf()}/` });
    expect(events).toEqual([{ name: 'ui-tab', data: { ...shown(), html: '<b>1</b>', focus: true } }]);
    expect(await tabs.read(ticketOf(), '')).toEqual({ kind: 'html', html: '<b>1</b>' });
    expect(ticketOf()).toMatch(/^[\w-]{43}$/);
    expect(await outcome(tabs.read(ticketOf(), 'x'))).toBe('not_found');
    for (const ticket of [`${ticketOf()}x`, ticketOf().toLowerCase(), '']) {
      expect(await outcome(tabs.read(ticket, ''))).toBe('tab_ticket_invalid');
    }
  });

  it('UI-1: opened again it has the new content in its place, and the old content is gone', async () => {
    const { clock, events, tabs, open, ticketOf } = setUp();
    await open({ html: 'first' });
    await open({ id: 'other', html: 'x' });
    const before = ticketOf();
    clock.advance(1_000);
    await open({ title: 'Plan 2', html: 'second', pinned: true, focus: false });
    expect(tabs.list()).toMatchObject([
      { id: 'plan', title: 'Plan 2', pinned: true, opened_at: clock.now() - 1_000, changed_at: clock.now() },
      { id: 'other' },
    ]);
    expect(await tabs.read(ticketOf(), '')).toMatchObject({ html: 'second' });
    expect(await outcome(tabs.read(before, ''))).toBe('tab_ticket_invalid');
    expect(events.at(-1)?.data).toMatchObject({ focus: false, html: 'second' });
    await open({ url: 'https://example.org/' });
    expect(tabs.list()[0]).toMatchObject({ kind: 'web', frame_url: 'https://example.org/' });
    expect(events.at(-1)?.data).toMatchObject({ html: '', url: 'https://example.org/' });
  });

  it('UI-1: takes exactly one of html and url; an empty one is none', async () => {
    const { tabs, open } = setUp();
    expect(await outcome(open({}))).toBe('invalid_input');
    expect(await outcome(open({ html: 'x', url: 'http://a/' }))).toBe('invalid_input');
    expect(tabs.list()).toEqual([]);
    await open({ html: '', url: 'http://a/' });
    await open({ id: 'empty', html: '' });
    expect(tabs.list()).toMatchObject([{ kind: 'web' }, { kind: 'html' }]);
  });

  it('belongs to the session that opened it', async () => {
    const { sessions, tabs, open, shown } = setUp();
    await open({ html: 'x', origin_session_id: 's1' });
    expect(await outcome(open({ html: 'y', origin_session_id: 's2' }))).toBe('forbidden');
    expect(await outcome(open({ html: 'y' }))).toBe('forbidden');
    await open({ html: 'z', origin_session_id: 's1' });
    // Of nobody: whoever comes takes it over.
    await open({ id: 'loose', html: 'x' });
    await open({ id: 'loose', html: 'y', origin_session_id: 's2' });
    expect(shown('loose')).toMatchObject({ origin_session_id: 's2' });
    sessions.delete('s1');
    expect(await outcome(open({ id: 'late', html: 'x', origin_session_id: 's1' }))).toBe('session_not_found');
    expect(tabs.list().map(({ id }) => id)).toEqual(['plan', 'loose']);
  });

  it('UI-1: goes once, with its session or by the person', async () => {
    const { events, tabs, open, ticketOf } = setUp();
    await open({ id: 'a', html: 'x', origin_session_id: 's1' });
    await open({ id: 'b', html: 'x', origin_session_id: 's1' });
    await open({ id: 'c', html: 'x', origin_session_id: 's2' });
    const ticket = ticketOf('a');
    events.length = 0;
    tabs.closeOf('s1');
    tabs.closeOf('s1');
    expect(await outcome(tabs.read(ticket, ''))).toBe('tab_ticket_invalid');
    tabs.close('c');
    expect(() => tabs.close('c')).toThrow('closed already');
    expect(events).toEqual([
      { name: 'close-html-tabs', data: { tab_ids: ['a', 'b'] } },
      { name: 'close-html-tabs', data: { tab_ids: ['c'] } },
    ]);
    expect(tabs.list()).toEqual([]);
  });

  it('is refused when there are too many, or too much in them; the same one may change', async () => {
    const { tabs, open } = setUp();
    const full = 'x'.repeat(LIMITS.tabHtml);
    expect(await outcome(open({ html: `${full}x` }))).toBe('invalid_input');
    const most = LIMITS.tabHtmlTotal / LIMITS.tabHtml;
    for (let at = 0; at < most; at++) await open({ id: `big${at}`, html: full });
    expect(await outcome(open({ html: 'x' }))).toBe('tab_limit');
    await open({ id: 'big0', html: '' });
    for (let at = most; at < LIMITS.tabs; at++) await open({ id: `t${at}`, url: 'http://a/' });
    expect(await outcome(open({ url: 'http://a/' }))).toBe('tab_limit');
    await open({ id: 'big0', html: 'y' });
    expect(tabs.list()).toHaveLength(LIMITS.tabs);
  });

  it('does not put long html into its event', async () => {
    const { events, tabs, open, ticketOf } = setUp();
    await open({ html: 'ä'.repeat(LIMITS.tabEventHtml) });
    expect(events[0]?.data.html).toBe('');
    expect(await tabs.read(ticketOf(), '')).toMatchObject({ html: 'ä'.repeat(LIMITS.tabEventHtml) });
  });

  it('has an id of visible characters', () => {
    const check = (id: string) => openTabSchema.safeParse({ id, title: 'x', html: '' }).success;
    for (const id of ['a', 'Plan für heute / 2', '📋', 'x'.repeat(128)]) expect([id, check(id)]).toEqual([id, true]);
    for (const id of ['', 'a\nb', 'a\u202eb', '\ud800', 'x'.repeat(129), '\u2028']) {
      expect([id, check(id)]).toEqual([id, false]);
    }
  });
});

describe('the files of a tab', () => {
  async function setUpFiles() {
    const base = await cleanup.temporaryDirectory('tuic-tab-');
    const repo = join(base, 'repo');
    const outside = join(base, 'repo-other');
    await mkdir(join(repo, 'site', 'img'), { recursive: true });
    await mkdir(join(repo, '.hidden'));
    await mkdir(outside);
    const write = (path: string, content: string) => writeFile(join(base, path), content);
    await write('repo/site/index.html', '<h1>site</h1>');
    await write('repo/site/img/a.svg', '<svg/>');
    await write('repo/site/.env', 'SECRET=1');
    await write('repo/top.txt', 'top');
    await write('repo/.hidden/notes.md', '# notes');
    await write('repo-other/secret.txt', 'secret');
    await symlink(join(outside, 'secret.txt'), join(repo, 'site', 'leak.txt'));
    await symlink(outside, join(repo, 'site', 'far'));
    await symlink(join(repo, 'top.txt'), join(repo, 'site', 'up.txt'));
    await symlink(join(repo, 'site', 'img', 'a.svg'), join(repo, 'site', 'near.svg'));
    const document: { repos: Record<string, object>; activeRepoPath?: string } = { repos: { [repo]: {} } };
    const parts = setUp(() => document);
    const fileUrl = (path: string) => pathToFileURL(join(base, path)).href;
    const read = async (rest: string, id = 'plan') => {
      const found = await outcome(parts.tabs.read(parts.ticketOf(id), rest));
      if (typeof found !== 'object' || found === null || !('file' in found)) return found;
      const { file } = found as { file: { read(): NodeJS.ReadableStream } };
      return { text: await text(file.read()) };
    };
    return { ...parts, base, repo, document, fileUrl, read };
  }

  it('UI-2: are those of the folder of the file, from a registered repository', async () => {
    const { repo, events, open, shown, fileUrl, read, ticketOf } = await setUpFiles();
    await open({ url: `${fileUrl('repo/site/index.html')}?a=1#top` });
    const frameUrl = `/ui/files/${ticketOf()}/index.html?a=1#top`;
    expect(shown()).toMatchObject({ kind: 'files', path: join(repo, 'site/index.html'), frame_url: frameUrl });
    expect(events[0]?.data).toMatchObject({ html: '', url: frameUrl });
    expect(await read('index.html')).toEqual({ text: '<h1>site</h1>' });
    expect(await read('img/a.svg')).toEqual({ text: '<svg/>' });
    // A link that stays inside is a file like any other.
    expect(await read('near.svg')).toEqual({ text: '<svg/>' });
  });

  it('never leave the folder: by dots, by links, by hidden names', async () => {
    const { open, fileUrl, read } = await setUpFiles();
    await open({ url: fileUrl('repo/site/index.html') });
    for (const rest of [
      '../top.txt',
      'img/../../top.txt',
      '..',
      '.',
      '',
      '/',
      'img//a.svg',
      '/etc/passwd',
      'img/',
      'img',
    ]) {
      expect([rest, await read(rest)]).toEqual([rest, 'not_found']);
    }
    for (const rest of ['.env', 'img/.x', '..\\top.txt', 'a\0b', 'no.txt', `${'x'.repeat(300)}`]) {
      expect([rest, await read(rest)]).toEqual([rest, 'not_found']);
    }
    for (const rest of ['leak.txt', 'far/secret.txt', 'up.txt']) {
      expect([rest, await read(rest)]).toEqual([rest, 'access_denied']);
    }
  });

  it('open from nowhere else: neighbours of the name, links out, folders, what is missing', async () => {
    const { tabs, open, fileUrl } = await setUpFiles();
    for (const [path, code] of [
      ['repo-other/secret.txt', 'access_denied'],
      ['repo-other/none.txt', 'access_denied'],
      ['repo/site/leak.txt', 'access_denied'],
      ['repo/site/far/secret.txt', 'access_denied'],
      ['repo/site/none.html', 'not_found'],
      ['repo/site', 'not_found'],
    ] as const) {
      expect([path, await outcome(open({ url: fileUrl(path) }))]).toEqual([path, code]);
    }
    expect(await outcome(open({ url: 'file:///etc/passwd' }))).toBe('access_denied');
    expect(tabs.list()).toEqual([]);
  });

  it('are refused once they became a link, or the repository is none any more', async () => {
    const { base, repo, document, open, fileUrl, read } = await setUpFiles();
    await open({ url: fileUrl('repo/site/index.html') });
    await rename(join(repo, 'site/img'), join(repo, 'site/old'));
    await symlink(join(base, 'repo-other'), join(repo, 'site/img'));
    expect(await read('img/secret.txt')).toBe('access_denied');
    await rm(join(repo, 'site/index.html'));
    await symlink(join(base, 'repo-other/secret.txt'), join(repo, 'site/index.html'));
    expect(await read('index.html')).toBe('access_denied');
    expect(await read('old/a.svg')).toEqual({ text: '<svg/>' });
    document.repos = {};
    expect(await read('old/a.svg')).toBe('access_denied');
  });

  it('UI-2: a preview shows its one file, from the active repository or by its absolute path', async () => {
    const { repo, document, open, shown, read } = await setUpFiles();
    expect(await outcome(open({ url: 'tuic://open/top.txt' }))).toBe('invalid_input');
    document.activeRepoPath = repo;
    await open({ url: 'tuic://open/.hidden/notes.md' });
    expect(shown()).toMatchObject({ kind: 'preview', path: join(repo, '.hidden/notes.md') });
    expect(await read('notes.md')).toEqual({ text: '# notes' });
    await open({ url: `tuic://open/${join(repo, 'site/index.html')}` });
    expect(await read('index.html')).toEqual({ text: '<h1>site</h1>' });
    expect(await read('img/a.svg')).toBe('not_found');
  });

  it('lie in a repository that is registered by a link, or under the other name of the list', async () => {
    const { base, repo, document, open, fileUrl, read } = await setUpFiles();
    const link = join(base, 'link');
    await symlink(repo, link);
    document.repos = { [link]: {} };
    await open({ url: fileUrl('link/site/index.html') });
    expect(await read('index.html')).toEqual({ text: '<h1>site</h1>' });
    await open({ id: 'real', url: fileUrl('repo/top.txt') });
    expect(await read('top.txt', 'real')).toEqual({ text: 'top' });
    const other = setUp(() => ({ repositories: { [repo]: {} } }));
    await other.open({ url: fileUrl('repo/top.txt') });
    expect(other.shown()).toMatchObject({ kind: 'files' });
  });
});

describe('the end of a session', () => {
  const closed = (session_id: string, reason: CloseReason): AppEvent => ({
    name: 'session-closed',
    data: { session_id, reason },
  });

  it('closes its tabs after it was told; a lost session keeps them until it is closed', async () => {
    const bus = new Bus<AppEvent>(8);
    const names: string[] = [];
    const tabs = {
      closeOf: (id: string) => void names.push(`close ${id}`),
      closeOrphans: () => void names.push('orphans'),
    };
    const following = followSessionEnds(bus, tabs);
    bus.publish(closed('s1', 'host_lost'));
    bus.publish(closed('s2', 'process_exit'));
    expect(names).toEqual([]);
    await Promise.resolve();
    expect(names).toEqual(['close s2']);
    bus.publish(closed('s1', 'explicit_close'));
    await Promise.resolve();
    expect(names).toEqual(['close s2', 'close s1']);
    for (let at = 0; at < 9; at++) bus.publish({ name: 'pty-exit', data: { session_id: 'x' } });
    await Promise.resolve();
    expect(names.slice(2)).toEqual(['orphans']);
    following.dispose();
    bus.publish(closed('s3', 'killed'));
    await Promise.resolve();
    expect(names).toHaveLength(3);
  });

  it('closes what belongs to sessions that are gone, after a gap', async () => {
    const { events, sessions, tabs, open } = setUp();
    await open({ id: 'a', html: 'x', origin_session_id: 's1' });
    await open({ id: 'b', html: 'x', origin_session_id: 's2' });
    await open({ id: 'c', html: 'x' });
    sessions.delete('s1');
    tabs.closeOrphans();
    expect(tabs.list().map(({ id }) => id)).toEqual(['b', 'c']);
    expect(events.at(-1)).toEqual({ name: 'close-html-tabs', data: { tab_ids: ['a'] } });
  });
});
