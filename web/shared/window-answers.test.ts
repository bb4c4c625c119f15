import { describe, expect, it } from 'vitest';
import { RequestRefused } from '../../src/client/index.ts';
import type { AppEvent, ScriptOutcome } from '../../src/contract/index.ts';
import type { PanelPicture } from './panel-pictures.ts';
import { WindowAnswers } from './window-answers.ts';

const ask = (client_id: string): AppEvent => ({
  name: 'debug-invoke-js',
  data: { request_id: 'r1', client_id, script: 'any' },
});

function setUp(module: () => unknown, picture?: () => PanelPicture) {
  const state = { loaded: [] as string[], notices: [] as string[], refusal: undefined as Error | undefined };
  const sent: unknown[][] = [];
  const told: { requestId: string; outcome: ScriptOutcome }[] = [];
  const answers = new WindowAnswers({
    client: {
      windows: {
        answerScript: async (requestId, outcome) => {
          told.push({ requestId, outcome });
          if (state.refusal !== undefined) throw state.refusal;
        },
        sendPicture: async (requestId, { type, bytes }) => void sent.push([requestId, type, bytes.length]),
        refusePicture: async (requestId, why) => void sent.push([requestId, why]),
      },
    },
    clientId: 'mine',
    load: async (path) => {
      state.loaded.push(path);
      return module();
    },
    takePicture: async (id) => picture?.() ?? { error: `there is no ${id}` },
    notify: (_kind, text) => void state.notices.push(text),
  });
  return { answers, sent, state, told };
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

describe('a script for this window', () => {
  it('DBG-1: is fetched, run, answered with its value, and the person is told', async () => {
    const { answers, state, told } = setUp(() => ({ default: async () => ({ title: 'x' }) }));
    answers.onEvent(ask('mine'));
    await settled();
    expect(state.loaded).toEqual(['/debug/scripts/r1']);
    expect(told).toEqual([{ requestId: 'r1', outcome: { result: { title: 'x' } } }]);
    expect(state.notices).toEqual(['An agent ran a script in this window.']);
  });

  it('DBG-1: for another window is not even fetched', async () => {
    const { answers, state, told } = setUp(() => ({ default: () => 1 }));
    answers.onEvent(ask('other'));
    await settled();
    expect([state.loaded, told, state.notices]).toEqual([[], [], []]);
  });

  it.each([
    ['throws', () => ({ default: () => Promise.reject(new TypeError('no')) }), 'TypeError: no'],
    ['throws what is no error', () => ({ default: () => Promise.reject('plainly') }), 'plainly'],
    [
      'cannot be fetched any more',
      () => {
        throw new TypeError('Failed to fetch');
      },
      'TypeError: Failed to fetch',
    ],
  ])('DBG-1: that %s is answered as a failure', async (_what, module, error) => {
    const { answers, told } = setUp(module);
    answers.onEvent(ask('mine'));
    await settled();
    expect(told).toEqual([{ requestId: 'r1', outcome: { error } }]);
  });

  it('that took too long has nobody to be told, and that is no fault', async () => {
    const { answers, state, told } = setUp(() => ({ default: () => 1 }));
    state.refusal = new RequestRefused(404, 'Not found');
    answers.onEvent(ask('mine'));
    await settled();
    expect(told).toHaveLength(1);
  });
});

describe('a picture for an agent', () => {
  const askPicture = (client_id: string): AppEvent => ({
    name: 'ui-screenshot',
    data: { request_id: 'r1', client_id, id: 's1' },
  });

  it('UI-5: is sent, and the person is told whose it was', async () => {
    const bytes = new Uint8Array(3);
    const { answers, sent, state } = setUp(
      () => undefined,
      () => ({ type: 'image/webp', bytes, label: 'builder' }),
    );
    answers.onEvent(askPicture('mine'));
    await settled();
    expect(sent).toEqual([['r1', 'image/webp', 3]]);
    expect(state.notices).toEqual(['A picture of “builder” was given to an agent.']);
  });

  it('UI-5: that cannot be made is refused in words, and one for another window is none of ours', async () => {
    const { answers, sent, state } = setUp(() => undefined);
    answers.onEvent(askPicture('other'));
    answers.onEvent(askPicture('mine'));
    await settled();
    expect([sent, state.notices]).toEqual([[['r1', 'there is no s1']], []]);
  });
});
