import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

const root = new URL('../../', import.meta.url);

it('every guide can be found from the README', () => {
  const readme = readFileSync(new URL('README.md', root), 'utf8');
  const guides = readdirSync(new URL('docs/guide/', root)).filter((name) => name.endsWith('.md'));
  expect(guides).not.toEqual([]);
  expect(guides.filter((name) => !readme.includes(`(docs/guide/${name})`))).toEqual([]);
});
