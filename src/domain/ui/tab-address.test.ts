import { describe, expect, it } from 'vitest';
import { AppError } from '../../contract/index.ts';
import { parseTabAddress } from './tab-address.ts';

function refusal(text: string): string {
  try {
    parseTabAddress(text);
  } catch (error) {
    if (error instanceof AppError) return `${error.code}: ${error.message}`;
    throw error;
  }
  return 'taken';
}

describe('UI-2: the address of a tab', () => {
  it.each([
    ['http://localhost:3000/a?b#c', { kind: 'web', url: 'http://localhost:3000/a?b#c' }],
    ['HTTPS://Example.org', { kind: 'web', url: 'https://example.org/' }],
    ['file:///repo/a%20b.html?x=1#top', { kind: 'files', path: '/repo/a b.html', suffix: '?x=1#top' }],
    ['file://localhost/repo/a.html', { kind: 'files', path: '/repo/a.html', suffix: '' }],
    ['tuic://open/docs/notes.md', { kind: 'preview', path: 'docs/notes.md' }],
    ['tuic://open//repo/a%3Fb.md', { kind: 'preview', path: '/repo/a?b.md' }],
    ['tuic://open/notes.md?line=3', { kind: 'preview', path: 'notes.md' }],
  ])('%s', (text, address) => {
    expect(parseTabAddress(text)).toEqual(address);
  });

  it.each([
    'javascript:alert(1)',
    'JavaScript:alert(1)',
    'data:text/html,<script>alert(1)</script>',
    'blob:http://localhost/x',
    'about:blank',
    'vscode://file/x',
    'ftp://example.org/x',
    'view-source:http://example.org',
    'notes.md',
    '//example.org/x',
    '',
  ])('refuses %s and names what can be used', (text) => {
    expect(refusal(text)).toMatch(/^invalid_input: .*http:\/\/, https:\/\/, file:\/\/.* or tuic:\/\/open\//);
  });

  it('leads from the editor, which is not there yet, to the preview', () => {
    expect(refusal('tuic://edit/src/a.ts?line=42')).toContain('Show the file by tuic://open/src/a.ts');
    expect(refusal('tuic://EDIT//abs/a.ts')).toContain('tuic://open//abs/a.ts');
  });

  it.each([
    ['java\tscript:alert(1)', 'control'],
    ['http://exa\nmple.org', 'control'],
    ['http://', 'no URL'],
    ['http://user:word@example.org/', 'name or password'],
    ['file://server/share/x.html', 'this machine'],
    ['file:///repo/a%2Fb.html', 'no path'],
    ['file:///repo/a%00.html', 'zero'],
    ['tuic://close/x', 'no address of a tab'],
    ['tuic:open/x', 'no address of a tab'],
    ['tuic://open/', 'needs the path'],
    ['tuic://open/%E0%A4%A', 'percent-encoded'],
    ['tuic://open/a%00b', 'zero'],
  ])('refuses %j', (text, told) => {
    expect(refusal(text)).toContain(told);
  });

  it('refuses a way upwards, however it is written', () => {
    for (const path of ['../x', 'a/../../x', '/repo/../x', '%2e%2e/x', 'a/..%2fx', 'a\\..\\x']) {
      expect(refusal(`tuic://open/${path}`)).toMatch(/^path_traversal/);
    }
    expect(refusal('file:///repo/%5C..%5Cx')).toMatch(/^path_traversal/);
    // What a URL itself takes away is judged by where it leads.
    expect(parseTabAddress('file:///repo/../etc/x')).toMatchObject({ path: '/etc/x' });
  });
});
