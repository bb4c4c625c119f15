/**
 * Opens new sessions (http.md 3).
 *
 * Ordering: id and place under the cap are reserved before anything waits; the row is stored before the spawn is sent
 * (D15); then alias, `session-created`, and only then the stream. A refused spawn leaves nothing behind.
 */
import { randomBytes } from 'node:crypto';
import { delay } from '../../base/index.ts';
import {
  AppError,
  type CreatedSession,
  type CreateSession,
  DEADLINES,
  type HostSession,
} from '../../contract/index.ts';
import { buildEnvironment } from './environment.ts';
import type { Keeper } from './keeper.ts';
import { type LaunchRequest, prepareLaunch } from './launch.ts';
import type { SessionDependencies } from './ports.ts';
import type { Session } from './session.ts';

const SPAWN_TRIES = 3;
const NONCE_BYTES = 16;

export class Creator {
  readonly #dependencies: SessionDependencies;
  readonly #keeper: Keeper;

  constructor(dependencies: SessionDependencies, keeper: Keeper) {
    this.#dependencies = dependencies;
    this.#keeper = keeper;
  }

  async create(input: CreateSession, origin: { isRemote: boolean }): Promise<CreatedSession> {
    const { environment, settings, ids } = this.#dependencies;
    const { registry } = this.#keeper;
    const launch = prepareLaunch(input, {
      home: environment.HOME ?? '/',
      shell: settings.shell?.() ?? environment.SHELL,
      platform: process.platform,
    });
    if (registry.runningCount >= settings.maxSessions()) throw new AppError('session_limit');
    let id = launch.id ?? ids.uuid();
    while (registry.isTaken(id)) id = ids.uuid();
    registry.reserve(id);
    try {
      return await this.#createReserved(id, launch, input, origin);
    } finally {
      registry.releaseReservation(id);
    }
  }

  async #createReserved(
    id: string,
    launch: LaunchRequest,
    input: CreateSession,
    origin: { isRemote: boolean },
  ): Promise<CreatedSession> {
    const { clock, ids, log } = this.#dependencies;
    const { registry, announcer, counters, opener } = this.#keeper;
    const identity = launch.identity ?? registry.identityFor(id, ids);
    const resumed = registry
      .all()
      .find((session) => session.lifecycle === 'lost' && session.record.tuic_session === identity);
    const { alias, name } = registry.assignAlias(input.alias, launch.cwd, resumed);
    const session = registry.add({
      id,
      tuic_session: identity,
      alias,
      alias_name: name,
      display_name: input.display_name ?? resumed?.record.display_name ?? null,
      display_name_is_custom: input.display_name_is_custom ?? resumed?.record.display_name_is_custom ?? false,
      agent_type: input.agent_type ?? null,
      cwd: launch.cwd,
      file: launch.file,
      args: launch.args,
      rows: launch.rows,
      cols: launch.cols,
      is_remote: origin.isRemote,
      lifecycle: 'starting',
      exit_code: null,
      close_reason: null,
      created_at: clock.now(),
      ended_at: null,
      host_boot_id: null,
      parent: null,
      title: null,
      hook_nonce: randomBytes(NONCE_BYTES).toString('hex'),
      agent_session: null,
      pty_description: null,
    });
    const { held, bootId } = await this.#spawn(session, launch);
    registry.update(session, { lifecycle: 'live', host_boot_id: bootId });
    session.pid = held.pid;
    counters.spawned++;
    announcer.aliasAssigned(session);
    if (resumed !== undefined) await this.#takeOver(resumed);
    const terminal = opener.create(session);
    announcer.created(session);
    try {
      const host = await this.#keeper.host();
      // The connection may have come back meanwhile and taken it up already.
      if (terminal.host !== host) await terminal.attach(host);
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      log.warn({ session: id, reason: error.message }, 'the stream follows when the host is back');
    }
    return { session_id: id, alias };
  }

  async #spawn(session: Session, launch: LaunchRequest): Promise<{ held: HostSession; bootId: string }> {
    const { clock } = this.#dependencies;
    const { registry, counters } = this.#keeper;
    const refuse = (error: unknown, wasSent: boolean): never => {
      counters.failed++;
      // A host that took the request and does not answer may have started it: whoever meets it ends it.
      if (wasSent) registry.update(session, { close_reason: 'killed' });
      else registry.remove(session);
      throw error;
    };
    let wasSent = false;
    for (let attempt = 1; ; attempt++) {
      const host = await this.#keeper.host().catch((error: unknown) => refuse(error, wasSent));
      try {
        const held = await host.spawn(this.#spawnRequest(session, launch));
        return { held, bootId: host.hello.bootId };
      } catch (error) {
        const code = error instanceof AppError ? error.code : 'internal';
        // Spawning is idempotent by id: after a broken connection the same request finds the session or starts it.
        wasSent = code === 'host_unavailable';
        if (attempt >= SPAWN_TRIES || !(wasSent || code === 'spawn_failed')) refuse(error, wasSent);
      }
      await delay(clock, DEADLINES.spawnRetry * attempt);
    }
  }

  #spawnRequest(session: Session, launch: LaunchRequest) {
    const { environment, version, configDirectory, instance } = this.#dependencies;
    return {
      id: session.id,
      file: launch.file,
      args: launch.args,
      cwd: launch.cwd,
      cols: launch.cols,
      rows: launch.rows,
      env: buildEnvironment({
        server: environment,
        version,
        configDirectory,
        instance,
        identity: session.record.tuic_session,
        hookNonce: session.record.hook_nonce ?? undefined,
        cwd: launch.cwd,
        requested: launch.environment,
      }),
    };
  }

  /** ADR-9: the new terminal has the lost one's alias and name; the lost one is over. */
  async #takeOver(lost: Session): Promise<void> {
    this.#keeper.announcer.closed(lost, 'explicit_close');
    await this.#keeper.drop(lost);
  }
}
