#!/usr/bin/env node
/** tuic-bridge: a stdio MCP server that is the running TUICommander. Protocol on stdout, everything else on stderr. */
import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { parseArgs } from 'node:util';
import { isCanonicalUuid, systemClock } from '../base/index.ts';
import { DEADLINES, EXIT_CODES } from '../contract/index.ts';
import { Bridge } from './bridge.ts';
import { connectToServer, findSocketPaths } from './endpoint.ts';
import { LineReader } from './lines.ts';

const HELP = `tuic-bridge: connects an MCP client on stdio with the TUICommander server of this machine.

Usage: tuic-bridge [--verbose]

An MCP client starts it; "tuic mcp install" writes the entry. It waits for the server and survives its restarts.

Environment:
  TUIC_SOCKET       socket of the server
  TUIC_CONFIG_DIR   configuration directory of the server
  TUIC_INSTANCE     name of the instance
  TUIC_SESSION      identity of the terminal; set in every terminal of TUICommander
`;

const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
  version: string;
};

function readOptions(): { help?: boolean; version?: boolean; verbose?: boolean } {
  try {
    return parseArgs({
      options: {
        help: { type: 'boolean', short: 'h' },
        version: { type: 'boolean', short: 'V' },
        verbose: { type: 'boolean' },
      },
    }).values;
  } catch (error) {
    process.stderr.write(`tuic-bridge: ${error instanceof Error ? error.message : String(error)}\n\n${HELP}`);
    process.exit(EXIT_CODES.usage);
  }
}

const options = readOptions();
if (options.help || options.version) {
  process.stdout.write(options.help ? HELP : `${version}\n`);
  process.exit(0);
}

const place = { env: process.env, platform: process.platform, home: homedir() };
const { TUIC_SESSION } = process.env;
const bridge = new Bridge({
  version,
  identity: TUIC_SESSION !== undefined && isCanonicalUuid(TUIC_SESSION) ? TUIC_SESSION : undefined,
  clock: systemClock,
  connect: async (signal) => connectToServer(await findSocketPaths(place), signal),
  write: (text) =>
    new Promise((resolve) => {
      process.stdout.write(`${text}\n`, () => resolve());
    }),
  log: (text) => {
    if (options.verbose) process.stderr.write(`tuic-bridge: ${text}\n`);
  },
});

let isEnding = false;
async function end(): Promise<void> {
  if (isEnding) return;
  isEnding = true;
  await bridge.close();
  // A client that closed its input may still read what it was sent.
  process.stdout.end(() => process.exit(0));
  systemClock.after(DEADLINES.bridgeDrain, () => process.exit(0));
}

// Nobody reads the answers any more.
process.stdout.on('error', () => process.exit(0));
const lines = new LineReader(
  (line) => bridge.receive(line),
  () => bridge.refuseLine(),
);
process.stdin.on('data', (chunk: Buffer) => lines.push(chunk));
process.stdin.on('end', () => {
  lines.end();
  void end();
});
process.stdin.on('error', () => void end());
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => void end());

// A client that was killed leaves its pipe to a child of its own at times: the parent's end counts too (M26).
const parent = process.ppid;
systemClock.every(DEADLINES.bridgeParent, () => {
  if (process.ppid !== parent) void end();
});
