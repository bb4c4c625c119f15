export { peerMigrations } from './peer-store.ts';
export { createPeerService, type PeerPublish, type PeerService } from './service.ts';
