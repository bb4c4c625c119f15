/** tuic capture start, stop, ls, replay: what really came over a terminal. */
import { open, stat } from 'node:fs/promises';
import { basename, extname, join, resolve } from 'node:path';
import {
  type Capture,
  type CaptureEnd,
  decodeCapture,
  decodeRawCapture,
  EXIT_CODES,
  INSTANCE_FILES,
  LIMITS,
} from '../../contract/index.ts';
import { listCaptureFiles } from '../capture-files.ts';
import type { Context } from '../context.ts';
import { CliFailure } from '../failure.ts';
import { lookUpSession, matchSession, nameOf } from '../session-ref.ts';
import { formatAge, formatBytes, formatCount, formatTable, toSafeText } from '../text.ts';

interface JsonOption {
  json?: boolean;
}

const END_WORDS: Readonly<Record<CaptureEnd, string>> = {
  full: 'ended: the file is full',
  gap: 'ended: output was lost before it came here',
  write_failed: 'ended: the disk took no more',
  too_many: 'not recorded: too many sessions',
};

export async function startCapture(context: Context, ref: string | undefined, options: JsonOption): Promise<void> {
  const client = await context.connect();
  const session = ref === undefined ? undefined : await lookUpSession(client, ref);
  const input = session === undefined ? { enabled: true } : { enabled: true, session_id: session.session_id };
  const status = await client.diagnostics.changeCapture(input);
  if (options.json) return context.printJson(status);
  const what = session === undefined ? 'All sessions are' : `${nameOf(session)} is`;
  context.print(`${what} recorded into ${status.directory} until "tuic capture stop"`);
  context.warn('Everything that is shown and typed is in it, passwords too\n');
}

export async function stopCapture(context: Context, options: JsonOption): Promise<void> {
  const status = await (await context.connect()).diagnostics.changeCapture({ enabled: false });
  if (options.json) return context.printJson(status);
  const count = Object.keys(status.sessions).length;
  context.print(`Nothing is recorded any more. ${formatCount(count, 'file')} in ${status.directory}`);
}

interface CaptureFile {
  path: string;
  session_id: string;
  alias?: string;
  bytes: number;
  modified_ms: number;
  recording: boolean;
  ended?: CaptureEnd;
}

/** The files that are there, also without a server; with one, whether they are being written. */
export async function listCaptures(context: Context, options: JsonOption): Promise<void> {
  const asked = await context.askIfRunning(async (client) => ({
    status: await client.diagnostics.captureStatus(),
    sessions: await client.sessions.list({ all: true }),
  }));
  const status = asked?.status;
  const aliases = new Map(asked?.sessions.map((session) => [session.session_id, nameOf(session)]));
  const directory = status?.directory ?? join(context.configDirectory, INSTANCE_FILES.captures);
  const files = (await listCaptureFiles(directory)).map(({ name, bytes, modified }): CaptureFile => {
    const session = basename(name, extname(name));
    const alias = aliases.get(session);
    const ended = status?.ended[session];
    const isRecorded = status?.enabled === true && status.sessions[session] !== undefined && ended === undefined;
    return {
      path: join(directory, name),
      session_id: session,
      ...(alias === undefined ? {} : { alias }),
      bytes,
      modified_ms: modified,
      recording: isRecorded,
      ...(ended === undefined ? {} : { ended }),
    };
  });
  if (options.json) return context.printJson({ enabled: status?.enabled ?? false, directory, files });
  if (files.length === 0) {
    const next = status?.enabled ? 'Something is recorded; nothing has come yet' : '"tuic capture start" begins one';
    return context.print(`No captures in ${directory}. ${next}`);
  }
  const { style } = context;
  const rows = files.map((file) => [
    toSafeText(file.alias ?? '-'),
    formatBytes(file.bytes),
    formatAge(context.now() - file.modified_ms),
    file.recording ? 'recording' : file.ended === undefined ? 'done' : END_WORDS[file.ended],
    toSafeText(file.path),
  ]);
  context.print(
    formatTable(['SESSION', 'SIZE', 'CHANGED', 'STATE', 'FILE'], rows, (cell, row, column) => {
      if (row < 0) return style.dim(cell);
      return column === 3 && cell === 'recording' ? style.green(cell) : cell;
    }),
  );
}

async function readCaptureFile(path: string): Promise<Capture> {
  const file = await open(path, 'r');
  try {
    const { size } = await file.stat();
    if (size > LIMITS.captureReplay) {
      throw new CliFailure(
        EXIT_CODES.failure,
        `${toSafeText(path)} is larger than ${formatBytes(LIMITS.captureReplay)}`,
      );
    }
    const bytes = await file.readFile();
    return extname(path) === '.raw' ? decodeRawCapture(bytes) : decodeCapture(bytes);
  } finally {
    await file.close();
  }
}

interface Found {
  path: string;
  /** Of the session, when a server knows it. */
  size?: { rows: number; cols: number };
}

async function isFile(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isFile();
  } catch (error) {
    if (error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR'))
      return false;
    throw error;
  }
}

/** A path, else the capture of a session by any of its names. */
async function findCapture(context: Context, name: string): Promise<Found> {
  const path = resolve(context.workingDirectory, name);
  const sessions = (await context.askIfRunning((client) => client.sessions.list({ all: true }))) ?? [];
  const folder = join(context.configDirectory, INSTANCE_FILES.captures);
  const sizeOf = (id: string) => sessions.find((session) => session.session_id === id);
  if (await isFile(path)) {
    const session = sizeOf(basename(path, extname(path)));
    return { path, ...(session === undefined ? {} : { size: session }) };
  }
  const known = matchSession(sessions, name);
  for (const extension of ['tcap', 'raw']) {
    const own = join(folder, `${basename(known?.session_id ?? name)}.${extension}`);
    if (await isFile(own)) return { path: own, ...(known === undefined ? {} : { size: known }) };
  }
  const there = (await listCaptureFiles(folder)).map((file) => file.name);
  const next =
    there.length === 0 ? 'There are no captures; "tuic capture start" begins one' : `There are: ${there.join(', ')}`;
  throw new CliFailure(EXIT_CODES.notFound, `No file and no capture "${toSafeText(name)}". ${next}`);
}

export interface ReplayOptions extends JsonOption {
  rows?: number;
  cols?: number;
}

/** Plays the output into a screen of the server's kind and prints what it shows then; nothing of it acts on the terminal at hand. */
export async function replayCaptureFile(context: Context, name: string, options: ReplayOptions): Promise<void> {
  const { path, size } = await findCapture(context, name);
  const capture = await readCaptureFile(path);
  const rows = options.rows ?? size?.rows ?? 24;
  const cols = options.cols ?? size?.cols ?? 80;
  const { replayCapture } = await context.loadServer();
  const { lines, screen, title } = replayCapture(capture, { rows, cols });
  if (capture.trailing > 0) {
    context.warn(`[the file is cut off: its last ${formatCount(capture.trailing, 'byte')} are no whole record]\n`);
  }
  if (options.json) {
    const records = capture.records.length;
    return context.printJson({ path, rows, cols, records, trailing_bytes: capture.trailing, title, lines, screen });
  }
  const shown = [...lines, ...screen];
  while (shown.at(-1)?.trim() === '') shown.pop();
  for (const line of shown) context.print(toSafeText(line));
}
