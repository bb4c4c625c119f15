/** Control payloads come from outside this process: nothing in them is believed before it is checked here. */
import type { BindMessage, HelloMessage, HostOperation, RequestMessage, SpawnRequest } from '../../contract/index.ts';

/** The peer does not speak the protocol. The connection is closed. */
export class MessageError extends Error {
  constructor(detail: string) {
    super(detail);
    this.name = 'MessageError';
  }
}

type Fields = Readonly<Record<string, unknown>>;

const decoder = new TextDecoder('utf-8', { fatal: true });

export function parseJson(payload: Uint8Array): Fields {
  let value: unknown;
  try {
    value = JSON.parse(decoder.decode(payload));
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof TypeError) throw new MessageError('the payload is not JSON');
    throw error;
  }
  return asFields(value, 'payload');
}

export function parseHello(payload: Uint8Array): HelloMessage {
  const fields = parseJson(payload);
  const role = readText(fields, 'role');
  if (role !== 'server' && role !== 'observer') throw new MessageError('role is unknown');
  return {
    protoMin: readCount(fields, 'protoMin'),
    protoMax: readCount(fields, 'protoMax'),
    build: readText(fields, 'build'),
    bootId: readText(fields, 'bootId'),
    pid: readCount(fields, 'pid'),
    token: readText(fields, 'token'),
    role,
  };
}

/** A request that has an id but is not understood (a newer peer may ask more): it is answered, the connection goes on. */
export interface RefusedMessage {
  id: number;
  refused: string;
}

export function parseRequest(payload: Uint8Array): RequestMessage | BindMessage | RefusedMessage {
  const fields = parseJson(payload);
  if (fields.op === 'bind') {
    return { op: 'bind', slot: readCount(fields, 'slot'), session: readText(fields, 'session') };
  }
  const id = readCount(fields, 'id');
  try {
    return { id, ...parseOperation(fields) };
  } catch (error) {
    if (error instanceof MessageError) return { id, refused: error.message };
    throw error;
  }
}

function parseOperation(fields: Fields): HostOperation {
  const op = readText(fields, 'op');
  switch (op) {
    case 'list':
    case 'status':
    case 'shutdown':
      return { op };
    case 'spawn':
      return { op, request: parseSpawn(asFields(fields.request, 'request')) };
    case 'checkpoint':
    case 'detach':
    case 'pause':
    case 'resume':
    case 'forget':
      return { op, session: readText(fields, 'session') };
    case 'attach':
      return {
        op,
        session: readText(fields, 'session'),
        slot: readCount(fields, 'slot'),
        since: readCount(fields, 'since'),
      };
    case 'read':
      return {
        op,
        session: readText(fields, 'session'),
        from: readCount(fields, 'from'),
        to: readCount(fields, 'to'),
      };
    case 'resize':
      return {
        op,
        session: readText(fields, 'session'),
        cols: readCount(fields, 'cols'),
        rows: readCount(fields, 'rows'),
      };
    case 'kill': {
      const mode = readText(fields, 'mode');
      if (mode !== 'close' && mode !== 'kill') throw new MessageError('mode is unknown');
      return { op, session: readText(fields, 'session'), mode };
    }
    default:
      throw new MessageError('the operation is unknown');
  }
}

function parseSpawn(fields: Fields): SpawnRequest {
  const env: Record<string, string> = {};
  for (const [name, value] of Object.entries(asFields(fields.env, 'env'))) {
    if (typeof value !== 'string') throw new MessageError('env has a value that is no text');
    env[name] = value;
  }
  const args = fields.args;
  if (!Array.isArray(args) || !args.every((argument): argument is string => typeof argument === 'string')) {
    throw new MessageError('args is no list of texts');
  }
  return {
    id: readText(fields, 'id'),
    file: readText(fields, 'file'),
    args,
    env,
    cwd: readText(fields, 'cwd'),
    cols: readCount(fields, 'cols'),
    rows: readCount(fields, 'rows'),
  };
}

function asFields(value: unknown, name: string): Fields {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new MessageError(`${name} is no object`);
  return value as Fields;
}

function readText(fields: Fields, name: string): string {
  const value = fields[name];
  if (typeof value !== 'string') throw new MessageError(`${name} is no text`);
  return value;
}

function readCount(fields: Fields, name: string): number {
  const value = fields[name];
  if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < 0)
    throw new MessageError(`${name} is no count`);
  return value;
}
