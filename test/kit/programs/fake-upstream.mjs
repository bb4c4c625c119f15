/** A fake MCP server on stdio. Its first argument is JSON with its switches. */
import { appendFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { FakeUpstream, toLine } from '../fake-upstream.mjs';

const switches = JSON.parse(process.argv[2] ?? '{}');
// Each start is a line: pid, and when.
if (switches.starts !== undefined) appendFileSync(switches.starts, `${process.pid}\n`);
if (switches.dies) {
  process.stderr.write('Traceback: no such module\n');
  process.exit(4);
}
const upstream = new FakeUpstream(switches);
const write = (line) => process.stdout.write(`${line}\n`);
const send = (message) => write(toLine(message));

if (switches.stderr !== undefined) process.stderr.write(`${'x'.repeat(switches.stderr)}the end`);
if (switches.noise) {
  write('');
  write('   ');
  write('*** Welcome to the server 🚀 ***');
  write('{"jsonrpc":"2.0","id":1,"resu');
  process.stdout.write('\uFEFF');
}
for await (const line of createInterface({ input: process.stdin })) {
  if (line.trim() === '') continue;
  const answering = upstream.answer(JSON.parse(line), send);
  void answering.then((answer) => answer !== undefined && send(answer));
}
// Some stay although nobody talks to them any more.
if (switches.stays) setInterval(() => {}, 1_000);
