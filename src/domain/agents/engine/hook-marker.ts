/** OSC 7770 as hooks of an agent write it (STM-51): believed only with the nonce of its session, since any file can hold the rest. */
import { AGENT_SESSION_ID, HOOK_STATES, type HookMarkerState } from '../../../contract/index.ts';

export type HookMarker = { verb: 'state'; state: HookMarkerState } | { verb: 'session'; id: string };

/** `data` is what follows `7770;`. Undefined for another nonce, and for what is no marker. */
export function readHookMarker(data: string, nonce: string | undefined): HookMarker | undefined {
  const [, told, verb, value = ''] = /^nonce=([0-9a-zA-Z]{1,128});(state|session)=([^;]{1,128})$/.exec(data) ?? [];
  if (nonce === undefined || nonce === '' || told !== nonce) return undefined;
  if (verb === 'session') return AGENT_SESSION_ID.test(value) ? { verb, id: value } : undefined;
  const state = HOOK_STATES.find((known) => known === value);
  return state === undefined ? undefined : { verb: 'state', state };
}
