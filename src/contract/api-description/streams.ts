import { eventsQuerySchema, streamQuerySchema } from '../actions/streams.ts';
import { DEADLINES } from '../deadlines.ts';
import { EVENT_SCHEMAS } from '../event-data.ts';
import { LIMITS } from '../limits.ts';
import type { RouteDescription } from './model.ts';

const EVENTS = Object.entries(EVENT_SCHEMAS).map(([name, schema]) => {
  const fields = Object.keys(schema.shape).map((field) => `\`${field}\``);
  return `| \`${name}\` | ${fields.join(', ')} |`;
});

const TICKET = `From a page of another origin, or over plain HTTP from another machine, the credential is \`?ticket=\` with a stream
ticket of \`POST /login/ticket\`; it works once, so each reconnect asks for a new one.`;

export const streamRoutes = {
  'session.stream': {
    tag: 'Streams',
    summary: 'Follow and type into a session (WebSocket)',
    detail: `A WebSocket. An unknown or exited session is refused before the upgrade, by plain HTTP.

**From the server**, text frames are JSON with a \`type\`:

| type | fields | meaning |
|---|---|---|
| \`output\` | \`data\`, \`total_written\` | output as text (\`raw\`, \`text\`) |
| \`log\` | \`offset\`, \`total_lines\`, \`lines\`, \`screen\`, \`input_line\` | new lines and the screen (\`log\`) |
| \`snapshot\` | \`data\`, \`offset\`, \`rows\`, \`cols\`, \`total_lines\` | text that redraws the whole screen on a reset terminal; output goes on at \`offset\` |
| \`size\` | \`offset\`, \`rows\`, \`cols\` | the terminal has this size from that byte on (\`bytes\`) |
| \`gap\` | \`from\`, \`to\`, \`reason\` | this output is gone |
| \`exit\` | \`session_id\`, \`exit_code\` | the program ended, all its output was sent |
| \`closed\` | \`session_id\`, \`reason\` | the last frame |
| \`error\` | \`code\`, \`error\` | what this viewer sent was refused; the stream goes on |
| \`event\` | \`event\`, \`data\` | with \`events=1\` |

\`format=bytes\` adds binary frames: 8 bytes offset (unsigned, little endian), then the output from that offset on.

**To the server**: with \`bytes\`, binary frames are input, and text frames are \`{"type":"ack","offset":n}\` (everything before is shown),
\`{"type":"resize","rows":r,"cols":c}\` and \`{"type":"visible","visible":true}\`. With the other formats every frame is input.

**Resume**: reconnect with \`offset\` of the next byte wanted. A viewer that does not keep up gets \`gap\` and \`snapshot\` instead of what it
missed. More than ${LIMITS.viewerInput} bytes of input that the program does not read end the connection (1009).

${TICKET}

\`tuicommander/client\` does all of this: \`openByteStream\`.`,
    query: streamQuerySchema,
    answers: [{ status: 101, what: 'The connection is a WebSocket now.' }],
    refuses: ['session_not_found', 'host_unavailable'],
  },
  events: {
    tag: 'Streams',
    summary: 'Follow events (server-sent events)',
    detail: `A stream of \`text/event-stream\` that ends when one side leaves. Each record has \`event\`, \`id\` and \`data\` (JSON). A comment comes
every ${DEADLINES.eventKeepAlive / 1_000} s.

**Resume**: send the last id as \`Last-Event-ID\`. The newest ${LIMITS.busEvents} events are kept; what is gone is told by the event \`lagged\` with
\`{"missed":n}\`, and then what depends on events is to be read again.

| event | fields of \`data\` |
|---|---|
${EVENTS.join('\n')}

${TICKET}

\`tuicommander/client\` does all of this: \`openEvents\`.`,
    query: eventsQuerySchema,
    headers: { 'Last-Event-ID': 'Id of the last record that was seen.' },
    answers: [{ status: 200, what: 'The stream.', type: 'text/event-stream' }],
  },
  'events.socket': {
    tag: 'Streams',
    summary: 'Follow events over a WebSocket',
    detail: `The text of \`GET /events\`, in text frames. For pages: a browser holds six HTTP connections to a server for all its windows, and
many WebSockets. What the page sends is ignored.

${TICKET}`,
    query: eventsQuerySchema,
    answers: [{ status: 101, what: 'The connection is a WebSocket now.' }],
  },
} as const satisfies Record<string, RouteDescription>;
