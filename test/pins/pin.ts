/**
 * Pins: what others rely on, kept as JSON beside the tests. A change is made on purpose by
 * `TUIC_UPDATE_PINS=1 npx vitest run --project unit test/pins` and then shows in the diff.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const isUpdating = process.env.TUIC_UPDATE_PINS === '1';

/** Lines that differ, `-` pinned and `+` found; empty when the pin holds. */
export function comparePin(pinned: unknown, found: unknown): string[] {
  const before = JSON.stringify(pinned, null, 2).split('\n');
  const after = JSON.stringify(found, null, 2).split('\n');
  const gone = before.filter((line) => !after.includes(line)).map((line) => `- ${line.trim()}`);
  const come = after.filter((line) => !before.includes(line)).map((line) => `+ ${line.trim()}`);
  if (gone.length === 0 && come.length === 0 && before.join('\n') !== after.join('\n')) return ['the order changed'];
  return [...gone, ...come];
}

export function checkPin(name: string, found: unknown): string[] {
  const path = join(import.meta.dirname, `${name}.json`);
  if (isUpdating) writeFileSync(path, `${JSON.stringify(found, null, 2)}\n`);
  return comparePin(JSON.parse(readFileSync(path, 'utf8')), JSON.parse(JSON.stringify(found)));
}
