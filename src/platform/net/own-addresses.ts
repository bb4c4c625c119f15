/** The addresses of this machine's interfaces, as they stand in a Host header: IPv6 in brackets, without a zone. */
import { isIPv4 } from 'node:net';
import { networkInterfaces } from 'node:os';

/** One way to write an address; undefined for what is none. */
function canonical(host: string): string | undefined {
  if (isIPv4(host)) return host;
  if (!host.startsWith('[')) return undefined;
  try {
    return new URL(`http://${host}`).hostname;
  } catch {
    // Brackets around something that is no address.
    return undefined;
  }
}

export type OwnAddressCheck = (host: string) => boolean;

/** Asked anew each time: machines change networks while the server runs. */
export const isOwnAddress: OwnAddressCheck = (host) => {
  const wanted = canonical(host);
  if (wanted === undefined) return false;
  for (const entries of Object.values(networkInterfaces())) {
    for (const { address } of entries ?? []) {
      const own = isIPv4(address) ? address : `[${address.split('%')[0]}]`;
      if (canonical(own) === wanted) return true;
    }
  }
  return false;
};

/** Addresses that others on the machine's networks may know it by, IPv4 first; no loopback and no link-local ones. */
export function listOwnAddresses(): string[] {
  const all = Object.values(networkInterfaces()).flatMap((entries) => entries ?? []);
  const reachable = all.filter(({ address, internal }) => !internal && !/^(169\.254\.|fe[89ab])/i.test(address));
  const [four, six] = [
    reachable.filter(({ address }) => isIPv4(address)),
    reachable.filter((one) => !isIPv4(one.address)),
  ];
  return [...new Set([...four.map(({ address }) => address), ...six.map(({ address }) => `[${address}]`)])];
}
