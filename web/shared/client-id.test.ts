import { describe, expect, it } from 'vitest';
import { isCanonicalUuid } from '../../src/base/index.ts';
import { createClientId } from './client-id.ts';

describe('client id', () => {
  it('is a UUID of version 4 made of all the random bits', () => {
    expect(createClientId((bytes) => bytes.fill(0))).toBe('00000000-0000-4000-8000-000000000000');
    expect(createClientId((bytes) => bytes.fill(255))).toBe('ffffffff-ffff-4fff-bfff-ffffffffffff');
    const ids = Array.from({ length: 50 }, () => createClientId());
    expect(ids.every(isCanonicalUuid)).toBe(true);
    expect(new Set(ids).size).toBe(50);
  });
});
