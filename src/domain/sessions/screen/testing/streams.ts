/** Generators of terminal output for tests and benches: repeatable, no two alike. */

export interface Random {
  /** 0 to below `bound`. */
  below(bound: number): number;
  pick<T>(items: readonly T[]): T;
  chance(percent: number): boolean;
}

export function seededRandom(seed: number): Random {
  let state = (seed * 2_654_435_761) >>> 0 || 1;
  const next = (): number => {
    state ^= state << 13;
    state >>>= 0;
    state ^= state >>> 17;
    state ^= state << 5;
    state >>>= 0;
    return state;
  };
  const below = (bound: number): number => next() % bound;
  return {
    below,
    pick: (items) => {
      const item = items[below(items.length)];
      if (item === undefined) throw new RangeError('nothing to pick from');
      return item;
    },
    chance: (percent) => below(100) < percent,
  };
}

const WORDS =
  'alpha beta gamma delta build test error warning ok running file module function return value of the'.split(' ');
const WIDE = ['中文', '日本語', '한국어', '😀', '🚀🔥', 'ｆｕｌｌ', '漢'];
const MARKED = ['é', 'a\u0308\u0301', 'n\u0303', 'e\u0323\u0302'];

function words(random: Random, count: number): string {
  return Array.from({ length: count }, () => random.pick(WORDS)).join(' ');
}

/** Source lines of plain text, some longer than any terminal is wide. */
export function plainLines(random: Random, count: number): string[] {
  return Array.from({ length: count }, (_, line) => {
    const length = random.chance(6) ? 60 + random.below(80) : random.below(14);
    const extra = random.chance(10) ? ` ${random.pick(WIDE)} ${random.pick(MARKED)}` : '';
    return `${line} ${words(random, length)}${extra}`.trimEnd();
  });
}

export function plainStream(random: Random, lines: number): string {
  return plainLines(random, lines)
    .map((line) => `${line}\r\n`)
    .join('');
}

export function randomStyle(random: Random): string {
  const codes = [
    () => '1',
    () => '2',
    () => '3',
    () => '4',
    () => `4:${random.below(6)}`,
    () => '5',
    () => '7',
    () => '8',
    () => '9',
    () => '21',
    () => '53',
    () => String(30 + random.below(8)),
    () => String(40 + random.below(8)),
    () => String(90 + random.below(8)),
    () => String(100 + random.below(8)),
    () => `38;5;${random.below(256)}`,
    () => `48;5;${random.below(256)}`,
    () => `38;2;${random.below(256)};${random.below(256)};${random.below(256)}`,
    () => `48;2;${random.below(256)};${random.below(256)};${random.below(256)}`,
    () => `58:5:${random.below(256)}`,
    () => `58:2::${random.below(256)}:${random.below(256)}:${random.below(256)}`,
    () => '0',
    () => '22',
    () => '24',
    () => '27',
    () => '39',
    () => '49',
  ];
  const count = 1 + random.below(3);
  return `\x1b[${Array.from({ length: count }, () => random.pick(codes)()).join(';')}m`;
}

export function ansiStream(random: Random, lines: number): string {
  let out = '';
  for (let line = 0; line < lines; line++) {
    const parts = random.below(8);
    for (let part = 0; part < parts; part++) out += `${randomStyle(random)}${words(random, 1 + random.below(6))} `;
    if (random.chance(10)) out += random.pick(WIDE);
    if (random.chance(20)) out += '\x1b[K';
    out += `${random.chance(80) ? '\x1b[0m' : ''}\r\n`;
  }
  return out;
}

/** A prompt box redrawn in place under a spinner while lines are committed above it. */
export function agentStream(random: Random, frames: number): string {
  const box = (text: string): string => `╭${'─'.repeat(30)}╮\r\n│ ❯ ${text.padEnd(26)} │\r\n╰${'─'.repeat(30)}╯`;
  let out = `\x1b[?25l\x1b[?2004h${box('')}`;
  for (let frame = 0; frame < frames; frame++) {
    out += '\x1b[?2026h\r\x1b[2A\x1b[J';
    if (random.chance(40)) {
      out += `\x1b[38;2;${random.below(256)};180;90m●\x1b[39m \x1b[1m${words(random, 2)}\x1b[22m(${words(random, 1 + random.below(20))})\r\n`;
      if (random.chance(30)) out += `  ⎿  ${random.pick(WIDE)} ${words(random, random.below(40))}\r\n`;
    }
    out += `${'✶✻✽·'[frame % 4]} ${random.pick(WORDS)}… (${frame}s)\x1b]0;✳ task ${frame % 7}\x07\x1b[1A\x1b[1B\r\x1b[2K`;
    out += `${box(words(random, 3).slice(0, 26))}\x1b[?2026l`;
  }
  return `${out}\r\n\x1b[?25h`;
}

/** Everything a screen engine can get wrong. Size-independent; no terminal queries. */
export function tortureStep(random: Random): string {
  const number = (): number => 1 + random.below(random.chance(10) ? 60 : 12);
  const steps: [weight: number, make: () => string][] = [
    [30, () => `${words(random, random.below(12))}\r\n`],
    [8, () => words(random, random.below(40))],
    [8, () => randomStyle(random)],
    [6, () => random.pick(WIDE)],
    [4, () => random.pick(MARKED)],
    [3, () => `${random.pick(WIDE).repeat(1 + random.below(30))}`],
    [6, () => `\x1b[${number()};${number()}H`],
    [4, () => `\x1b[${number()}${random.pick(['A', 'B', 'C', 'D', 'E', 'F', 'G', 'd', 'a', 'e', '`'])}`],
    [3, () => `\x1b[${random.below(4)}K`],
    [2, () => `\x1b[${random.below(3)}J`],
    [1, () => '\x1b[3J'],
    [2, () => `\x1b[${number()}L`],
    [2, () => `\x1b[${number()}M`],
    [2, () => `\x1b[${number()}S`],
    [2, () => `\x1b[${number()}T`],
    [2, () => `\x1b[${number()}@`],
    [2, () => `\x1b[${number()}P`],
    [2, () => `\x1b[${number()}X`],
    [2, () => `x\x1b[${number()}b`],
    [2, () => `\x1b[${number()};${number() + 5}r`],
    [2, () => '\x1b[r'],
    [3, () => '\x1bM'],
    [2, () => '\x1bD'],
    [2, () => '\x1b7'],
    [2, () => '\x1b8'],
    [2, () => '\t'],
    [1, () => '\x1bH'],
    [1, () => `\x1b[${random.pick([0, 3])}g`],
    [1, () => `\x1b[${number()}I\x1b[${number()}Z`],
    [1, () => `\x1b[?1049${random.pick(['h', 'l'])}`],
    [1, () => `\x1b[?47${random.pick(['h', 'l'])}`],
    [1, () => `\x1b[?6${random.pick(['h', 'l'])}`],
    [1, () => `\x1b[?7${random.pick(['h', 'l', 'h'])}`],
    [1, () => `\x1b[4${random.pick(['h', 'l', 'l'])}`],
    [1, () => `\x1b[?45${random.pick(['h', 'l'])}\b`],
    [1, () => `\x1b[20${random.pick(['h', 'l', 'l'])}\n`],
    [1, () => `\x1b(${random.pick(['0', 'B', 'A'])}qxlk`],
    [1, () => `\x1b)${random.pick(['0', 'B'])}${random.pick(['\x0e', '\x0f'])}`],
    [1, () => `\x1b*0\x1b+A${random.pick(['\x1bn', '\x1bo', '\x0f'])}`],
    [1, () => `\x1b[?25${random.pick(['h', 'l'])}`],
    [1, () => `\x1b[?12${random.pick(['h', 'l'])}`],
    [1, () => `\x1b[${random.below(7)} q`],
    [1, () => `\x1b[?${random.pick([9, 1000, 1002, 1003, 1004, 1005, 1006, 1015, 1016, 2004, 2026, 2027, 1, 66])}h`],
    [1, () => `\x1b[?${random.pick([9, 1000, 1002, 1003, 1004, 1005, 1006, 1015, 1016, 2004, 2026, 2027, 1, 66])}l`],
    [1, () => `\x1b[${random.pick([0, 1, 2])}"q`],
    [1, () => `\x1b[?${random.below(3)}J\x1b[?${random.below(3)}K`],
    [1, () => `\x1b]0;title ${random.pick(WORDS)} ${random.pick(WIDE)}\x07`],
    [1, () => `\x1b]2;other ${random.pick(WORDS)}\x1b\\`],
    [1, () => `\x1b[22;0t\x1b]2;pushed\x07`],
    [1, () => '\x1b[23;0t'],
    [1, () => `\x1b]7;file:///${random.pick(WORDS)}\x07`],
    [2, () => `\x1b]8;id=${random.below(3)};https://example.com/${random.below(5)}\x07link\x1b]8;;\x07`],
    [1, () => `\x1b]8;;https://example.com/${random.below(5)}\x1b\\open`],
    [1, () => `\x1b]4;${random.below(256)};rgb:12/34/56\x07`],
    [1, () => `\x1b]${random.pick([10, 11, 12])};#102030\x07`],
    [1, () => `\x1b]${random.pick([104, 110, 111, 112])}\x07`],
    [1, () => `\x1b[>${random.below(32)}u`],
    [1, () => '\x1b[<u'],
    [1, () => `\x1b[>4;${random.below(3)}m`],
    [1, () => `\x1bP1;2q#0~~@@\x1b\\`],
    [1, () => `\x1b_Gf=100;AAAA\x1b\\`],
    [1, () => `\x1b[31\x18\x1b[\x1b[1m`],
    [1, () => `\x1b[${number()}\n${number()}C`],
    [1, () => '\u009b3C\u0085'],
    [1, () => '\x1b#8'],
    [1, () => '\x1b[!p'],
    [1, () => (random.chance(20) ? '\x1bc' : '')],
    [2, () => '\b\b'],
    [3, () => '\r'],
    [8, () => '\n'],
  ];
  const total = steps.reduce((sum, [weight]) => sum + weight, 0);
  let at = random.below(total);
  for (const [weight, make] of steps) {
    at -= weight;
    if (at < 0) return make();
  }
  return '';
}

export function tortureStream(random: Random, steps: number): string {
  return Array.from({ length: steps }, () => tortureStep(random)).join('');
}

/** Cuts bytes at random places, inside characters and sequences too. */
export function randomChunks(random: Random, bytes: Uint8Array, longest: number): Uint8Array[] {
  const chunks: Uint8Array[] = [];
  for (let at = 0; at < bytes.length; ) {
    const length = random.chance(30) ? 1 + random.below(4) : 1 + random.below(longest);
    chunks.push(new Uint8Array(bytes.subarray(at, at + length)));
    at += length;
  }
  return chunks;
}
