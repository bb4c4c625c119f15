/**
 * Asks the kernel whether the other end of a loopback TCP connection belongs to our own user (D3). Linux only; where it
 * cannot be asked the answer is no, and a credential is needed.
 *
 * One look-up a connection, made on the first question and kept for the socket: the owner of a connected socket does not
 * change. Only an established row with an inode counts: after its end a socket's row shows uid 0, which would let anybody in
 * who closes early while the server runs as root.
 */
import { readFile } from 'node:fs/promises';
import { isIPv4, type Socket } from 'node:net';
import { endianness } from 'node:os';

export interface ConnectionAddresses {
  readonly remoteAddress?: string | undefined;
  readonly remotePort?: number | undefined;
  readonly localAddress?: string | undefined;
  readonly localPort?: number | undefined;
}

export interface SameUserOptions {
  /** Our own uid; undefined where the platform has none. */
  uid?: number | undefined;
  /** Reads one of the kernel's socket tables; undefined when there is none. */
  readTable?: (family: 'tcp' | 'tcp6') => Promise<string | undefined>;
  /** In a user namespace every unmapped user reads as this one, so it is never "the same". */
  overflowUid?: number;
}

const ESTABLISHED = '01';
const DEFAULT_OVERFLOW_UID = 65_534;

async function readKernelTable(family: 'tcp' | 'tcp6'): Promise<string | undefined> {
  try {
    return await readFile(`/proc/net/${family}`, 'latin1');
  } catch {
    // No such table, or it may not be read: the kernel cannot be asked, which is an answer (no).
    return undefined;
  }
}

function hex(value: number, digits: number): string {
  return value.toString(16).toUpperCase().padStart(digits, '0');
}

/** The kernel prints addresses as 32-bit words in its own byte order. */
function word(bytes: readonly number[]): string {
  const ordered = endianness() === 'LE' ? [...bytes].reverse() : bytes;
  return ordered.map((byte) => hex(byte, 2)).join('');
}

function plainIPv4(address: string): string | undefined {
  const plain = address.toLowerCase().startsWith('::ffff:') ? address.slice(7) : address;
  return isIPv4(plain) ? plain : undefined;
}

const ZERO_WORD = '0'.repeat(8);
const LOOPBACK6 = ZERO_WORD.repeat(3) + word([0, 0, 0, 1]);
const MAPPED_PREFIX = ZERO_WORD.repeat(2) + word([0, 0, 255, 255]);

interface Candidate {
  family: 'tcp' | 'tcp6';
  /** "local remote" as the row of the peer's socket shows it. */
  key: string;
}

function candidatesOf({ remoteAddress, remotePort, localAddress, localPort }: ConnectionAddresses): Candidate[] {
  if (remoteAddress === undefined || localAddress === undefined) return [];
  if (remotePort === undefined || localPort === undefined) return [];
  const ports = [hex(remotePort, 4), hex(localPort, 4)] as const;
  const remote4 = plainIPv4(remoteAddress);
  const local4 = plainIPv4(localAddress);
  if (remote4 !== undefined && local4 !== undefined) {
    const remote = word(remote4.split('.').map(Number));
    const local = word(local4.split('.').map(Number));
    return [
      { family: 'tcp', key: `${remote}:${ports[0]} ${local}:${ports[1]} ` },
      // A client with an IPv6 socket and a mapped address is listed there, even when our listener is plain IPv4.
      {
        family: 'tcp6',
        key: `${MAPPED_PREFIX}${remote}:${ports[0]} ${MAPPED_PREFIX}${local}:${ports[1]} `,
      },
    ];
  }
  if (remoteAddress === '::1' && localAddress === '::1') {
    return [{ family: 'tcp6', key: `${LOOPBACK6}:${ports[0]} ${LOOPBACK6}:${ports[1]} ` }];
  }
  return [];
}

/** sl, local, remote, state, queues, timer, retransmits, uid, timeout, inode. */
function ownerOf(table: string, key: string): number | undefined {
  const at = table.indexOf(` ${key}`);
  if (at < 0) return undefined;
  const end = table.indexOf('\n', at);
  const [, , state, , , , uid, , inode] = table.slice(at + 1, end < 0 ? undefined : end).split(/\s+/);
  if (state !== ESTABLISHED || inode === undefined || inode === '0') return undefined;
  return Number(uid);
}

/** One look-up, without memory. */
export async function lookUpPeerUid(
  addresses: ConnectionAddresses,
  readTable: (family: 'tcp' | 'tcp6') => Promise<string | undefined> = readKernelTable,
): Promise<number | undefined> {
  for (const { family, key } of candidatesOf(addresses)) {
    const table = await readTable(family);
    const owner = table === undefined ? undefined : ownerOf(table, key);
    if (owner !== undefined) return owner;
  }
  return undefined;
}

export interface SameUserCheck {
  /** True only when the kernel says that the peer is our own user. */
  (socket: Socket): Promise<boolean>;
  /** The peer's user; undefined when the kernel does not tell, or the peer has gone. */
  uidOf(socket: Socket): Promise<number | undefined>;
}

export function createSameUserCheck(options: SameUserOptions = {}): SameUserCheck {
  const ownUid = 'uid' in options ? options.uid : process.getuid?.();
  const overflowUid = options.overflowUid ?? DEFAULT_OVERFLOW_UID;
  const answers = new WeakMap<Socket, Promise<number | undefined>>();

  function uidOf(socket: Socket): Promise<number | undefined> {
    let answer = answers.get(socket);
    if (answer === undefined) {
      answer = lookUpPeerUid(socket, options.readTable);
      answers.set(socket, answer);
    }
    return answer;
  }

  async function isSameUser(socket: Socket): Promise<boolean> {
    if (ownUid === undefined || ownUid === overflowUid) return false;
    return (await uidOf(socket)) === ownUid;
  }

  return Object.assign(isSameUser, { uidOf });
}
