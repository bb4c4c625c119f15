/** Figures as people read them. */

export function formatPercent(value: number): string {
  if (value < 0.05) return '0 %';
  return `${value >= 100 ? Math.round(value) : value.toFixed(1)} %`;
}

/** KB and MB as the contract asks, GB where MB would be long. */
export function formatMemory(kilobytes: number): string {
  if (kilobytes < 1_024) return `${Math.round(kilobytes)} KB`;
  const megabytes = kilobytes / 1_024;
  if (megabytes < 10) return `${megabytes.toFixed(1)} MB`;
  if (megabytes < 1_024) return `${Math.round(megabytes)} MB`;
  return `${(megabytes / 1_024).toFixed(megabytes < 10_240 ? 2 : 1)} GB`;
}

export function formatAge(seconds: number): string {
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  if (hours < 48) return minutes % 60 === 0 || hours >= 10 ? `${hours} h` : `${hours} h ${minutes % 60} min`;
  return `${Math.floor(hours / 24)} d`;
}

export function formatAgo(milliseconds: number): string {
  const seconds = Math.round(milliseconds / 1_000);
  return seconds < 2 ? 'now' : `${formatAge(seconds)} ago`;
}

const STATES: Readonly<Record<string, string>> = {
  R: 'running',
  S: 'sleeping',
  D: 'waiting for a device',
  T: 'stopped',
  t: 'stopped by a debugger',
  Z: 'ended, not collected by its parent',
  I: 'idle',
};

export function describeState(letter: string): string {
  return STATES[letter] ?? 'unknown';
}
