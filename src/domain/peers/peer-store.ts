/** Tables of the identities and of the protocol sessions that speak for them (MSG-8). Written by the peer service alone. */
import { z } from 'zod';
import type { Database, Migration } from '../../platform/database/index.ts';

export const peerMigrations: readonly Migration[] = [
  {
    version: 2,
    statements: [
      `CREATE TABLE peers (
        tuic_session TEXT PRIMARY KEY,
        owner TEXT,
        name TEXT NOT NULL,
        project TEXT,
        registered_at INTEGER NOT NULL,
        last_seen INTEGER NOT NULL
      ) STRICT`,
      `CREATE TABLE peer_routes (
        protocol_session TEXT PRIMARY KEY,
        tuic_session TEXT NOT NULL REFERENCES peers (tuic_session) ON DELETE CASCADE,
        number INTEGER NOT NULL
      ) STRICT`,
      'CREATE INDEX peer_routes_identity ON peer_routes (tuic_session)',
    ],
  },
  { version: 4, statements: ['ALTER TABLE peers ADD COLUMN orchestrator INTEGER NOT NULL DEFAULT 0'] },
];

const peerSchema = z.object({
  tuic_session: z.string(),
  owner: z.string().nullable(),
  name: z.string(),
  project: z.string().nullable(),
  registered_at: z.number(),
  last_seen: z.number(),
  orchestrator: z.number().transform((value) => value !== 0),
});
/** Times in epoch milliseconds. */
export type Peer = z.infer<typeof peerSchema>;

const routeSchema = z.object({ protocol_session: z.string(), tuic_session: z.string(), number: z.number() });
type Route = z.infer<typeof routeSchema>;

export class PeerStore {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  load(): { peers: Peer[]; routes: Route[] } {
    return {
      peers: this.#database
        .all('SELECT * FROM peers ORDER BY registered_at, tuic_session')
        .map((row) => peerSchema.parse(row)),
      routes: this.#database.all('SELECT * FROM peer_routes ORDER BY number').map((row) => routeSchema.parse(row)),
    };
  }

  transaction<T>(work: () => T): T {
    return this.#database.transaction(work);
  }

  savePeer(peer: Peer): void {
    this.#database.run(
      `INSERT INTO peers (tuic_session, owner, name, project, registered_at, last_seen, orchestrator) VALUES (?, ?, ?, ?, ?, ?, ?)
       ON CONFLICT (tuic_session) DO UPDATE SET owner = excluded.owner, name = excluded.name, project = excluded.project,
         last_seen = excluded.last_seen, orchestrator = excluded.orchestrator`,
      [
        peer.tuic_session,
        peer.owner,
        peer.name,
        peer.project,
        peer.registered_at,
        peer.last_seen,
        peer.orchestrator ? 1 : 0,
      ],
    );
  }

  saveRoute(route: Route): void {
    this.#database.run(
      `INSERT INTO peer_routes (protocol_session, tuic_session, number) VALUES (?, ?, ?)
       ON CONFLICT (protocol_session) DO UPDATE SET tuic_session = excluded.tuic_session, number = excluded.number`,
      [route.protocol_session, route.tuic_session, route.number],
    );
  }

  removeRoute(protocolSession: string): void {
    this.#database.run('DELETE FROM peer_routes WHERE protocol_session = ?', [protocolSession]);
  }

  removePeer(identity: string): void {
    this.#database.run('DELETE FROM peers WHERE tuic_session = ?', [identity]);
  }
}
