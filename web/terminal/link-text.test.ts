import { describe, expect, it } from 'vitest';
import { findLinks, webTarget } from './link-text.ts';

/** What is underlined, and what it stands for. */
const found = (text: string) =>
  findLinks(text).map((link) => {
    const written = text.slice(link.start, link.end);
    if (link.kind === 'web') return link.url === written ? written : `${written} -> ${link.url}`;
    return [`path ${link.path}`, link.line, link.column].filter((part) => part !== undefined).join(' ');
  });

describe('DESIGN 9: links in the text of a terminal', () => {
  it.each<[string, string[]]>([
    ['see https://example.org/a?b=c#d.', ['https://example.org/a?b=c#d']],
    ['(https://example.org/a_(b))', ['https://example.org/a_(b)']],
    ['<https://example.org/x>, "http://[::1]:9876/y"', ['https://example.org/x', 'http://[::1]:9876/y']],
    ['HTTPS://EXAMPLE.org/A', ['HTTPS://EXAMPLE.org/A -> https://example.org/A']],
    ['https://münchen.example/', ['https://münchen.example/ -> https://xn--mnchen-3ya.example/']],
    ['http://', []],
    ['javascript:alert(1) ftp://example.org/x file:///etc/passwd', []],
  ])('%s', (text, expected) => {
    expect(found(text).filter((link) => !link.startsWith('path '))).toEqual(expected);
  });

  it.each<[string, string[]]>([
    ['src/main.ts:12:5: error', ['path src/main.ts:12:5 12 5']],
    ['src/main.ts(12,5): error TS2304', ['path src/main.ts(12,5) 12 5']],
    ['at run (/home/me/app/index.js:3:14)', ['path /home/me/app/index.js:3:14 3 14']],
    ['  File "/usr/lib/a b.py", line 88, in x', ['path /usr/lib/a b.py 88']],
    ['modified:   ../docs/readme.md', ['path ../docs/readme.md']],
    ['~/.config/x.toml and main.ts:7.', ['path ~/.config/x.toml', 'path main.ts:7 7']],
    ['drwxr-xr-x 2 me me 4096 src/', ['path src/']],
    ['version 1.2.3 took 0.5 s, and so on... at 10:30', []],
    ['--------- / // ...', []],
    ['ratio and/or', ['path and/or']],
  ])('%s', (text, expected) => {
    expect(found(text)).toEqual(expected);
  });

  it('a path never lies over an address, and huge lines are left alone', () => {
    expect(found('https://example.org/src/main.ts:12')).toEqual(['https://example.org/src/main.ts:12']);
    expect(findLinks('src/main.ts '.repeat(3_000))).toEqual([]);
    expect(findLinks('a/b '.repeat(400))).toHaveLength(50);
  });

  it('only http and https open', () => {
    expect(webTarget('https://example.org')).toBe('https://example.org/');
    for (const uri of ['javascript:alert(1)', 'file:///etc/passwd', 'data:text/html,x', 'no address', 'vscode://x'])
      expect(webTarget(uri), uri).toBeUndefined();
  });
});
