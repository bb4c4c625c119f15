export { type ConnectClient, ConnectedClients } from './clients.ts';
export { FailureLimit, type FailureLimitOptions } from './failure-limit.ts';
export { type AccessOptions, type AccessService, openAccess } from './service.ts';
export { type Redemption, Tickets } from './tickets.ts';
