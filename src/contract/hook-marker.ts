/**
 * What a hook of an agent writes to its terminal (mcp.md STM-51): `ESC ] 7770 ; nonce=<n> ; <verb>=<value> BEL`, without the blanks. Both ends
 * of this wire: hooks are written by `tuic agents hooks`, read by the server.
 */
export const HOOK_MARKER = 7770;
/** Values of the verb `state`. */
export const HOOK_STATES = ['busy', 'idle', 'awaiting'] as const;
export type HookMarkerState = (typeof HOOK_STATES)[number];
/** Values of the verb `session`: the agent's own id of its conversation. */
export const AGENT_SESSION_ID = /^[A-Za-z0-9_-]{1,128}$/;
