/** The plainest server that could answer a call: node:http, the bytes of its argument file, whatever is asked. */
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';

const [, , path, bodyFile] = process.argv;
const body = readFileSync(bodyFile);
const server = createServer((request, response) => {
  request.resume();
  request.on('end', () => {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': body.length });
    response.end(body);
  });
});
server.listen(path, () => process.stdout.write('ready\n'));
