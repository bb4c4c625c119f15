export { type Certificate, type CertificatePaths, readCertificate } from './certificate.ts';
export {
  acceptsConnections,
  type IpcListener,
  type IpcListenerOptions,
  listenIpc,
  type NetLog,
} from './ipc-listener.ts';
export { type IpcPlace, type IpcPlaceInput, resolveIpcPlace } from './ipc-path.ts';
export { type LocalListener, type LocalListenerOptions, listenLocal } from './local-listener.ts';
export { isLoopbackAddress } from './loopback.ts';
export { isOwnAddress, listOwnAddresses, type OwnAddressCheck } from './own-addresses.ts';
export { listenRemote, type RemoteListener, type RemoteListenerOptions } from './remote-listener.ts';
export {
  type ConnectionAddresses,
  createSameUserCheck,
  lookUpPeerUid,
  type SameUserCheck,
  type SameUserOptions,
} from './same-user.ts';
