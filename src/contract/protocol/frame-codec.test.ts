import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { encodeFrame, encodeHeader, type Frame, FrameParser, OversizedFrameError } from './frame-codec.ts';
import { FRAME_HEADER } from './pty-host.ts';

const frames = fc.array(
  fc.record({
    type: fc.integer({ min: 0, max: 255 }),
    flags: fc.integer({ min: 0, max: 255 }),
    slot: fc.integer({ min: 0, max: 65_535 }),
    offset: fc.maxSafeNat(),
    payload: fc.uint8Array({ maxLength: 200 }),
  }),
  { maxLength: 12 },
);

function join(parts: Uint8Array[]): Uint8Array {
  return Uint8Array.from(parts.flatMap((part) => [...part]));
}

describe('frame codec', () => {
  it('gives back what was encoded, however the bytes are cut', () => {
    fc.assert(
      fc.property(frames, fc.array(fc.integer({ min: 1, max: 90 })), (sent, cuts) => {
        const wire = join(sent.map((frame) => encodeFrame(frame.type, frame.payload, frame)));
        const received: Frame[] = [];
        const parser = new FrameParser(200, (frame) => received.push({ ...frame, payload: frame.payload.slice() }));
        let at = 0;
        for (const cut of cuts) {
          parser.push(wire.subarray(at, at + cut));
          at += cut;
        }
        if (at < wire.length) parser.push(wire.subarray(at));
        expect(received).toEqual(sent);
      }),
    );
  });

  it('refuses a frame over the limit before its payload comes, and then delivers nothing', () => {
    const received: Frame[] = [];
    const parser = new FrameParser(8, (frame) => received.push(frame));
    expect(() => parser.push(encodeHeader(3, 0, 0, 0, 9))).toThrow(OversizedFrameError);
    parser.push(encodeFrame(3, new Uint8Array(2)));
    expect(received).toEqual([]);
  });

  it('stops within a delivery: frames behind it in the same chunk stay unread', () => {
    const received: number[] = [];
    const parser: FrameParser = new FrameParser(8, (frame) => {
      received.push(frame.type);
      parser.stop();
    });
    parser.push(join([encodeFrame(1), encodeFrame(2)]));
    expect(received).toEqual([1]);
  });

  it('has a header of the stated layout', () => {
    const frame = encodeFrame(0x43, Uint8Array.of(0xaa), { flags: 1, slot: 0x0203, offset: 2 ** 40 + 5 });
    expect(frame).toHaveLength(FRAME_HEADER + 1);
    expect([...frame]).toEqual([1, 0, 0, 0, 0x43, 1, 0x03, 0x02, 5, 0, 0, 0, 0, 1, 0, 0, 0xaa]);
  });
});
