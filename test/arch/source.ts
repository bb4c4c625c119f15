/** Reads source text for the rules. TypeScript 7 has no compiler API, so imports are found by a small scanner. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Project-relative path with forward slashes → text. */
export type SourceTree = ReadonlyMap<string, string>;

const SKIPPED = new Set(['node_modules', 'dist', '.git', '.cache', 'test-results', 'fixtures', 'images']);

export function readTree(root: string, folders: readonly string[], accepts: (path: string) => boolean): SourceTree {
  const tree = new Map<string, string>();
  const walk = (path: string) => {
    for (const entry of readdirSync(join(root, path), { withFileTypes: true })) {
      const at = path === '' ? entry.name : `${path}/${entry.name}`;
      if (entry.isDirectory()) {
        if (!SKIPPED.has(entry.name)) walk(at);
      } else if (entry.isFile() && accepts(at)) tree.set(at, readFileSync(join(root, at), 'utf8'));
    }
  };
  for (const folder of folders) walk(folder);
  return tree;
}

/**
 * Blanks comments and the inside of strings, templates and regular expressions, keeping every offset and line. With
 * `keepStrings` only comments go.
 */
export function maskText(text: string, keepStrings = false): string {
  const out = [...text];
  const blank = (from: number, to: number) => {
    for (let index = from; index < to; index++) if (out[index] !== '\n') out[index] = ' ';
  };
  const characters = out.slice();
  let index = 0;
  let lastCode = '';
  while (index < characters.length) {
    const here = characters[index] ?? '';
    const next = characters[index + 1];
    if (here === '/' && (next === '/' || next === '*')) {
      const end = next === '/' ? indexOf(characters, '\n', index) : indexOf(characters, '*/', index + 2) + 2;
      blank(index, end);
      index = end;
    } else if (here === "'" || here === '"' || here === '`') {
      const end = endOfQuoted(characters, index, here);
      if (!keepStrings) blank(index + 1, end - 1);
      index = end;
      lastCode = here;
    } else if (here === '/' && '(,=:[!&|?{};+\n'.includes(lastCode) && lastCode !== '') {
      const end = endOfQuoted(characters, index, '/');
      if (!keepStrings) blank(index + 1, end - 1);
      index = end;
      lastCode = '/';
    } else {
      if (here.trim() !== '') lastCode = here;
      index++;
    }
  }
  return out.join('');
}

function indexOf(characters: readonly string[], wanted: string, from: number): number {
  for (let index = from; index < characters.length; index++) {
    if (characters[index] !== wanted[0]) continue;
    if (wanted.length === 1 || characters[index + 1] === wanted[1]) return index;
  }
  return characters.length;
}

/** Index past the closing delimiter. A regular expression's character class may hold an unescaped slash. */
function endOfQuoted(characters: readonly string[], start: number, delimiter: string): number {
  let isInClass = false;
  for (let index = start + 1; index < characters.length; index++) {
    const here = characters[index];
    if (here === '\\') index++;
    else if (delimiter === '/' && here === '[') isInClass = true;
    else if (delimiter === '/' && here === ']') isInClass = false;
    else if (here === delimiter && !isInClass) return index + 1;
    else if (here === '\n' && delimiter !== '`') return index;
  }
  return characters.length;
}

const IMPORT =
  /\b(?:import|export)\b[^'"`;]*?\bfrom\s*['"]([^'"]+)['"]|\bimport\s*['"]([^'"]+)['"]|\b(?:import|require)\s*\(\s*['"]([^'"]+)['"]/g;

/** Every module named by an import, a re-export, a dynamic import or a require with a literal name. */
export function findImports(text: string): string[] {
  const code = maskText(text, true);
  return [...code.matchAll(IMPORT)].map((match) => match[1] ?? match[2] ?? match[3] ?? '');
}

/** Project-relative path behind a relative import; undefined for packages and `node:` modules. */
export function resolveImport(from: string, name: string): string | undefined {
  if (!name.startsWith('.')) return undefined;
  const parts = from.split('/').slice(0, -1);
  for (const part of name.replace(/\?.*$/, '').split('/')) {
    if (part === '..') parts.pop();
    else if (part !== '.') parts.push(part);
  }
  return parts.join('/');
}
