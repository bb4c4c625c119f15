/** The parts of this room together: the configuration, and what follows it. */
import type { OwnAddress } from './config-rules.ts';
import { UpstreamConfigStore } from './config-store.ts';
import { createOpenLink, type OpenLinkOptions } from './open-link.ts';
import { type RegistryOptions, UpstreamRegistry } from './registry.ts';
import type { Vault } from './secrets.ts';

export interface UpstreamServiceOptions
  extends OpenLinkOptions,
    Pick<RegistryOptions, 'version' | 'settings' | 'publish' | 'log'> {
  configDirectory: string;
  vault: Vault;
  own: () => OwnAddress;
}

export interface UpstreamService {
  readonly config: UpstreamConfigStore;
  readonly registry: UpstreamRegistry;
}

export function createUpstreamService(options: UpstreamServiceOptions): UpstreamService {
  const config = new UpstreamConfigStore(options);
  return { config, registry: new UpstreamRegistry({ ...options, store: config, openLink: createOpenLink(options) }) };
}
