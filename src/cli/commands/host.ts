/** tuic host status, tuic host stop. */
import type { HostStatus } from '../../contract/index.ts';
import type { Context } from '../context.ts';
import { readHostStatus, shutDownHost } from '../pty-host.ts';
import { formatAge, formatCount, formatTable, toSafeText } from '../text.ts';

export function countLive(status: HostStatus | undefined): number {
  return status?.sessions.filter((session) => session.exit === undefined).length ?? 0;
}

export async function showHostStatus(context: Context, options: { json?: boolean }): Promise<void> {
  const status = await readHostStatus(context.configDirectory);
  if (options.json) return context.printJson(status === undefined ? { running: false } : { running: true, ...status });
  if (status === undefined)
    return context.print('No terminal host is running. The server starts one with the first terminal');
  const rows = [
    ['pid', String(status.pid)],
    ['running for', formatAge(context.now() - status.startedAt)],
    ['build', `${status.build} (protocol ${status.protoMin}-${status.protoMax})`],
    ['terminals', `${countLive(status)} live, ${status.sessions.length - countLive(status)} ended`],
    ['configuration', status.configDirectory],
  ];
  context.print(rows.map(([name, value]) => `${context.style.dim((name ?? '').padEnd(14))}${value}`).join('\n'));
  if (status.sessions.length === 0) return;
  const table = status.sessions.map((session) => [
    String(session.pid),
    session.exit === undefined ? (session.paused ? 'paused' : 'live') : `exited ${session.exit.code}`,
    formatAge(context.now() - session.startedAt),
    `${session.cols}x${session.rows}`,
    toSafeText(session.file),
    session.id,
  ]);
  context.print('');
  context.print(
    formatTable(['PID', 'STATE', 'AGE', 'SIZE', 'PROGRAM', 'SESSION'], table, (cell, row) =>
      row < 0 ? context.style.dim(cell) : cell,
    ),
  );
}

/** With a server running, the server ends the terminals, so that each is told as ended and not as lost. */
export async function stopHost(context: Context, options: { json?: boolean }): Promise<void> {
  const status = await readHostStatus(context.configDirectory);
  if (status === undefined) {
    if (options.json) return context.printJson({ stopped: false, ended_sessions: 0 });
    return context.print('No terminal host is running');
  }
  const client = await context.tryConnect();
  if (client === undefined) await shutDownHost(context.configDirectory);
  else await client.stopHost();
  const live = countLive(status);
  if (options.json) return context.printJson({ stopped: true, ended_sessions: live });
  context.print(`The terminal host ended, and ${formatCount(live, 'session')} with it`);
}
