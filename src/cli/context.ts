/** What a command works with: its surroundings, its output, and the way to the server. All injected, so tests need no process. */
import { resolve } from 'node:path';
import { type Client, createClient } from '../client/index.ts';
import { createSocketTransport, findServerSocket } from '../client/node.ts';
import { resolveConfigDirectory } from '../contract/index.ts';
import { serverNotRunning } from './failure.ts';
import type { PersonTerminal } from './person-terminal.ts';
import { chooseStyle, type Style } from './text.ts';

export interface Surroundings {
  env: Readonly<Record<string, string | undefined>>;
  platform: string;
  home: string;
  workingDirectory: string;
  isTerminal: boolean;
  /** The terminal a person sits at, when both input and output are one. */
  terminal?: PersonTerminal;
  now(): number;
  /** Writes to standard output. */
  write(text: string): void;
  /** Writes to standard error. */
  warn(text: string): void;
}

export interface Context extends Surroundings {
  readonly configDirectory: string;
  readonly style: Style;
  /** Prints one line for people. */
  print(line: string): void;
  /** Prints one JSON value for programs. */
  printJson(value: unknown): void;
  /** A client of the running server; throws CliFailure when there is none. */
  connect(): Promise<Client>;
  /** The same, or undefined when no server runs. */
  tryConnect(): Promise<Client | undefined>;
}

export function createContext(surroundings: Surroundings): Context {
  const { env, platform, home, workingDirectory } = surroundings;
  const configDirectory = resolve(workingDirectory, resolveConfigDirectory({ env, platform, home }));

  async function tryConnect(): Promise<Client | undefined> {
    const socket = await findServerSocket(configDirectory);
    return socket === undefined ? undefined : createClient({ transport: createSocketTransport(socket) });
  }
  return {
    ...surroundings,
    configDirectory,
    style: chooseStyle(surroundings.isTerminal, env),
    print: (line) => surroundings.write(`${line}\n`),
    printJson: (value) => surroundings.write(`${JSON.stringify(value, null, 2)}\n`),
    tryConnect,
    async connect() {
      const client = await tryConnect();
      if (client === undefined) throw serverNotRunning(configDirectory);
      return client;
    },
  };
}
