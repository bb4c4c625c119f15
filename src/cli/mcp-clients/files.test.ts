import fc from 'fast-check';
import { parse as parseToml, stringify as stringifyToml } from 'smol-toml';
import { describe, expect, it } from 'vitest';
import { appendItem, editJson, readJson, removeItem } from './json-file.ts';
import { editToml, readToml } from './toml-file.ts';

const ENTRY = { command: '/usr/bin/node', args: ['/opt/tuic/bridge.js'] };
const JSON_PATH = ['mcpServers', 'tuicommander'];
const TOML_PATH = ['mcp_servers', 'tuicommander'];

const key = fc.oneof(fc.constantFrom('a', 'other', 'mcpServers', 'x y', 'ключ'), fc.string({ maxLength: 6 }));
const jsonObject = fc
  .dictionary(
    key.filter((name) => name !== 'mcpServers' && name !== '__proto__'),
    fc.jsonValue({ maxDepth: 2 }).filter((value) => !JSON.stringify(value).includes('__proto__')),
    { maxKeys: 5 },
  )
  // As it comes out of a file: JSON has no negative zero.
  .map((value): typeof value => JSON.parse(JSON.stringify(value)));

describe('JSON files', () => {
  it('everything but the entry stays byte for byte: adding and removing gives the old text', () => {
    fc.assert(
      fc.property(
        jsonObject,
        fc.dictionary(fc.constantFrom('one', 'two'), jsonObject, { minKeys: 1 }),
        fc.constantFrom('  ', '    ', '\t'),
        fc.constantFrom('\n', '\r\n'),
        (rest, servers, indent, eol) => {
          const text = `${JSON.stringify({ ...rest, mcpServers: servers }, null, indent).replaceAll('\n', eol)}${eol}`;
          const added = editJson(text, JSON_PATH, ENTRY);
          expect(readJson(added)).toEqual({ ...readJson(text), mcpServers: { ...servers, tuicommander: ENTRY } });
          expect(editJson(added, JSON_PATH, undefined)).toBe(text);
        },
      ),
      { numRuns: 100 },
    );
  });

  it('comments, trailing commas, odd spacing and a byte order mark are kept', () => {
    const text =
      '\ufeff{\n  // mine\n  "a" :  1, /* b */\n  "mcpServers": {\n    "x": {"command":"y"}, // z\n  },\n}\n';
    const added = editJson(text, JSON_PATH, ENTRY);
    expect(added).toContain('"a" :  1, /* b */');
    expect(added).toContain('"x": {"command":"y"}');
    expect(added.startsWith('\ufeff{\n  // mine')).toBe(true);
    expect(readJson(added)).toMatchObject({ a: 1, mcpServers: { x: { command: 'y' }, tuicommander: ENTRY } });
  });

  it('an empty file becomes one that holds the entry', () => {
    expect(JSON.parse(editJson('', JSON_PATH, ENTRY))).toEqual({ mcpServers: { tuicommander: ENTRY } });
    expect(editJson('', JSON_PATH, ENTRY).endsWith('}\n')).toBe(true);
  });

  it('a broken file is refused with its line', () => {
    expect(() => readJson('{\n  "a": 1,\n  "b": \n')).toThrow();
    expect(() => readJson('[1]')).toThrow('the file holds no object');
  });
});

const tomlValue = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 12 }),
  fc.integer({ min: -1000, max: 1000 }),
  fc.boolean(),
  fc.array(fc.string({ maxLength: 5 }), { maxLength: 3 }),
);
const tomlTable = fc.dictionary(fc.constantFrom('a', 'b c', 'ä', 'command', 'env_vars'), tomlValue, { maxKeys: 4 });

describe('TOML files', () => {
  it('everything but the entry stays byte for byte: adding and removing gives the old text', () => {
    fc.assert(
      fc.property(
        tomlTable,
        fc.dictionary(
          fc.constantFrom('projects', 'x.y', 'mcp_servers'),
          fc.dictionary(fc.constantFrom('p', '/q'), tomlTable),
          {
            maxKeys: 3,
          },
        ),
        (top, tables) => {
          const text = stringifyToml({ ...top, ...tables });
          const start = text === '' || text.endsWith('\n') ? text : `${text}\n`;
          const added = editToml(start, TOML_PATH, ENTRY);
          expect(parseToml(added)).toMatchObject({ mcp_servers: { tuicommander: ENTRY } });
          expect(editToml(added, TOML_PATH, undefined)).toBe(start);
        },
      ),
      { numRuns: 100 },
    );
  });

  const OWN = [
    '# my settings   ',
    "model = 'gpt'   # keep",
    'list = [ "a",   # first',
    '  "[mcp_servers.tuicommander]", ]',
    'long = """',
    '[mcp_servers.tuicommander]',
    'command = "fake" """',
    '',
    '[mcp_servers."tuicommander"] # hi',
    'command = "/old/tuic-bridge"   # stale',
    'startup_timeout_sec = 20',
    'env_vars = [{ name = "TUIC_SESSION", source = "local" }]',
    '',
    '[mcp_servers.tuicommander.tools.x]',
    'enabled = true',
    '',
    '[[things]]',
    'a = 1',
    '',
  ].join('\n');

  it('MSG-6: an existing table is repaired in place, its other keys, sub-tables and comments stay', () => {
    const document = readToml(OWN) as { mcp_servers: { tuicommander: object } };
    const repaired = editToml(OWN, TOML_PATH, { ...document.mcp_servers.tuicommander, ...ENTRY });
    const expected = OWN.replace('command = "/old/tuic-bridge"   # stale\n', 'command = "/usr/bin/node"\n').replace(
      'source = "local" }]\n',
      'source = "local" }]\nargs = ["/opt/tuic/bridge.js"]\n',
    );
    expect(repaired).toBe(expected);
  });

  it('removing takes the table with its sub-tables and nothing that only looks like it', () => {
    const removed = editToml(OWN, TOML_PATH, undefined);
    expect(readToml(removed)).not.toHaveProperty('mcp_servers.tuicommander');
    expect(removed).toContain('[mcp_servers.tuicommander]\ncommand = "fake" """');
    expect(removed).toContain('[[things]]\na = 1\n');
  });

  it('CRLF files stay CRLF files', () => {
    const added = editToml('model = "x"\r\n', TOML_PATH, ENTRY);
    expect(added.replaceAll('\r\n', '')).not.toContain('\n');
  });

  it('a form that is not edited is refused, and so is what is no TOML', () => {
    expect(() => editToml('mcp_servers = { other = { command = "x" } }\n', TOML_PATH, ENTRY)).toThrow('by hand');
    expect(() => editToml('mcp_servers.tuicommander.command = "x"\n', TOML_PATH, ENTRY)).toThrow('by hand');
    expect(() => readToml('a = \nb = 1')).toThrow();
  });
});

describe('lists in JSON files', () => {
  it('everything but the item stays byte for byte: adding and removing gives the old text', () => {
    fc.assert(
      fc.property(
        jsonObject,
        fc.array(jsonObject, { minLength: 1, maxLength: 3 }),
        fc.constantFrom(undefined, '  ', '\t'),
        fc.constantFrom('\n', '\r\n'),
        (rest, list, indent, eol) => {
          const text = `${JSON.stringify({ ...rest, list }, null, indent).replaceAll('\n', eol)}${eol}`;
          const added = appendItem(text, ['list'], ENTRY);
          expect(readJson(added)).toEqual({ ...readJson(text), list: [...list, ENTRY] });
          expect(removeItem(added, ['list'], list.length)).toBe(text);
          expect(readJson(removeItem(added, ['list'], 0)).list).toEqual([...list.slice(1), ENTRY]);
        },
      ),
      { numRuns: 100 },
    );
  });
});
