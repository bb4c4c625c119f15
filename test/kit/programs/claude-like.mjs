#!/usr/bin/env node
/**
 * Draws a screen as Claude Code does: what was said, a row while it works, and a composer between two lines. A line `work` makes it
 * work until Escape; `print PATH` shows a file as a tool's output; `say WORDS` is its own message; every line is kept. SIGUSR1 draws a dialog, SIGUSR2 takes it away.
 */
import { readFileSync } from 'node:fs';

const said = ['Welcome to the agent'];
let composer = '';
let working = 0;
let isAsking = false;

function draw() {
  const rule = '─'.repeat(40);
  const rows = said.slice(-8);
  if (working > 0) rows.push('', `✽ Nucleating… (${working}s · esc to interrupt)`);
  if (isAsking)
    rows.push('', ' Do you want to proceed?', ' ❯ 1. Yes', '   2. No, and tell it what to do', '', ' Esc to cancel');
  else rows.push('', rule, composer === '' ? '❯' : `❯ ${composer}`, rule);
  process.stdout.write(`\x1b[2J\x1b[H${rows.join('\r\n')}`);
}

setInterval(() => {
  if (working === 0) return;
  working++;
  draw();
}, 200);
process.on('SIGUSR1', () => {
  isAsking = true;
  draw();
});
process.on('SIGUSR2', () => {
  isAsking = false;
  draw();
});
process.stdin.setRawMode(true);
process.stdin.on('data', (bytes) => {
  for (const character of bytes.toString()) {
    if (character === '\x1b') working = 0;
    else if (character === '\x15') composer = '';
    else if (character === '\x03') process.exit(0);
    else if (character === '\r') take();
    else composer += character;
  }
  draw();
});

function take() {
  const line = composer;
  composer = '';
  if (line === '') return;
  said.push(`❯ ${line}`);
  if (line === 'work') working = 1;
  const words = /^say (.*)$/.exec(line)?.[1];
  if (words !== undefined) said.push(`● ${words}`);
  const file = /^print (.*)$/.exec(line)?.[1];
  if (file !== undefined) process.stdout.write(readFileSync(file));
}

draw();
