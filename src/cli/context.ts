/** What a command works with: its surroundings, its output, and the way to the server. All injected, so tests need no process. */
import { resolve } from 'node:path';
import { delay, systemClock } from '../base/index.ts';
import { type Client, createClient, ServerUnreachable } from '../client/index.ts';
import { createSocketTransport, findServerSocket } from '../client/node.ts';
import { resolveConfigDirectory } from '../contract/index.ts';
import { runEditor } from './editor.ts';
import { serverNotRunning } from './failure.ts';
import type { PersonTerminal } from './person-terminal.ts';
import { loadServerModule, type ServerModule } from './server-module.ts';
import { chooseStyle, type Style } from './text.ts';

/** What is piped in, or typed when it is a terminal. */
export interface StandardInput {
  readonly isTerminal: boolean;
  read(): AsyncIterable<Uint8Array>;
}

export interface Surroundings {
  env: Readonly<Record<string, string | undefined>>;
  platform: string;
  home: string;
  workingDirectory: string;
  /** Absolute paths of Node and of tuic-bridge, for programs that start it without a shell. */
  nodePath: string;
  bridgePath: string;
  isTerminal: boolean;
  /** The terminal a person sits at, when both input and output are one. */
  terminal?: PersonTerminal;
  input?: StandardInput;
  /** Puts a question to the person and reads a line; there only where somebody sits at a terminal. */
  ask?(question: string): Promise<string>;
  /** Reads a line that is not shown while it is typed. */
  askSecret?(question: string): Promise<string>;
  /** Runs an editor on a file; resolves to its exit code. */
  edit?(editor: string, path: string): Promise<number>;
  /** The server's code, for what needs it without a server. */
  loadServer?(): Promise<ServerModule>;
  now(): number;
  /** Between two questions of a verb that follows something. */
  wait?(milliseconds: number): Promise<void>;
  /** Writes to standard output. */
  write(text: string): void;
  /** Writes to standard error. */
  warn(text: string): void;
}

export interface Context extends Omit<Surroundings, 'wait' | 'edit' | 'loadServer'> {
  readonly configDirectory: string;
  /** Of this command. */
  readonly version: string;
  /** Without the leading v. */
  readonly nodeVersion: string;
  /** Undefined where users have no numbers. */
  readonly userId: number | undefined;
  readonly style: Style;
  /** Prints one line for people. */
  print(line: string): void;
  /** Prints one JSON value for programs. */
  printJson(value: unknown): void;
  /** Prints one JSON value on a line of its own, for programs that read a stream. */
  printJsonLine(value: unknown): void;
  wait(milliseconds: number): Promise<void>;
  edit(editor: string, path: string): Promise<number>;
  loadServer(): Promise<ServerModule>;
  /** A client of the running server; throws CliFailure when there is none. */
  connect(): Promise<Client>;
  /** The same, or undefined when no server runs. */
  tryConnect(): Promise<Client | undefined>;
  /** Asks the server when there is one that answers; undefined when there is none. */
  askIfRunning<T>(ask: (client: Client) => Promise<T>): Promise<T | undefined>;
}

export function createContext(surroundings: Surroundings, version: string): Context {
  const { env, platform, home, workingDirectory } = surroundings;
  const configDirectory = resolve(workingDirectory, resolveConfigDirectory({ env, platform, home }));

  async function tryConnect(): Promise<Client | undefined> {
    const socket = await findServerSocket(configDirectory);
    return socket === undefined ? undefined : createClient({ transport: createSocketTransport(socket) });
  }
  return {
    ...surroundings,
    configDirectory,
    version,
    nodeVersion: process.versions.node,
    userId: process.getuid?.(),
    style: chooseStyle(surroundings.isTerminal, env),
    print: (line) => surroundings.write(`${line}\n`),
    printJsonLine: (value) => surroundings.write(`${JSON.stringify(value)}\n`),
    loadServer: surroundings.loadServer ?? loadServerModule,
    edit: surroundings.edit ?? runEditor,
    wait: surroundings.wait ?? ((milliseconds) => delay(systemClock, milliseconds)),
    printJson: (value) => surroundings.write(`${JSON.stringify(value, null, 2)}\n`),
    tryConnect,
    async askIfRunning(ask) {
      const client = await tryConnect();
      if (client === undefined) return undefined;
      try {
        return await ask(client);
      } catch (error) {
        if (error instanceof ServerUnreachable) return undefined;
        throw error;
      }
    },
    async connect() {
      const client = await tryConnect();
      if (client === undefined) throw serverNotRunning(configDirectory);
      return client;
    },
  };
}
