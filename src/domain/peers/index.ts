export { type CallerKeys, claimsOf, isPendingMarker, ownerOf, pendingMarker } from './callers.ts';
export { type Peer, peerMigrations } from './peer-store.ts';
export { createPeerService, type PeerPublish, type PeerService } from './service.ts';
