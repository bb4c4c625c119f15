/** Inputs and outputs of the connected clients, the login and the server itself (http.md 1.5, 6.1, 7). */
import { z } from 'zod';

export const CLIENT_KINDS = ['workspace', 'phone'] as const;
export type ClientKind = (typeof CLIENT_KINDS)[number];

export interface ClientInfo {
  client_id: string;
  kind: ClientKind;
  /** Epoch milliseconds. */
  connected_at: number;
  last_focused_at: number | null;
}

export const focusSchema = z.object({ focused: z.boolean() });

export const TICKET_PURPOSES = ['login', 'stream'] as const;
export type TicketPurpose = (typeof TICKET_PURPOSES)[number];
export const ticketSchema = z.object({ purpose: z.enum(TICKET_PURPOSES).default('login') });

export interface IssuedTicket {
  ticket: string;
  /** Login tickets only, and only while local TCP is on. */
  url?: string;
  expires_in_secs: number;
}

export interface Health {
  ok: true;
  status: 'ok';
  uptime_secs: number;
  session_count: number;
  protocol_version: 1;
  pid: number;
  config_directory: string;
  socket_path?: string;
  /** Port of local TCP; absent while it is off. */
  port?: number;
}

export interface Stats {
  active_sessions: number;
  max_sessions: number;
  available_slots: number;
}

export interface Version {
  version: string;
  /** Empty when unknown. */
  git_hash: string;
}

/** State of the pty host as the server sees it. */
export type HostReport =
  | { connected: false }
  | {
      connected: true;
      pid: number;
      build: string;
      boot_id: string;
      proto_min: number;
      proto_max: number;
      sessions: number;
      live_sessions: number;
    };
