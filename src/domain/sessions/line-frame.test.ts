import { expect, it } from 'vitest';
import { frameLine } from './line-frame.ts';

const framed = (text: string, hasBracketedPaste = true) => {
  const bytes = frameLine(text, hasBracketedPaste);
  return bytes === undefined ? undefined : Buffer.from(bytes).toString();
};

it('SUB-4: one line is Ctrl-U and the text, several are one paste', () => {
  expect(framed('run the tests')).toBe('\x15run the tests');
  expect(framed('run the tests', false)).toBe('\x15run the tests');
  expect(framed('one\ntwo')).toBe('\x15\x1b[200~one\ntwo\x1b[201~');
});

it('SUB-4: line ends at the end are no lines of their own, whoever wrote them', () => {
  for (const ends of ['\n', '\r\n', '\r', '\n\n\r\n']) expect(framed(`grüße${ends}`, false)).toBe('\x15grüße');
});

it('SUB-4: without bracketed paste several lines are refused, also by a carriage return', () => {
  for (const text of ['one\ntwo', 'one\r\ntwo\n', 'one\rtwo']) expect(framed(text, false)).toBeUndefined();
});

it('what is a key or the end of a paste never reaches the program', () => {
  expect(framed('stop\x03 \x1b[201~now\r\nx\x7f\x9b2J')).toBe('\x15\x1b[200~stop [201~now\nx2J\x1b[201~');
  expect(framed('\x1b\x1b[A')).toBe('\x15[A');
});

it('a tab is pasted where that is possible', () => {
  expect(framed('a\tb')).toBe('\x15\x1b[200~a\tb\x1b[201~');
  expect(framed('a\tb', false)).toBe('\x15a\tb');
});
