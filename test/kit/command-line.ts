/** Runs command lines in this process, against a scripted server on an instance's socket: tests of `tuic` without a process. */
import { createServer, type ServerResponse } from 'node:http';
import { join } from 'node:path';
import type { Surroundings } from '../../src/cli/context.ts';
import { runCommandLine } from '../../src/cli/program.ts';
import type { Cleanup } from './cleanup.ts';

export interface ScriptedRequest {
  route: string;
  body: unknown;
  headers: NodeJS.Dict<string | string[]>;
}

export interface ScriptedAnswer {
  status?: number;
  headers?: Record<string, string>;
  body?: unknown;
  /** Answers by hand, for a stream. */
  stream?: (response: ServerResponse) => void;
}

/** The same answer each time, or one that looks at the request. */
export type Script = Record<string, ScriptedAnswer | ((request: ScriptedRequest) => ScriptedAnswer)>;

export class CommandLine {
  readonly configDirectory: string;
  readonly requests: ScriptedRequest[] = [];
  output = '';
  errors = '';
  readonly #cleanup: Cleanup;

  constructor(cleanup: Cleanup, configDirectory: string) {
    this.#cleanup = cleanup;
    this.configDirectory = configDirectory;
  }

  /** A server that answers by "METHOD path"; what is not scripted is a session that is not there. */
  async serve(script: Script): Promise<void> {
    const server = createServer((incoming, response) => {
      let text = '';
      incoming.setEncoding('utf8').on('data', (part: string) => {
        text += part;
      });
      incoming.on('end', () => {
        const route = `${incoming.method} ${incoming.url}`;
        const request = { route, body: text === '' ? undefined : JSON.parse(text), headers: incoming.headers };
        this.requests.push(request);
        const scripted = script[route] ?? { status: 404, body: { error: 'Session not found' } };
        const answer = typeof scripted === 'function' ? scripted(request) : scripted;
        if (answer.stream !== undefined) return answer.stream(response);
        response.writeHead(answer.status ?? 200, { 'content-type': 'application/json', ...answer.headers });
        response.end(JSON.stringify(answer.body));
      });
    });
    await new Promise<void>((resolve) => server.listen(join(this.configDirectory, 'mcp.sock'), resolve));
    this.#cleanup.defer(() => {
      server.closeAllConnections();
      return new Promise<void>((resolve) => server.close(() => resolve()));
    });
  }

  /** What was asked of the server, by route. */
  asked(route: string): ScriptedRequest[] {
    return this.requests.filter((request) => request.route === route);
  }

  /** Runs one command line and forgets the output of the one before. */
  run(args: readonly string[], surroundings: Partial<Surroundings> = {}): Promise<number> {
    this.output = '';
    this.errors = '';
    return runCommandLine(
      args,
      {
        env: { TUIC_CONFIG_DIR: this.configDirectory, TUIC_NO_OPEN: '1' },
        platform: 'linux',
        home: '/home/user',
        workingDirectory: '/home/user/project',
        nodePath: '/usr/bin/node',
        bridgePath: '/opt/tuic/bridge.js',
        isTerminal: false,
        now: () => 120_000,
        wait: async () => undefined,
        edit: async () => 127,
        write: (text) => {
          this.output += text;
        },
        warn: (text) => {
          this.errors += text;
        },
        ...surroundings,
      },
      '9.9.9',
    );
  }

  get lines(): string[] {
    return this.output.split('\n').slice(0, -1);
  }

  get jsonLines(): unknown[] {
    return this.lines.map((line) => JSON.parse(line) as unknown);
  }
}

export async function prepareCommandLine(cleanup: Cleanup): Promise<CommandLine> {
  return new CommandLine(cleanup, await cleanup.temporaryDirectory('tuic-cli-'));
}

/** Standard input that holds this. */
export function pipedInput(...pieces: (string | Uint8Array)[]): NonNullable<Surroundings['input']> {
  return {
    isTerminal: false,
    async *read() {
      for (const piece of pieces) yield typeof piece === 'string' ? Buffer.from(piece) : piece;
    },
  };
}
