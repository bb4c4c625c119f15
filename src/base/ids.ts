/** Source of identifiers, injected so that tests are repeatable. */
export interface Ids {
  /** A canonical lower-case UUID v4. */
  uuid(): string;
}

const CANONICAL_UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const SESSION_ID = /^[A-Za-z0-9_-]{1,64}$/;

export function isCanonicalUuid(text: string): boolean {
  return CANONICAL_UUID.test(text);
}

/** Shape of a PTY id a caller may choose (http.md 3). */
export function isSessionId(text: string): boolean {
  return SESSION_ID.test(text);
}
