/** Text for people: aligned tables, ages, and colour only where a terminal shows it. */

export interface Style {
  dim(text: string): string;
  bold(text: string): string;
  green(text: string): string;
  yellow(text: string): string;
  red(text: string): string;
}

const plain = (text: string) => text;
const PLAIN: Style = { dim: plain, bold: plain, green: plain, yellow: plain, red: plain };

function sgr(code: number): (text: string) => string {
  return (text) => (text === '' ? '' : `\u001b[${code}m${text}\u001b[0m`);
}
const COLOURED: Style = { dim: sgr(2), bold: sgr(1), green: sgr(32), yellow: sgr(33), red: sgr(31) };

/** Colour on a terminal, unless NO_COLOR is set to something or the terminal is a dumb one. */
export function chooseStyle(isTerminal: boolean, env: Readonly<Record<string, string | undefined>>): Style {
  const isRefused = (env.NO_COLOR !== undefined && env.NO_COLOR !== '') || env.TERM === 'dumb';
  return isTerminal && !isRefused ? COLOURED : PLAIN;
}

// A title or a name may hold anything; control characters must not reach the person's terminal.
const CONTROL = /[\u0000-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g;

export function toSafeText(text: string): string {
  return text.replace(CONTROL, '\ufffd');
}

// Wide characters take two columns: CJK, Hangul, full-width forms and most emoji.
const WIDE =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}]/gu;
const COMBINING = /\p{Mark}|\u200d|\ufe0f/gu;

export function displayWidth(text: string): number {
  const bare = text.replace(COMBINING, '');
  return [...bare].length + (bare.match(WIDE)?.length ?? 0);
}

/** Columns padded to their widest cell, two blanks between; the last column is not padded. `style` colours a padded cell. */
export function formatTable(
  headings: readonly string[],
  rows: readonly (readonly string[])[],
  style: (cell: string, row: number, column: number) => string = plain,
): string {
  const lines = [headings, ...rows];
  const widths = headings.map((_, column) => Math.max(...lines.map((line) => displayWidth(line[column] ?? ''))));
  return lines
    .map((line, index) =>
      line
        .map((cell, column) => {
          const padding = column === line.length - 1 ? '' : ' '.repeat((widths[column] ?? 0) - displayWidth(cell));
          return style(cell, index - 1, column) + padding;
        })
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

/** `5 s`, `12 min`, `3 h`, `2 d`: the largest unit that fits. */
export function formatAge(milliseconds: number): string {
  const seconds = Math.max(0, Math.floor(milliseconds / 1000));
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min`;
  if (seconds < 86_400) return `${Math.floor(seconds / 3600)} h`;
  return `${Math.floor(seconds / 86_400)} d`;
}

export function shortenHome(path: string, home: string): string {
  return path === home || path.startsWith(`${home}/`) ? `~${path.slice(home.length)}` : path;
}

export function formatCount(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

const twoDigits = (value: number) => String(value).padStart(2, '0');

/** `12:03:04`, in the time zone at hand. */
export function formatTime(milliseconds: number): string {
  const date = new Date(milliseconds);
  return [date.getHours(), date.getMinutes(), date.getSeconds()].map(twoDigits).join(':');
}

/** `2026-01-02 12:03:04`, in the time zone at hand. */
export function formatDateTime(milliseconds: number): string {
  const date = new Date(milliseconds);
  const day = [date.getMonth() + 1, date.getDate()].map(twoDigits);
  return `${date.getFullYear()}-${day.join('-')} ${formatTime(milliseconds)}`;
}

const UNITS = ['B', 'KiB', 'MiB', 'GiB', 'TiB'] as const;

/** `512 B`, `1.5 KiB`, `12 GiB`. */
export function formatBytes(bytes: number): string {
  const power = Math.min(UNITS.length - 1, Math.max(0, Math.floor(Math.log2(Math.max(1, bytes)) / 10)));
  const value = bytes / 1_024 ** power;
  return `${power === 0 || value >= 10 ? Math.round(value) : value.toFixed(1)} ${UNITS[power]}`;
}
