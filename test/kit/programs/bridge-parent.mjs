// A client of the bridge that is about to be killed: it hands its own pipes on to the bridge, so that these stay open when it dies.
import { spawn } from 'node:child_process';

const child = spawn(process.execPath, [process.argv[2]], { stdio: ['pipe', 'inherit', 'inherit'] });
process.stdout.write(`${JSON.stringify({ pid: child.pid })}\n`);
process.stdin.pipe(child.stdin);
