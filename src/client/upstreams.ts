/** MCP servers behind this one. */
import type { TestUpstream, UpstreamConfig, UpstreamReport, UpstreamTest } from '../contract/index.ts';
import { type RequestOptions, requestJson, type Transport } from './transport.ts';

export interface UpstreamRoutes {
  /** Without secrets: masks and flags stand in their place. */
  read(): Promise<UpstreamConfig>;
  /** Applies what differs between the two to what is stored now. */
  save(base: UpstreamConfig, config: UpstreamConfig): Promise<void>;
  status(): Promise<UpstreamReport[]>;
  /** Connects once to what is not saved. */
  test(server: Pick<TestUpstream, 'transport'> & Partial<TestUpstream>): Promise<UpstreamTest>;
  /** Resolves when the attempt is over, whatever came of it. */
  reconnect(name: string): Promise<void>;
  setToken(name: string, token: string): Promise<void>;
  forgetToken(name: string): Promise<void>;
}

type Send = (method: string, path: string, body?: unknown) => RequestOptions & { path: string };

export function createUpstreamRoutes(transport: Transport, send: Send): { upstreams: UpstreamRoutes } {
  const ask = <T>({ path, ...options }: RequestOptions & { path: string }) => requestJson<T>(transport, path, options);
  const done = async (options: RequestOptions & { path: string }) => void (await ask<unknown>(options));
  return {
    upstreams: {
      read: () => ask(send('GET', '/mcp/upstreams')),
      save: (base, config) => done(send('PUT', '/mcp/upstreams', { base, config })),
      status: async () => (await ask<{ upstreams: UpstreamReport[] }>(send('GET', '/mcp/upstream-status'))).upstreams,
      test: (server) => ask(send('POST', '/mcp/upstreams/test', server)),
      reconnect: (name) => done(send('POST', '/mcp/upstreams/reconnect', { name })),
      setToken: (name, token) => done(send('POST', '/mcp/upstreams/credential', { name, token })),
      forgetToken: (name) => done(send('DELETE', `/mcp/upstreams/credential?${new URLSearchParams({ name })}`)),
    },
  };
}
