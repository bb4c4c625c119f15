/** The verbs of tuic, as others rely on them: manual, reference, help and exit codes. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { buildTree, ENVIRONMENT_MEANINGS, EXIT_CODE_MEANINGS } from '../../src/cli/tree.ts';
import { describeTree, everyVerb } from '../../src/cli/tree-description.ts';
import { EXIT_CODES } from '../../src/contract/index.ts';
import { renderCommandReference, renderManual } from './command-manual.ts';
import { comparePin } from './pin.ts';

const root = join(import.meta.dirname, '../..');
const tree = describeTree(buildTree({ version: '9.9.9', bind: () => async () => undefined }));
const verbs = [...everyVerb(tree)];
const read = (path: string) => readFileSync(join(root, path), 'utf8');

/** The committed text of a page that is made. */
function pinnedPage(path: string, text: string): string[] {
  if (process.env.TUIC_UPDATE_PINS === '1') {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  return comparePin(read(path).split('\n'), text.split('\n'));
}

describe('the command line', () => {
  it('docs/man/tuic.1 is made from the verbs and current, and the package names it', () => {
    expect(pinnedPage('docs/man/tuic.1', renderManual(tree))).toEqual([]);
    const manifest = JSON.parse(read('package.json')) as { man: string; files: string[] };
    expect(manifest.man).toBe('docs/man/tuic.1');
    expect(manifest.files).toContain('docs/man');
  });

  it('docs/reference/command-line.md is made from the verbs and current', () => {
    expect(pinnedPage('docs/reference/command-line.md', renderCommandReference(tree))).toEqual([]);
  });

  it('every verb teaches by example', () => {
    for (const { path, examples } of verbs) {
      expect(examples.length, path.join(' ')).toBeGreaterThan(0);
      for (const [command] of examples) expect(command, path.join(' ')).toContain('tuic');
    }
  });

  it('every verb that prints something prints it as JSON too', () => {
    const without = verbs
      .filter(({ verbs: inner, options }) => inner.length === 0 && options.every(({ long }) => long !== '--json'))
      .map(({ path }) => path.join(' '));
    // One is a person's terminal, the other prints a script.
    expect(without).toEqual(['attach', 'completion']);
  });

  it('every exit code has its meaning, and the guide names all codes and variables', () => {
    expect(EXIT_CODE_MEANINGS.map(([code]) => code)).toEqual(Object.values(EXIT_CODES));
    const guide = read('docs/guide/command-line.md');
    for (const [code] of EXIT_CODE_MEANINGS) expect(guide).toContain(`| ${code} |`);
    for (const [name] of ENVIRONMENT_MEANINGS) expect(guide).toContain(`| \`${name}\` |`);
  });
});
