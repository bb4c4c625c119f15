#!/usr/bin/env node
/**
 * Asks as Claude Code does before it runs a command, one argument after the other, and says which key it was given. SIGUSR1 lets
 * it ask about the next command in the same words, as when the answer to the one before came from elsewhere.
 */
/** Milliseconds at work after each answer. */
const WORK = 500;
const commands = process.argv.slice(2);
const said = [];
let isWorking = false;

function draw() {
  const [command] = commands;
  const rule = '─'.repeat(40);
  const rows = ['● I look after the old files.', ...said];
  if (isWorking) rows.push('', '✽ Tidying… (1s · esc to interrupt)', '', rule, '❯', rule);
  else if (command === undefined) rows.push('', rule, '❯', rule);
  else {
    rows.push('', rule, ' Bash command', '', `   ${command}`, '   Removes what the last build has left', '');
    rows.push(' Do you want to proceed?', ' ❯ 1. Yes', '   2. Yes, and don’t ask again for rm commands in this folder');
    rows.push('   3. No, and tell Claude what to do differently (esc)', '', ' Esc to cancel');
  }
  process.stdout.write(`\x1b[2J\x1b[H${rows.join('\r\n')}`);
}

process.on('SIGUSR1', () => {
  commands.shift();
  draw();
});
process.stdin.setRawMode(true);
process.stdin.on('data', (bytes) => {
  const key = bytes.toString();
  if (!isWorking && commands.length > 0 && ['1', '2', '3', '\x1b'].includes(key)) {
    said.push(`● ${commands.shift()}: ${key === '\x1b' ? 'esc' : key}`);
    isWorking = true;
    setTimeout(() => {
      isWorking = false;
      draw();
    }, WORK);
  }
  draw();
});
draw();
