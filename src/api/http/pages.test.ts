/** The workspace's files (http.md 20). */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { brotliDecompressSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { cleanupAfterEach } from '../../../test/kit/cleanup.ts';
import { startFront } from '../../../test/kit/front.ts';
import { ApiClient, rawLines, rawRequest } from '../../../test/kit/http.ts';
import { methodsOf } from './exposure.ts';

const cleanup = cleanupAfterEach();
const PAGE = '<!doctype html><title>workspace</title>';
const PHONE_PAGE = '<!doctype html><title>phone</title>';

async function setUp() {
  const parent = await cleanup.temporaryDirectory('tuic-p-');
  const staticDirectory = join(parent, 'web');
  await mkdir(join(staticDirectory, 'assets'), { recursive: true });
  await writeFile(join(parent, 'secret.txt'), 'secret');
  await writeFile(join(staticDirectory, 'index.html'), PAGE);
  await writeFile(join(staticDirectory, 'mobile.html'), PHONE_PAGE);
  await writeFile(join(staticDirectory, 'mobile-manifest.json'), '{}');
  await writeFile(join(staticDirectory, '.hidden'), 'hidden');
  await writeFile(join(staticDirectory, 'sw.js'), '// worker');
  await writeFile(join(staticDirectory, 'icon.svg'), '<svg xmlns="http://www.w3.org/2000/svg"/>');
  await writeFile(join(staticDirectory, 'assets', 'app-1.js'), `/* ${'x'.repeat(2_000)} */`);
  const front = await startFront(cleanup, { staticDirectory });
  return { front, api: new ApiClient(front.local), staticDirectory };
}

describe('pages', () => {
  it('serves the page for every path that is neither a file nor the API', async () => {
    const { api } = await setUp();
    for (const path of [
      '/',
      '/index.html',
      '/some/deep/link',
      '/mobiles',
      '/?x=1',
      '/assets',
      '/sessions/',
      '/a%20b',
    ]) {
      const answer = await api.get(path);
      expect([path, answer.status, answer.text]).toEqual([path, 200, PAGE]);
      expect(answer.headers).toMatchObject({
        'content-type': 'text/html; charset=utf-8',
        'cache-control': 'no-cache',
        'x-content-type-options': 'nosniff',
        'referrer-policy': 'no-referrer',
        'x-frame-options': 'DENY',
      });
    }
    const policy = (await api.get('/')).headers['content-security-policy'];
    expect(policy).toContain("default-src 'self'");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).toContain("script-src 'self';");
    expect(policy).toMatch(/connect-src 'self' ws:\/\/127\.0\.0\.1:\d+ /);
  });

  it('serves files with the caching of their kind, and revalidates', async () => {
    const { api } = await setUp();
    const cases = [
      ['/assets/app-1.js', 'public, max-age=31536000, immutable'],
      ['/sw.js', 'no-cache'],
      ['/mobile-manifest.json', 'no-cache'],
      ['/icon.svg', 'public, max-age=86400'],
    ] as const;
    for (const [path, caching] of cases) {
      const answer = await api.get(path);
      expect([path, answer.status, answer.headers['cache-control']]).toEqual([path, 200, caching]);
      expect(answer.headers['x-content-type-options']).toBe('nosniff');
      const etag = answer.headers.etag ?? '';
      expect((await api.get(path, { headers: { 'if-none-match': etag } })).status).toBe(304);
      const head = await api.request('HEAD', path);
      expect([head.status, head.body.length]).toEqual([200, 0]);
    }
  });

  it('serves the phone page under /mobile, and leads phones there from the front door', async () => {
    const { front, api } = await setUp();
    for (const path of ['/mobile', '/mobile/', '/mobile/session/a-1', '/mobile?again']) {
      const answer = await api.get(path);
      expect([path, answer.status, answer.text, answer.headers['cache-control']]).toEqual([
        path,
        200,
        PHONE_PAGE,
        'no-cache',
      ]);
      expect(answer.headers['content-security-policy']).toContain("default-src 'self'");
    }
    const phone = new ApiClient(front.local, {
      'user-agent': 'Phone/1 Mobile',
      authorization: `Bearer ${front.token}`,
    });
    const answer = await phone.get('/');
    expect([answer.status, answer.headers.location, answer.headers.vary]).toEqual([302, '/mobile', 'user-agent']);
    expect((await phone.get('/index.html')).text, 'the way to the workspace on a phone').toBe(PAGE);
    expect((await phone.get('/sessions')).status).toBe(200);
  });

  it('compresses files over 860 bytes only', async () => {
    const { api } = await setUp();
    const headers = { 'accept-encoding': 'br' };
    const large = await api.get('/assets/app-1.js', { headers });
    expect(large.headers['content-encoding']).toBe('br');
    expect(brotliDecompressSync(large.body).length).toBe(2_006);
    const small = await api.get('/', { headers });
    expect([small.headers['content-encoding'], small.text]).toEqual([undefined, PAGE]);
  });

  it('answers a missing asset 404, never with a page that would be kept for a year', async () => {
    const { api } = await setUp();
    const answer = await api.get('/assets/app-0.js');
    expect(answer.status).toBe(404);
    expect(answer.headers['cache-control']).toBe('no-store');
  });

  it('X02: leaves no way out of its folder', async () => {
    const { front } = await setUp();
    const paths = [
      '/../secret.txt',
      '/%2e%2e/secret.txt',
      '/..%2fsecret.txt',
      '/assets/../../secret.txt',
      '/assets/..%5c..%5csecret.txt',
      '//../secret.txt',
      '/.hidden',
      '/%00',
      '/assets/%00',
    ];
    for (const path of paths) {
      const answer = await rawRequest(
        front.local,
        rawLines(`GET ${path} HTTP/1.1`, [`Host: 127.0.0.1:${front.local.port}`, 'Connection: close']),
      );
      expect(answer.all).not.toContain('secret');
      expect(answer.all).not.toContain('hidden');
      expect([200, 400, 404]).toContain(answer.status);
    }
  });

  it('answers an API path with the wrong method 405 and says which are right', async () => {
    const { api } = await setUp();
    const answer = await api.get('/sessions/x/write');
    expect([answer.status, answer.headers.allow]).toEqual([405, 'POST']);
    expect((await api.post('/health')).status).toBe(405);
    expect((await api.post('/unknown', { a: 1 })).json()).toEqual({
      error: 'Method not allowed',
      code: 'method_not_allowed',
    });
    expect(methodsOf('/sessions')).toEqual(['GET', 'POST']);
    expect(methodsOf('/sessions/x/y/z')).toEqual([]);
  });

  it('renews the login of a browser that shows the page, and never sets a cookie otherwise', async () => {
    const { front } = await setUp();
    const browser = { cookie: front.cookie, 'sec-fetch-site': 'none', 'user-agent': 'Mozilla/5.0' };
    const answer = await new ApiClient(front.local, browser).get('/');
    expect(answer.headers['set-cookie']).toEqual([`${front.cookie}; HttpOnly; SameSite=Strict; Path=/; Max-Age=86400`]);
    expect((await new ApiClient(front.local).get('/')).headers['set-cookie']).toBeUndefined();
  });

  it('lets a visitor who followed a link from elsewhere come again as our own visitor, once', async () => {
    const { front } = await setUp();
    const visit = (site: string, extra: Record<string, string> = {}, path = '/') =>
      new ApiClient(front.local, {
        cookie: front.cookie,
        'sec-fetch-site': site,
        'sec-fetch-mode': 'navigate',
        'sec-fetch-dest': 'document',
        'user-agent': 'Mozilla/5.0',
        ...extra,
      }).get(path);
    for (const site of ['cross-site', 'same-site']) {
      const answer = await visit(site);
      expect([answer.status, answer.headers['content-type']]).toEqual([401, 'text/html; charset=utf-8']);
      expect(answer.text).toContain('http-equiv="refresh"');
      expect(answer.text).not.toContain('workspace');
    }
    expect((await visit('same-origin', {}, '/?again')).text).toBe(PAGE);
    for (const answer of [await visit('cross-site', {}, '/?again'), await visit('same-origin', { cookie: '' })]) {
      expect([answer.status, answer.headers['content-type']]).toEqual([401, 'text/html; charset=utf-8']);
      expect(answer.text).not.toContain('http-equiv="refresh"');
      expect(answer.text).not.toContain('<script');
      expect(answer.text).toContain('tuic open');
      expect(answer.headers['content-security-policy']).toContain("default-src 'none'");
    }
    for (const extra of [{ 'sec-fetch-dest': 'iframe' }, { 'sec-fetch-mode': 'no-cors' }]) {
      expect((await visit('cross-site', extra)).headers['content-type']).toBe('text/plain; charset=utf-8');
    }
  });

  it('says what to do when the workspace is not built', async () => {
    const front = await startFront(cleanup);
    const answer = await new ApiClient(front.local).get('/');
    expect([answer.status, answer.text]).toEqual([404, expect.stringContaining('npm run build')]);
  });
});
