/**
 * What agents print of limits and errors of their model (STM-46, STM-47): structured text only, never prose. One table an agent; rows are
 * those above its composer, from the newest up. Versions: see docs/agent-state.md.
 */

export interface PrintedTrouble {
  /** A limit, or an agent that says for how long it will wait. */
  readonly retryAfterMs?: number;
  /** Nothing further is tried, or it is tried again and again. */
  readonly error: string;
  readonly isLimit: boolean;
  /** How many such rows stand there. */
  readonly count: number;
}

interface Rule {
  readonly row: RegExp;
  readonly isLimit: boolean;
  /** Without a group `seconds` in the row. */
  readonly retryAfterMs?: number;
  /** Rows that go on, joined to what is told. */
  readonly isWrapped?: true;
}

const MINUTE = 60_000;
const OVERLOAD = 30_000;
const LONGEST = 500;
const MOST_WRAPPED = 4;
const LIMIT_NAMES =
  /\b(?:rate_limit_error|RateLimitError|RESOURCE_EXHAUSTED|429\b.*\bToo Many Requests|HTTP\/[\d.]+ 429|(?:tokens|requests) per min(?:ute)?\b.*\blimit|overloaded_error|temporarily limiting requests|(?:429|529) \{)/iu;
const OVERLOAD_NAMES = /\boverloaded|temporarily limiting requests|\b529\b/iu;

const RULES: Readonly<Record<string, readonly Rule[]>> = {
  claude: [
    { row: /^✻ .*\berror\b.*?· retrying in (?<seconds>\d{1,5})s\b.*· attempt \d+\/\d+$/iu, isLimit: true },
    { row: /^✻ .*\berror\b.*?· retrying\b.*· attempt \d+\/\d+$/iu, isLimit: false },
    { row: /^● API Error: .*\b(?:429|529|overloaded|rate.?limit)/iu, isLimit: true, isWrapped: true },
    { row: /^● (?:API Error: |Invalid API key\b)/u, isLimit: false, isWrapped: true },
  ],
  codex: [
    { row: /^\s*[■└] (?:Exceeded retry limit, last status: )429\b/iu, isLimit: true, retryAfterMs: MINUTE },
    { row: /^\s*[■└] Unexpected status 529\b/iu, isLimit: true, retryAfterMs: OVERLOAD },
    {
      row: /^\s*[■└] (?:Exceeded retry limit, last status: |Unexpected status \d{3}\b|stream error: |stream disconnected )/iu,
      isLimit: false,
    },
  ],
  opencode: [
    {
      row: /^\s*[⬝■]+ .*(?:overloaded|rate limit|too many requests).*\[retrying in (?<seconds>\d{1,5})s attempt #\d+\]/iu,
      isLimit: true,
    },
    { row: /^\s*[⬝■]+ .*\[retrying(?: in \d+s)? attempt #\d+\]/iu, isLimit: false },
  ],
  gemini: [
    { row: /^\s*✕ \[API Error: .*(?:429|RESOURCE_EXHAUSTED|overloaded|503)/iu, isLimit: true, isWrapped: true },
    { row: /^\s*✕ \[API Error: /u, isLimit: false, isWrapped: true },
  ],
  aider: [{ row: /^litellm\.(?:RateLimitError|InternalServerError|AuthenticationError|APIError)\b/u, isLimit: false }],
};

/** Of any agent: a bare name of an error class at the start of a row. Code, diffs and comments lead with something else. */
const ANY: readonly Rule[] = [
  {
    row: /^\s{0,2}(?:[●■✕└⎿•]\s+)?(?:(?:error|API error)[:\s(]+)?["'{]*(?:type["':\s]+)?(?:rate_limit_error|RateLimitError|RESOURCE_EXHAUSTED|overloaded_error)\b/u,
    isLimit: true,
  },
  { row: /^\s{0,2}(?:[●■✕└⎿•]\s+)?Retry[- ]After:?\s+(?<seconds>\d{1,5})(?: seconds)?$/iu, isLimit: true },
];

/** The newest trouble above the composer; `rows` end there. */
export function readTrouble(rows: readonly string[], end: number, agentType: string): PrintedTrouble | undefined {
  const rules = rulesOf(agentType);
  let found: PrintedTrouble | undefined;
  let count = 0;
  for (let index = Math.min(end, rows.length) - 1; index >= 0; index--) {
    const row = (rows[index] ?? '').trimEnd();
    for (const rule of rules) {
      const match = rule.row.exec(row);
      if (match === null) continue;
      count++;
      if (found !== undefined) break;
      const whole = rule.isWrapped ? joinWrapped(rows, index, end) : row.trim();
      const isLimit = rule.isLimit || LIMIT_NAMES.test(whole);
      const seconds = match.groups?.seconds;
      found = {
        count,
        isLimit,
        ...(isLimit ? { retryAfterMs: waitOf(seconds, rule, whole) } : {}),
        error: withoutCountdown(whole),
      };
      break;
    }
  }
  return found === undefined ? undefined : { ...found, count };
}

function rulesOf(agentType: string): readonly Rule[] {
  return [...(Object.hasOwn(RULES, agentType) ? (RULES[agentType] ?? []) : []), ...ANY];
}

function waitOf(seconds: string | undefined, { retryAfterMs }: Rule, whole: string): number {
  if (seconds !== undefined) return Number(seconds) * 1_000;
  const told = /\bretry(?:-after:| after)\s+(\d{1,5})\b/iu.exec(whole)?.[1];
  if (told !== undefined) return Number(told) * 1_000;
  return retryAfterMs ?? (OVERLOAD_NAMES.test(whole) ? OVERLOAD : MINUTE);
}

function joinWrapped(rows: readonly string[], index: number, end: number): string {
  const parts = [(rows[index] ?? '').trim()];
  for (let at = index + 1; at < Math.min(end, index + MOST_WRAPPED, rows.length); at++) {
    const row = rows[at] ?? '';
    if (!/^ {2,}\S/u.test(row)) break;
    parts.push(row.trim());
  }
  return parts.join(' ');
}

/** What changes each second is told as a time, not as another error. */
function withoutCountdown(text: string): string {
  return text
    .replace(/^[●⏺•■✕✻└⎿⬝]+\s*/u, '')
    .replace(/^[⬝■]+\s*/u, '')
    .replace(/\s{3,}.*$/u, '')
    .replace(/\bretrying(?: in \d+s|…)/iu, 'retrying')
    .replace(/^\[(.*)\]$/u, '$1')
    .slice(0, LONGEST);
}

/** `used 81% of your weekly limit` (STM-47). */
export function readUsage(rows: readonly string[]): number | undefined {
  for (let index = rows.length - 1; index >= 0; index--) {
    const percent = /\bused (\d{1,3})% of your (?:weekly|session) limit\b/iu.exec(rows[index] ?? '')?.[1];
    if (percent !== undefined && Number(percent) <= 100) return Number(percent);
  }
  return undefined;
}
