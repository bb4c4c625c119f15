/** Whose something is, told of a caller that may not have an identity yet (TSK-6, MSG-80). */

export interface CallerKeys {
  /** Whom its protocol session speaks for. */
  readonly identity: string | undefined;
  readonly protocolSession?: string | undefined;
}

/** Shared by everybody on this machine who is nobody in particular. */
const LOCAL_BUCKET = 'local';
const PENDING = 'pending:';

/** Stands for the identity that a protocol session will have one day; no UUID looks like it. */
export function pendingMarker(protocolSession: string): string {
  return `${PENDING}${protocolSession}`;
}

export function isPendingMarker(owner: string): boolean {
  return owner.startsWith(PENDING);
}

/** Under which name a caller's new child or task is kept. */
export function ownerOf({ identity, protocolSession }: CallerKeys): string {
  return identity ?? (protocolSession === undefined ? LOCAL_BUCKET : pendingMarker(protocolSession));
}

/** Every name a caller may speak under: what it began before it had its identity stays its own. */
export function claimsOf({ identity, protocolSession }: CallerKeys): string[] {
  const claims = [
    ...(identity === undefined ? [] : [identity]),
    ...(protocolSession === undefined ? [] : [pendingMarker(protocolSession)]),
  ];
  return claims.length === 0 ? [LOCAL_BUCKET] : claims;
}
