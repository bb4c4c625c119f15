import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LineReader } from './lines.ts';

function read(chunks: Buffer[], longest?: number): { lines: string[]; tooLong: number } {
  const lines: string[] = [];
  let tooLong = 0;
  const reader = new LineReader(
    (line) => lines.push(line),
    () => tooLong++,
    longest,
  );
  for (const chunk of chunks) reader.push(chunk);
  reader.end();
  return { lines, tooLong };
}

describe('LineReader', () => {
  it('M19: blank lines and a byte order mark are dropped, a last line needs no end', () => {
    expect(read([Buffer.from('\ufeff{"a":1}\r\n\n  \n{"b":2}')]).lines).toEqual(['{"a":1}', '{"b":2}']);
  });

  it('M22: cuts may fall anywhere, also inside a character', () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.string({ unit: 'grapheme', minLength: 1 }).map((text) => JSON.stringify(text)),
          { maxLength: 8 },
        ),
        fc.array(fc.nat(200)),
        (lines, cuts) => {
          const bytes = Buffer.from(lines.map((line) => `${line}\n`).join(''));
          const places = [...new Set(cuts.map((cut) => Math.min(cut, bytes.length)))].sort((a, b) => a - b);
          const chunks = [0, ...places].map((from, at) => bytes.subarray(from, places[at] ?? bytes.length));
          expect(read(chunks).lines).toEqual(lines);
        },
      ),
      { numRuns: 50 },
    );
  });

  it('a line over the limit is told once and costs only itself', () => {
    const found = read([Buffer.from('aaaa'), Buffer.from('bbbb'), Buffer.from('cccc\nok\n')], 6);
    expect(found).toEqual({ lines: ['ok'], tooLong: 1 });
  });
});
