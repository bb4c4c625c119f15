/**
 * Aliases: the short human address of a terminal, `<prefix>-<n>` (http.md 21, ADR-4, ADR-5). Pure rules; the counters
 * belong to the caller and only go up.
 */

const LONGEST_PREFIX = 5;
const ALIAS = /^([\p{Ll}\p{Lo}\p{N}]{1,32})-([1-9][0-9]{0,8})$/u;

/** What is known of the sessions that hold an alias now (live and lost ones). */
export interface AliasHolder {
  alias: string;
  /** Directory name its alias was made from. */
  name: string;
}

export function parseAlias(text: string): { prefix: string; number: number } | undefined {
  const match = ALIAS.exec(text);
  if (match?.[1] === undefined || match[2] === undefined) return undefined;
  return { prefix: match[1], number: Number(match[2]) };
}

/** Last segment of a folder; empty for the root. */
export function directoryName(cwd: string): string {
  return cwd.split(/[/\\]/).filter(Boolean).at(-1) ?? '';
}

/** The prefix a name wants when nobody else is there. */
export function basePrefix(name: string): string {
  const parts = splitName(name);
  if (parts.length === 0) return 'sh';
  if (parts.length === 1) return take(parts[0] ?? '', 2);
  return parts.map((part) => take(part, 1)).join('');
}

/** Prefix for `name`: the one its directory already uses, else the first free one of the lengthening rule. */
export function choosePrefix(name: string, holders: readonly AliasHolder[]): string {
  const owners = new Map<string, string>();
  for (const holder of holders) {
    const prefix = parseAlias(holder.alias)?.prefix;
    if (prefix === undefined) continue;
    if (holder.name === name) return prefix;
    owners.set(prefix, holder.name);
  }
  for (const candidate of candidates(name)) if (!owners.has(candidate)) return candidate;
  // All taken: sharing a prefix is harmless, since its counter is shared too.
  return basePrefix(name);
}

function* candidates(name: string): Generator<string> {
  const parts = splitName(name);
  const base = basePrefix(name);
  yield base;
  if (parts.length === 1) {
    const whole = [...(parts[0] ?? '')];
    for (let length = 3; length <= Math.min(LONGEST_PREFIX, whole.length); length++)
      yield whole.slice(0, length).join('');
  } else if (parts.length > 1) {
    const longest = [...parts].sort((left, right) => right.length - left.length)[0] ?? '';
    let extended = base;
    for (const letter of [...longest].slice(1)) {
      if ([...extended].length >= LONGEST_PREFIX) break;
      extended += letter;
      yield extended;
    }
  }
  for (let digit = 2; digit <= 9; digit++) yield `${base}${digit}`;
}

function splitName(name: string): string[] {
  return name
    .split(/[-_.]|(?=\p{Lu})/u)
    .map((part) => part.toLowerCase().replace(/[^\p{L}\p{N}]/gu, ''))
    .filter((part) => part !== '');
}

function take(text: string, count: number): string {
  return [...text].slice(0, count).join('');
}
