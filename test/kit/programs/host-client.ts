/**
 * A stand-in for the server: follows one session and keeps on disk what it received; killed at any moment, its successor
 * goes on where the file ends. Arguments: directory, session id, file. Ends with the program's exit code.
 */
import { appendFileSync, statSync } from 'node:fs';
import { connectPtyHost } from '../../../src/platform/pty-host/index.ts';

const [directory = '', id = '', file = ''] = process.argv.slice(2);
const connection = await connectPtyHost({ directory, build: 'client' });
let code = 255;
await connection.attach(id, statSync(file).size, {
  output(offset, bytes) {
    if (offset !== statSync(file).size) throw new Error(`bytes at ${offset}, but ${statSync(file).size} are there`);
    appendFileSync(file, bytes);
    process.stdout.write('.');
    connection.storeCheckpoint(id, offset + bytes.length, new Uint8Array(0));
    connection.acknowledge(id, offset + bytes.length);
  },
  resized() {},
  gap(from, to) {
    throw new Error(`bytes ${from} to ${to} are lost`);
  },
  exit(_offset, status) {
    code = status.code;
  },
  end() {
    process.exit(code);
  },
});
