/** The guide says nothing that this version does not have. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { PLUGIN_GUIDE } from '../../src/api/plugin-guide.ts';
import { CONFIG_FILE_NAMES, ROUTES } from '../../src/contract/index.ts';
import { parseProgramStatus } from '../../src/domain/agents/program-status.ts';

const PAGE = join(import.meta.dirname, '../../docs/guide/plugins.md');

describe('plugin_dev_guide (CFG-1)', () => {
  it('names routes that exist', () => {
    const known = new Set<string>(ROUTES.map(({ method, path }) => `${method} ${path}`));
    const named = [...PLUGIN_GUIDE.matchAll(/`(GET|POST|PUT|DELETE) (\/[^`?]*)(?:\?[^`]*)?`/g)].map(
      ([, method, path]) => `${method} ${(path ?? '').replace('<file>', ':file')}`,
    );
    expect(named.length).toBeGreaterThan(8);
    expect(named.filter((route) => !known.has(route))).toEqual([]);
    for (const path of ['/health', '/docs/api', '/sessions/:id/stream']) {
      expect(PLUGIN_GUIDE).toContain(path);
      expect(known.has(`GET ${path}`)).toBe(true);
    }
  });

  it('its status lines are understood, and its files are served', () => {
    const lines = [...PLUGIN_GUIDE.matchAll(/^status ['"](state=[^'"$]*)/gm)].map(([, line]) => line ?? '');
    expect(lines.map((line) => parseProgramStatus(line)?.state)).toEqual(['working', 'blocked', 'done', 'clear']);
    for (const file of ['notes', 'keybindings']) expect(CONFIG_FILE_NAMES).toContain(file);
  });

  it('P5: costs an agent at most 6,000 bytes', () => {
    expect(Buffer.byteLength(PLUGIN_GUIDE)).toBeLessThanOrEqual(6_000);
  });

  it('docs/guide/plugins.md is the same text', () => {
    if (process.env.TUIC_UPDATE_PINS === '1') writeFileSync(PAGE, PLUGIN_GUIDE);
    expect(readFileSync(PAGE, 'utf8')).toBe(PLUGIN_GUIDE);
  });
});
