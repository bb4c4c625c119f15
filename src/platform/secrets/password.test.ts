import { hash as hashAtCost } from '@node-rs/bcrypt';
import { describe, expect, it } from 'vitest';
import { hashPassword, verifyPassword } from './password.ts';

describe('passwords', () => {
  it('are hashed at cost 12 and checked, also against the older names of the same hash', async () => {
    const hash = await hashPassword('x'.repeat(72));
    expect(hash).toMatch(/^\$2[aby]\$12\$[./A-Za-z0-9]{53}$/);
    expect(await verifyPassword('x'.repeat(72), hash)).toBe(true);
    expect(await verifyPassword('x'.repeat(71), hash)).toBe(false);
    const cheap = await hashAtCost('x'.repeat(72), 4);
    for (const name of ['2a', '2b', '2y']) {
      expect(await verifyPassword('x'.repeat(72), `$${name}${cheap.slice(3)}`)).toBe(true);
    }
  });

  it('a text that is no hash fits no password', async () => {
    for (const hash of ['', 'x', '$2b$12$short']) expect(await verifyPassword('x', hash)).toBe(false);
  });
});
