/** A program that says of itself what an agent would (OSC 7501), and echoes what it is given. */
import type { CreateSession } from '../../src/contract/index.ts';

export interface ToldStatus {
  state: 'idle' | 'working' | 'done' | 'blocked' | 'error';
  kind?: 'permission' | 'question' | 'auth';
  app?: string;
  message?: string;
}

export function statusReport({ state, kind, app = 'claude', message }: ToldStatus): string {
  const fields = [`state=${state}`, `app=${app}`];
  if (kind !== undefined) fields.push(`kind=${kind}`);
  if (message !== undefined) fields.push(`msg=${Buffer.from(message).toString('base64')}`);
  return `\u001b]7501;${fields.join(':')}\u001b\\`;
}

/** A session whose program reports this at once; each line that is typed after that is shown in brackets. */
export function speakingSession(status: ToldStatus, change: CreateSession = {}): CreateSession {
  const script = 'printf "%s" "$1"; while read -r line; do echo "[$line]"; done';
  return { shell: '/bin/sh', args: ['-c', script, 'agent', statusReport(status)], ...change };
}
