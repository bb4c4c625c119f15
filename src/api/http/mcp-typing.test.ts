/** What the session tool types, and what it says of sessions that are not there (SES-5, SUB-7, WAIT-5). */
import { describe, expect, it } from 'vitest';
import { cleanupAfterAll } from '../../../test/kit/cleanup.ts';
import { startFront } from '../../../test/kit/front.ts';
import { ApiClient } from '../../../test/kit/http.ts';

const cleanup = cleanupAfterAll();
const front = startFront(cleanup);

async function call(input: object, agentType?: string) {
  const { sessions, ipc } = await front;
  sessions.state = {
    awaiting_input: false,
    rate_limited: false,
    last_activity_ms: 1,
    ...(agentType === undefined ? {} : { agent_type: agentType }),
  };
  const before = sessions.calls.length;
  const params = { name: 'session', arguments: { session_id: 'known', ...input } };
  const answer = (await new ApiClient(ipc).ok('POST', '/mcp', {
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params,
  })) as { result: { content: { text: string }[]; isError: boolean } };
  const { result } = answer;
  const text = result.content[0]?.text ?? '';
  return {
    isError: result.isError,
    text,
    json: () => JSON.parse(text) as object,
    calls: sessions.calls
      .slice(before)
      .map(([name, , value]) => [name, value instanceof Uint8Array ? String(value) : value]),
  };
}

describe('session input', () => {
  it.each(['codex', 'opencode'])('SES-5: text and Enter for %s are one line', async (agent) => {
    for (const special_key of ['enter', 'RETURN']) {
      const { calls } = await call({ action: 'input', input: 'hello', special_key }, agent);
      expect(calls).toEqual([['enterLine', 'hello']]);
    }
  });

  it('SES-5: every other pair, and every other program, gets the bytes as they are', async () => {
    const typed = async (input: object, agent?: string) => (await call({ action: 'input', ...input }, agent)).calls;
    expect(await typed({ input: 'hello', special_key: 'enter' }, 'claude')).toEqual([['write', 'hello\r']]);
    expect(await typed({ input: 'hello', special_key: 'enter' })).toEqual([['write', 'hello\r']]);
    expect(await typed({ input: 'hello' }, 'codex')).toEqual([['write', 'hello']]);
    expect(await typed({ special_key: 'enter' }, 'codex')).toEqual([['write', '\r']]);
    expect(await typed({ input: 'a', special_key: 'tab' }, 'codex')).toEqual([['write', 'a\t']]);
  });

  it('SES-16: a description that is given is set, null too; one that is absent is left', async () => {
    const { calls } = await call({ action: 'input', input: 'a', pty_description: null });
    expect(calls).toEqual([
      ['write', 'a'],
      ['describe', null],
    ]);
    expect((await call({ action: 'input', input: 'a' })).calls).toEqual([['write', 'a']]);
  });
});

it('SUB-7: submit to a session that is not there is a receipt', async () => {
  const { isError, json } = await call({ action: 'submit', session_id: 'nobody', input: 'x' });
  expect(isError).toBe(false);
  expect(json()).toMatchObject({
    submission_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
    submitted: false,
    write_state: 'not_started',
    reason: 'unknown_session',
    retry_safe: true,
  });
});

it('WAIT-5: wait for a session that is not there is an error that names it', async () => {
  const { isError, text } = await call({ action: 'wait', session_id: 'nobody' });
  expect(isError).toBe(true);
  expect(text).toContain('Unknown session: nobody');
});

it('SES-8: another state to wait for, and a time that is none, are errors', async () => {
  for (const wrong of [{ until: 'done' }, { timeout_ms: -1 }, { timeout_ms: 'soon' }]) {
    expect((await call({ action: 'wait', ...wrong })).isError).toBe(true);
  }
});
