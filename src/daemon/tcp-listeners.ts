/**
 * Owns the TCP listeners, local and remote, and follows the configuration with them. IPC is none of its business, and a change of one
 * listener never touches the other.
 *
 * Order: one run at a time, each for the configuration that is live when it begins, so the newest one wins. What a change takes away
 * (the listener, its login, cleartext) ends before anything new begins; a request that brought the change is answered first.
 * A change of the port, the address family or the certificate ends no stream: only the door moves.
 */
import { resolve } from 'node:path';
import type { HttpFront } from '../api/http/index.ts';
import { type Clock, KeyedMutex } from '../base/index.ts';
import type { ListenersReport } from '../contract/index.ts';
import { type Config, resolveLocalPort } from '../domain/config/index.ts';
import {
  type Certificate,
  type LocalListener,
  listenLocal,
  listenRemote,
  type NetLog,
  type RemoteListener,
  readCertificate,
} from '../platform/net/index.ts';

export interface TcpListenersOptions {
  /** The live configuration. */
  settings: () => Config;
  env: Readonly<Record<string, string | undefined>>;
  configDirectory: string;
  local: HttpFront;
  /** Called once, when remote access is first wanted. */
  buildRemote: () => Promise<HttpFront>;
  clock: Clock;
  log: NetLog;
  /** Told when local TCP has another port, or none. */
  onLocalPort: (port: number | undefined) => Promise<void> | void;
}

type LocalState = ListenersReport['local'];
type RemoteState = ListenersReport['remote'];

interface BoundLocal {
  listener: LocalListener;
  wantedPort: number;
}

interface BoundRemote {
  listener: RemoteListener;
  /** Everything that asks for another bind. */
  place: string;
  report: Extract<RemoteState, { state: 'listening' }>;
}

const RUN = 'listeners';
const OTHERS = 'IPC is not affected';

function describe(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

export class TcpListeners {
  readonly #options: TcpListenersOptions;
  readonly #mutex = new KeyedMutex();
  #isClosed = false;
  #local: BoundLocal | undefined;
  #remote: BoundRemote | undefined;
  #remoteFront: HttpFront | undefined;
  /** Name and password that the open connections of the remote listener came in by. */
  #login = '';
  /** There may be remote connections without TLS, also after the listener they came by has gone. */
  #mayHaveCleartext = false;
  #localState: LocalState = { state: 'off', reason: 'not started yet' };
  #remoteState: RemoteState = { state: 'off', reason: 'not started yet' };

  constructor(options: TcpListenersOptions) {
    this.#options = options;
  }

  get localPort(): number | undefined {
    return this.#local?.listener.port;
  }

  /** Throws when local TCP is wanted and cannot be had; without it a person has no way to the workspace. */
  start(): Promise<void> {
    return this.#mutex.run(RUN, async () => {
      const settings = this.#options.settings();
      if (settings.local_server_enabled) await this.#openLocal(resolveLocalPort(settings, this.#options.env));
      else this.#localState = { state: 'off', reason: 'local_server_enabled is false' };
      await this.#followRemote(settings);
    });
  }

  /** Brings the listeners in line with the live configuration. Failures are reported, not thrown. */
  follow(): Promise<void> {
    return this.#mutex.run(RUN, async () => {
      if (this.#isClosed) return;
      const settings = this.#options.settings();
      await this.#followLocal(settings);
      await this.#followRemote(settings);
    });
  }

  /** After all changes that were asked for before. */
  report(): Promise<Pick<ListenersReport, 'local' | 'remote'>> {
    return this.#mutex.run(RUN, () => ({ local: this.#localState, remote: this.#remoteState }));
  }

  /** Stops accepting. Open connections are the fronts' to end. */
  close(): Promise<void> {
    this.#isClosed = true;
    return this.#mutex.run(RUN, () => {
      this.#local?.listener.close();
      this.#remote?.listener.close();
    });
  }

  async #openLocal(wantedPort: number): Promise<void> {
    const { log, local } = this.#options;
    const listener = await listenLocal({ port: wantedPort, createServer: () => local.createServer(), log });
    this.#local = { listener, wantedPort };
    const { port, addresses } = listener;
    this.#localState = { state: 'listening', port, addresses: [...addresses] };
    log.info({ listener: 'local', port, addresses }, `local TCP listens; ${OTHERS}`);
  }

  async #followLocal(settings: Config): Promise<void> {
    const { log, local, env, onLocalPort } = this.#options;
    if (!settings.local_server_enabled) {
      this.#localState = { state: 'off', reason: 'local_server_enabled is false' };
      if (this.#local === undefined) return;
      this.#local.listener.close();
      this.#local = undefined;
      await onLocalPort(undefined);
      await local.disconnect();
      log.info({ listener: 'local' }, `local TCP was switched off; ${OTHERS}`);
      return;
    }
    const wantedPort = resolveLocalPort(settings, env);
    const before = this.#local;
    if (before?.wantedPort === wantedPort) return;
    try {
      await this.#openLocal(wantedPort);
    } catch (error) {
      const reason = describe(error);
      // The old port goes on: without any, the person who mistyped a number would be locked out.
      if (before === undefined) this.#localState = { state: 'failed', reason };
      log.error(
        { listener: 'local', wanted: wantedPort, port: before?.listener.port, reason },
        'local TCP stays as it was',
      );
      return;
    }
    before?.listener.close();
    await onLocalPort(this.localPort);
  }

  async #followRemote(settings: Config): Promise<void> {
    const { server, auth, tls } = settings.services;
    const { log } = this.#options;
    const login = JSON.stringify([auth.username, auth.password_hash]);
    if (!server.enabled) return this.#closeRemote({ state: 'off', reason: 'services.server.enabled is false' });
    if (auth.password_hash === '') {
      const reason = 'there is no password. "tuic hash-password" makes services.auth.password_hash';
      return this.#closeRemote({ state: 'failed', reason });
    }
    let certificate: Certificate | undefined;
    try {
      if (tls.mode === 'manual') certificate = await this.#readCertificate(tls.cert_path, tls.key_path);
    } catch (error) {
      const reason = describe(error);
      // One that is being renewed is not whole for a moment. Cleartext does not go on where TLS is asked for.
      if (this.#remote?.report.tls !== true) return this.#closeRemote({ state: 'failed', reason });
      log.error({ listener: 'remote', reason }, 'remote TCP goes on with the certificate it has');
      this.#remoteState = { ...this.#remote.report, reason };
      await this.#takeLogin(login);
      return;
    }
    const place = JSON.stringify([server.port, server.ipv6_enabled, certificate?.digest ?? null]);
    await this.#takeLogin(login);
    if (this.#remote?.place === place) {
      this.#remoteState = this.#remote.report;
      return;
    }
    const isRebind = this.#remote !== undefined;
    this.#remote?.listener.close();
    this.#remote = undefined;
    // Cleartext connections do not outlive the change to TLS.
    if (this.#mayHaveCleartext && certificate !== undefined) await this.#remoteFront?.disconnect();
    this.#mayHaveCleartext = certificate === undefined;
    try {
      this.#remoteFront ??= await this.#options.buildRemote();
      const front = this.#remoteFront;
      const listener = await listenRemote({
        port: server.port,
        ipv6: server.ipv6_enabled,
        createServer: () => front.createServer(certificate),
        log,
      });
      const { port, address } = listener;
      const report = { state: 'listening', port, address, tls: certificate !== undefined } as const;
      this.#remote = { listener, place, report };
      this.#remoteState = report;
      const message = isRebind ? 'remote TCP was bound again' : 'remote TCP listens';
      log.info({ listener: 'remote', ...report }, `${message}; IPC and local TCP are not affected`);
    } catch (error) {
      this.#remoteState = { state: 'failed', reason: describe(error) };
      log.error(
        { listener: 'remote', err: error },
        'remote TCP could not be bound; IPC and local TCP are not affected',
      );
    }
  }

  async #readCertificate(certPath: string, keyPath: string): Promise<Certificate> {
    const { configDirectory, clock, log } = this.#options;
    const certificate = await readCertificate({
      certPath: resolve(configDirectory, certPath),
      keyPath: resolve(configDirectory, keyPath),
    });
    if (certificate.expiresAt <= clock.now()) {
      log.warn({ listener: 'remote', expired: new Date(certificate.expiresAt) }, 'the certificate has expired');
    }
    return certificate;
  }

  /** Whoever came in by another name or password has to come in again. */
  async #takeLogin(login: string): Promise<void> {
    const { log } = this.#options;
    const isOther = this.#login !== login && this.#login !== '';
    this.#login = login;
    if (!isOther) return;
    // Also when nothing listens: after a failed bind, connections from before may still be open.
    await this.#remoteFront?.disconnect();
    log.info({ listener: 'remote' }, `the remote login changed, so remote connections were ended; ${OTHERS}`);
  }

  async #closeRemote(state: RemoteState): Promise<void> {
    const { log } = this.#options;
    const was = this.#remoteState;
    this.#remoteState = state;
    const reason = 'reason' in state ? state.reason : undefined;
    const isNews =
      this.#remote !== undefined || (state.state === 'failed' && JSON.stringify(was) !== JSON.stringify(state));
    this.#remote?.listener.close();
    this.#remote = undefined;
    await this.#remoteFront?.disconnect();
    this.#mayHaveCleartext = false;
    if (!isNews) return;
    const fields = { listener: 'remote', reason };
    if (state.state === 'failed') log.error(fields, 'remote TCP does not listen; IPC and local TCP are not affected');
    else log.info(fields, 'remote TCP was switched off; IPC and local TCP are not affected');
  }
}
