/** What the description of the API says before its routes. */
import { LIMITS } from '../limits.ts';
import type { Tag } from './model.ts';

export const INTRODUCTION = `One server for terminals and coding agents.

**Listeners.** IPC: a socket in the configuration directory; whoever can open it is in. Local TCP: 127.0.0.1 and [::1], port 9876 unless another one is set.
Remote TCP: only where it is switched on, port 9877.

**Who gets in.** Over local TCP: programs of the same user without anything, others with \`Authorization: Bearer\` and the content of
\`token\` in the configuration directory, browsers with the cookie of a login link (\`tuic open\`). Over remote TCP: name and password
(Basic), or the cookie that such a login gives. Streams also take a ticket (\`POST /login/ticket\`). A page of another origin needs the
bearer token or a ticket.

**Bodies** are JSON in UTF-8, at most ${LIMITS.requestBody / 1_048_576} MiB. Unknown fields are ignored.

**Refusals** are \`{"error": text, "code": name}\`; decide by the code. Those at the door are plain text that names the next step.

**HEAD** is answered where GET is, streams excepted. Answers over ${LIMITS.compressAbove} bytes are compressed when the caller takes it.`;

export const TAGS: Readonly<Record<Tag, string>> = {
  Server: 'The server itself and its terminal host',
  Sessions: 'Terminals and what runs in them',
  Agents: 'Coding agents and editors of this machine',
  Streams: 'Output, input and events as they happen',
  Clients: 'Windows that look at this server',
  Access: 'Logins, passwords, listeners',
  Configuration: 'Settings and the other files of the configuration directory',
  Repositories: 'Repositories of the person and their state',
  Monitoring: 'Processes, logs, raw capture',
  MCP: 'The endpoint for MCP clients',
  Pages: 'What a browser opens',
};
