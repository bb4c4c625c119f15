import { describe, expect, it } from 'vitest';
import { isOwnAddress, listOwnAddresses } from './own-addresses.ts';

describe('own addresses', () => {
  it('X02: each listed address is one that a Host header may name, and none is loopback', () => {
    const listed = listOwnAddresses();
    expect(listed.filter((address) => !isOwnAddress(address))).toEqual([]);
    expect(listed.filter((address) => address.startsWith('127.') || address === '[::1]')).toEqual([]);
  });

  it('X02: are those of the interfaces, as a Host header writes them, and no names', () => {
    expect([isOwnAddress('127.0.0.1'), isOwnAddress('[::1]'), isOwnAddress('[0:0:0:0:0:0:0:1]')]).toEqual([
      true,
      true,
      true,
    ]);
    for (const host of ['192.0.2.77', '::1', '[::1', '[evil.example]', 'localhost', '127.1', '0.0.0.0', '', '[::]']) {
      expect([host, isOwnAddress(host)]).toEqual([host, false]);
    }
  });
});
