/**
 * Follows something of the server by asking again and again. A server that goes away is waited for, also when another one takes its
 * place; the person is told once when it goes and once when it is back.
 */
import { type Client, RequestRefused, ServerUnreachable } from '../client/index.ts';
import { DEADLINES } from '../contract/index.ts';
import type { Context } from './context.ts';

/** True when there is nothing more to follow. */
export type Ask = (client: Client, isNewServer: boolean) => Promise<boolean>;

/** The first question must be answered; later ones may fail as often as they like while the server is away. */
export async function follow(context: Context, ask: Ask): Promise<void> {
  let client: Client | undefined = await context.connect();
  let pid = (await client.health()).pid;
  if (await ask(client, false)) return;
  let isAway = false;
  for (;;) {
    await context.wait(isAway ? DEADLINES.followAway : DEADLINES.follow);
    try {
      client = await context.tryConnect();
      if (client === undefined) throw new ServerUnreachable(undefined);
      // Another server counts and numbers anew, and may have come between two questions.
      const health = await client.health();
      const isNewServer = health.pid !== pid;
      pid = health.pid;
      if (isAway) context.warn('[the server is back]\n');
      isAway = false;
      if (await ask(client, isNewServer)) return;
    } catch (error) {
      const isTransient =
        error instanceof ServerUnreachable || (error instanceof RequestRefused && error.status >= 500);
      if (!isTransient) throw error;
      if (!isAway) context.warn('[the server is away; waiting for it]\n');
      isAway = true;
    }
  }
}
