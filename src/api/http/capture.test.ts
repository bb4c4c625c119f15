/** The capture routes (http.md 19). */
import { expect, it } from 'vitest';
import { cleanupAfterEach } from '../../../test/kit/cleanup.ts';
import { startFront, TEST_LOGIN } from '../../../test/kit/front.ts';
import { ApiClient } from '../../../test/kit/http.ts';

const cleanup = cleanupAfterEach();

it('FIX-1: switches, shows and refuses by name; the remote listener shows only', async () => {
  const front = await startFront(cleanup);
  const ipc = new ApiClient(front.ipc);
  const change = (body: object) => ipc.request('POST', '/diagnostics/capture', { body });
  const off = {
    enabled: false,
    session_id: null,
    directory: `${front.configDirectory}/captures`,
    sessions: {},
    ended: {},
  };
  expect((await ipc.get('/diagnostics/capture')).json()).toEqual(off);
  // Any address of the session will do.
  const started = await change({ enabled: true, session_id: 'ab-1' });
  expect([started.status, started.json()]).toEqual([200, { ...off, enabled: true, session_id: 'known' }]);
  expect((await ipc.get('/diagnostics/capture')).json()).toEqual(started.json());
  for (const [body, status] of [
    [{ enabled: true, session_id: 'nobody' }, 404],
    [{ enabled: 'yes' }, 400],
    [{}, 400],
    [{ enabled: true, session_id: '' }, 400],
  ] as const) {
    expect([body, (await change(body)).status]).toEqual([body, status]);
  }
  // A refused change changes nothing.
  expect((await ipc.get('/diagnostics/capture')).json()).toEqual(started.json());
  const remote = new ApiClient(front.remote, { authorization: TEST_LOGIN.header });
  expect((await remote.get('/diagnostics/capture')).json()).toEqual(started.json());
  expect((await remote.request('POST', '/diagnostics/capture', { body: { enabled: false } })).status).toBe(404);
  expect((await change({ enabled: false })).json()).toEqual(off);
});
