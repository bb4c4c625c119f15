/** Each rule is shown to fail on a seeded fault and to pass on the sound twin of it. */
import { describe, expect, it } from 'vitest';
import {
  checkBlockingCalls,
  checkCycles,
  checkDoors,
  checkExports,
  checkLayers,
  checkPackageHomes,
  checkPlaces,
  checkRuntimeWords,
  checkXtermInternals,
  countBlockingCalls,
} from './rules.ts';
import { findImports, maskText } from './source.ts';

const tree = (files: Record<string, string>) => new Map(Object.entries(files));

describe('source scanner', () => {
  it('finds every form of import and nothing in comments', () => {
    const text = [
      "import a from 'a';",
      "import {\n  b,\n  type C,\n} from './b.ts';",
      "export { d } from './d.ts';",
      "export * from './e.ts';",
      "import type { F } from './f.ts';",
      "import './g.css';",
      "const h = await import('./h.ts');",
      "const i = require('i');",
      "type J = import('./j.ts').J;",
      "// import k from 'k';",
      "/* import l from 'l'; */",
      "const url = 'http://example.org'; // from 'm'",
    ].join('\n');
    expect(findImports(text)).toEqual([
      'a',
      './b.ts',
      './d.ts',
      './e.ts',
      './f.ts',
      './g.css',
      './h.ts',
      'i',
      './j.ts',
    ]);
  });

  it('blanks strings, templates, expressions and comments and keeps lines', () => {
    const text = "call('one//two') // three\nconst found = /['\"]four/.test(it) /* five\nsix */ + `seven` + 'eight';";
    const masked = maskText(text);
    expect(masked).toHaveLength(text.length);
    expect(masked.split('\n')).toHaveLength(3);
    expect(masked.match(/\w+/g)).toEqual(['call', 'const', 'found', 'test', 'it']);
    expect(maskText(text, true).match(/\w+/g)?.slice(0, 3)).toEqual(['call', 'one', 'two']);
  });
});

describe('rules can fail', () => {
  it('layers: an import upwards', () => {
    expect(checkLayers(tree({ 'src/base/a.ts': "import { x } from '../contract/index.ts';" }))).toHaveLength(1);
    expect(
      checkLayers(tree({ 'src/platform/net/a.ts': "import { x } from '../../domain/sessions/index.ts';" })),
    ).toHaveLength(1);
    expect(checkLayers(tree({ 'src/cli/a.ts': "const x = await import('../daemon/main.ts');" }))).toHaveLength(1);
    expect(
      checkLayers(tree({ 'src/pty-host/a.ts': "import type { x } from '../platform/pty-host/index.ts';" })),
    ).toHaveLength(1);
    expect(
      checkLayers(tree({ 'web/desktop/a.tsx': "import { x } from '../../src/domain/sessions/index.ts';" })),
    ).toHaveLength(1);
    expect(checkLayers(tree({ 'src/misc/a.ts': '' }))).toHaveLength(1);
    expect(checkLayers(tree({ 'src/api/http/a.ts': "import { x } from '../../domain/sessions/index.ts';" }))).toEqual(
      [],
    );
    expect(checkLayers(tree({ 'src/base/a.test.ts': "import { x } from '../contract/index.ts';" }))).toEqual([]);
  });

  it('doors: a back entrance, an unwritten order, a star', () => {
    const enter = (name: string) => checkDoors(tree({ 'src/api/http/a.ts': `import { x } from '${name}';` }));
    expect(enter('../../domain/sessions/terminal.ts')).toHaveLength(1);
    expect(enter('../../base/clock.ts')).toHaveLength(1);
    expect(enter('../../domain/sessions/index.ts')).toEqual([]);
    expect(enter('../../base/index.ts')).toEqual([]);
    expect(enter('./b.ts')).toEqual([]);
    const sideways = "import { x } from '../sessions/index.ts';";
    expect(checkDoors(tree({ 'src/domain/access/a.ts': sideways }))).toHaveLength(1);
    expect(checkDoors(tree({ 'src/domain/access/index.ts': "export * from './a.ts';" }))).toHaveLength(1);
    expect(checkDoors(tree({ 'src/domain/access/index.ts': "export { a } from './a.ts';" }))).toEqual([]);
  });

  it('cycles: two and three files', () => {
    const two = { 'src/base/a.ts': "import './b.ts';", 'src/base/b.ts': "export { x } from './a.ts';" };
    expect(checkCycles(tree(two))).toHaveLength(1);
    const three = {
      'src/base/a.ts': "import './b.ts';",
      'src/base/b.ts': "import './c.ts';",
      'src/base/c.ts': "import './a.ts';",
    };
    expect(checkCycles(tree(three))).toHaveLength(1);
    expect(checkCycles(tree({ ...three, 'src/base/c.ts': '' }))).toEqual([]);
  });

  it('runtime words: Node and DOM in base and contract', () => {
    expect(checkRuntimeWords(tree({ 'src/contract/a.ts': "import { x } from 'node:fs';" }))).toHaveLength(1);
    expect(checkRuntimeWords(tree({ 'src/base/a.ts': 'export const x = Buffer.alloc(1);' }))).toHaveLength(1);
    expect(checkRuntimeWords(tree({ 'src/base/a.ts': 'export const x = window.top;' }))).toHaveLength(1);
    expect(checkRuntimeWords(tree({ 'src/base/a.ts': "// process\nexport const x = { process: 'Buffer' };" }))).toEqual(
      [],
    );
    expect(checkRuntimeWords(tree({ 'src/platform/net/a.ts': 'process.exit();' }))).toEqual([]);
  });

  it('package homes: a package that left home', () => {
    expect(checkPackageHomes(tree({ 'src/domain/sessions/a.ts': "import Database from 'libsql';" }))).toHaveLength(1);
    expect(
      checkPackageHomes(tree({ 'src/domain/sessions/a.ts': "import { createServer } from 'node:http';" })),
    ).toHaveLength(1);
    expect(checkPackageHomes(tree({ 'src/platform/database/a.ts': "import Database from 'libsql';" }))).toEqual([]);
  });

  it('xterm internals: outside of the adapter', () => {
    expect(checkXtermInternals(tree({ 'web/desktop/a.ts': 'terminal._core.buffers;' }))).toHaveLength(1);
    expect(checkXtermInternals(tree({ 'web/desktop/a.ts': "(terminal as Inner)['_core'].buffers;" }))).toHaveLength(1);
    expect(checkXtermInternals(tree({ 'src/domain/sessions/screen/xterm-adapter.ts': 'terminal._core;' }))).toEqual([]);
  });

  it('blocking calls: a new one, and an allowance that is no longer needed', () => {
    const one = tree({
      'src/api/http/a.ts': "import { readFileSync as read, statSync } from 'node:fs';\nread('x'); // statSync('y')\n",
      'src/domain/config/b.ts': "import fs from 'node:fs';\nfs.existsSync('x');\nterminal.writeSync('x');\n",
      'src/cli/c.ts': "import { readFileSync } from 'node:fs';\nreadFileSync('x');\n",
    });
    expect(countBlockingCalls(one)).toEqual({ 'src/api/http/a.ts': 1, 'src/domain/config/b.ts': 1 });
    expect(checkBlockingCalls(one, { 'src/api/http/a.ts': 1 })).toHaveLength(1);
    expect(checkBlockingCalls(one, { 'src/api/http/a.ts': 1, 'src/domain/config/b.ts': 2 })).toHaveLength(1);
    expect(checkBlockingCalls(one, { 'src/api/http/a.ts': 1, 'src/domain/config/b.ts': 1 })).toEqual([]);
  });

  it('exports: a default', () => {
    expect(checkExports(tree({ 'src/base/a.ts': 'export default 1;' }))).toHaveLength(1);
    expect(checkExports(tree({ 'src/base/a.ts': 'export const a = 1;' }))).toEqual([]);
  });

  it('places: folders of a machine and a private registry', () => {
    const at = (text: string) => checkPlaces(tree({ 'docs/a.md': text })).length;
    const slash = '/';
    expect(at(`${slash}home${slash}somebody${slash}x`)).toBe(1);
    expect(at(`${slash}Users${slash}somebody`)).toBe(1);
    expect(at(`"${slash}root${slash}.config"`)).toBe(1);
    expect(at(`cd ${slash}work${slash}main`)).toBe(1);
    expect(at(`"resolved": "https:${slash}${slash}mirror.example${slash}zod.tgz"`)).toBe(1);
    expect(at(`"resolved": "https:${slash}${slash}registry.npmjs.org${slash}zod.tgz"`)).toBe(0);
    expect(at(`${slash}home${slash}user${slash}project`)).toBe(0);
  });
});
