#!/usr/bin/env node
/** Entry of `tuic`. */
import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { fileURLToPath } from 'node:url';
import { askPerson, askSecretly } from './ask.ts';
import { takeInstance } from './instance.ts';
import { createPersonTerminal } from './person-terminal.ts';
import { runCommandLine } from './program.ts';

// A reader that has seen enough (`tuic ls | head -1`) is no failure.
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(0);
    throw error;
  });
}

const manifest = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
  version: string;
};

const args = takeInstance(process.argv.slice(2), process.env);

async function main(): Promise<void> {
  process.exitCode = await runCommandLine(
    args,
    {
      env: process.env,
      platform: process.platform,
      home: homedir(),
      workingDirectory: process.cwd(),
      nodePath: process.execPath,
      bridgePath: fileURLToPath(new URL('../bridge/main.js', import.meta.url)),
      isTerminal: process.stdout.isTTY === true,
      ...(process.stdin.isTTY && process.stdout.isTTY
        ? { terminal: createPersonTerminal(process.stdin, process.stdout) }
        : {}),
      input: { isTerminal: process.stdin.isTTY === true, read: () => process.stdin },
      ...(process.stdin.isTTY && process.stderr.isTTY ? { ask: askPerson, askSecret: askSecretly } : {}),
      now: () => Date.now(),
      write: (text) => void process.stdout.write(text),
      warn: (text) => void process.stderr.write(text),
    },
    manifest.version,
  );
  // The server has let go of everything by now; a handle that was forgotten must not keep a stopped server in the terminal.
  if (args[0] === 'start') setTimeout(() => process.exit(), 1_000).unref();
}

// The code cache takes no program that waits at its top level.
void main();
