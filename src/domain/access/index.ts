export { type ConnectClient, ConnectedClients } from './clients.ts';
export { FailureLimit, type FailureLimitOptions } from './failure-limit.ts';
export { type LoginAttempt, type LoginResult, type LoginSettings, PasswordCheck } from './password-check.ts';
export { type AccessOptions, type AccessService, type AccessSettings, openAccess } from './service.ts';
export { type Redemption, Tickets } from './tickets.ts';
